/* CPU contention: whether the times of a run are reliable. */
#ifndef COLLPROF_PROFILE_NOISE_H
#define COLLPROF_PROFILE_NOISE_H

#include "profile/profile.h"

enum noise_level {
    NOISE_QUIET,  /* below 1 % of the run on every rank for which it is known */
    NOISE_FELT,   /* more: differences of that size are not significant */
    NOISE_SPOILED /* 10 % of the run, or half of the time in MPI: no conclusions are drawn */
};

/* CPU contention: time in which a rank was runnable but not scheduled. It is not counted while the
 * rank waits in MPI for a late rank, since it then delays nothing. */
struct noise {
    enum noise_level level;
    double share;       /* of the run, on the worst rank */
    double seconds;     /* on the worst rank */
    int32_t worst_rank; /* -1: unknown */
    double mean;        /* share of the run: mean of the ranks for which it is known */
    size_t unknown;     /* number of ranks for which it is unknown */
};
struct noise noise_of(const struct profile *p);

/* Seconds of contention at index AT of P's ranks that may have delayed something; NaN if
 * unknown. */
double noise_of_rank(const struct profile *p, size_t at);

/* Smallest share of the run at which a cost is reported; twice that if COST has no interval. LOW:
 * lower end of the interval of COST, or NaN; both in the unit of RUN. */
#define NOISE_MATTERS 0.01
bool noise_matters(double cost, double low, double run);

/* Lower end (at least 0) of the 95 % interval of a sum over NOISE_PARTS consecutive parts of the
 * run. The variance is that of differences between neighbours: a phase in which all parts are
 * larger is not noise, a single larger part is. */
enum { NOISE_PARTS = 20 };
double noise_least(const double part[NOISE_PARTS]);

/* For a trace in windows: the share of waiting calls' time that is in calls longer than a quarter
 * of a window. The trace may miss such waits. */
double noise_unseen_waits(const struct profile *p);
/* The length of the trace's windows, ns; infinite if everything was traced. */
double noise_window_ns(const struct profile *p);

#endif
