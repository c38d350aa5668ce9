/* CPU contention: whether the times of a run are reliable. */
#pragma once

#include "profile/profile.h"

#include <math.h>

/* CPU contention: time in which a rank was runnable but not scheduled. It is not counted while the
 * rank waits in MPI for a late rank, since it then delays nothing. */
struct noise {
    double share;       /* of the run, on the rank with most of it */
    int32_t worst_rank; /* -1: unknown */
    double most; /* largest share of a rank including its waits: what may explain a finding */
    int32_t most_rank;
};
struct noise noise_of(const struct profile *p);

/* Seconds per rank that the others may wait for RANK (or for any rank) although it has no more work
 * than they: it was runnable but not scheduled while outside of MPI (ANYWHERE: or in it), or the
 * layer took longer than on the mean of the ranks to record its calls, or its processor was slower
 * in WORK seconds outside of MPI. Processors that share a core, a cache or a host with others
 * differ by up to 20 % for a tenth of a second; the longer a rank works, the less of that remains
 * in the mean. Simulated processors do not differ. */
enum { NOISE_ANY_RANK = -1 };
double noise_doubt(const struct profile *p, int64_t rank, bool anywhere, double work);

/* What COST is at least, if LOW is the lower end of its interval (NaN: it has none) and DOUBT the
 * part of it that may have other reasons than the program: these are not counted twice. */
static inline double noise_at_least(double cost, double low, double doubt)
{
    return fmin(low, cost - doubt);
}

/* Smallest share of the run that a cost must be at least to be reported; twice that if it has no
 * interval. All in the unit of RUN. */
#define NOISE_MATTERS 0.01
bool noise_matters(double cost, double low, double doubt, double run);

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
