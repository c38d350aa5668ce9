/* Measuring a broadcast: every method of de Supinski and Karonis, "Accurately Measuring MPI
 * Broadcasts in a Computational Grid" (1999), sections 2 to 4, and those that mend it.
 *
 * All ranks of the communicator call bcast_measure() with the same methods. It knows nothing of
 * who called it: a bench program, the profiling layer or a simulator. It uses PMPI only, prints
 * nothing, leaves nothing behind, and keeps the budget of the plan: how much is done is chosen by
 * how long the last operations took, and each series makes a few at least. All times are in
 * seconds.
 *
 * To add a method: a file beside this one that defines a struct bcast_method, and its line in
 * BCAST_METHODS (base/names.h). Tables, pictures, options and help follow from it. */
#ifndef COLLPROF_MEASURE_BCAST_BCAST_H
#define COLLPROF_MEASURE_BCAST_BCAST_H

#include "base/names.h"
#include "measure/series.h"
#include "trees/bcast.h"

#include <mpi.h>
#include <stdbool.h>

struct sync_clock; /* sync/sync.h */

/* What is measured. Equal on all ranks but for BUFFER and CLOCK. */
struct bcast_case {
    MPI_Comm comm; /* an intracommunicator of at least 2 ranks that nobody else uses meanwhile;
                      its error handler should be MPI_ERRORS_RETURN */
    const struct bcast *bcast;
    void *buffer; /* COUNT of TYPE. Root's content is never changed; when bcast_measure()
                     returns, every other rank's is what one MPI_Bcast would have made of it */
    int count;
    MPI_Datatype type;
    int root;
    bool fresh;     /* the root writes its data anew before every broadcast of barrier, acknowledge,
                       ol, held and direct, outside the timed part: data that was just computed has to
                       come from the root's cache, unchanged data lies in the others' already.
                       Data with holes is sent as it lies there, but with HOLES */
    bool holes;     /* what lies between the data may be written, too */
    int ring_bytes; /* of each message of ring-barrier */
    unsigned seed;  /* of the order in which methods run, and destinations where all are reached; 0:
                       as listed. What the machine does meanwhile falls upon no one of them */
    struct plan plan; /* its budgets are for the whole case, all methods together; 0: no limit */
    int collector;    /* the rank that gets the outcome */
    struct sync_clock *clock; /* for "direct": makes one clock of all ranks'. NULL: all ranks
                                       are on one host, where clock_now() is one clock */
    const int *destinations;  /* ranks to measure one by one; NULL: all but the root */
    int n_destinations;       /* 0 with NULL */
    bool every; /* the figure of each is wanted, not only the largest: where the budget is short it
                   is not spent on the slowest alone */
};

/* Samples, in the order taken, and their median. Unknown (NaN) without samples. */
struct bcast_timed {
    struct estimate at;
    struct samples raw;
};

enum {
    TIMED_OPERATION, /* what the method times; for ol and held E_i, less any hold */
    TIMED_TRIP,      /* ol: RTL_i, the round trip of an acknowledgement root <-> i */
    TIMED_WAY,  /* held: the acknowledgement's way from i to the root; see bcast_result.way_error */
    TIMED_SEEN, /* held: exit of i - entry of the root in the very operations of the longest
                   hold, on the common clock: what is between this and the curve's last point
                   is the bias of the method alone, whatever else the machine is doing */
    N_TIMED
};

enum bcast_verdict {
    VERDICT_NONE,     /* it takes both ol and held */
    VERDICT_HOLDS,    /* their intervals leave no room for a difference of 5 % */
    VERDICT_VIOLATED, /* the two differ by more than their intervals and 1 % */
    VERDICT_UNKNOWN   /* neither can be said: too few samples, too wide intervals, or direct
                         contradicts held */
};

/* What the time in the call is, where it is looked at. */
enum bcast_part {
    PART_OWN,    /* the processor's own: what it gets was there before */
    PART_OF_WAY, /* some rank waits for this one as this one waits for it: its message sets out when
                    this one is there, and the time in the call is that of its way, too */
    PART_UNKNOWN /* not all ranks were looked at */
};

/* What one method found at one rank. */
struct bcast_figure {
    struct estimate value; /* what the method is for, see bcast_method.value; NaN: not measured */
    double loop;           /* the same by loop means, the paper's way; NaN where there is no loop */
    double last; /* "direct": part of the operations in which it was the last to leave, % */
    struct bcast_timed timed[N_TIMED];
    struct curve curve;   /* against the hold: slope -1, then flat. No points without a hold */
    enum bcast_part part; /* overhead's */
    enum bcast_verdict verdict; /* ol's, on the paper's assumption: that no other task on i's path
                                   delays the next broadcast */
    enum bcast_verdict check;   /* ol's, the paper's own: that E_i is more than every g_j */
};

/* What a method's value is to the operation latency. */
enum bcast_meaning {
    BCAST_GAP,         /* not OL: the interval between successive broadcasts */
    BCAST_LOWER_BOUND, /* <= OL */
    BCAST_UPPER_BOUND, /* >= OL */
    BCAST_LATENCY,     /* max over i of OL_i */
    BCAST_LATENCY_IF,  /* the same if the paper's assumption holds: see violated */
    BCAST_OVERHEAD,    /* not OL: the processor's own time */
    BCAST_SUITE        /* what another suite's loop says: not among "all" */
};

