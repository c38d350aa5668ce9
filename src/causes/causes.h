/* From wait states to their causes, and the critical path.
 *
 * The history of a rank at a moment is the longest chain of events that led to it: its own time
 * since its last wait, before that the history of the rank that it waited for, and so on. All
 * histories of one moment are equally long. Where rank r waits from a to e, for rank q,
 *     w = e - a = length of q's history at e - length of r's history at a,
 * and what both have in common, from before they last depended on the same event, cancels. So w is
 * the sum over segments of what q's history has more of them than r's has: these are the delays, of
 * which each has its part of w, less what r's has more. A segment is what lies between two call
 * sites, on any rank; in it the cost goes to the ranks in q's history that take longer for it than
 * those in r's take on average. This follows a wait through all ranks that pass it on, and is what
 * delay costs (Boehme, Geimer, Arnold, Voigtlaender, Wolf, ACM TOPC 3(2), 2016) are of two ranks:
 * direct (their short-term costs) where r waited for the delayed rank itself, else passed on
 * (long-term). The history of the last rank at its end is the critical path. */
#ifndef COLLPROF_CAUSES_CAUSES_H
#define COLLPROF_CAUSES_CAUSES_H

#include "timeline/timeline.h"

#define CAUSES_NONE UINT32_MAX

enum cause_kind {
    CAUSE_COMPUTATION, /* time outside of MPI, from the exit of a call to the entry of the next */
    CAUSE_TRANSFER,    /* time in a call beyond its wait */
    CAUSE_UNKNOWN,     /* edges of windows, and calls of which waits are unknown */
    CAUSE_REST,        /* of all that are too many to be listed */
    CAUSE_KINDS
};
extern const char *const cause_names[CAUSE_KINDS]; /* "computation", ... */

/* One segment on one rank. Times in ns. */
struct root_cause {
    uint32_t kind; /* enum cause_kind */
    uint32_t rank; /* in MPI_COMM_WORLD; CAUSES_NONE of CAUSE_REST */
    /* The call that the rank left; CAUSES_NONE: none since the start of the run. */
    uint32_t from_site, from_operation;
    uint32_t site, operation; /* the call that it entered, or is in; CAUSES_NONE: the run's end */
    uint64_t direct_ns, passed_ns; /* waiting of other ranks that it caused */
    uint64_t waits;                /* calls of whose waiting it caused the largest part */
    uint64_t path_ns;              /* on the critical path */
    /* Where most of that waiting is, and what it is called; CAUSES_NONE: nowhere. */
    uint32_t wait_site, wait_operation, wait_state;
};

/* When the run began and ended; ns on the clock of the events. */
struct causes_run {
    int64_t first_ns, last_ns;
    uint64_t time_mask; /* kept are the times that have none of these bits; 0: all */
    uint32_t last_rank; /* that ended at LAST_NS; CAUSES_NONE: unknown */
};

struct causes {
    struct root_cause *rows; /* the largest cost first; at most CAUSES_ROWS; for causes_free() */
    size_t n;
    int64_t path_ns; /* which the critical path has to have: the run, or its kept windows */
};

/* Rows. Nodes of histories (272 bytes each), of which there are more where there are more than
 * 50,000 threads; and delays a wait, on average beyond the first CAUSES_WORK: where these are
 * exceeded, all that lies further back becomes unknown. */
enum { CAUSES_ROWS = 1024, CAUSES_NODES = 1 << 18, CAUSES_DELAYS = 256, CAUSES_WORK = 1 << 22 };

/* ACT and N as timeline_find() had them for T. Needs at most 300 bytes an event beside the
 * nodes. Memory is had as in base/memory.h. */
void causes_find(struct causes *c, const struct timeline *t, const struct act *act, size_t n,
                 const struct causes_run *run);
void causes_free(struct causes *c);

/* Whether the N rows' costs add up to WAIT_NS, and their times on the critical path to PATH_NS,
 * within the rounding of each row. */
bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns);

#endif
