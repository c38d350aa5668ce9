/* Which clock each host follows: the tree in which the round trips add up to the least.
 *
 * The error of a clock is at most the sum of half the round trips between it and the root. So a
 * host that only a slow path reaches must not stand between the root and others. doc/methods.md,
 * section 6. No MPI here: sync.c measures the round trips between candidates. */
#ifndef COLLPROF_SYNC_TREE_H
#define COLLPROF_SYNC_TREE_H

enum { SYNC_DISTANCES_MAX = 32 };

/* The distances of ranks between which N ranks try round trips, ascending: all of up to 12 ranks,
 * powers of two beyond. Returns their number; 0 for less than two ranks. */
int sync_distances(int n, int distance[SYNC_DISTANCES_MAX]);

/* The tree of least sums from rank 0. ERROR[i * K + j] is the error, in seconds, that a clock has
 * by messages between ranks i and i + DISTANCE[j]; entries of which i + DISTANCE[j] is no rank are
 * not read. PARENT gets for each of N ranks whom it follows, -1 for rank 0. Returns 0, or -1 if
 * there is no memory. */
int sync_tree(int n, int k, const int *distance, const double *error, int *parent);

/* ORDER gets the N ranks such that each parent comes before its children. PARENT is a tree of
 * sync_tree(). */
void sync_tree_order(int n, const int *parent, int *order);

#endif
