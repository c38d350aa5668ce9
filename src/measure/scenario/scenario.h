/* Collective operations in a context: Gracia, Niethammer, Sethi, section 4.2; doc/methods.md 4.
 *
 * A scenario is data: the actions that each participant takes in one repetition. The time to
 * completion is T_sc = max(t_end) - min(t_start) over all ranks, on one clock. */
#ifndef COLLPROF_MEASURE_SCENARIO_SCENARIO_H
#define COLLPROF_MEASURE_SCENARIO_SCENARIO_H

#include "measure/collective/operation.h"
#include "measure/plan.h"
#include "sync/harmonize.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum action {
    ACTION_START, /* take the first time stamp */
    ACTION_DELAY, /* be late by so much */
    ACTION_ISSUE, /* call a blocking operation, or start a non-blocking one */
    ACTION_COMP,  /* a fixed amount of computation (work.h) */
    ACTION_SYNC,  /* wait for what is pending */
    ACTION_STOP   /* take the last time stamp */
};

/* Of each participant, the last is ACTION_STOP. */
enum { SCENARIO_ACTIONS = 5 };
struct scenario {
    const char *name, *summary;
    bool delays, computes; /* what is varied besides size and ranks */
    enum action delayed[SCENARIO_ACTIONS], others[SCENARIO_ACTIONS];
};

/* The paper's: 1 collective only, 2 with a delayed participant, 3 overlapping with computation. */
enum { N_SCENARIOS = 3 };
extern const struct scenario scenarios[N_SCENARIOS];

/* What a sweep varies. */
struct scenario_point {
    const struct operation *operation;
    bool twin;              /* its non-blocking form */
    const struct bcast *by; /* the tree of our own form; NULL: the library's operation */
    int root;
    size_t bytes;
    int delayed;  /* rank */
    double delay; /* seconds */
    double comp;  /* seconds */
};

struct scenario_result {
    struct samples completion; /* T_sc of every repetition that counts, seconds */
    struct samples after_last; /* max(t_end) - max(arrival): an arrival is the entry of a rank to
                                  the operation */
    size_t dropped;            /* repetitions that a rank began too late */
    size_t preempted;          /* of those that count, in which a rank lost its processor */
    double comp;               /* what the calibrated computation takes, the longest of all ranks */
    double bound;              /* error of T_sc from the clocks, seconds */
    bool comp_within;          /* calibrated within 1 % on every rank */
    bool correct;              /* the data that came was right, on every rank */
    bool over_budget;          /* stopped by the plan's budget */
};

/* Runs it, collectively over START's communicator, from common starts; RESULT is complete on rank
 * 0, free it there (harmless elsewhere). Returns an MPI error code; MPI_ERR_NO_MEM if a rank has no
 * memory for its buffers, then on all ranks. */
int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result);
void scenario_result_free(struct scenario_result *r);

#endif
