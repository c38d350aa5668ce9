/* What src/inject keeps for a communicator: a duplicate that the application does not know, for
 * the layer's own traffic, and what was measured on it.
 *
 * Made when the application makes the communicator, where all members meet anyway. One whose
 * creation was not seen (MPI_Comm_idup, a foreign language) has none: its calls go to the library
 * untouched, which is counted and said. */
#ifndef COLLPROF_INJECT_SHADOW_H
#define COLLPROF_INJECT_SHADOW_H

#include "record/comms.h"
#include "sync/sync.h"
#include "trees/bcast.h"

#include <jansson.h>

struct ack_stream;
struct replacement;
struct grid;

/* What a call to be benchmarked is known by. */
struct signature {
    unsigned operation;
    int root;
    uint64_t bytes, calls;
};
enum { SIGNATURES_MAX = 64 };

struct shadow {
    MPI_Comm comm; /* errors are returned */
    int rank, size;
    char name[MPI_MAX_OBJECT_NAME + 24]; /* for findings */
    uint64_t broadcasts;                 /* acknowledged ones so far: agreed on by all members */
    struct ack_stream *acks;
    double *round_trip; /* at a root, per destination; NaN: not measured */
    bool *answered;     /* at a destination, per root: its round trip was measured */
    struct signature signatures[SIGNATURES_MAX];
    int n_signatures;
    struct replacement *replacements;
    struct grid *grid; /* latencies, for --bcast=grid */
    bool grid_failed;
};

/* One of "ack", "benchmark", "broadcast": findings of communicators, freed ones included. */
enum finding_kind { FINDING_ACK, FINDING_BENCHMARK, FINDING_BROADCAST, FINDING_KINDS };

/* What the layer injects; filled once by inject_start(). */
struct inject {
    bool ack, ack_all;
    bool benchmark;
    const struct bcast *bcast; /* in place of the library's; NULL: the library's own */
    bool grid;                 /* a schedule per communicator and root instead */
    const struct sync_clock *clock;
    json_t *findings[FINDING_KINDS];   /* arrays */
    uint64_t untreated[FINDING_KINDS]; /* calls that had to go to the library */
};
extern struct inject inject;

/* Keeps at most this many findings of a kind; takes over FINDING. */
void shadow_finding(enum finding_kind kind, json_t *finding);

/* A broadcast by whatever is in use: the replacement or the library. */
int replace_broadcast(struct shadow *s, void *buffer, int count, MPI_Datatype type, int root,
                      MPI_Comm comm);
/* Names that --bcast takes. False if NAME is none. */
bool replace_start(const char *name, const char *latencies);
/* Whatever is to be made before the first of its kind, so that this one is not late for it. */
void replace_prepare(struct shadow *s, int root, uint64_t bytes);
/* All members call it, in the same order for all communicators. */
void replace_close(struct shadow *s);

/* A broadcast with acknowledgements; sets c->entry and c->exit to the broadcast alone. */
struct call;
int ack_broadcast(struct call *c, struct shadow *s, void *buffer, int count, MPI_Datatype type,
                  int root, MPI_Comm comm);
void ack_close(struct shadow *s);

/* Runs the methods if it is time for this signature. All members call it. */
bool benchmark_start(const char *methods);
void benchmark_broadcast(struct shadow *s, void *buffer, int count, MPI_Datatype type, int root,
                         uint64_t bytes);
void benchmark_collective(struct shadow *s, unsigned operation, int root, uint64_t bytes);

#endif
