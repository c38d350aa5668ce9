/* Broadcast algorithms as values. The methods measure them, they can replace MPI_Bcast, and some
 * are built from latencies (schedule.h). base/names.h lists them; options, help and messages follow
 * from it.
 *
 * All ranks of COMM call RUN with equal arguments, as for MPI_Bcast. It sends point-to-point
 * messages on COMM, so never pass a communicator of the application. Returns an MPI error code. */
#pragma once

#include "base/names.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct graph;
struct schedule;

struct bcast {
    const char *name; /* as in --algorithm=NAME */
    /* Runs the broadcast; NULL if a schedule has to be built first. */
    int (*run)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const void *arg);
    const void *arg; /* a schedule, a tree by rank, a segment size; NULL if it needs none */
    /* Sets parent and order of S for this broadcast; NULL if it cannot be scheduled. */
    bool (*build)(const struct bcast *b, const struct graph *g, struct schedule *s);
    bool by_rank; /* children are served in the order of ranks, not of labels */
    /* For build_earliest(): */
    int children;    /* most children of a vertex; 0: any number */
    bool look_ahead; /* adds how soon the receiver could serve another rank */
};

/* Builds a tree by repeatedly adding the message that arrives earliest. */
bool build_earliest(const struct bcast *b, const struct graph *g, struct schedule *s);

extern const struct bcast *const bcasts[];
extern const size_t n_bcasts;
#define DECLARE_TREE(symbol, name, how) extern const struct bcast tree_##symbol;
BCASTS(DECLARE_TREE)
#undef DECLARE_TREE

/* NULL if there is no broadcast of that name. */
const struct bcast *bcast_find(const char *name);

/* The candidates of "grid": the paper's tree, earliest-completion trees with and without
 * look-ahead, also with at most one or two children (for segments), binomial and flat. */
extern const struct bcast *const bcast_candidates[];
extern const size_t n_bcast_candidates;

/* Builds a schedule by B and predicts it for one message. All w of G must be above 0, all d at
 * least 0. False if B has no build(), allows no tree, or memory is short; otherwise free S by
 * schedule_free(). */
bool schedule_build(const struct bcast *b, const struct graph *g, int root, struct schedule *s);
