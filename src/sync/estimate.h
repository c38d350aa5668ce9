/* What can be known about the difference of two clocks, from time-stamped messages alone.
 *
 * No MPI here: sync.c exchanges the messages, the unit tests inject clocks that differ by a
 * known offset and drift. All times are seconds; "global" is the clock that is followed,
 * "local" this process's own. doc/methods.md, section 6. */
#ifndef COLLPROF_SYNC_ESTIMATE_H
#define COLLPROF_SYNC_ESTIMATE_H

#include <stddef.h>

/* A drift that is assumed possible while none has been measured: a kernel slews its clock by up to
 * 500 ppm, either way, crystals are off by up to 100, and there are two clocks. */
#define SYNC_DRIFT_UNKNOWN 1.2e-3

enum { SYNC_POINTS_MAX = 32 };

/* A request to the owner of the global clock and its answer. */
struct sync_exchange {
    double sent, received;   /* on the local clock */
    double arrived, replied; /* on the global clock; sent <= arrived <= replied <= received */
};

/* At the local moment LOCAL, the difference global - local was within OFFSET +- BOUND. */
struct sync_point {
    double local, offset, bound;
};

/* Narrows the difference by both ends of every exchange: an arrival after its sending gives an
 * upper bound of global - local, a receipt after its reply a lower one; the tightest of each
 * are kept, whichever exchange they come from, less what may have drifted meanwhile. The point is
 * dated at the exchange with the shortest round trip. N must be at least 1. */
struct sync_point sync_point_from(const struct sync_exchange *e, size_t n);

/* global = local + offset + drift (local - origin). */
struct sync_line {
    double origin, offset, drift;
    double bound;       /* at any moment between the points */
    double drift_bound; /* what an extrapolated second adds to it */
    double from, to;    /* local moments of the first and last point */
};

/* The line through points in ascending order of time, by least squares. A drift that
 * neither the points' own bounds nor their distances from the line can tell from none is none:
 * extrapolating noise would be worse. */
struct sync_line sync_line_through(const struct sync_point *points, size_t n);

/* From the local clock of FIRST to the global one of SECOND, whose local clock is FIRST's global.
 */
struct sync_line sync_line_then(const struct sync_line *first, const struct sync_line *second);

/* The error bound at a local moment, which may lie outside of the points. After the last of them it
 * is made for a rate that lasts. */
double sync_line_bound(const struct sync_line *line, double local);

/* What the line can have been off by at any moment between its last point and the later POINT, if
 * the rates changed no more than once meanwhile: it was off the more the later. */
double sync_line_missed(const struct sync_line *line, const struct sync_point *point);

#endif
