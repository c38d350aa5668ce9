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
#ifndef COLLPROF_MEASURE_LATENCY_LATENCY_H
#define COLLPROF_MEASURE_LATENCY_LATENCY_H

#include "base/names.h"
#include "measure/series.h"

#include <mpi.h>
#include <stdbool.h>

struct sync_clock; /* sync/sync.h */

/* What is measured. Equal on all ranks but for ARG, CLOCK and AFTER. */
struct latency_case {
    MPI_Comm comm; /* an intracommunicator of at least 2 ranks that is not used by others meanwhile;
                      its error handler should be MPI_ERRORS_RETURN */
    /* One operation on COMM, called by all ranks; returns an MPI error code. What has no root, or
     * is not a broadcast, ignores ROOT. Inputs must not change from one to the next. */
    int (*run)(void *arg, int root);
    void (*before)(void *arg); /* on each rank before an operation, outside of what is timed; NULL:
                                  nothing. Not in loops of operations alone */
    /* One operation whose data are checked, before and after the measurement; NULL: none. Sets, on
     * all ranks alike, how many ranks have wrong data, and whether that could be checked. */
    int (*check)(void *arg, int *wrong, bool *checked);
    void *arg; /* of these three */
    enum collective_kind kind;
    int root; /* 0 for an operation without one */
    /* How "direct" starts an operation, and whether a rank's own exit counts ("held"). True: all
     * ranks enter at one announced moment. False, with COLLECTIVE_FROM_ROOT: the root enters when
     * the others are inside, and is not a destination: the paper's OL_i. */
    bool together;
    double after;     /* TOGETHER: delay of this rank's entry after the announced time, seconds */
    int ring_bytes;   /* of each message of ring-barrier */
    struct plan plan; /* its budgets are for the whole case, all methods together; 0: no limit */
    int collector;    /* the rank that gets the outcome */
    struct sync_clock *clock; /* the ranks' common clock; NULL: all are on one host and share
                                 clock_now() */
    bool every; /* all pairs' figures are wanted: a short budget is shared among all pairs, not
                   spent on the slowest ones */
};

/* Samples, in the order taken, and their median: NaN without samples. */
struct latency_timed {
    struct estimate at;
    struct samples raw;
};

enum {
    TIMED_OPERATION, /* what the method times; for ol and held E_i, less any hold */
    TIMED_PING,      /* the acknowledgement alone. ol: RTL_i, its round trip. held: its one-way
                        latency; see latency_result.way_error */
    TIMED_SEEN,      /* held: exit minus entry on the common clock, with the longest hold: its
                        difference to the curve's last point is the method's bias */
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
    struct estimate value; /* see latency_method.value; NaN: not measured */
    struct latency_timed timed[N_TIMED];
    struct curve curve;           /* against the hold. No points without one */
    bool has_message;             /* overhead: the time in the call contains, or may contain, the
                                     latency of a message whose sender waits for its receiver */
    enum latency_verdict verdict; /* ol: whether the paper's assumption holds, that no rank on the
                                     path delays the next broadcast */
    enum latency_verdict check;   /* ol: whether the paper's own test holds, E_i > every g_j */
};

/* What a method's value is to the operation latency. */
enum latency_meaning {
    MEANS_GAP,         /* not OL: the interval between successive operations */
    MEANS_LOWER_BOUND, /* <= OL */
    MEANS_UPPER_BOUND, /* >= OL */
    MEANS_LATENCY,     /* max over i of OL_i */
    MEANS_LATENCY_IF,  /* the same if the paper's assumption holds */
    MEANS_OVERHEAD,    /* not OL: the processor's own time */
    MEANS_SUITE        /* what another suite's loop reports: not among "all" */
};

