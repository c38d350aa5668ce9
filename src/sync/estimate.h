/* Estimates the difference of two clocks from the times of messages, and chooses which clock each
 * host follows.
 *
 * No MPI here: sync.c exchanges the messages; unit tests use clocks with a known offset and drift.
 * All times are in seconds, drifts in seconds per second. "Global" is the reference clock, "local"
 * this process's own. See doc/methods.md, section 6. */
#pragma once

#include <stddef.h>

/* Largest drift that is assumed before one is measured: a kernel slews its clock by up to 500 ppm
 * in either direction, crystals are off by up to 100 ppm, and there are two clocks. */
#define SYNC_DRIFT_UNKNOWN 1.2e-3

enum { SYNC_POINTS_MAX = 32, SYNC_EXCHANGES_MAX = 100 };

/* Times of a request to the owner of the global clock, and of its answer. */
struct sync_exchange {
    double sent, received;   /* on the local clock */
    double arrived, replied; /* on the global clock; sent <= arrived <= replied <= received */
};

/* At local time LOCAL the difference global - local was within OFFSET +- BOUND. TRIP is the
 * shortest round trip; BOUND is about TRIP / 2, since one direction may have taken all of TRIP. */
struct sync_point {
    double local, offset, bound, trip;
    double jitter; /* spread of short round trips: half the range of the shortest eighth */
};

/* Bounds global - local by both messages of every exchange: a request arrives after it was sent,
 * which gives an upper bound; an answer is received after it was sent, a lower bound. The tightest
 * of each kind are used, even from different exchanges, widened by the possible drift. The point
 * has the time of the exchange with the shortest round trip. N is 1 to SYNC_EXCHANGES_MAX. */
struct sync_point sync_point_from(const struct sync_exchange *e, size_t n);

/* Converts times: global = local + offset + drift (local - origin). */
struct sync_line {
    double origin, offset, drift;
    double bound;       /* error bound of global times between the points */
    double drift_bound; /* growth of BOUND per second of extrapolation */
    double from, to;    /* local moments of the first and last point */
};

/* The least-squares line through points in ascending order of time. The drift is 0 if the jitter of
 * the points leaves the drift's sign open: extrapolating noise would be worse. */
struct sync_line sync_line_through(const struct sync_point *points, size_t n);

/* Composes two lines: from the local clock of FIRST to the global clock of SECOND, whose local
 * clock is FIRST's global one. */
struct sync_line sync_line_compose(const struct sync_line *first, const struct sync_line *second);

/* The error bound at a local moment, also outside of the points. The bound after the last point
 * assumes that the drift does not change. */
double sync_line_bound(const struct sync_line *line, double local);

/* Bounds the line's error between its last point and the later POINT, for clocks whose rates
 * changed at most once in between: before the change the error grew by at most DRIFT_BOUND per
 * second, and POINT shows the error at the end. */
double sync_line_missed(const struct sync_line *line, const struct sync_point *point);

/* --- which clock each host follows --- */

/* Sets DISTANCE to the distances, ascending, at which pairs of ranks measure round trips: every one
 * for up to 12 ranks, powers of two for more. Returns how many; 0 for fewer than two ranks. */
enum { SYNC_DISTANCES_MAX = 32 };
int sync_distances(int n, int distance[SYNC_DISTANCES_MAX]);

/* Computes the tree whose paths from rank 0 have the smallest sums of errors: a rank's error is at
 * most the sum along its path, so ranks with slow messages tend to be leaves. ERROR[i * K + j] is
 * the error of a clock that is read by messages between ranks i and i + DISTANCE[j]; elements
 * beyond the last rank are ignored. PARENT gets for each of N ranks the rank that it follows, -1
 * for rank 0. Returns 0, or -1 if there is no memory. */
int sync_tree(int n, int k, const int *distance, const double *error, int *parent);
