/* The pictures of collbench-bcast: the paper's figures 3, 6, 7, 8, 10 (one method, the
 * algorithms as lines) and 11 (one algorithm, the methods as lines), against ranks; against
 * sizes where these were swept; and OL_i by destination. */
#include "bcast_bench.h"
#include "picture/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One figure of the sweep. */
struct figure {
    struct bench_point at;
    struct estimate by[MOST_METHODS]; /* method, as in options */
    double *to[MOST_METHODS]; /* latency by destination, us; at.ranks of each; NULL: another figure
                                 than a latency */
};

struct plots {
    const struct options *o;
    ARRAY(struct figure) figures;
    struct document *d;
    bool failed;
    int drawn;
};

struct plots *plots_new(const struct options *o)
{
    struct plots *p = memory_alloc(sizeof *p);
    p->o = o;
    return p;
}

static bool is_latency(const struct bcast_method *m)
{
    return m->columns && (m->meaning == BCAST_LATENCY || m->meaning == BCAST_LATENCY_IF);
}

static double *to_destinations(const struct plots *p, const struct bcast_outcome *outcome,
                               const struct bcast_result *result)
{
    double *us = calloc((size_t)outcome->size, sizeof *us);
    for (int i = 0; us && i < outcome->size; i++)
        us[i] = i == p->o->root ? NAN : 1e6 * result->figure[i].value.value;
    return us;
}

void plots_add(struct plots *p, const struct bench_point *at, const struct bcast_outcome *outcome)
{
    struct figure *f = PUSH(&p->figures);
    f->at = *at;
    for (size_t i = 0; i < outcome->n_results; i++) {
        const struct bcast_result *r = &outcome->result[i];
        f->by[i] = r->value;
        if (is_latency(r->method))
            f->to[i] = to_destinations(p, outcome, r);
    }
}

/* plot.png, or plot-WHAT.png where there are several. */
static void file_name(const struct plots *p, const char *what, char *path, size_t size)
{
    const char *dot = strrchr(p->o->bench.plot, '.');
    if (*what)
        snprintf(path, size, "%.*s-%s%s", (int)(dot - p->o->bench.plot), p->o->bench.plot, what,
                 dot);
    else
        snprintf(path, size, "%s", p->o->bench.plot);
}

static void draw(struct plots *p, const char *what, const struct plot_axes *axes,
                 const struct plot_series *series, size_t n)
{
    char path[4096];
    file_name(p, what, path, sizeof path);
    if (plot_lines(path, axes, series, n)) {
        document_fact(p->d, p->drawn++ ? "further picture" : "picture", "%s", path);
        return;
    }
    p->failed = true;
}

static bool sweeps_ranks(const struct plots *p)
{
    return p->o->bench.ranks.min < p->o->bench.ranks.max;
}

static bool sweeps_sizes(const struct plots *p)
{
    return p->o->bench.sizes.min < p->o->bench.sizes.max;
}

/* The figures of one algorithm by one method; where ranks are on the axis, of the size BYTES. */
static void add_line(struct curves *c, const struct plots *p, const char *label, size_t bytes,
                     size_t method, size_t algorithm)
{
    struct plot_series *line = curves_line(c, label, p->figures.n);
    for (size_t i = 0; i < p->figures.n; i++) {
        const struct figure *f = &p->figures.at[i];
        if (f->at.which == algorithm && (!sweeps_ranks(p) || f->at.bytes == bytes))
            curves_estimate(line, sweeps_ranks(p) ? f->at.ranks : (double)f->at.bytes,
                            f->by[method]);
    }
}

/* One picture: the lines are METHODS of ALGORITHMS. */
static void draw_lines(struct plots *p, const char *what, const char *title, size_t bytes,
                       size_t first_method, size_t n_methods, size_t first_algorithm,
                       size_t n_algorithms)
{
    const struct options *o = p->o;
    struct curves c = {0};
    for (size_t a = first_algorithm; a < first_algorithm + n_algorithms; a++)
        for (size_t m = first_method; m < first_method + n_methods; m++)
            add_line(&c, p, n_methods > 1 ? o->methods[m]->name : o->algorithms[a]->name, bytes, m,
                     a);
    bool ranks = sweeps_ranks(p);
    struct plot_axes axes = {.title = title,
                             .x_label = ranks ? "ranks" : "message (B)",
                             .y_label = "time of one broadcast (us)",
                             .x_log2 = !ranks || o->bench.ranks.step == 0,
                             .x_whole = ranks};
    if (o->axes != AXES_LINEAR) {
        axes.y_log10 = true;
        draw(p, what, &axes, c.line.at, c.line.n);
        axes.y_log10 = false;
    }
    char linear[160];
    snprintf(linear, sizeof linear, "%s%slinear", what, *what ? "-" : "");
    if (o->axes != AXES_LOG)
        draw(p, o->axes == AXES_BOTH ? linear : what, &axes, c.line.at, c.line.n);
    curves_free(&c);
}