struct latency_result {
    const struct latency_method *method;
    struct estimate value;         /* see latency_method.value */
    double loop_mean;              /* from the loops' means, as in the paper; NaN without samples */
    struct series series;          /* empty for methods that go pair by pair */
    struct latency_figure *figure; /* NULL if the method has none by pair or rank */
    int n_figures;
    int slowest;         /* the figure of the largest value; -1: none */
    int measured, asked; /* pairs, "imb": roots; fewer measured where the budget ended */
    bool at_least;       /* a pair that was not measured may be slower than VALUE */
    int violations;      /* destinations of that verdict; -1: unknown, it takes both ol and held */
    int impossible;      /* pairs whose latency came out as 0 or less: no result */
    double way_error;    /* error bound of VALUE if half a round trip was taken as one-way latency,
                            since the common clock itself assumes symmetric latencies */
    int attempts;        /* STOP_PAPER: made, over all series */
    bool over_budget;    /* a series was ended by the budget, or never settled */
    double clock_bound;  /* "direct", "repro-window": error of the common clock; otherwise 0 */
    int dropped;         /* these methods: operations that a rank entered late */
    double entry_spread; /* these methods: median time from first to last entry; otherwise NaN */
};

struct latency_outcome {
    int size;                      /* of the communicator; 0 on ranks other than the collector */
    struct latency_result *result; /* in the order of the methods asked for */
    size_t n_results;
    int wrong_ranks;   /* ranks whose data was wrong before or after measuring; known to all ranks.
                          If before, nothing is measured */
    bool validated;    /* false if the data could not be checked */
    double clock_cost; /* of one reading at the collector, already subtracted */
};

/* For latency_method.kinds. */
#define KIND_ANY (~0u)
#define KIND_FROM_ROOT (1u << COLLECTIVE_FROM_ROOT)

struct latency_run; /* run.h, private to this folder */

/* What a method has a figure of. */
enum latency_figures { FIGURES_NONE, FIGURES_RANKS, FIGURES_PAIRS };

struct latency_method {
    const char *name;    /* as in --method=NAME */
    const char *reality; /* what it really measures */
    const char *value;   /* what its one figure is */
    enum latency_meaning meaning;
    unsigned kinds; /* kinds of operations other than broadcasts that it has a meaning for: 1 <<
                       enum collective_kind */
    enum latency_figures figures;
    int weight;   /* its part of the budget, relative to the others */
    bool skipped; /* where two of its loop, of P operations each, overdraw the budget */
    int (*run)(struct latency_run *run, struct latency_result *result);
    const struct loop *loop; /* what RUN repeats, of methods that are one loop; loops.c */
    /* At the collector, when all methods have run: compares with the others. NULL: need not. */
    void (*judge)(const struct latency_outcome *outcome, struct latency_result *result);
};

extern const struct latency_method *const latency_methods[];
extern const size_t n_latency_methods;

/* NULL if there is none of that name. */
const struct latency_method *latency_method_find(const char *name);

/* Runs METHODS on the case. The outcome is on the collector, to be freed there by
 * latency_outcome_free(); on the others it is empty but for wrong_ranks and validated. Returns an
 * MPI error code: MPI_ERR_COMM for a communicator of 1 rank or an intercommunicator, MPI_ERR_ROOT,
 * MPI_ERR_ARG for a collector that does not exist, MPI_ERR_NO_MEM, or what an operation returned.
 * An error leaves no outcome. */
int latency_measure(const struct latency_case *c, const struct latency_method *const *methods,
                    size_t n, struct latency_outcome *outcome);
void latency_outcome_free(struct latency_outcome *outcome);

/* The same by "direct" alone. */
int latency_measure_direct(const struct latency_case *c, struct latency_outcome *outcome);

/* Whether the slowest pair's figure may still fall with a longer hold: an upper bound. */
bool latency_unsettled(const struct latency_result *r);

/* The result of the method of that name; NULL if it did not run, or on other ranks. */
struct latency_result *latency_result_of(const struct latency_outcome *outcome, const char *method);

/* What that method found at rank I of a rooted operation: all NaN where it did not run. */
const struct latency_figure *latency_figure_of(const struct latency_outcome *outcome,
                                               const char *method, int i);

#endif
