#include "picture/pairs_plot.h"

#include "base/reason.h"
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

static bool plot_maps(const struct pairs *p, const double *rank, const char *path)
{
    size_t n = 2 * (size_t)p->n_sizes;
    struct plot_map *map = calloc(n, sizeof *map);
    struct plot_axes *axes = calloc(n, sizeof *axes);
    char(*title)[64] = calloc(n, sizeof *title), sheet[256];
    bool good = map && axes && title;
    for (size_t i = 0; good && i < n; i++) {
        const struct pairs_size *s = &p->size[i / 2];
        const double *value = in_microseconds(i % 2 ? s->sd : s->mean, p->n, NAN);
        good = value != NULL;
        snprintf(title[i], sizeof title[i], "%s, %zu B, %d repeats",
                 i % 2 ? "standard deviation" : "mean", s->bytes, s->repeats);
        axes[i] = (struct plot_axes){.title = title[i], .x_label = "rank", .y_label = "rank"};
        if (good)
            map[i] = map_of(p, rank, value);
    }
    if (good) {
        share_scale(map, n);
        share_scale(map + 1, n - 1);
    }
    snprintf(sheet, sizeof sheet, "Round trip between each two of %d ranks, %s", p->n, p->system);
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

bool pairs_plot(const struct pairs *p, const char *path)
{
    if (!plot_path_valid(path))
        return false;
    double *rank = malloc((size_t)p->n * sizeof *rank);
    if (!rank)
        return false;
    for (int i = 0; i < p->n; i++)
        rank[i] = i;
    const struct pairs_size *s = &p->size[0];
    bool good = plot_maps(p, rank, path) &&
                plot_one_surface(p, rank, path, "Mean", s->mean, "-surface") &&
                plot_one_surface(p, rank, path, "Standard deviation", s->sd, "-surface-sd");
    free(rank);
    return good;
}

bool pairs_log_plot(const char *log, const char *path)
{
    struct pairs p;
    char why[400];
    if (!plot_path_valid(path))
        return false;
    if (!pairs_log_load(log, &p, why, sizeof why))
        return reason_give("%s", why);
    bool good = pairs_plot(&p, path);
    pairs_free(&p);
    return good;
}
