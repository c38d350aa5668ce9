/* What broadcasts that an application does anyway tell of the edges of their tree: how long a
 * message takes. It is at most the time from the moment at which the parent began to send it to its
 * arrival, and no less than the part of that in which the child waited: both are one where the
 * child was there first. */
#ifndef COLLPROF_MEASURE_PAIRS_WATCH_H
#define COLLPROF_MEASURE_PAIRS_WATCH_H

#include "measure/series.h"
#include "sync/sync.h"
#include "trees/schedule_run.h"

enum { WATCH_KEPT = 16 };

struct watch {
    double *moment;         /* of the last WATCH_KEPT broadcasts, a row for each; NULL: no memory */
    uint64_t n;             /* broadcasts so far */
    struct estimate before; /* from the parent, when it was known for the first time */
};

void watch_begin(struct watch *w, struct schedule_part *part);
void watch_end(struct watch *w);

/* After a broadcast: it is kept. All of those that are kept have one size. */
static inline void watch_keep(struct watch *w, struct schedule_part *part)
{
    if (w->moment)
        part->moment = w->moment + ++w->n % WATCH_KEPT * (size_t)(2 + part->n_children);
}

/* Collective over COMM, of all that run PART: the parent of each rank whose edge now takes longer
 * or less than at first, by more than the share MORE, both intervals and what CLOCK leaves open, in
 * CHANGED; -1 for others. Returns how many there are. */
int watch_changed(struct watch *w, const struct schedule_part *part, MPI_Comm comm,
                  const struct sync_clock *clock, double more, int *changed);

#endif
