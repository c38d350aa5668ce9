/* From wait states to their causes, and the critical path.
 *
 * The history of a rank at a moment is the longest chain of events that led to it: its own time
 * since its last wait, before that the history of the rank that it waited for, and so on. All
 * histories of one moment are equally long. Where rank r waits from a to e, for rank q,
 *     w = e - a = length of q's history at e - length of r's history at a,
 * and what both histories share, up to the last event on which both depend, cancels. So w is the
 * sum over segments of their excess in q's history over r's history. Segments with more time in q's
 * history are the delays; they share w in proportion to their excess. A segment is the time between
 * two call sites, on any rank. Its cost is charged to the ranks in q's history that take longer for
 * it than those in r's take on average. This follows a wait through all ranks that propagate it. It
 * generalizes delay costs (Boehme, Geimer, Arnold, Voigtlaender, Wolf, ACM TOPC 3(2), 2016): direct
 * (short-term costs) if r waited for the delayed rank itself, otherwise passed on (long-term). The
 * history of the last rank at its end is the critical path. */
#ifndef COLLPROF_CAUSES_CAUSES_H
#define COLLPROF_CAUSES_CAUSES_H

#include "causes/segments.h"
#include "timeline/timeline.h"

extern const char *const cause_names[CAUSE_KINDS]; /* "computation", ... */

/* One segment on one rank. Times in ns. */
struct root_cause {
    uint32_t kind; /* enum cause_kind */
    uint32_t rank; /* in MPI_COMM_WORLD; CAUSES_NONE for CAUSE_REST */
    /* The call before the segment; CAUSES_NONE at the start of the run. */
    uint32_t from_site, from_operation;
    uint32_t site, operation; /* the call after or around it; CAUSES_NONE: the end of the run */
    uint64_t direct_ns, passed_ns; /* waiting of other ranks that it caused */
    uint64_t waits;                /* number of calls for whose wait it is the largest cause */
    uint64_t path_ns;              /* on the critical path */
    double error_ns; /* half of the 95 % interval of DIRECT + PASSED, from the windows of a thinned
                        trace, added up over them; 0: all was recorded; NAN: fewer than 4 windows */
    /* Its longest idle wave: a chain of ranks of which each waits because the one before it had
     * waited. Their number, time from the end of the first wait to that of the last one, and the
     * last rank. */
    uint32_t wave_ranks;
    int64_t wave_ns;
    uint32_t wave_end;
    /* Where most of that waiting occurs, and its wait state; CAUSES_NONE if there is none. */
    uint32_t wait_site, wait_operation, wait_state;
};

struct causes {
    struct root_cause *rows; /* by descending cost; at most CAUSES_ROWS; release by causes_free() */
    size_t n;
    int64_t path_ns; /* length of the critical path: that of the run, or of its kept windows */
};

/* Limits. ROWS: rows of the result. NODES: nodes of all histories (272 bytes each; at least 5 per
 * thread). Delays examined: WORK, plus DELAYS for each wait. Beyond the limits of nodes and delays,
 * everything earlier becomes unknown. */
enum { CAUSES_ROWS = 1024, CAUSES_NODES = 1 << 18, CAUSES_DELAYS = 256, CAUSES_WORK = 1 << 22 };

/* EVENTS and N are those from which timeline_find() filled T. Needs at most 300 bytes per event,
 * plus the nodes. Call it inside of memory_try() (base/memory.h). */
void causes_find(struct causes *c, const struct timeline *t, const struct event *events, size_t n,
                 const struct causes_run *run);
void causes_free(struct causes *c);

/* Whether the N rows' costs add up to WAIT_NS, and their times on the critical path to PATH_NS,
 * within the rounding of each row. */
bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns);

#endif
