/* How long one collective operation takes, by several methods: those of de Supinski and Karonis,
 * "Accurately Measuring MPI Broadcasts in a Computational Grid" (1999, "the paper" below), sections
 * 2 to 4, our corrections of them, and the timing loops of other benchmark suites. Formulas are in
 * doc/methods.md, section 1.
 *
 * All ranks of the communicator call latency_measure() with the same methods. It uses PMPI only,
 * prints nothing, and ends within the plan's budget. All times are in seconds.
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
    MPI_Comm comm; /* an intracommunicator of at least 2 ranks, which nothing else uses meanwhile.
                      With MPI_ERRORS_RETURN, errors are returned; otherwise MPI aborts */
    /* Makes one operation on COMM; all ranks call it. Returns an MPI error code. Operations without
     * a root ignore ROOT. Input data must not change between operations. */
    int (*run)(void *arg, int root);
    void (*before)(void *arg); /* called on each rank before an operation, not timed; NULL for none.
                                  Only on the root may it take time. Not called by methods that
                                  time back-to-back operations without a synchronization */
    /* Called before and after the measurement: makes one operation and checks its data; NULL for
     * none. Sets *WRONG, on all ranks, to the number of ranks with wrong data. */
    int (*check)(void *arg, int *wrong);
    void *arg; /* the argument of RUN, BEFORE and CHECK */
    enum collective_kind kind;
    int root; /* 0 for an operation without a root */
    /* True: "direct" lets all ranks enter at one announced moment, and "held" also measures how
     * long a rank is in the call when it enters last. False, only with COLLECTIVE_FROM_ROOT: the
     * root enters when all others are inside, and is no destination, as for the paper's OL_i. */
    bool together;
    double after;     /* if TOGETHER, this rank enters so many seconds after the announced time */
    int ring_bytes;   /* size of each message of the method ring-barrier */
    struct plan plan; /* its budgets are for the whole case, all methods together; 0: no limit */
    struct sync_clock *clock; /* the ranks' common clock; NULL: all are on one host and share
                                 clock_now() */
    struct harmony *start;    /* for "direct": announces start times; opened by harmonize_open() and
                                 shared by several measurements. The caller then bounds the clocks'
                                 error by sync_check(). NULL: the measurement opens its own */
    bool every; /* the caller needs the results of all pairs, so a short budget is divided among all
                   of them; false: it is spent on the slowest pairs */
};

enum {
    TIMED_OPERATION, /* what the method times. ol and held: E_i, from FROM's entry to the arrival of
                        TO's acknowledgement, minus the hold */
    TIMED_PING,      /* the acknowledgement by itself. ol: RTL_i, its round trip. held: its one-way
                        latency; see latency_figure.error */
    N_TIMED
};

enum latency_verdict {
    VERDICT_NONE,     /* not judged: needs both methods "ol" and "held" */
    VERDICT_HOLDS,    /* the intervals of both methods exclude a difference of 5 % */
    VERDICT_VIOLATED, /* the two methods differ by more than their intervals and 1 % */
    VERDICT_UNKNOWN   /* undecided */
};

/* One method's result for a pair: from the entry of FROM, the last rank to enter, to the exit of
 * TO. FROM = TO: a single rank's time in the call. */
struct latency_figure {
    int from, to;
    struct estimate value; /* seconds, for this pair (enum latency_meaning); NaN if not measured */
    double error;          /* error bound of VALUE, from which half a round trip was subtracted: one
                              direction may take all of it. 0 if each direction could be measured */
    double loop_mean;      /* VALUE by the mean of all batches, as in the paper, not by medians */
    struct samples timed[N_TIMED]; /* raw, seconds, in the order taken; n = 0: not measured */
    struct curve curve; /* of TIMED_OPERATION; HOLD is NaN or 0 for methods without a hold */
    bool has_message;   /* for "overhead": VALUE may contain the latency of a rendezvous message */
    enum latency_verdict verdict; /* for "ol": whether the paper's assumption holds, that no rank on
                                     the path delays the next broadcast */
    enum latency_verdict check;   /* for "ol": whether E_i > every g_j, the paper's own test */
};

/* How a method's value relates to the operation latency OL: the time from the last rank's entry (of
 * a broadcast: from the root's) to the last exit. OL_i is the time to the exit of rank i; g_j, the
 * gap, is the interval between successive operations on rank j, and P the number of ranks. */
enum latency_meaning {
    MEANS_GAP,         /* not OL, but a gap */
    MEANS_LOWER_BOUND, /* <= OL */
    MEANS_UPPER_BOUND, /* >= OL */
    MEANS_LATENCY,     /* max over i of OL_i */
    MEANS_LATENCY_IF,  /* max over i of OL_i if the paper's assumption holds */
    MEANS_OVERHEAD,    /* not OL: processor time of the call on one rank */
    MEANS_SUITE        /* what another suite's loop reports; not run by --method=all */
};

