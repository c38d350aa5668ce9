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
    double cost;              /* longest minus mean time outside of MPI, in seconds */
    double low;               /* what COST is at least, without doubtful parts */
    double slow_time, others; /* time outside of MPI in these segments, in seconds: mean of the slow
                                 ranks, and of the others */
    struct imbalance_site {
        uint32_t operation, site;
        double cost;                    /* part of COST; 0: no such call is known */
    } at;                               /* the call in which others wait most for the slow ranks */
    ARRAY(struct imbalance_site) sites; /* all such calls */
    bool reported;
};

struct imbalances {
    struct imbalance *at;
    size_t n, room;
    double cost;   /* of all, seconds */
    bool doubtful; /* another one may have other reasons than the program: see noise_doubt() */
};

/* The imbalances of V that are large enough to report. Free by imbalances_free(). */
struct imbalances imbalances_find(const struct view *v);
void imbalances_free(struct imbalances *list);

/* An imbalance of LIST that is not reported yet and has that rank as a slow one; NULL if none. */
struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank);

/* The least time that the slow ranks can have used a processor outside of MPI, and the most that
 * they can have used one or been runnable, as shares of that time: their processor time in MPI is
 * unknown. False if unknown. */
bool imbalance_processor(const struct imbalance *b, const struct profile *p, double share[2]);

#endif
