/* Broadcast algorithms, as values: what the methods measure, what replaces MPI_Bcast, and what is
 * built from latencies (schedule.h). base/names.h lists them; options, help and messages follow.
 *
 * All ranks of COMM call RUN with equal arguments, as for MPI_Bcast. It uses point-to-point
 * messages on COMM itself, so give it a communicator of your own, never the application's.
 * Returns an MPI error code. */
#ifndef COLLPROF_TREES_BCAST_H
#define COLLPROF_TREES_BCAST_H

#include "base/names.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct graph;
struct schedule;

struct bcast {
    const char *name;    /* as in --algorithm=NAME */
    const char *summary; /* one line for --help */
    /* As it is; NULL: it has to be built. */
    int (*run)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const void *arg);
    const void *arg; /* a schedule, a tree by rank, a segment size; NULL if it needs none */
    /* Sets parent and order of S for this broadcast. NULL: it cannot be scheduled. */
    bool (*build)(const struct bcast *b, const struct graph *g, struct schedule *s);
    bool by_rank; /* sends to its children in the order of ranks, not of labels */
    /* Of build_earliest(): */
    int children;    /* the most that a vertex may have; 0: any number */
    bool look_ahead; /* counts how soon the receiver could serve another */
};

/* The tree of earliest completion, one message after the other. */
bool build_earliest(const struct bcast *b, const struct graph *g, struct schedule *s);

extern const struct bcast *const bcasts[];
extern const size_t n_bcasts;
#define DECLARE_TREE(symbol, name, how) extern const struct bcast tree_##symbol;
BCASTS(DECLARE_TREE)
#undef DECLARE_TREE

/* NULL if there is none of that name. */
const struct bcast *bcast_find(const char *name);

/* What "grid" chooses from: the paper's tree, trees of earliest completion with and without
 * look-ahead, with one or two children at most (for segments), binomial and flat. */
extern const struct bcast *const bcast_candidates[];
extern const size_t n_bcast_candidates;

/* Builds by B and predicts one message. Every w of G is above 0, and every d 0 or more. False if B
 * has no build(), allows no tree, or memory is short; otherwise free S by schedule_free(). */
bool schedule_build(const struct bcast *b, const struct graph *g, int root, struct schedule *s);

#endif