struct latency_result {
    const struct latency_method *method;
    struct estimate value;         /* seconds; METHOD's MEANING says which time it is */
    double loop_mean;              /* VALUE from the mean of the batches' means; NaN: none */
    struct series series;          /* empty for methods that measure pair by pair */
    struct latency_figure *figure; /* one for each rank or pair; NULL if the method has none */
    int n_figures;
    int slowest;         /* index in FIGURE of the largest value; -1: none */
    int measured, asked; /* pairs or ranks (imb: roots); fewer are measured if the budget ends */
    bool at_least;       /* a pair that was not measured may be slower than VALUE */
    int violations;      /* destinations violating the paper's assumption; -1: ol or held not run */
    int impossible;      /* pairs whose computed time is impossible, as if negative: no result */
    bool over_budget;    /* the budget ended a series, or the search for the hold time */
    /* Of the methods "direct" and "repro-window": */
    double clock_bound;  /* error bound of the common clock; 0 for other methods */
    int dropped;         /* operations that were discarded because some rank entered late */
    double entry_spread; /* median time from first to last entry; NaN for other methods */
};

struct latency_outcome {
    int size;                      /* on rank 0 the number of ranks; 0 elsewhere */
    struct latency_result *result; /* one for each method, in the caller's order */
    size_t n_results;
    int wrong_ranks;   /* number of ranks with wrong data in the check before the measurement (which
                          is then skipped) or after it; set on all ranks */
    double clock_cost; /* of one clock reading at rank 0, seconds; already subtracted */
};

/* For latency_method.kinds. */
#define KIND_ANY (~0u)
#define KIND_FROM_ROOT (1u << COLLECTIVE_FROM_ROOT)

struct latency_run; /* run.h, private to this folder */

/* Whether a method gives one struct latency_figure for each rank, for each pair, or none. */
enum latency_figures { FIGURES_NONE, FIGURES_RANKS, FIGURES_PAIRS };

struct latency_method {
    const char *name;  /* as in --method=NAME */
    const char *value; /* what its value is, in words for reports: "largest OL_i" */
    enum latency_meaning meaning;
    unsigned kinds; /* kinds of operations, besides broadcasts, that it applies to: bits 1 << enum
                       collective_kind */
    enum latency_figures figures;
    int weight;   /* its share of the budget, relative to the other methods' weights */
    bool skipped; /* the method is left out if two of its loops, of P operations each, exceed the
                     budget */
    int (*run)(struct latency_run *run, struct latency_result *result); /* returns an MPI error */
    const struct loop *loop; /* of methods in loops.c: the loop that RUN repeats; else NULL */
    /* Called at rank 0 after all methods have run, to compare their results; may be NULL. */
    void (*judge)(const struct latency_outcome *outcome, struct latency_result *result);
};

extern const struct latency_method *const latency_methods[];
extern const size_t n_latency_methods;

/* Finds the method with name NAME, such as "held"; NULL if there is none. */
const struct latency_method *latency_method_find(const char *name);

/* Runs METHODS on the case, in this order: the most important ones should be first, since any may
 * exceed its part of the budget and leave less for the next. Rank 0 gets the outcome and frees it
 * by latency_outcome_free(); on other ranks only wrong_ranks is set. Returns an MPI error code:
 * MPI_ERR_COMM for a communicator of 1 rank or an intercommunicator, MPI_ERR_ROOT, MPI_ERR_NO_MEM,
 * or what an operation returned. After an error there is no outcome. */
int latency_measure(const struct latency_case *c, const struct latency_method *const *methods,
                    size_t n, struct latency_outcome *outcome);
void latency_outcome_free(struct latency_outcome *outcome);

/* latency_measure() with only the method "direct". */
int latency_measure_direct(const struct latency_case *c, struct latency_outcome *outcome);

/* Whether the slowest pair's value is only an upper bound, since a longer hold may lower it. */
bool latency_unsettled(const struct latency_result *r);

/* The value of R, or of its figure F if that is not NULL. *ERROR is the error in seconds that
 * clocks and halved round trips may cause: the interval is widened by it, and the value is NaN if
 * *ERROR exceeds 1.1 times the value (of a lower bound: the value). LOW is 0 if the value is only
 * an upper bound, HIGH is NaN if it is only a lower bound. */
struct estimate latency_within(const struct latency_result *r, const struct latency_figure *f,
                               double *error);

/* The result of the method named METHOD; NULL if it did not run, and on all ranks but 0. */
struct latency_result *latency_result_of(const struct latency_outcome *outcome, const char *method);
