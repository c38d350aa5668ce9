/* Load imbalance: ranks that spend more time outside of MPI than the others, which wait for them.
 * Needs no trace. If the arrivals of each collective are known, the run is judged by segments. */
#ifndef COLLPROF_REPORT_IMBALANCE_H
#define COLLPROF_REPORT_IMBALANCE_H

#include "report/tables.h"

/* A segment is the time between two successive collectives of all ranks. Segments that end at one
 * call site are judged together; the rest of the run is one more segment. All segments in which the
 * same ranks are slow form one imbalance. */
struct imbalance {
    bool *slow; /* by index in p->ranks: its time is nearer to the longest than to the mean */
    size_t n_slow;
    double cost;              /* longest minus mean time outside of MPI, seconds */
    double low;               /* lower end of its 95 % interval; NaN: unknown */
    double slow_time, others; /* outside of MPI in these segments: mean of the slow ranks, of the
                                 others; seconds */
    unsigned half;            /* 1, 2: half of the segments that has nearly all cost; 0: neither */
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

/* The imbalances of V that are large enough to report. Free by imbalances_free(). */
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
