/* Whether the times of a run can be believed. */
#ifndef COLLPROF_PROFILE_NOISE_H
#define COLLPROF_PROFILE_NOISE_H

#include "profile/profile.h"

enum noise_level {
    NOISE_QUIET,  /* below 1 % of the run at every rank of which it is known */
    NOISE_FELT,   /* more: differences of that size mean nothing */
    NOISE_SPOILED /* 10 % of the run, or half of the time in MPI: no conclusion is drawn */
};

/* CPU contention: time in which a rank was runnable but not scheduled. While a rank waits in MPI
 * for another one that comes later, this harms nothing, and is not counted. */
struct noise {
    enum noise_level level;
    double share;       /* of the run, of the rank where it was most */
    double seconds;     /* the same as a time */
    int32_t worst_rank; /* that rank; -1: unknown */
    double mean;        /* of the ranks' shares, where they are known */
    size_t unknown;     /* ranks of which it is unknown */
};
struct noise noise_of(const struct profile *p);

/* Seconds of contention at rank number AT of P's list that can have delayed something; NaN:
 * unknown.
 */
double noise_of_rank(const struct profile *p, size_t at);

/* From this part of the run on a cost matters. Where no interval of the cost is known, it has to be
 * twice as much. LOW: its lower end, or NaN; both in the unit of RUN. */
#define NOISE_MATTERS 0.01
bool noise_matters(double cost, double low, double run);

/* Lower end of the 95 % interval of a sum over so many parts in order of time, which are PART; not
 * negative. Their scatter is that of neighbours: a phase of the run in which all parts are larger
 * is no noise, a part that is larger alone is. */
enum { NOISE_PARTS = 20 };
double noise_least(const double part[NOISE_PARTS]);

/* Of a trace in windows the share of the time in calls that may wait which calls of a quarter of a
 * window and more take: waits as long as a window are in no row. */
double noise_unseen_waits(const struct profile *p);
/* The length of these windows, ns; infinite where everything was traced. */
double noise_window_ns(const struct profile *p);

#endif
