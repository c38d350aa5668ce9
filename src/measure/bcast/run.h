/* One case in progress: what the methods share. Private to the bcast_*.c files. */
#ifndef COLLPROF_MEASURE_BCAST_RUN_H
#define COLLPROF_MEASURE_BCAST_RUN_H

#include "base/clock.h"
#include "base/try.h"
#include "measure/bcast/bcast.h"
#include "sync/sync.h"

/* Our messages on the case's communicator; broadcasts of src/trees use another tag. */
enum { TAG_ACK = 0x6163, TAG_RING = 0x6172 };

struct bcast_run {
    const struct bcast_case *c;
    int rank, size;
    double clock_cost; /* of this rank */
    bool roots;        /* this rank is the root, which keeps every series */
    double *scratch;   /* room for two doubles per operation of a batch */

    /* The root's alone. */
    struct bcast_destination *to; /* SIZE of them */
    double share, started;        /* seconds for the method in progress (0: no limit), its start */
    double gap;       /* largest g_j in the quietest batch, the first hold; 0 until measured */
    double *per_rank; /* room for SIZE doubles */

    int destination;   /* in progress, on all ranks */
    unsigned shuffles; /* rounds in random order made so far */
};

/* The broadcast under test, once, from ROOT. */
static inline int run_once(const struct bcast_run *r, int root)
{
    const struct bcast_case *c = r->c;
    return c->bcast->run(c->buffer, c->count, c->type, root, c->comm, c->bcast->arg);
}

/* The root's, between two timed operations, the last of which ended at NOW: writes the data anew
 * if the case wants it so. Returns when the next begins. */
double run_refresh(const struct bcast_run *r, double now);

static inline bool estimate_known(struct estimate e)
{
    return e.value == e.value;
}

/* A local moment on the case's common clock. */
static inline double run_global(const struct bcast_run *r, double local)
{
    return r->c->clock ? sync_global(r->c->clock, local) : local;
}

/* PART of what is left of the method's share; never 0, which would mean no limit. */
double run_part(const struct bcast_run *r, double part);

/* A series kept by the root. */
int run_series(struct bcast_run *r, double share, batch_run batch, struct series *s);

/* The result of a method that is one series. */
void result_from_series(struct bcast_result *result, struct series *s);

/* bcast_loops.c: whole broadcasts in a loop. */
int run_send_latency(struct bcast_run *r, struct bcast_result *result);
int run_rounds_forward(struct bcast_run *r, struct bcast_result *result);
int run_rounds_backward(struct bcast_run *r, struct bcast_result *result);
int run_rounds_random(struct bcast_run *r, struct bcast_result *result);
int run_barrier(struct bcast_run *r, struct bcast_result *result);
int run_ring_barrier(struct bcast_run *r, struct bcast_result *result);
int run_acknowledge(struct bcast_run *r, struct bcast_result *result);

/* bcast_each.c: destination by destination. */
int run_ol(struct bcast_run *r, struct bcast_result *result);
int run_held(struct bcast_run *r, struct bcast_result *result);
int run_overhead(struct bcast_run *r, struct bcast_result *result);

/* bcast_all.c: all destinations at once. */
int run_direct(struct bcast_run *r, struct bcast_result *result);
int run_gap(struct bcast_run *r, struct bcast_result *result);

/* Measures g_j if no method has yet; sets r->gap on the root. */
int run_gap_once(struct bcast_run *r, double share);

/* bcast_ship.c: the outcome's way from the root to the collector. */
int outcome_ship(const struct bcast_run *r, struct bcast_outcome *o,
                 const struct bcast_method *const *methods);

#endif
