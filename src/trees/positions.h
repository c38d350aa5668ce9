/* Broadcast trees by positions only: ranks counted from the root, which is position 0. No MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* PARENT gives the parent of position ME of N; NEXT the child that ME serves after child LAST (0:
 * the first child), 0 if there is none left. */
struct by_rank {
    const char *name; /* as in base/names.h */
    int (*parent)(int me, int n);
    int (*next)(int me, int n, int last);
    bool backward; /* positions count down from the root's rank, not up */
};

enum { BY_RANK_BINOMIAL, BY_RANK_LINEAR, BY_RANK_BACKWARD, BY_RANK_FLAT, BY_RANK_TREES };
extern const struct by_rank by_rank_trees[BY_RANK_TREES];

/* The tree of this name; NULL if there is none. */
const struct by_rank *by_rank_find(const char *name);

/* The rank that has POSITION among N ranks. */
int by_rank_at(const struct by_rank *tree, int position, int root, int n);
