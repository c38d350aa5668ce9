/* Broadcast algorithms, to be measured or to replace MPI_Bcast. Some are trees that are built from
 * measured latencies (schedule.h). base/names.h lists all algorithms, also for options, help and
 * messages.
 *
 * All ranks of COMM call RUN with equal arguments, as for MPI_Bcast. RUN sends point-to-point
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
    const void *arg; /* for RUN: a rank's part of a schedule, a struct by_rank, a segment size */
    /* Sets S's PARENT and ORDER to the tree of B for network G; NULL: B has no tree to build. */
    bool (*build)(const struct bcast *b, const struct graph *g, struct schedule *s);
    bool by_rank; /* children are served in the tree's own order, not by time (schedule_label()) */
    /* For build_earliest(): */
    int children;    /* most children of a vertex; 0: any number */
    bool look_ahead; /* prefers a receiver that can soon serve another rank */
};

/* Builds a tree: adds, one by one, the rank that a message from the tree reaches earliest. */
bool build_earliest(const struct bcast *b, const struct graph *g, struct schedule *s);

extern const struct bcast *const bcasts[];
extern const size_t n_bcasts;
#define DECLARE_TREE(symbol, name, how) extern const struct bcast tree_##symbol;
BCASTS(DECLARE_TREE)
#undef DECLARE_TREE

/* The algorithm of this name; NULL if there is none. */
const struct bcast *bcast_find(const char *name);

/* The trees of which "grid" takes the fastest: Mateescu and Taylor's, earliest-completion trees
 * with and without look-ahead or with at most 1 or 2 children (for segments), binomial, flat. */
extern const struct bcast *const bcast_candidates[];
extern const size_t n_bcast_candidates;

/* Builds the schedule S of algorithm B and predicts its time for one message. All latencies w of G
 * must be above 0, all injection times d at least 0. False if B has no build(), finds no tree, or
 * memory is short; otherwise free S by schedule_free(). */
bool schedule_build(const struct bcast *b, const struct graph *g, int root, struct schedule *s);
