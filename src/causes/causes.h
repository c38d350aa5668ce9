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
#pragma once

#include "causes/graph.h"

extern const char *const cause_names[CAUSE_KINDS]; /* "computation", ... */

struct causes {
    struct root_cause *rows; /* by descending cost; at most CAUSES_ROWS; release by free() */
    size_t n;
    int64_t path_ns; /* length of the critical path: that of the run, or of its kept windows */
};

/* Limits. ROWS: rows of the result. NODES: nodes of all histories (272 bytes each; at least 5 per
 * thread). Delays examined: WORK, plus DELAYS for each wait. Beyond the limits of nodes and delays,
 * everything earlier becomes unknown. */
enum { CAUSES_ROWS = 1024, CAUSES_NODES = 1 << 18, CAUSES_DELAYS = 256, CAUSES_WORK = 1 << 22 };

/* Needs at most 100 bytes per call, plus the nodes: with the graph 570 MB for a million events. */
void causes_find(struct causes *c, const struct event_graph *g);

/* Whether the N rows' costs add up to WAIT_NS, and their times on the critical path to PATH_NS,
 * within the rounding of each row. */
bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns);
