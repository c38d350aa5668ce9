/* One quantity, measured repeatedly by several ranks until the plan is satisfied.
 *
 * One rank, the keeper, has the samples and decides; before every batch it broadcasts what to do
 * next, so that no decision is made inside the timed part. A batch is a function that every rank
 * calls; it begins with a barrier of its own. */
#ifndef COLLPROF_MEASURE_SERIES_H
#define COLLPROF_MEASURE_SERIES_H

#include "measure/plan.h"

#include <mpi.h>

struct series {
    struct samples samples; /* every raw sample of the accepted attempt, seconds */
    double loop_mean;       /* mean over the batches of their means: the paper's figure */
    int repetitions;        /* M as it was: less than the plan's where the budget was short */
    double per_operation;   /* seconds, as last seen; the loop's own overhead included */
    int batches, attempts;  /* attempts: STOP_PAPER, the accepted one included */
    bool over_budget;       /* ended by the budget, not by the rule */
};

/* What one batch is to do, equal on all ranks. */
struct batch {
    int repetitions;
    double hold; /* seconds; 0: none. Its use is the method's */
    bool first;  /* what earlier batches of this series gave does not count: they were warm-up,
                    or an attempt that is thrown away */
};

/* Runs BATCH. The keeper sets VALUE[0 .. *N) (room for batch->repetitions) to one value per
 * operation, or to a single one where the quantity is only meaningful as a mean over many
 * operations (a gap). Others leave them. Returns an MPI error code. */
typedef int (*batch_run)(void *arg, const struct batch *batch, double *value, int *n);

/* Measures a series with the given hold. PLAN is the same everywhere; its budgets, which are this
 * series' alone, and HOLD count on the keeper only. Only the keeper's S is filled (zeroed
 * elsewhere); free it by series_free(). Where the plan's M does not fit into the budget, it is
 * reduced. Returns an MPI error code. */
int series_measure(MPI_Comm comm, int keeper, const struct plan *plan, double hold, batch_run run,
                   void *arg, struct series *s);
void series_free(struct series *s);

/* Median and interval of samples. */
struct estimate samples_estimate(const struct samples *s);

/* A quantity that is right only if something is held back for long enough: it falls with the
 * hold, then is flat. The hold is doubled from FIRST on until the value no longer falls, by more
 * than the intervals of both (or 0.2 %, where a simulated clock leaves none); the first point of
 * the flat part is believed, since longer holds only let more noise in. Where the intervals are
 * wider than the fall to be seen, or there are none, nothing has settled. The batches subtract
 * the hold themselves. */
enum { CURVE_MAX = 10 };
struct curve_point {
    double hold;
    struct estimate at;
};
struct curve {
    struct curve_point point[CURVE_MAX];
    int n;
    double hold;  /* of the point that is believed; NaN: none */
    bool settled; /* a longer hold changed nothing */
};

/* S keeps the series that is believed; S and CURVE are the keeper's. The arguments are as for
 * series_measure(); FIRST, which must be positive, counts on the keeper only. */
int series_settle(MPI_Comm comm, int keeper, const struct plan *plan, double first, batch_run run,
                  void *arg, struct series *s, struct curve *curve);

/* Whether two estimates differ by more than their intervals together and more than TOLERANCE
 * times the smaller of the two. Estimates without an interval are not known to differ. */
bool estimates_differ(struct estimate a, struct estimate b, double tolerance);

/* The largest difference that the two intervals leave room for; NaN where one has none. */
double estimates_difference_most(struct estimate a, struct estimate b);

#endif
