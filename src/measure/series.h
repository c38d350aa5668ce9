/* Measures one quantity repeatedly, by several ranks, until a plan says that it is known well
 * enough or that the time is over. All times are in seconds.
 *
 * A series consists of batches. A batch is a function of the caller that every rank calls: it
 * begins with a barrier and repeats an operation. Before every batch rank 0 broadcasts what to do
 * next, so that no decision is made inside the timed part. Only rank 0 stores samples.
 *
 * The hold is a time that the batch waits in each operation; the batch defines on which rank and
 * where. A curve is the quantity measured with increasing holds: one point for each hold. */
#pragma once

#include "base/stats.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum stop_rule {
    STOP_CI,    /* until the 95 % interval of the median is within 2 % of the median or 5 ns */
    STOP_PAPER, /* de Supinski and Karonis, section 3: 8 to 30 means of M operations; if their sd is
                   3 % of their mean or more, the attempt is rejected and repeated */
    STOP_FIXED  /* exactly repeats_min times M operations */
};

struct plan {
    int repetitions; /* M: operations in one batch; paper: 100 */
    enum stop_rule stop;
    int repeats_min, repeats_max; /* least and most batches; paper: 8 and 30 */
    double budget;                /* seconds; 0: no limit. A series that exceeds it ends */
    double budget_most; /* seconds; larger limit that replaces BUDGET while the median has no 95 %
                           interval; 0: BUDGET */
    double until; /* clock_now() of rank 0 after which no batch begins, even without a result, since
                     an application waits for the measurement; 0: no such limit */
    int warmup;   /* operations before the first sample */
    double known; /* seconds of one operation as measured by an earlier series: then there is no
                     warm-up; 0: unknown */
};

/* Defaults: 100 operations a batch, STOP_CI, 1 to 30 batches, at most 10 s, 5 for warm-up. */
struct plan plan_default(void);

/* Names of enum stop_rule, ending with NULL. */
extern const char *const plan_stop_names[];

/* clock_now() for budgets. In a simulation, whose own clock does not show how long a user waits, it
 * also contains an estimate of the processor time that the simulator has used. */
double budget_now(void);
/* In a simulation: raise budget_now() by the cost of N messages, or a barrier, of RANKS ranks. */
void budget_messages(int n, int ranks);
void budget_barrier(int ranks);

struct samples {
    double *value; /* every raw sample, in the order taken */
    size_t n, room;
};

/* With fewer independent samples the median has no 95 % interval. */
enum { SAMPLES_FOR_INTERVAL = 6 };

/* Without memory the sample is lost. */
void samples_add(struct samples *s, double value);
void samples_free(struct samples *s);
struct summary samples_summary(const struct samples *s);

struct series {
    struct samples samples; /* every raw sample of the accepted attempt (see STOP_PAPER) */
    double loop_mean;       /* mean of the batches' means, as the paper reports it; NaN if none */
    int repetitions;        /* operations in the last batch: fewer than M if the budget was short */
    double per_operation;   /* duration of the last batch divided by its operations */
    bool over_budget;       /* the budget ended the series, not its stop rule */
};

/* What one batch has to do, equal on all ranks. */
struct batch {
    double hold; /* seconds that each operation waits; 0: none */
    int repetitions;
    bool first; /* earlier batches of this series are discarded: they were warm-up or a rejected
                   attempt */
};

/* Runs BATCH. Rank 0 sets VALUE[0 .. *N) (room for batch->repetitions) to one value per operation,
 * or to a single one if the quantity is a mean over many operations (a gap). Other ranks leave
 * VALUE unchanged. Returns an MPI error code. */
typedef int (*batch_run)(void *arg, const struct batch *batch, double *value, int *n);

/* Measures a series in which each operation waits for HOLD seconds. PLAN is the same on all ranks;
 * only rank 0 uses HOLD and the plan's budgets, which are for this series alone. If
 * plan->repetitions do not fit into the budget, a batch has fewer. S is filled on rank 0, zeroed
 * elsewhere; free it with series_free(). Returns an MPI error code. */
int series_measure(MPI_Comm comm, const struct plan *plan, double hold, batch_run run, void *arg,
                   struct series *s);
void series_free(struct series *s);

/* Median and its 95 % interval; NaN where there are too few samples. */
struct estimate samples_estimate(const struct samples *s);

/* A quantity that is correct only with a long enough hold: it falls as the hold grows, then is
 * constant. The hold is doubled from FIRST on until the value does not fall any more: until the
 * intervals of two points overlap (or differ by at most 0.2 %, since in a simulation intervals have
 * no width). The first point of the constant part is accepted as the result, since longer holds
 * only add noise. If intervals are missing, or so wide that they could hide a fall, the curve is
 * not settled, and its last point is accepted. The batch function subtracts the hold. */
struct curve {
    double hold;  /* seconds, of the accepted point; NaN: no point yet */
    bool settled; /* a longer hold was tried, and the value did not fall */
};

/* Measures a curve. On rank 0, CURVE and S, the series of the accepted point, are filled. Other
 * arguments are those of series_measure(); FIRST, used on rank 0 only, must be positive. */
int series_settle(MPI_Comm comm, const struct plan *plan, double first, batch_run run, void *arg,
                  struct series *s, struct curve *curve);

/* Whether two estimates differ by more than both intervals together and by more than TOLERANCE
 * times the smaller value. Without intervals a difference is unknown: false. */
bool estimates_differ(struct estimate a, struct estimate b, double tolerance);
