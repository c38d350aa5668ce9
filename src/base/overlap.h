/* How much of a communication was hidden behind computation (Denis and Trahay, section III-B),
 * and the base round that the figure is relative to: the pure communication time of a machine
 * by message size. No MPI; used by the benchmark, by the profile and by the plots. Seconds. */
#ifndef COLLPROF_BASE_OVERLAP_H
#define COLLPROF_BASE_OVERLAP_H

#include <stddef.h>

/* Their equation (1): (measured - max(comm, comp)) / min(comm, comp). 0 is perfect overlap, 1
 * serialised, above 1 slower than serial. NaN where one of the times is not positive, since
 * then there is nothing that could be hidden. */
double overlap_ratio(double measured, double comm, double comp);

enum base_kind {
    BASE_CONTIGUOUS, /* one way, half a ping-pong of contiguous data */
    BASE_VECTOR,     /* the same with blocks of 32 bytes at stride 64 */
    BASE_CPU,        /* the time inside a blocking send */
    N_BASE_KINDS
};

struct base_point {
    size_t bytes;
    double time[N_BASE_KINDS]; /* medians; NaN: not measured */
};

struct base_round {
    double latency;           /* of 0 bytes, one way */
    double latency_error;     /* half of its 95 % interval; 0: not known */
    struct base_point *point; /* ascending in bytes, no size twice, none of 0 */
    size_t n, room;
};

/* Adds or replaces the point of that size. */
void base_round_add(struct base_round *base, struct base_point point);
void base_round_free(struct base_round *base);

/* The time for BYTES, on a straight line between the neighbouring sizes that were measured (0
 * bytes being the latency); beyond the largest, at the rate of the largest. NaN if nothing of
 * that kind was measured. */
double base_round_time(const struct base_round *base, enum base_kind kind, double bytes);

/* For a request of an application: POST_TO_WAIT from its posting to the entry of the call that
 * completed it, WAIT in that call. The former is taken as the computation, both together as the
 * measured time. A receive whose sender is late reads above 1: nothing here can tell waiting for
 * the partner from waiting for the network. */
double base_round_ratio(const struct base_round *base, double post_to_wait, double wait,
                        double bytes);

#endif
