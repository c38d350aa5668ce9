/* Finds which rank's time causes the waiting of others, and the critical path.
 *
 * The history of a rank at a time t is the chain of events that determined when the rank reached t:
 * its own time since its last wait, before that the history of the rank that it waited for, and so
 * on. Every history at t is as long as the run until t. If rank r waits for rank q from a to e,
 * wait = e - a = length of q's history at e - length of r's history at a. Time that both histories
 * contain cancels. So the wait is the sum over all segments (the time between two call sites, on
 * any rank) of the time in q's history minus the time in r's. Segments with more time in q's
 * history are the delays: each is charged a part of the wait in proportion to its excess. Within a
 * segment, those ranks are charged that take longer in q's history than ranks on average in r's.
 * This traces a wait through all ranks that propagate it. It generalizes delay costs (Boehme,
 * Geimer, Arnold, Voigtlaender, Wolf, ACM TOPC 3(2), 2016): a cost is direct (short-term) if r
 * waited for the delayed rank itself, otherwise passed on (long-term). The critical path is the
 * history of the last rank to finish, at its end. */
#pragma once

#include "causes/graph.h"

extern const char *const cause_names[CAUSE_KINDS]; /* names for tables: "computation", ... */

struct causes {
    struct root_cause *rows; /* sorted by descending cost; at most CAUSES_ROWS; release by free() */
    size_t n;
    int64_t path_ns; /* length of the critical path; of a thinned trace: summed over its windows */
};

/* Limits of memory and time. CAUSES_NODES: nodes of all histories (272 bytes each), at least 5 per
 * thread. The search may examine CAUSES_WORK delays, and CAUSES_DELAYS more for each wait. Beyond
 * these limits, all earlier time is charged to CAUSE_UNKNOWN. CAUSES_ROWS: rows of the result. */
enum { CAUSES_ROWS = 1024, CAUSES_NODES = 1 << 18, CAUSES_DELAYS = 256, CAUSES_WORK = 1 << 22 };

/* Fills C from G. Allocates the nodes and at most 100 bytes per call (base/memory.h): with the
 * graph 570 MB for a million events. */
void causes_find(struct causes *c, const struct event_graph *g);

/* Checks the result: whether the costs of all N ROWS add up to WAIT_NS, and their times on the
 * critical path to PATH_NS, within 1 ns per row and a millionth of the sum. */
bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns);
