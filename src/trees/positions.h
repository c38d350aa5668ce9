/* Broadcast trees that depend on positions only, which count from the root. No MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The parent of position ME among N, and the child that ME serves after LAST (0: the first child;
 * returns 0 if there is none left). */
struct by_rank {
    const char *name; /* of the broadcast in base/names.h */
    int (*parent)(int me, int n);
    int (*next)(int me, int n, int last);
    bool backward; /* positions count down from the root's rank, not up */
};

enum { BY_RANK_BINOMIAL, BY_RANK_LINEAR, BY_RANK_BACKWARD, BY_RANK_FLAT, BY_RANK_TREES };
extern const struct by_rank by_rank_trees[BY_RANK_TREES];

/* NULL if there is none of that name. */
const struct by_rank *by_rank_find(const char *name);

/* The rank at POSITION of N ranks. */
int by_rank_at(const struct by_rank *tree, int position, int root, int n);
