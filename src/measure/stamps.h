/* Operations seen directly: every rank's entry and exit on one clock. Private to src/measure. */
#ifndef COLLPROF_MEASURE_STAMPS_H
#define COLLPROF_MEASURE_STAMPS_H

#include "measure/series.h"
#include "sync/sync.h"

/* Moments of the common clock. */
struct stamp {
    double entry, exit;
    double late; /* 1: this rank was not there for the start */
};

struct stamps {
    MPI_Comm comm;
    int keeper;                                 /* gets everybody's */
    struct sync_clock *clock;                   /* NULL: clock_now() is the same everywhere */
    int (*start)(struct stamps *s, bool *late); /* brings all ranks to the start of an operation */
    int (*operation)(void *arg);
    void *arg;
    double slack; /* the keeper's: the least to wait for the others; grows where it did not do */

    /* The keeper's: for so long who is out sends nothing, since that would delay what of the
     * operation is still under way. As far as the exits of the last batch were apart, and some. */
    double silence;

    double apart;                /* two ranks' stamps may be, up to the clocks' last point */
    double measured, took;       /* when that was, and how long, on this rank's clock */
    int rank, size, repetitions; /* of the last batch */
    int dropped;                 /* the keeper's: operations some rank was late for */
    struct stamp *mine, *all;
};

/* Room for PLAN's batches, and a point of the clocks; the fields above are the caller's. */
int stamps_open(struct stamps *s, const struct plan *plan);
void stamps_close(struct stamps *s);

/* A batch, after another point of the clocks where that takes a fifth of the time at most.
 * Afterwards the keeper has everybody's stamps. */
int stamps_take(struct stamps *s, int repetitions);

static inline const struct stamp *stamp_of(const struct stamps *s, int rank, int k)
{
    return &s->all[(size_t)rank * (size_t)s->repetitions + (size_t)k];
}

/* The keeper's: GOOD of the batch's operations count; the last rank was LATE by so much in the
 * median one. */
void stamps_count(struct stamps *s, bool first, int good, double late);

/* How far two ranks' stamps may be apart by the clocks alone: by another point, at the end. The
 * same on all ranks. */
int stamps_bound(struct stamps *s, double *bound);

#endif
