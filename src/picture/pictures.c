#include "picture/pictures.h"

#include "picture/curves.h"
#include "picture/matrix_draw.h"
#include "picture/timeline_draw.h"
#include "report/layout.h"
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In a label of ours: what is behind the operation. */
static char *site_of(const char *label)
{
    char *space = strchr(label, ' ');
    return space ? space + 1 : strchr(label, '\0');
}

/* A call site behind its operation gets no longer than what leaves the drawing its room. */
static void shorten_labels(struct curves *c)
{
    enum { SITE_ROOM = 28 };
    char **site = memory_alloc((c->line.n + 1) * sizeof *site);
    for (size_t i = 0; i < c->line.n; i++)
        site[i] = memory_strdup(site_of(c->line.at[i].label));
    layout_shorten(site, c->line.n, 1, SITE_ROOM);
    for (size_t i = 0; i < c->line.n; i++) {
        strcpy(site_of(c->line.at[i].label), site[i]);
        free(site[i]);
    }
    free(site);
}

static enum picture_result curves_draw(const struct profile *p, struct curves *c, const char *path,
                                       const struct plot_axes *axes)
{
    enum picture_result result = PICTURE_EMPTY;
    struct plot_axes captioned = *axes;
    char caption[300];
    picture_caption(p, caption, sizeof caption);
    captioned.caption = caption;
    shorten_labels(c);
    if (c->line.n)
        result =
            plot_lines(path, &captioned, c->line.at, c->line.n) ? PICTURE_DRAWN : PICTURE_FAILED;
    curves_free(c);
    return result;
}

/* Durations in ascending order: the flat parts are what most calls take, the end is the tail. */
static enum picture_result draw_durations(const struct profile *p, const char *path,
                                          const struct picture_view *view)
{
    const struct plot_axes axes = {"Durations of the costliest calls, in ascending order",
                                   "calls (%)", "duration (us)", .y_log10 = true};
    struct rows rows = rows_of(p, ROWS_BY_SITE);
    char **site = site_labels(p);
    struct curves curves = {0};
    for (size_t i = 0; i < rows.n && curves.line.n < view->top; i++) {
        const struct profile_entry *e = &rows.at[i];
        char label[600];
        if (e->calls < 2)
            continue;
        snprintf(label, sizeof label, "%s %s", p->operations.at[e->operation].name,
                 e->site == PROFILE_NONE ? "-" : site[e->site]);
        struct plot_series *s = curves_line(&curves, label, 101);
        for (int percent = 0; percent <= 100; percent += percent < 96 ? 4 : 1) {
            double ns = entry_quantile(e, percent / 100.0);
            curves_point(s, percent, ns > 0 ? ns / 1e3 : NAN);
        }
    }
    rows_free(&rows);
    site_labels_free(p, site);
    return curves_draw(p, &curves, path, &axes);
}

static enum picture_result draw_ranks(const struct profile *p, const char *path,
                                      const struct picture_view *view)
{
    const struct plot_axes axes = {"Time in MPI by rank", "rank", "seconds", .x_whole = true};
    struct curves curves = {0};
    (void)view;
    if (p->ranks.n < 2)
        return PICTURE_EMPTY;
    struct plot_series *wall = curves_line(&curves, "wall time", p->ranks.n);
    for (size_t i = 0; i < p->ranks.n; i++)
        curves_point(wall, p->ranks.at[i].rank, p->ranks.at[i].wall);
    struct plot_series *mpi = curves_line(&curves, "time in MPI", p->ranks.n);
    for (size_t i = 0; i < p->ranks.n; i++)
        curves_point(mpi, p->ranks.at[i].rank,
                     p->ranks.at[i].in_call ? (double)NAN : (double)p->ranks.at[i].mpi_ns / 1e9);
    return curves_draw(p, &curves, path, &axes);
}

struct point {
    double x, y;
};

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* Skew of each kept instance of PLACE at its time. Those of one communicator after the other become
 * one line forwards in time. */
