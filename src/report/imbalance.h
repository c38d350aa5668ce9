/* Ranks that are outside of MPI for longer than the others, which wait for them. A trace is not
 * needed; where each collective's arrivals are known, the run is judged piece by piece. */
#ifndef COLLPROF_REPORT_IMBALANCE_H
#define COLLPROF_REPORT_IMBALANCE_H

#include "report/tables.h"

/* A segment of the run is what lies before a collective of all ranks, back to the collective before
 * it. Segments that the same call site ends are judged together, and what is left of the run as one
 * segment. All in which the same ranks are slow are one imbalance: it has one cause. */
struct imbalance {
    bool *slow; /* of each rank of the profile's list: longer than halfway from the mean to the
                   longest */
    size_t n_slow;
    double cost;              /* by which the longest exceeds the mean, seconds */
    double low;               /* lower end of its 95 % interval; NaN: unknown */
    double slow_time, others; /* outside of MPI in these segments: mean of the slow ranks, of the
                                 others; seconds */
    unsigned half;            /* 1, 2: nearly all of it in that half of the segments; 0: in both */
    struct imbalance_site {
        uint32_t operation, site;
        double cost;
    } at[3]; /* where the slow ranks are awaited, the costliest first; cost 0: none is known */
    bool reported;
};

struct imbalances {
    struct imbalance *at;
    size_t n, room;
    double cost; /* of all, seconds */
};

/* Those of V that matter, for imbalances_free(). */
struct imbalances imbalances_find(const struct view *v);
void imbalances_free(struct imbalances *list);

/* One of LIST that is not reported yet, in which the rank of that number is slow; NULL: there is
 * none. */
struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank);

/* The least and the most that the slow ranks can have used a processor outside of MPI, as shares of
 * that time: what they did in MPI meanwhile is unknown. False: unknown. */
bool imbalance_processor(const struct imbalance *b, const struct profile *p, double share[2]);

#endif
