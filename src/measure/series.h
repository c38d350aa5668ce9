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
    double loop_mean;       /* mean of the batches' means, as the paper reports it */
    int repetitions;        /* M as used: less than the plan's if the budget was short */
    double per_operation;   /* seconds, in the last batch; the loop's own overhead included */
    int batches, attempts;  /* attempts: STOP_PAPER, the accepted one included */
    bool over_budget;       /* ended by the budget, not by the rule */
};

/* What one batch is to do, equal on all ranks. */
struct batch {
    int repetitions;
    double hold; /* seconds; 0: none. The batch function defines what is held back */
    bool first;  /* results of earlier batches of this series are discarded: they were warm-up,
                    or a rejected attempt */
};

/* Runs BATCH. The keeper sets VALUE[0 .. *N) (room for batch->repetitions) to one value per
 * operation, or to a single one where the quantity is only meaningful as a mean over many
 * operations (a gap). Others leave them. Returns an MPI error code. */
typedef int (*batch_run)(void *arg, const struct batch *batch, double *value, int *n);

/* Measures a series with the given hold. PLAN is the same on all ranks; its budgets, which are for
 * this series alone, and HOLD are used on the keeper only. S is filled on the keeper and zeroed
 * elsewhere; free it by series_free(). If the plan's M does not fit into the budget, it is reduced.
 * Returns an MPI error code. */
int series_measure(MPI_Comm comm, int keeper, const struct plan *plan, double hold, batch_run run,
                   void *arg, struct series *s);
void series_free(struct series *s);

/* Median and interval of samples. */
struct estimate samples_estimate(const struct samples *s);

/* A quantity that is correct only if the hold is long enough: it falls as the hold grows, then is
 * constant. The hold is doubled from FIRST on until the value no longer falls by more than the
 * intervals of both points (or by 0.2 %, if a simulated clock gives no interval). The first point
 * of the constant part is the result, since longer holds only add noise. If the intervals are
 * wider than a fall that matters, or missing, the curve has not settled. The batches subtract the
 * hold themselves. */
enum { CURVE_MAX = 10 };
struct curve_point {
    double hold;
    struct estimate at;
};
struct curve {
    struct curve_point point[CURVE_MAX];
    int n;
    double hold;  /* of the point that is the result; NaN: none */
    bool settled; /* a longer hold changed nothing */
};

/* S becomes the series of the resulting point; S and CURVE are filled on the keeper. Arguments are
 * as for series_measure(); FIRST, which must be positive, is used on the keeper only. */
int series_settle(MPI_Comm comm, int keeper, const struct plan *plan, double first, batch_run run,
                  void *arg, struct series *s, struct curve *curve);

/* Whether two estimates differ by more than their intervals together and more than TOLERANCE
 * times the smaller of the two. Estimates without an interval are not known to differ. */
bool estimates_differ(struct estimate a, struct estimate b, double tolerance);

/* The largest difference that the two intervals allow; NaN if one has no interval. */
double estimates_difference_most(struct estimate a, struct estimate b);

#endif
