/* How long one collective operation takes, by every method: those of de Supinski and Karonis,
 * "Accurately Measuring MPI Broadcasts in a Computational Grid" (1999), sections 2 to 4, those that
 * correct them, and the timing loops of other benchmark suites. A broadcast is an operation from
 * its root; formulas are in doc/methods.md, section 1.
 *
 * All ranks of the communicator call latency_measure() with the same methods. It uses PMPI only,
 * prints nothing, and keeps the plan's budget. All times are in seconds.
 *
 * To add a method: a struct latency_method in a file of this folder, and its line in BCAST_METHODS
 * (base/names.h). Tables, pictures, options and help follow from it. */
#pragma once

#include "base/names.h"
#include "measure/series.h"

#include <mpi.h>
#include <stdbool.h>

struct sync_clock; /* sync/sync.h */
struct harmony;    /* sync/harmonize.h */

/* What is measured. All members but ARG, CLOCK and AFTER are equal on all ranks. */
struct latency_case {
    MPI_Comm comm; /* an intracommunicator of at least 2 ranks; nothing else uses it meanwhile; its
                      error handler should be MPI_ERRORS_RETURN */
    /* Makes one operation on COMM; all ranks call it. Returns an MPI error code. Operations without
     * a root ignore ROOT. Input data must not change between operations. */
    int (*run)(void *arg, int root);
    void (*before)(void *arg); /* called on each rank before an operation, not timed; NULL for none.
                                  Only on the root may it take time. Not called in loops of
                                  operations alone */
    /* Makes one operation and checks its data, before and after the measurement; NULL for none.
     * Sets, equally on all ranks, how many ranks have wrong data. */
    int (*check)(void *arg, int *wrong);
    void *arg; /* the argument of RUN, BEFORE and CHECK */
    enum collective_kind kind;
    int root; /* 0 for an operation without one */
    /* How "direct" starts an operation, and whether "held" measures a rank with itself. True: all
     * ranks enter at one announced moment. False, with COLLECTIVE_FROM_ROOT: the root enters when
     * all others are inside and is not a destination: the paper's OL_i. */
    bool together;
    double after;     /* TOGETHER: delay of this rank's entry after the announced time, seconds */
    int ring_bytes;   /* of each message of ring-barrier */
    struct plan plan; /* its budgets are for the whole case, all methods together; 0: no limit */
    struct sync_clock *clock; /* the ranks' common clock; NULL: all are on one host and share
                                 clock_now() */
    struct harmony *start; /* by harmonize_open(), for several measurements by "direct", which then
                              do not know the clocks' bound; NULL: each opens its own */
    bool every; /* figures of all pairs are wanted: a short budget is shared among all pairs, not
                   spent on the slowest ones */
};

enum {
    TIMED_OPERATION, /* what the method times; for ol and held it is E_i, minus the hold */
    TIMED_PING,      /* the acknowledgement by itself. ol: RTL_i, its round trip. held: its one-way
                        latency; see latency_figure.error */
    N_TIMED
};

enum latency_verdict {
    VERDICT_NONE,     /* not judged: needs both methods "ol" and "held" */
    VERDICT_HOLDS,    /* the intervals exclude a difference of 5 % */
    VERDICT_VIOLATED, /* the two methods differ by more than their intervals and 1 % */
    VERDICT_UNKNOWN   /* undecided */
};

/* One method's result for a pair: from the entry of FROM, the last rank to enter, to the exit of
 * TO. FROM = TO: a single rank's time in the call. */
struct latency_figure {
    int from, to;
    struct estimate value; /* what latency_method.value says; NaN if not measured */
    double error;          /* of VALUE, since it takes half a round trip, all of which may be one
                              direction's; 0 if the clock shows the directions */
    double loop_mean;      /* the same from the means of loops, as in the paper */
    struct samples timed[N_TIMED]; /* in the order taken; none if not measured */
    struct curve curve;            /* of what is timed; HOLD is NaN or 0 if the method has none */
    bool has_message; /* overhead: VALUE may contain the latency of a rendezvous message */
    enum latency_verdict verdict; /* ol: whether the paper's assumption holds, that no rank on the
                                     path delays the next broadcast */
    enum latency_verdict check;   /* ol: whether the paper's own test passes: E_i > every g_j */
};

/* How a method's value relates to the operation latency OL: the time from the last rank's entry (of
 * a broadcast: from the root's) to the last exit. OL_i is the time to the exit of rank i. */
