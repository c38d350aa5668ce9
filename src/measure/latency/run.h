/* One measurement in progress: what the methods share. Private to src/measure/latency. */
#ifndef COLLPROF_MEASURE_LATENCY_RUN_H
#define COLLPROF_MEASURE_LATENCY_RUN_H

#include "base/clock.h"
#include "base/try.h"
#include "measure/crew.h"
#include "measure/latency/latency.h"
#include "measure/latency/pilot.h"
#include "measure/ping.h"
#include "sync/sync.h"

#include <math.h>

/* Our messages on the case's communicator; broadcasts of src/trees use another tag. */
enum { TAG_GO = 0x6163, TAG_RING = 0x6172 };

struct latency_run {
    const struct latency_case *c;
    int rank, size;
    double clock_cost; /* of this rank */
    bool keeps;        /* this rank is the collector, which keeps every series */
    double *scratch;   /* room for two doubles per operation of a batch */

    struct latency_result *result; /* of the method in progress; its figures are the collector's */
    void *own;                     /* the method's own, while it is in progress */
    int from, to;                  /* the pair in progress, on all ranks */

    /* The collector's. */
    double budget;         /* seconds for the case; 0: no limit */
    double left;           /* of it, when the method in progress began */
    double share, started; /* of the method in progress: seconds that it may take, its start */
    double gap;            /* largest g_j in the quietest batch, the first hold; 0: not measured */
    double one;            /* seconds that an operation of the last series took; 0: unknown */
    struct pilot pilot;
};

/* The operation once, from ROOT. */
static inline int run_once(const struct latency_run *r, int root)
{
    budget_spend(budget_of_messages(r->size - 1, r->size));
    return r->c->run(r->c->arg, root);
}

/* The same from the case's root; ARG is the struct latency_run. */
int run_operation(void *arg);

static inline void run_before(const struct latency_run *r)
{
    if (r->c->before)
        r->c->before(r->c->arg);
}

static inline int run_barrier(const struct latency_run *r)
{
    budget_spend(budget_of_barrier(r->size));
    return PMPI_Barrier(r->c->comm);
}

/* Between two timed operations, the last of which ended at NOW. Returns when the next begins. */
static inline double run_next(const struct latency_run *r, double now)
{
    if (!r->c->before)
        return now;
    run_before(r);
    return clock_now();
}

/* A local moment on the case's common clock. */
static inline double run_global(const struct latency_run *r, double local)
{
    return r->c->clock ? sync_global(r->c->clock, local) : local;
}

/* PART of what is left of the method's share; never 0, which would mean no limit. */
double run_part(const struct latency_run *r, double part);

/* A method that is one series: measures it and fills the result. */
int run_series(struct latency_run *r, batch_run batch, void *arg, struct latency_result *result);

/* A batch of operations in a loop, each timed at the root from the end of the one before. */
int run_timed_loop(struct latency_run *r, const struct batch *b,
                   int (*operation)(const struct latency_run *), double *value, int *n,
                   double *loop);

/* A batch's single value, known at the root, to the collector. */
int run_one_value(const struct latency_run *r, double mine, double *value, int *n, double *loop);

/* The figure in progress, at the collector. */
struct latency_figure *run_figure(const struct latency_run *r);

/* Which of a result's figures is that of the pair. */
static inline int run_index(const struct latency_run *r, int from, int to)
{
    enum collective_kind kind = r->c->kind;
    return kind == COLLECTIVE_FROM_ROOT ? to
           : kind == COLLECTIVE_TO_ROOT ? from
                                        : from * r->size + to;
}

/* The samples of a series become part PART of the figure in progress. */
void figure_take(struct latency_run *r, int part, struct series *s);
/* The figure in progress is known: the result's is the largest of them. */
void figure_value(struct latency_run *r, struct estimate value, double loop);
/* Its value, for a column. */
double figure_seconds(const struct latency_figure *f);

/* gap.c: measures g_j within SHARE seconds if no method has yet; sets r->gap on the collector. */
int run_gap_once(struct latency_run *r, double share);

/* pairs.c: ONE measures the pair in progress within SHARE seconds and fills its figure, for every
 * pair that the operation couples, WITH_SELF also that of a rank with itself. Within a budget those
 * that the pilot shows as the slowest go first; those that cannot be the slowest are left out. */
int run_pairs(struct latency_run *r, bool with_self,
              int (*one)(struct latency_run *r, double share));
/* The same of ranks by themselves. */
int run_ranks(struct latency_run *r, int (*one)(struct latency_run *r, double share));

/* pairs.c: a batch of operations that begin when TO's acknowledgement of the last one arrives; its
 * hold is taken off. Values are from FROM's entry to the arrival. ARG is the struct latency_run. */
int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n, double *loop);

/* pairs.c: the acknowledgement's way, or its round trip, in a quarter of SHARE or what is needed,
 * becomes TIMED_WAY; *LOOP by loop means. Returns what is left of SHARE in *LEFT. */
int run_pings(struct latency_run *r, bool round_trip, double share, double *left, double *loop);

/* pairs.c: a latency from E (less any hold) and the acknowledgement's way: the widest interval that
 * the two allow. */
struct estimate latency_of(struct estimate e, struct estimate way);

/* pairs.c: what the result may be off by where half of a round trip was taken for a way, FACTOR of
 * what was timed as TIMED_WAY, though the clock does not show it. */
void result_way_error(const struct latency_run *r, struct latency_result *result, double factor);

/* pairs.c: all pairs in a few operations each, within SHARE seconds (0: no limit), into r->pilot.
 */
int run_pilot(struct latency_run *r, double share);

/* pairs.c: seconds for an interval of the pair K with two holds, or, for ol, with none. */
double pair_least(const struct latency_run *r, int k, bool held);

#endif
