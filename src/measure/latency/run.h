/* One measurement in progress, shared by all methods. Private to src/measure/latency. */
#pragma once

#include "base/clock.h"
#include "base/try.h"
#include "measure/latency/latency.h"
#include "sync/sync.h"

#include <math.h>

/* Message tags on the case's communicator; broadcasts of src/trees use another one. */
enum { TAG_ACK = 0x6163, TAG_RING = 0x6172, TAG_PING = 0x6169, TAG_VALUES = 0x6176 };

/* A pilot measurement times all pairs in a few operations. It shows which pairs may have the
 * largest latency and must be measured. */
struct pilot {
    double *least, *most; /* by pair: shortest and longest time from entry to exit, seconds; NaN if
                             the time for the pilot was over before; NULL if no pilot was run */
    int n;                /* pairs */
    double error;         /* error bound of the clock that they were read from */
};

struct latency_run {
    const struct latency_case *c;
    int rank, size;
    double clock_cost; /* seconds for one clock reading on this rank */
    bool keeps;        /* this is rank 0, which has all figures */
    double *scratch;   /* room for a double per operation of a batch */
    const struct latency_method *const *methods;
    size_t n_methods;

    struct latency_result *result; /* of the method in progress; only rank 0 has its figures */
    void *own;                     /* private data of the method in progress */
    int from, to;                  /* the pair in progress, on all ranks */
    bool round_trip;               /* pings are timed as round trips instead of one-way */

    /* On rank 0, with a budget. END: budget_now() at which the present measurement stops;
     * LAST: at which the whole case stops, even if figures are missing. */
    double end, last;
    double checked; /* seconds that the operation with the data check took */
    double gap;     /* first hold time: largest gap g_j, from the batch with the least noise; 0: not
                       measured */
    struct pilot pilot;
};

/* Makes the operation once, with ROOT as root. */
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

/* Prepares the next timed operation. NOW: end of the previous one. Returns the next start. */
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

/* The case's plan, with the fraction PART of the method's remaining budget. */
struct plan run_plan_part(const struct latency_run *r, double part);

/* Measures a series that fills the result. */
int run_series(struct latency_run *r, const struct plan *plan, batch_run batch, void *arg,
               struct latency_result *result);

/* Sends N values of rank FROM to VALUE on rank 0. FROM and rank 0 take part; other
 * ranks return at once. */
int values_to_rank_0(const struct latency_run *r, int from, const double *mine, double *value,
                     int n);

/* The figure in progress; only at rank 0. */
struct latency_figure *run_figure(const struct latency_run *r);

/* Index of the pair's figure in a result. */
static inline int run_index(const struct latency_run *r, int from, int to)
{
    enum collective_kind kind = r->c->kind;
    return kind == COLLECTIVE_FROM_ROOT ? to
           : kind == COLLECTIVE_TO_ROOT ? from
                                        : from * r->size + to;
}

/* Moves the samples of S into part PART of the figure in progress. */
void figure_take(struct latency_run *r, int part, struct series *s);
/* Sets the value of the figure in progress; the result is the largest of these values. LOOP is the
 * value from loop means. */
void figure_set_value(struct latency_run *r, struct estimate value, double loop);
/* Sets the values of all ranks' figures from their samples; only at rank 0. The value of rank
 * EXCLUDED (-1: none) takes no part in the result. */
void figures_of_ranks(struct latency_run *r, int excluded);

/* loops.c: measures g_j, unless a method has done so, in the fraction PART of the budget. Sets
 * r->gap on rank 0. */
int run_gap_once(struct latency_run *r, double part);

/* pairs.c: calls ONE for every pair that the operation couples (WITH_SELF: also of a rank with
 * itself), or for every rank if the method has FIGURES_RANKS. ONE measures it with PLAN and fills
 * its figure. With a budget, the pairs that the pilot measured as slowest go first; when it is
 * spent, pairs that cannot be the slowest are skipped. */
typedef int (*pair_run)(struct latency_run *r, struct plan plan);
int run_pairs(struct latency_run *r, bool with_self, pair_run one);

/* pairs.c: whether TO's exit depends on FROM's entry. WITH_SELF: also for one rank. */
bool run_couples(const struct latency_run *r, int from, int to, bool with_self);

/* pairs.c: sorts the N indices PAIR by their shortest time, the slowest first, unknown ones last; a
 * stable sort. */
void pilot_sort(const struct pilot *p, int *pair, int n);

/* pairs.c: how many of PAIR[FROM .. N) may be slower than the slowest measured pair by more than 1
 * % of the lower end of its interval: pairs that took so long at least once, within the clock's
 * error; without a pilot, all. While SLOWEST is unknown, pairs are compared with PAIR[0]. */
int pilot_may_be_slower(const struct pilot *p, const int *pair, int from, int n,
                        struct estimate slowest);

/* direct.c: runs a pilot measurement into r->pilot: all pairs in a few operations each. */
int run_pilot(struct latency_run *r);

/* acknowledged.c: a batch of operations, each begun when TO's acknowledgement of the previous one
 * arrives. Values are times from FROM's entry to the arrival minus the hold. ARG: struct
 * latency_run. */
int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n);

/* acknowledged.c: measures the acknowledgement by itself, as a round trip or one-way, into
 * TIMED_PING. *LOOP: its value from loop means. The time used is subtracted from PLAN's budget. */
int run_measure_pings(struct latency_run *r, bool round_trip, struct plan *plan, double *loop);

/* acknowledged.c: the latency E (minus its hold) minus that of the acknowledgement, with the widest
 * interval that both allow. */
struct estimate latency_of(struct estimate e, struct estimate ack);