enum latency_meaning {
    MEANS_GAP,         /* not OL: the interval between successive operations */
    MEANS_LOWER_BOUND, /* <= OL */
    MEANS_UPPER_BOUND, /* >= OL */
    MEANS_LATENCY,     /* max over i of OL_i */
    MEANS_LATENCY_IF,  /* the same if the paper's assumption holds */
    MEANS_OVERHEAD,    /* not OL: processor time of the call on one rank */
    MEANS_SUITE        /* what another suite's loop reports; not among "all" */
};

struct latency_result {
    const struct latency_method *method;
    struct estimate value;         /* what latency_method.value says */
    double loop_mean;              /* from the loops' means, as in the paper; NaN without samples */
    struct series series;          /* empty for methods that measure pair by pair */
    struct latency_figure *figure; /* one for each rank or pair; NULL if the method has none */
    int n_figures;
    int slowest;         /* index of the largest figure; -1: none */
    int measured, asked; /* pairs (of "imb": roots); fewer are measured if the budget ends */
    bool at_least;       /* a pair that was not measured may be slower than VALUE */
    int violations;      /* destinations violating the paper's assumption; -1: ol or held missing */
    int impossible;      /* pairs whose computed latency is 0 or less; they have no result */
    bool over_budget;    /* the budget ended a series, or the search for the hold time */
    double clock_bound;  /* "direct", "repro-window": error of the common clock; 0 for the others */
    int dropped;         /* "direct", "repro-window": operations that some rank entered late */
    double entry_spread; /* likewise: median time from first to last entry; NaN for the others */
};

struct latency_outcome {
    int size;                      /* on rank 0 the number of ranks; 0 elsewhere */
    struct latency_result *result; /* in the order of the methods asked for */
    size_t n_results;
    int wrong_ranks; /* ranks with wrong data, before measuring (then nothing is measured) or after;
                        known to all ranks */
    double clock_cost; /* cost of one clock reading at rank 0; already subtracted */
};

/* For latency_method.kinds. */
#define KIND_ANY (~0u)
#define KIND_FROM_ROOT (1u << COLLECTIVE_FROM_ROOT)

struct latency_run; /* run.h, private to this folder */

/* Whether a method gives one figure for each rank, for each pair, or none. */
enum latency_figures { FIGURES_NONE, FIGURES_RANKS, FIGURES_PAIRS };

struct latency_method {
    const char *name;  /* as in --method=NAME */
    const char *value; /* what its value is, in words */
    enum latency_meaning meaning;
    unsigned kinds; /* operations other than broadcasts that it applies to: bits 1 << enum
                       collective_kind */
    enum latency_figures figures;
    int weight;   /* its share of the budget, relative to the others */
    bool skipped; /* skipped if two of its loops, of P operations each, exceed the budget */
    int (*run)(struct latency_run *run, struct latency_result *result);
    const struct loop *loop; /* for methods that are one loop: the loop that RUN repeats; loops.c */
    /* Called at rank 0 after all methods have run, to compare their results; may be NULL. */
    void (*judge)(const struct latency_outcome *outcome, struct latency_result *result);
};

extern const struct latency_method *const latency_methods[];
extern const size_t n_latency_methods;

/* NULL if there is no method of that name. */
const struct latency_method *latency_method_find(const char *name);

/* Runs METHODS on the case, in this order: those that matter most should be the first, since others
 * may exceed their part of the budget. Rank 0 gets the outcome and frees it by
 * latency_outcome_free(); on other ranks only wrong_ranks is set. Returns an MPI error code:
 * MPI_ERR_COMM for a communicator of 1 rank or an intercommunicator, MPI_ERR_ROOT, MPI_ERR_NO_MEM,
 * or what an operation returned. After an error there is no outcome. */
int latency_measure(const struct latency_case *c, const struct latency_method *const *methods,
                    size_t n, struct latency_outcome *outcome);
void latency_outcome_free(struct latency_outcome *outcome);

/* latency_measure() with only the method "direct". */
int latency_measure_direct(const struct latency_case *c, struct latency_outcome *outcome);

/* Whether a longer hold may still lower the slowest pair's figure, which then is an upper bound. */
bool latency_unsettled(const struct latency_result *r);

/* The value of R, or of its figure F unless that is NULL; NaN if the *ERROR of clocks and half
 * round trips, seconds, is larger. The interval contains it; an upper bound begins at 0, a least
 * value has no HIGH. */
struct estimate latency_within(const struct latency_result *r, const struct latency_figure *f,
                               double *error);

/* The result of the method of that name; NULL if it did not run, or on other ranks. */
struct latency_result *latency_result_of(const struct latency_outcome *outcome, const char *method);
