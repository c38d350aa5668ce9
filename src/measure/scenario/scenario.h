/* Collective operations in a context: Gracia, Niethammer, Sethi, section 4.2; doc/methods.md 4.
 *
 * A scenario is data: for each participant the actions that it takes in one repetition. The
 * time to completion is T_sc = max(t_end) - min(t_start) over all ranks, on one clock. */
#ifndef COLLPROF_MEASURE_SCENARIO_SCENARIO_H
#define COLLPROF_MEASURE_SCENARIO_SCENARIO_H

#include "measure/collective/operation.h"
#include "measure/plan.h"
#include "sync/harmonize.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum action_kind {
    ACTION_START, /* take the first time stamp */
    ACTION_ISSUE, /* call a blocking operation, or start a non-blocking one */
    ACTION_SYNC,  /* wait for all that are pending */
    ACTION_COMP,  /* a fixed amount of computation (work.h) */
    ACTION_DELAY, /* be late by so much */
    ACTION_STOP,  /* take the last time stamp */
    N_ACTIONS
};

enum { SCENARIO_ACTIONS = 64, SCENARIO_SCRIPTS = 16 };
/* What the sweep of a benchmark sets. */
#define SWEPT_SECONDS (-1.0)
#define SWEPT_BYTES ((size_t)-1)
#define SWEPT_ROOT (-1)

struct action {
    enum action_kind kind;
    int line; /* of the file that it was read from; 0 for none */
    /* ISSUE: */
    const struct operation *operation; /* NULL: the sweep's, its form and all */
    bool twin;                         /* the non-blocking form */
    int root;
    size_t bytes;
    double seconds; /* COMP, DELAY */
};

enum participants { WHO_RANKS, WHO_LAST, WHO_DELAYED, WHO_OTHERS };

/* What some participants do. */
struct script {
    enum participants who; /* DELAYED: the sweep's delayed rank; OTHERS: all not named elsewhere */
    int first, last;       /* WHO_RANKS, both included */
    int line;
    int n;
    struct action action[SCENARIO_ACTIONS];
};

struct scenario {
    char name[64];
    int n;
    struct script script[SCENARIO_SCRIPTS];
};

/* The paper's three: 1 collective only, 2 with a delayed participant, 3 overlapping with
 * computation. */
extern const struct scenario scenarios[3];

/* What a sweep varies. */
struct scenario_point {
    const struct operation *operation;
    bool twin;
    const struct bcast *by; /* the tree of a broadcast of ours; NULL: the library's operation */
    int root;
    size_t bytes;
    int delayed;  /* rank */
    double delay; /* seconds */
    double comp;  /* seconds */
};

struct scenario_error {
    int line; /* 0 if no line of a file is to blame */
    char text[160];
};
/* Sets E; returns false. */
bool scenario_wrong(struct scenario_error *e, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the scenario can run on RANKS ranks, with the sweep's delayed rank and root: every
 * rank has a script with one start before one stop, every sync an issue and every non-blocking
 * issue a sync, ranks and roots exist, and all participants issue the same operations in the same
 * order, without which MPI would hang. */
bool scenario_check(const struct scenario *s, int ranks, const struct scenario_point *point,
                    struct scenario_error *error);

/* What of the sweep a scenario has use for. */
struct scenario_sweep {
    bool operation, bytes, delay, comp;
};
struct scenario_sweep scenario_sweeps(const struct scenario *s);

/* How late the participant with the longest delays is, in all, seconds; NaN: there is no delay. */
double scenario_delay(const struct scenario *s, const struct scenario_point *point);

/* What RANK of RANKS does: a script that names it comes before the others'. NULL for nothing. */
const struct script *scenario_script(const struct scenario *s, int rank, int ranks,
                                     const struct scenario_point *point);

struct scenario_result {
    struct samples completion; /* T_sc of every repetition that counts, seconds */
    struct samples after_last; /* max(t_end) - max(arrival): an arrival is the entry to the
                                  first collective operation of a rank */
    size_t dropped;            /* repetitions that a rank began too late */
    double comp;               /* what the calibrated computation takes, the longest of all ranks */
    double bound;              /* error of T_sc from the clocks, seconds */
    bool comp_within;          /* calibrated within 1 % on every rank */
    bool correct;              /* the data that came was right, on every rank */
    bool over_budget;          /* stopped by the plan's budget */
};

/* Runs it, collectively over START's communicator, from common starts; RESULT is complete on rank
 * 0, free it there (harmless elsewhere). Returns an MPI error code; MPI_ERR_NO_MEM if a rank has no
 * memory for its buffers, then on all ranks. The scenario must have been checked. */
int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result);
void scenario_result_free(struct scenario_result *r);

#endif
