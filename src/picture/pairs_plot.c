#include "picture/pairs_plot.h"

#include "base/reason.h"
#include "base/text.h"
#include "measure/pairs/log.h"
#include "picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* M in microseconds, to be freed; the diagonal gets the value given. Less than a picosecond is what
 * is left of nothing. */
static double *in_microseconds(const double *m, int n, double diagonal)
{
    size_t cells = (size_t)n * (size_t)n;
    double *us = malloc(cells * sizeof *us);
    for (size_t i = 0; us && i < cells; i++)
        us[i] = i % ((size_t)n + 1) == 0 ? diagonal : m[i] < 1e-12 ? 0 : 1e6 * m[i];
    return us;
}

/* Latencies that span decades hide all but the slowest pairs on a linear scale. */
static bool spans_decades(const double *value, size_t n)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < n; i++) {
        if (value[i] > 0) {
            low = fmin(low, value[i]);
            high = fmax(high, value[i]);
        }
    }
    return high > 20 * low;
}

static struct plot_map map_of(const struct pairs *p, const double *rank, const double *value)
{
    size_t n = (size_t)p->n;
    return (struct plot_map){.x = rank,
                             .y = rank,
                             .nx = n,
                             .ny = n,
                             .value = value,
                             .value_label = "round trip (us)",
                             .palette = PALETTE_LATENCY,
                             .log_color = spans_decades(value, n * n),
                             .by_index = true};
}

/* One colour scale for every other one of N maps: means, or deviations. */
static void share_scale(struct plot_map *map, size_t n)
{
    double low = INFINITY, high = -INFINITY;
    bool decades = false;
    for (size_t i = 0; i < n; i += 2) {
        decades = decades || map[i].log_color;
        for (size_t k = 0; k < map[i].nx * map[i].ny; k++) {
            if (isfinite(map[i].value[k])) {
                low = fmin(low, map[i].value[k]);
                high = fmax(high, map[i].value[k]);
            }
        }
    }
    decades = decades && low > 0; /* a logarithm shows no 0 */
    for (size_t i = 0; i < n; i += 2) {
        map[i].log_color = decades;
        map[i].low = low < high ? low : 0;
        map[i].high = low < high ? high : 0;
    }
}

/* Of P all sizes; of several the first of each, under their NAMES. */
static bool plot_maps(const struct pairs *p, size_t n_logs, char *const *name, const double *rank,
                      const char *path)
{
    bool several = n_logs > 1;
    size_t n = 2 * (several ? n_logs : (size_t)p->n_sizes);
    struct plot_map *map = calloc(n, sizeof *map);
    struct plot_axes *axes = calloc(n, sizeof *axes);
    char(*title)[64] = calloc(n, sizeof *title), sheet[256];
    bool good = map && axes && title;
    for (size_t i = 0; good && i < n; i++) {
        const struct pairs *of = several ? &p[i / 2] : p;
        const struct pairs_size *s = &of->size[several ? 0 : i / 2];
        const double *value = in_microseconds(s->of[i % 2 ? PAIRS_SD : PAIRS_MEAN], of->n, NAN);
        good = value != NULL;
        if (several)
            snprintf(title[i], sizeof title[i], "%.30s: %s, %zu B", text_base_of(name[i / 2]),
                     i % 2 ? "deviation" : "mean", s->bytes);
        else
            snprintf(title[i], sizeof title[i], "%s, %zu B, %d repeats",
                     i % 2 ? "standard deviation" : "mean", s->bytes, s->repeats);
        axes[i] = (struct plot_axes){.title = title[i], .x_label = "rank", .y_label = "rank"};
        if (good)
            map[i] = map_of(of, rank, value);
    }
    if (good) {
        share_scale(map, n);
        share_scale(map + 1, n - 1);
    }
    snprintf(sheet, sizeof sheet, "Round trip between each two of %d ranks, %s", p->n, p->system);
    if (several)
        snprintf(sheet, sizeof sheet, "Round trip between each two ranks, of %zu logs", n_logs);
    if (good)
        good = plot_heatmap_sheet(path, sheet, axes, map, n, 2);
    for (size_t i = 0; map && i < n; i++)
        free((double *)map[i].value);
    free(map);
    free(axes);
    free(title);
    return good;
}

static bool plot_one_surface(const struct pairs *p, const double *rank, const char *path,
                             const char *what, const double *matrix, const char *insert)
{
    const char *dot = strrchr(path, '.');
    char *name = NULL, title[160];
    double *value = in_microseconds(matrix, p->n, 0);
    if (!value || asprintf(&name, "%.*s%s%s", (int)(dot - path), path, insert, dot) < 0) {
        free(value);
        return false;
    }
    snprintf(title, sizeof title, "%s of the round trip, %zu B, %d ranks", what, p->size[0].bytes,
             p->n);
    struct plot_axes axes = {.title = title, .x_label = "rank", .y_label = "rank", .x_whole = true};
    struct plot_map map = map_of(p, rank, value);
    map.log_color = false; /* the diagonal is 0 */
    bool good = plot_surface(name, &axes, &map);
    free(value);
    free(name);
    return good;
}

/* 0, 1, 2, ... for as many ranks as any of N has; to be freed. */
static double *ranks_of(const struct pairs *p, size_t n)
{
    int most = 0;
    for (size_t k = 0; k < n; k++)
        most = p[k].n > most ? p[k].n : most;
    double *rank = malloc((size_t)most * sizeof *rank);
    for (int i = 0; rank && i < most; i++)
        rank[i] = i;
    return rank;
}

bool pairs_plot(const struct pairs *p, const char *path)
{
    double *rank = plot_path_valid(path) ? ranks_of(p, 1) : NULL;
    if (!rank)
        return false;
    const struct pairs_size *s = &p->size[0];
    bool good =
        plot_maps(p, 1, NULL, rank, path) &&
        plot_one_surface(p, rank, path, "Mean", s->of[PAIRS_MEAN], "-surface") &&
        plot_one_surface(p, rank, path, "Standard deviation", s->of[PAIRS_SD], "-surface-sd");
    free(rank);
    return good;
}

bool pairs_logs_plot(char *const *log, size_t n, const char *path)
{
    char why[400];
    size_t loaded = 0;
    struct pairs *p = calloc(n, sizeof *p);
    bool good = p && plot_path_valid(path);
    while (good && loaded < n) {
        good = pairs_log_load(log[loaded], &p[loaded], why, sizeof why);
        loaded += good;
        if (!good)
            reason_give("%s", why);
    }
    double *rank = good && n > 1 ? ranks_of(p, n) : NULL;
    if (good)
        good = n == 1 ? pairs_plot(p, path) : rank && plot_maps(p, n, log, rank, path);
    free(rank);
    while (loaded > 0)
        pairs_free(&p[--loaded]);
    free(p);
    return good;
}
