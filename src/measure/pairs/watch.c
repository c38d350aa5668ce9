#include "measure/pairs/watch.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_MOMENTS = 0x7077 };

void watch_begin(struct watch *w, struct schedule_part *part)
{
    *w = (struct watch){.moment =
                            calloc(WATCH_KEPT * (size_t)(2 + part->n_children), sizeof *w->moment),
                        .before = {NAN, NAN, NAN}};
    part->moment = w->moment;
}

void watch_end(struct watch *w)
{
    free(w->moment);
    *w = (struct watch){0};
}

/* What a parent tells each child. */
struct told {
    double began[WATCH_KEPT], offset, bound;
};

/* The broadcast that is kept in row K, by the common clock; NaN where none is. What is not to be
 * kept was written where the next one goes. */
static double moment(const struct watch *w, const struct schedule_part *part,
                     const struct sync_clock *clock, int k, int what)
{
    return w->moment && (uint64_t)k < w->n && (uint64_t)k != w->n % WATCH_KEPT
               ? sync_global(clock, w->moment[k * (2 + part->n_children) + what])
               : NAN;
}

static struct estimate edge_now(const struct watch *w, const struct schedule_part *part,
                                MPI_Comm comm, const struct sync_clock *clock)
{
    enum { NUMBERS = sizeof(struct told) / sizeof(double) };
    double least[WATCH_KEPT], most[WATCH_KEPT];
    struct samples low = {.value = least}, high = {.value = most};
    struct told mine = {.offset = clock->line.offset, .bound = sync_bound(clock, clock_now())},
                theirs = mine;
    if (part->parent >= 0)
        PMPI_Recv(&theirs, NUMBERS, MPI_DOUBLE, part->parent, TAG_MOMENTS, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < part->n_children; i++) {
        for (int k = 0; k < WATCH_KEPT; k++)
            mine.began[k] = moment(w, part, clock, k, MOMENT_BEGAN + i);
        PMPI_Send(&mine, NUMBERS, MPI_DOUBLE, part->child[i], TAG_MOMENTS, comm);
    }
    /* Those who follow one leader's clock, to the bit, read the same one. */
    double doubt = mine.offset == theirs.offset ? 0 : mine.bound + theirs.bound;
    for (int k = 0; k < WATCH_KEPT; k++) {
        double began = theirs.began[k], arrived = moment(w, part, clock, k, MOMENT_ARRIVED);
        if (part->parent < 0 || isnan(began) || isnan(arrived))
            continue;
        least[low.n++] = arrived - fmax(began, moment(w, part, clock, k, MOMENT_ENTERED));
        most[high.n++] = arrived - began;
    }
    struct estimate e = samples_estimate(&low), f = samples_estimate(&high);
    return (struct estimate){(e.value + f.value) / 2, e.low - doubt, f.high + doubt};
}

int watch_changed(struct watch *w, const struct schedule_part *part, MPI_Comm comm,
                  const struct sync_clock *clock, double more, int *changed)
{
    struct estimate now = edge_now(w, part, comm, clock);
    int mine = estimates_differ(w->before, now, more) ? part->parent : -1, size, n = 0;
    if (!estimate_has_interval(w->before))
        w->before = now;
    PMPI_Comm_size(comm, &size);
    PMPI_Allgather(&mine, 1, MPI_INT, changed, 1, MPI_INT, comm);
    for (int v = 0; v < size; v++)
        n += changed[v] >= 0;
    return n;
}