/* "256 B", "64 KiB". */
static void shown_size(size_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (bytes >= 1024 && bytes % 1024 == 0 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, "%zu %s", bytes, units[unit]);
}

/* Against ranks, or sizes. With several methods and algorithms: a picture per algorithm (its
 * methods), and one per method (its algorithms). */
static void draw_sweep(struct plots *p, size_t bytes, const char *size)
{
    const struct options *o = p->o;
    bool one = o->n_algorithms == 1 || o->n_methods == 1;
    char what[128], title[256], shown[64] = "";
    if (sweeps_ranks(p))
        shown_size(bytes, shown, sizeof shown);
    else
        snprintf(shown, sizeof shown, "%d ranks", p->figures.at[0].at.ranks);
    for (size_t a = 0; a < o->n_algorithms && (o->n_methods > 1 || o->n_algorithms == 1); a++) {
        snprintf(what, sizeof what, "%s%s%s", one ? "" : o->algorithms[a]->name,
                 !one && *size ? "-" : "", size);
        snprintf(title, sizeof title, "%s broadcast, %s", o->algorithms[a]->name, shown);
        draw_lines(p, what, title, bytes, 0, o->n_methods, a, 1);
    }
    for (size_t m = 0; m < o->n_methods && o->n_algorithms > 1; m++) {
        snprintf(what, sizeof what, "%s%s%s", one ? "" : o->methods[m]->name,
                 !one && *size ? "-" : "", size);
        snprintf(title, sizeof title, "method %s, %s", o->methods[m]->name, shown);
        draw_lines(p, what, title, bytes, m, 1, 0, o->n_algorithms);
    }
}

/* OL_i by destination, at the most ranks, one picture per size and algorithm. */
static void draw_destinations(struct plots *p, const struct figure *f, const char *what)
{
    struct plot_series series[MOST_METHODS];
    char title[256], size[32];
    size_t n = 0;
    double *x = calloc((size_t)f->at.ranks, sizeof *x);
    for (int i = 0; i < f->at.ranks; i++)
        x[i] = i;
    for (size_t k = 0; k < p->o->n_methods; k++) {
        bool any = false;
        for (int i = 0; f->to[k] && i < f->at.ranks; i++)
            any = any || !isnan(f->to[k][i]);
        if (any)
            series[n++] = (struct plot_series){
                .label = p->o->methods[k]->name, x, f->to[k], (size_t)f->at.ranks};
    }
    shown_size(f->at.bytes, size, sizeof size);
    snprintf(title, sizeof title, "%s broadcast, %d ranks, %s: latency to each destination",
             f->at.name, f->at.ranks, size);
    struct plot_axes axes = {title, "destination", "OL_i (us)", .x_whole = true};
    if (n)
        draw(p, what, &axes, series, n);
    free(x);
}

static void draw_all_destinations(struct plots *p, bool alone)
{
    for (size_t i = 0; i < p->figures.n; i++) {
        const struct figure *f = &p->figures.at[i];
        char what[128];
        if ((size_t)f->at.ranks != p->o->bench.ranks.max)
            continue;
        if (alone && p->figures.n == 1)
            *what = '\0';
        else if (sweeps_sizes(p))
            snprintf(what, sizeof what, "destinations-%s-%zu", f->at.name, f->at.bytes);
        else
            snprintf(what, sizeof what, "destinations-%s", f->at.name);
        draw_destinations(p, f, what);
    }
}

bool plots_end(struct plots *p, struct document *d)
{
    const struct bench *b = &p->o->bench;
    bool swept = sweeps_ranks(p) || sweeps_sizes(p);
    p->d = d;
    if (p->figures.n)
        qsort(p->figures.at, p->figures.n, sizeof *p->figures.at, bench_by_point);
    size_t bytes = b->sizes.min;
    do {
        char size[32] = "";
        if (sweeps_ranks(p) && sweeps_sizes(p))
            snprintf(size, sizeof size, "%zu", bytes);
        if (swept)
            draw_sweep(p, bytes, size);
    } while (sweeps_ranks(p) && option_next(&b->sizes, &bytes));
    if (p->o->by_destination || !swept)
        draw_all_destinations(p, !swept);
    bool drawn = !p->failed;
    for (size_t i = 0; i < p->figures.n; i++)
        for (size_t k = 0; k < MOST_METHODS; k++)
            free(p->figures.at[i].to[k]);
    free(p->figures.at);
    free(p);
    return drawn;
}