static void add_skews(const struct profile *p, const struct profile_arrival *place,
                      const uint32_t *kind, int64_t origin, struct plot_series *s)
{
    ARRAY(struct point) points = {0};
    for (size_t i = 0, end; i < p->events.n; i = end) {
        const struct profile_event *e = &p->events.at[i];
        int64_t first = e->entry_ns, last = e->entry_ns;
        end = events_next(p, i);
        for (const struct profile_event *other = e + 1; other < p->events.at + end; other++) {
            first = other->entry_ns < first ? other->entry_ns : first;
            last = other->entry_ns > last ? other->entry_ns : last;
        }
        if (e->operation == place->operation && e->site == place->site &&
            kind[e->comm] == place->comm && end - i == p->comms.at[e->comm].size && last > first)
            *PUSH(&points) =
                (struct point){(double)(first - origin) / 1e9, (double)(last - first) / 1e3};
    }
    if (points.n)
        qsort(points.at, points.n, sizeof *points.at, by_x);
    for (size_t i = 0; i < points.n; i++)
        curves_point(s, points.at[i].x, points.at[i].y);
    free(points.at);
}

/* For the places with most waiting. */
static enum picture_result draw_arrivals(const struct profile *p, const char *path,
                                         const struct picture_view *view)
{
    const struct plot_axes axes = {"How late the last rank enters", "time since the first (s)",
                                   "last entry minus first entry (us)", .y_log10 = true};
    struct curves curves = {0};
    char **site = site_labels(p);
    uint32_t *kind = comm_kinds(p, false);
    int64_t origin = events_origin(p);
    for (size_t a = 0; a < p->arrivals.n && curves.line.n < view->top; a++) {
        const struct profile_arrival *place = &p->arrivals.at[a];
        char on[COMM_LABEL], label[1000];
        if (place->instances < 2)
            continue;
        comm_label(p, place->comm, on, sizeof on);
        snprintf(label, sizeof label, "%s %s on %s", p->operations.at[place->operation].name,
                 place->site == PROFILE_NONE ? "-" : site[place->site], on);
        add_skews(p, place, kind, origin, curves_line(&curves, label, p->events.n));
    }
    site_labels_free(p, site);
    free(kind);
    return curves_draw(p, &curves, path, &axes);
}

static enum picture_result draw_sizes(const struct profile *p, const char *path,
                                      const struct picture_view *view)
{
    const struct plot_axes axes = {"Time of a call by message size",
                                   "bytes (up to below twice that)", "median duration (us)",
                                   .x_log2 = true, .y_log10 = true};
    struct rows operations = rows_of(p, ROWS_BY_OPERATION), rows = rows_of(p, ROWS_BY_SIZE);
    struct curves curves = {0};
    for (size_t i = 0; i < operations.n && curves.line.n < view->top; i++) {
        uint32_t operation = operations.at[i].operation;
        if (!operations.at[i].bytes)
            continue;
        struct plot_series *s = curves_line(&curves, p->operations.at[operation].name, 64);
        for (uint32_t k = 1; k < 64; k++)
            for (size_t r = 0; r < rows.n; r++)
                if (rows.at[r].operation == operation && rows.at[r].size_class == k &&
                    rows.at[r].calls)
                    curves_point(s, (double)(1ull << (k - 1)),
                                 entry_quantile(&rows.at[r], 0.5) / 1e3);
    }
    rows_free(&operations);
    rows_free(&rows);
    return curves_draw(p, &curves, path, &axes);
}

const struct run_picture pictures[] = {
    {"durations", "how long the calls of the costliest call sites take", "no calls were recorded",
     draw_durations, false},
    {"ranks", "time in MPI by rank", "one rank is no picture", draw_ranks, false},
    {"arrivals", "how late the last rank enters collectives, over time",
     "no collective was recorded on all of its ranks", draw_arrivals, false},
    {"sizes", "time of a call by message size", "no call carried bytes", draw_sizes, false},
    {"matrix", "how much each rank sent to each other", "no message was sent", matrix_draw, false},
    {"timeline", "what the ranks did over time, and the messages between them",
     "the run was not traced (collprof run --trace), or did nothing then", timeline_draw, true},
};
const size_t n_pictures = sizeof pictures / sizeof *pictures;
