/* CPU contention: whether the times of a run are reliable. */
#pragma once

#include "profile/profile.h"

#include <math.h>

/* CPU contention: time in which a rank was runnable but not scheduled, as a share of the run. */
struct noise {
    double share;       /* of WORST_RANK, not counting its waits in MPI, where contention delays
                           no rank */
    int32_t worst_rank; /* -1: unknown */
    double most;        /* of MOST_RANK, counting its waits */
    int32_t most_rank;
};
struct noise noise_of(const struct profile *p, double most); /* MOST: as in struct efficiency */

/* Seconds per rank that the others may wait for RANK (NOISE_ANY_RANK: for any) for other reasons
 * than its work: the sum of its contention outside of MPI (ANYWHERE: or in MPI), of the time of
 * recording its calls beyond that of the mean rank, and of the time by which its processor may be
 * slower in WORK seconds. Processors that share a core, a cache or a host differ by up to 20 % over
 * 0.1 s, and less over longer times. Simulated processors do not differ. */
enum { NOISE_ANY_RANK = -1 };
double noise_doubt(const struct profile *p, int64_t rank, bool anywhere, double work);

/* A lower bound of COST. LOW: the lower end of COST's interval; NaN: unknown. DOUBT: the part of
 * COST that may have other reasons than the program. The smaller bound counts, not both, since LOW
 * and DOUBT may express the same noise. */
static inline double noise_at_least(double cost, double low, double doubt)
{
    return fmin(low, cost - doubt);
}

/* Whether to report COST: its lower bound is at least the share NOISE_MATTERS of RUN, or twice this
 * share if LOW is NaN. All arguments are in the same unit. */
#define NOISE_MATTERS 0.01
bool noise_matters(double cost, double low, double doubt, double run);

/* Lower end (at least 0) of the 95 % interval of a sum over NOISE_PARTS consecutive parts of the
 * run. The variance is estimated by differences between neighbouring parts: a phase in which all
 * parts are larger is not noise, a single larger part is. */
enum { NOISE_PARTS = 20 };
double noise_least(const double part[NOISE_PARTS]);

/* For a trace in windows: of the time in calls that may wait, the share in calls longer than a
 * quarter of a window. The trace may miss the waits of such calls. */
double noise_unseen_waits(const struct profile *p);
/* The length of the trace's windows, ns; infinite if everything was traced. */
double noise_window_ns(const struct profile *p);
