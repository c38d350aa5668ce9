/* Measuring a collective operation that is no broadcast: fan-in (reduce, gather), fan-out
 * (scatter) and symmetrical ones (barrier, allreduce, allgather, alltoall).
 *
 * Two ways. "direct" looks at entries and exits on one clock. "mirrored" needs no common clock:
 * the broadcast method of de Supinski and Karonis turned round, for the open problem at the end
 * of their section 5 (doc/methods.md section 1). All times are in seconds. Like bcast.h: PMPI only,
 * prints nothing, bounded by the plan's budget, errors are MPI error codes. */
#ifndef COLLPROF_MEASURE_COLLECTIVE_COLLECTIVE_H
#define COLLPROF_MEASURE_COLLECTIVE_COLLECTIVE_H

#include "base/names.h"
#include "measure/series.h"

#include <math.h>
#include <mpi.h>

struct sync_clock; /* sync/sync.h */

/* What is measured; equal on all ranks but for ARG and CLOCK. */
struct collective_case {
    MPI_Comm comm; /* an intracommunicator of at least 2 ranks that nobody else uses meanwhile;
                      its error handler should be MPI_ERRORS_RETURN */
    int (*run)(void *arg);     /* one operation on COMM, called by all ranks again and again on the
                                  same buffers; returns an MPI error code. With MPI_IN_PLACE a buffer
                                  is input as well and changes from one to the next: use copies */
    void (*before)(void *arg); /* on each rank before every operation, outside of what is timed;
                                  NULL: nothing */
    void *arg;
    enum collective_kind pattern;
    int root;                 /* of a fan-in or fan-out */
    struct plan plan;         /* plan.budget is for the whole case */
    int collector;            /* the rank that gets the outcome */
    struct sync_clock *clock; /* NULL: clock_now() is the same everywhere (one host) */
    bool every;               /* mirrored: each pair is wanted, not only the slowest */
    double after; /* direct: seconds after the announced moment at which this rank enters. 0: all
                     arrive together */
};

/* Every operation begins when all ranks arrive together, or each as long after as the case says,
 * as closely as the clock allows. */
struct collective_direct {
    struct series completion; /* last exit - last entry: with all ranks there, how long it takes */
    struct series span;       /* last exit - first entry */
    double apart;             /* median of last entry - first entry */
    int size;
    int dropped;        /* operations some rank arrived late for */
    double clock_bound; /* error of the common clock */
};

int collective_measure_direct(const struct collective_case *c, struct collective_direct *out);
void collective_direct_free(struct collective_direct *d);

/* For a source i that enters last, held back by D after a message "go" from the observer j: the
 * time from i's entry to j's exit, for every pair that the pattern couples (fan-in: j = root;
 * fan-out: i = root). What j sees from its go on, minus D as i's own clock saw it, minus half
 * a round trip. D is doubled until the value settles. */
struct collective_pair {
    struct estimate time; /* NaN where not coupled or not measured; less than 0 is no result */
    double hold;          /* that it is of */
    bool settled;         /* a longer hold changed nothing; otherwise TIME is an upper bound */
    double way_error; /* half a round trip is taken for the go's way, for want of a clock that does
                         not itself rest on equal ways: TIME may be off by so much. 0: the way
                         itself was measured */
};

struct collective_mirrored {
    int size;                     /* 0 on ranks other than the collector */
    struct collective_pair *pair; /* size x size: [i * size + j] */
    int measured, asked;          /* pairs; fewer measured where the budget is short */
    bool at_least;   /* a pair that was not measured may be slower than the slowest of these. Where
                        the   budget is short, a look at all in three operations of each source says
                        in   which   order to measure, and whether one may */
    double chance;   /* of having measured the slowest: see scout_chance(); 0: not known */
    int over_budget; /* of those measured, ended by the budget */
    int slowest_from, slowest_to; /* i and j of the largest value; -1: none */
};

/* NULL if no pair was measured. */
static inline const struct collective_pair *collective_slowest(const struct collective_mirrored *m)
{
    return m->slowest_from < 0
               ? NULL
               : &m->pair[(size_t)m->slowest_from * (size_t)m->size + (size_t)m->slowest_to];
}

/* Whether the slowest is an operation's time, or a bound of it: one that has not settled, of some
 * pairs only, is neither at most nor at least that, unless it is likely to be of all. */
static inline bool collective_is_result(const struct collective_mirrored *m)
{
    const struct collective_pair *p = collective_slowest(m);
    return p && (p->settled || !m->at_least || m->chance >= 0.5);
}

int collective_measure_mirrored(const struct collective_case *c, struct collective_mirrored *out);
void collective_mirrored_free(struct collective_mirrored *m);

#endif