struct bcast_result {
    const struct bcast_method *method;
    struct estimate value; /* the figure of the method's column, see bcast_method.value */
    double loop_mean;      /* the same by loop means, the paper's way; NaN where there is no loop */
    struct series series;  /* empty for methods that go destination by destination */
    struct bcast_figure *figure; /* one per rank; NULL if the method has none by destination */
    int slowest;                 /* destination of the largest value; -1: the method has none */
    int measured, asked;         /* destinations, "imb" roots; measured < asked where the budget
                                    ran out */
    bool at_least; /* one that was not measured may be slower than VALUE. Where the budget is short,
                      a look at all by "direct" says in which order to measure, and whether the
                      slowest was among those measured. What "ol" gives where its assumption fails
                      no look can foresee; but where it agrees with "held", that is OL */
    double chance; /* of having measured the slowest: see scout_chance(); 0: not known */
    int violations;   /* destinations marked; -1: not known, it takes both ol and held */
    int unknown;      /* destinations of which neither can be said, with violations >= 0 */
    int unsettled;    /* destinations at which no two successive holds agreed */
    int impossible;   /* destinations at which a latency came out as 0 or less: no result */
    double way_error; /* ol, held: half a round trip is taken as the acknowledgement's way, for want
                         of a clock that does not itself rest on equal ways: the value may be off by
                         so much. 0: the way itself was measured */
    int attempts;     /* STOP_PAPER: made, over all series; as many series were accepted as measured
                         (one without destinations) */
    bool over_budget; /* some series ended by the budget, or never settled */
    double clock_bound; /* "direct", "repro-window": error of the common clock; otherwise 0 */
    int dropped;        /* "direct", "repro-window": operations some rank was late for */
};

/* Whether the slowest destination's figure may still fall with a longer hold: an upper bound. */
static inline bool bcast_unsettled(const struct bcast_result *r)
{
    const struct curve *c = r->figure && r->slowest >= 0 ? &r->figure[r->slowest].curve : NULL;
    return c && c->n > 0 && !c->settled;
}

struct bcast_outcome {
    int size;                    /* of the communicator; 0 on ranks other than the collector */
    struct bcast_result *result; /* in the order of the methods asked for */
    size_t n_results;
    int wrong_ranks;   /* ranks whose data was wrong after a broadcast, before or after measuring;
                          known to all ranks. If before, nothing is measured: such a broadcast from
                          another root would change the root's data */
    bool validated;    /* false if the datatype is too large to be packed for the check */
    double clock_cost; /* of one reading at the root, already subtracted */
    double budget;     /* that the case had in the end; 0: no limit */
    double seconds;    /* the whole case took */
};

/* For bcast_method.others: whatever it is; where all wait for the root alone. */
#define BCAST_ANY_KIND (~0u)
#define BCAST_FROM_ROOT (1u << COLLECTIVE_FROM_ROOT)

struct bcast_run; /* the state of one case, private to src/measure/bcast */

/* A column of the table of destinations. One of the two functions is there. */
struct bcast_column {
    const char *head, *about;
    double (*seconds)(const struct bcast_figure *figure);
    const char *(*text)(const struct bcast_figure *figure); /* NULL: nothing to say */
    const char *unit; /* of what SECONDS gives, if that is none */
};

struct bcast_method {
    const char *name;    /* as in --method=NAME */
    const char *summary; /* what runs */
    const char *reality; /* what it really measures */
    const char *value;   /* what its one figure is */
    enum bcast_meaning meaning;
    unsigned others; /* kinds of other operations that it has a meaning for, too: 1 << enum
                        collective_kind */
    const struct bcast_column
        *columns; /* ends with an empty one; NULL: no figures by destination */
    int weight;   /* its part of the budget, relative to the others */
    /* At the root: the seconds that a value with an interval takes of destination I, once all were
     * looked at. Those that have it go first, and the budget is kept for them. NULL: none is. */
    double (*least)(const struct bcast_run *run, int i);
    int (*run)(struct bcast_run *run, struct bcast_result *result);
    /* At the root, when all methods have run: looks at the others' figures. NULL: need not. */
    void (*judge)(const struct bcast_outcome *outcome, struct bcast_result *result);
};

extern const struct bcast_method *const bcast_methods[];
extern const size_t n_bcast_methods;

/* NULL if there is none of that name. */
const struct bcast_method *bcast_method_find(const char *name);

/* Runs METHODS on the case. The outcome is on the collector, to be freed there by
 * bcast_outcome_free(); on the others it is empty but for wrong_ranks. Returns an MPI error
 * code: MPI_ERR_COMM for a communicator of 1 rank or an intercommunicator, MPI_ERR_ROOT,
 * MPI_ERR_COUNT, MPI_ERR_ARG for a destination or collector that does not exist, MPI_ERR_NO_MEM,
 * or what a broadcast returned. An error leaves no outcome. */
int bcast_measure(const struct bcast_case *c, const struct bcast_method *const *methods, size_t n,
                  struct bcast_outcome *outcome);
void bcast_outcome_free(struct bcast_outcome *outcome);

/* Of a run that was not to be relied on no verdict is known: what two methods differ by may be what
 * disturbed one of them. */
void bcast_unjudge(struct bcast_outcome *outcome);

/* The result of the method of that name; NULL if it did not run, or on other ranks. */
struct bcast_result *bcast_result_of(const struct bcast_outcome *outcome, const char *method);

/* What that method found at rank I: all NaN where it did not run. */
const struct bcast_figure *bcast_figure_of(const struct bcast_outcome *outcome, const char *method,
                                           int i);

#endif
