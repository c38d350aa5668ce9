/* One measurement in progress: what the methods share. Private to src/measure/latency, whose files
 * are named before the functions that they define; the others are in run.c. Functions that return
 * int return an MPI error code and are collective unless a comment says otherwise. */
#pragma once

#include "base/clock.h"
#include "base/try.h"
#include "measure/latency/latency.h"
#include "sync/sync.h"

#include <math.h>

/* Message tags on the case's communicator; broadcasts of src/trees use another tag. */
enum { TAG_ACK = 0x6163, TAG_RING = 0x6172, TAG_PING = 0x6169, TAG_VALUES = 0x6176 };

/* A pilot measurement times all pairs in a few operations. It shows which pairs may have the
 * largest latency and must be measured. Arrays are indexed by run_index(). */
struct pilot {
    double *least, *most; /* shortest and longest time from entry to exit, seconds; NaN for pairs
                             that the pilot had no time for; NULL if no pilot was run */
    int n;                /* number of pairs */
    double error;         /* error bound of the common clock, seconds */
};

struct latency_run {
    const struct latency_case *c;
    int rank, size;
    double clock_cost; /* seconds for one clock reading on this rank */
    bool keeps;        /* this is rank 0, which stores all results */
    double *scratch;   /* room for a double per operation of a batch */
    const struct latency_method *const *methods;
    size_t n_methods;

    struct latency_result *result; /* of the method in progress; only rank 0 has its figures */
    void *own;                     /* private data of the method in progress */
    int from, to;                  /* the pair in progress, on all ranks */
    bool round_trip;               /* pings are timed as round trips instead of one-way */

    /* On rank 0, with a budget. END: budget_now() at which the method in progress should end;
     * LAST: at which the whole case ends, even if figures are missing. */
    double end, last;
    double checked; /* seconds that the operation with the data check took */
    double gap;     /* largest gap g_j, from the batch with the least noise, seconds: the first hold
                       that is tried; 0: not measured */
    struct pilot pilot;
};

/* Makes one operation with root ROOT. */
static inline int run_once(const struct latency_run *r, int root)
{
    budget_messages(r->size - 1, r->size);
    return r->c->run(r->c->arg, root);
}

/* run_once() with the case's root. */
static inline int run_operation(const struct latency_run *r)
{
    return run_once(r, r->c->root);
}

static inline void run_prepare(const struct latency_run *r)
{
    if (r->c->before)
        r->c->before(r->c->arg);
}

static inline int run_barrier(const struct latency_run *r)
{
    budget_barrier(r->size);
    return PMPI_Barrier(r->c->comm);
}

/* Prepares the next timed operation. NOW is when the previous one ended. Returns when the next one
 * begins: NOW, or later if the case's BEFORE() had to be called. */
static inline double run_next(const struct latency_run *r, double now)
{
    if (!r->c->before)
        return now;
    run_prepare(r);
    return clock_now();
}

/* Converts a local time to the case's common clock. */
static inline double run_global(const struct latency_run *r, double local)
{
    return r->c->clock ? sync_global(r->c->clock, local) : local;
}

/* Local: the case's plan, with the fraction PART of the method's remaining budget. */
struct plan run_plan_part(const struct latency_run *r, double part);

/* Measures a series without a hold, and sets RESULT's series and value. */
int run_series(struct latency_run *r, const struct plan *plan, batch_run batch, void *arg,
               struct latency_result *result);

/* Copies N doubles from MINE on rank FROM to VALUE on rank 0. Other ranks return at once. */
int values_to_rank_0(const struct latency_run *r, int from, const double *mine, double *value,
                     int n);

/* On rank 0: the struct latency_figure of the pair in progress. */
struct latency_figure *run_figure(const struct latency_run *r);

/* Index of a pair in latency_result.figure: if there is a root, the other rank of the pair. */
static inline int run_index(const struct latency_run *r, int from, int to)
{
    enum collective_kind kind = r->c->kind;
    return kind == COLLECTIVE_FROM_ROOT ? to
           : kind == COLLECTIVE_TO_ROOT ? from
                                        : from * r->size + to;
}

/* Call the following three functions on rank 0 only; on other ranks figure_take() does nothing. */
/* Moves the samples of S into TIMED[PART] of run_figure(). */
void figure_take(struct latency_run *r, int part, struct series *s);
/* Sets the value of run_figure(), and the result's value to it if it is the largest so far. LOOP:
 * the value from the mean of the batches' means. */
void figure_set_value(struct latency_run *r, struct estimate value, double loop);
/* Sets the values of all ranks' figures from their samples. The result is the largest of them
 * without that of rank EXCLUDED (-1: none is excluded). */
void figures_of_ranks(struct latency_run *r, int excluded);

/* loops.c: measures r->gap, unless rank 0 already has it, with the fraction PART of the budget. */
int run_gap_once(struct latency_run *r, double part);

/* pairs.c: calls ONE for every pair whose TO depends on FROM (run_couples()), or for every rank if
 * the method has FIGURES_RANKS. ONE measures the pair r->from, r->to with PLAN and fills its
 * figure. With a budget, the pairs that the pilot found slowest come first; when the budget is
 * spent, pairs that cannot be the slowest are skipped. */
typedef int (*pair_run)(struct latency_run *r, struct plan plan);
int run_pairs(struct latency_run *r, bool with_self, pair_run one);

/* pairs.c, local: whether TO's exit depends on FROM's entry. If FROM = TO: WITH_SELF. */
bool run_couples(const struct latency_run *r, int from, int to, bool with_self);

/* A pair, as the pilot measured it. */
struct candidate {
    double time; /* shortest time in the pilot, seconds; -1: unknown */
    int at;      /* its place in the order without a pilot, which decides between equal times */
    int index;   /* run_index() */
};

/* pairs.c: how many of PAIR[FROM .. N) may be slower than the slowest pair measured so far: those
 * whose longest time in the pilot, plus the clock's error, is at least 1 % above the lower end of
 * SLOWEST (while that is unknown: at least PAIR[0]'s shortest time). Without a pilot, all of them.
 */
int pilot_may_be_slower(const struct pilot *p, const struct candidate *pair, int from, int n,
                        struct estimate slowest);

/* direct.c: runs a pilot measurement into r->pilot: all pairs in a few operations each. */
int run_pilot(struct latency_run *r);

/* acknowledged.c: a batch of operations, each begun when TO's acknowledgement of the previous one
 * arrives. Values are times from FROM's entry to the arrival minus the hold. ARG: struct
 * latency_run. */
int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n);

/* acknowledged.c: measures the acknowledgement by itself, as a round trip or one-way, into
 * TIMED_PING. *LOOP: the mean of all batches. The time used is subtracted from PLAN's budget. */
int run_measure_pings(struct latency_run *r, bool round_trip, struct plan *plan, double *loop);

/* acknowledged.c, local: E, a time that includes an acknowledgement, minus ACK, the time of the
 * acknowledgement alone. The interval is as wide as both together. */
struct estimate latency_of(struct estimate e, struct estimate ack);
