/* Which clock each host follows: the tree with the smallest sums of round trips.
 *
 * The error of a clock is at most the sum of half the round trips on its path to the root. So a
 * host that is reached only by a slow path must not be between the root and others. doc/methods.md,
 * section 6. No MPI here: sync.c measures the round trips between candidates. */
#pragma once

enum { SYNC_DISTANCES_MAX = 32 };

/* The distances at which pairs of N ranks measure round trips, ascending: all for up to 12 ranks,
 * powers of two for more. Returns their number; 0 for fewer than two ranks. */
int sync_distances(int n, int distance[SYNC_DISTANCES_MAX]);

/* The tree with the smallest sums of errors from rank 0. ERROR[i * K + j] is the error in seconds
 * of a clock that is read by messages between ranks i and i + DISTANCE[j]; entries without such a
 * rank are not read. PARENT gets for each of N ranks the rank that it follows, -1 for rank 0.
 * Returns 0, or -1 if there is no memory. */
int sync_tree(int n, int k, const int *distance, const double *error, int *parent);
