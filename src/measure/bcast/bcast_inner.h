/* One case in progress: what the methods share. Private to src/measure/bcast. */
#ifndef COLLPROF_MEASURE_BCAST_BCAST_INNER_H
#define COLLPROF_MEASURE_BCAST_BCAST_INNER_H

#include "base/clock.h"
#include "base/try.h"
#include "measure/bcast/bcast.h"
#include "measure/crew.h"
#include "measure/ping.h"
#include "measure/scout.h"
#include "sync/sync.h"

#include <math.h>

/* Our messages on the case's communicator; broadcasts of src/trees use another tag. */
enum { TAG_ACK = 0x6163, TAG_RING = 0x6172 };

struct bcast_run {
    const struct bcast_case *c;
    int rank, size;
    double clock_cost; /* of this rank */
    bool roots;        /* this rank is the root, which keeps every series */
    double *scratch;   /* room for two doubles per operation of a batch */
    void *token;       /* what goes round in ring-barrier */

    struct bcast_result *result; /* of the method in progress; its figures are the root's alone */
    int destination;             /* in progress, on all ranks */

    /* The root's alone. */
    double budget;         /* seconds for the case (0: no limit) */
    double share, started; /* the same for the method in progress, its start */
    double left;           /* of the budget at that moment */
    double gap;            /* largest g_j in the quietest batch, the first hold; 0: not measured */
    unsigned char *delays; /* overhead: [i SIZE + j], i's being late makes j's exit late */
    struct scout scout;    /* at all of them */

    unsigned shuffles; /* rounds in random order made so far */
};

/* The broadcast under test, once, from ROOT. */
static inline int run_once(const struct bcast_run *r, int root)
{
    const struct bcast_case *c = r->c;
    budget_spend(budget_of_messages(r->size - 1, r->size));
    return c->bcast->run(c->buffer, c->count, c->type, root, c->comm, c->bcast->arg);
}

/* The same from the case's root; ARG is the struct bcast_run. */
int run_operation(void *arg);

static inline int run_barrier(const struct bcast_run *r)
{
    budget_spend(budget_of_barrier(r->size));
    return PMPI_Barrier(r->c->comm);
}

/* The root's, between two timed operations, the last of which ended at NOW: writes the data anew
 * if the case wants it so. Returns when the next begins. */
double run_refresh(const struct bcast_run *r, double now);

/* A local moment on the case's common clock. */
static inline double run_global(const struct bcast_run *r, double local)
{
    return r->c->clock ? sync_global(r->c->clock, local) : local;
}

/* The root's figure of the destination in progress. */
static inline struct bcast_figure *run_figure(const struct bcast_run *r)
{
    return &r->result->figure[r->destination];
}

/* PART of what is left of the method's share; never 0, which would mean no limit. */
double run_part(const struct bcast_run *r, double part);

/* A method that is one series kept by the root: measures it and fills the result. ARG is BATCH's.
 */
int run_one_series(struct bcast_run *r, batch_run batch, void *arg, struct bcast_result *result);

/* The result of a method that is one series. */
void result_from_series(struct bcast_result *result, const struct series *s);

/* Operations in a loop, each timed from the end of the one before; the first is not timed. */
int run_timed_loop(struct bcast_run *r, const struct batch *b,
                   int (*operation)(const struct bcast_run *), double *value, int *n, double *loop);

/* each.c: a method that goes destination by destination. ONE measures r->destination within SHARE
 * seconds and fills the root's figure by figure_take() and figure_value(). WITH_ROOT: the root is
 * one of them, the first. Otherwise what is wanted is the largest value: within a budget the
 * destinations are looked at all at once first, and then measured in descending order. */
int run_each(struct bcast_run *r, struct bcast_result *result, bool with_root,
             int (*one)(struct bcast_run *r, double share));

/* What the result may be off by where half a round trip, FACTOR of what was timed as PART, is taken
 * for a way, though the clock does not show it. */
int result_way_error(const struct bcast_run *r, struct bcast_result *result, int part,
                     double factor);

/* The samples of a series become part PART of the figure in progress. */
void figure_take(struct bcast_run *r, int part, struct series *s);
/* The figure in progress is known: the result's is the largest of them. */
void figure_value(struct bcast_run *r, struct estimate value, double loop);

/* Its value, for a column. */
double figure_seconds(const struct bcast_figure *f);

/* Round trips of the destination in progress, or its acknowledgement's way, in a quarter of SHARE
 * or what is needed, become part PART of the figure; *LOOP by loop means. */
int run_pings(struct bcast_run *r, enum ping_what what, int part, double share, double *loop);

/* A batch of broadcasts with the destination's acknowledgement, held back by the batch's hold.
 * ARG is the struct bcast_run. */
int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n, double *loop);

/* OL_i from E_i (less any hold) and the acknowledgement's way, as intervals: the widest that the
 * two allow. */
struct estimate latency_of(struct estimate e, struct estimate way);

/* direct.c: all destinations' exits in a few operations, into r->scout on the root. */
int run_scout(struct bcast_run *r);
/* each.c: the same by messages to the root, as ol and held see them, where the clocks do not show
 * ways: what they are off by is no matter then. */
int run_scout_ways(struct bcast_run *r);

/* The root's: seconds of the budget that a broadcast takes which ends at I. */
static inline double run_costs(const struct bcast_run *r, int i)
{
    return scouted(&r->scout, i) + budget_of_messages(r->size - 1, r->size);
}

/* So many times the least, for what is disturbed meanwhile. */
static const double least_with_spare = 1.5;

/* bcast.c, the root's: seconds for the least that a figure of destination I needs; 0: not known. */
double run_least(const struct bcast_run *r, const struct bcast_method *method, int i);

/* What the round trips of one destination leave of its SHARE, which they began at STARTED; and the
 * least that they take: a barrier takes longer than a message. */
static inline double share_left(double share, double started)
{
    return share > 0 ? fmax(share - (budget_now() - started), 1e-9) : 0;
}

static inline double least_of_pings(const struct bcast_run *r)
{
    enum { PINGS = 2 + 8 };
    return PINGS * 2 * r->scout.barrier;
}

/* The root's: who was out last in the looks at all. */
int run_slowest_scouted(const struct bcast_run *r);

/* rounds.c: N numbers in random order, the same on every rank. */
void run_shuffle(int *x, int n, unsigned seed);

/* gap.c: measures g_j if no method has yet; sets r->gap on the root. */
int run_gap_once(struct bcast_run *r, double share);

/* ship.c: the outcome's way from the root to the collector. */
int outcome_ship(const struct bcast_run *r, struct bcast_outcome *o);

#endif
