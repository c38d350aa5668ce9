/* The graph of a trace's events, which can be replayed with other durations.
 *
 *   entry of a call = exit of the call before it in its thread + computation
 *   exit of a call  = max(entry + least, enabled + transfer for each event that it waits for)
 *
 * A message is enabled by the entry of its send and by the posting of its receive, a send that
 * waits for its receive by that posting, and a collective by the entries of the members that the
 * caller depends on. One of LEAST and TRANSFER decided when the call ended, and follows from that.
 * The other one is the mean of similar calls in which it did decide. So a replay with the recorded
 * durations ends each call when it ended, as far as the graph is complete. */
#ifndef COLLPROF_CAUSES_GRAPH_H
#define COLLPROF_CAUSES_GRAPH_H

#include "causes/calls.h"

/* An event that another one waits for. */
struct event_link {
    uint32_t entered; /* a call, or EVENT_GROUP plus a group of calls; CAUSES_NONE: none */
    uint32_t posted;  /* the call that posted this receive or send, if it is another one; otherwise
                         CAUSES_NONE */
};
#define EVENT_GROUP (1u << 31)

/* Members of a collective: a range in graph.members. */
struct event_group {
    uint32_t first, n;
    int64_t entered; /* the last entry of all members in the present replay, or EVENT_UNSET */
};
#define EVENT_UNSET INT64_MIN

/* Durations in ns; release by durations_free(). */
struct durations {
    int64_t *compute, *least; /* one for each call */
    int64_t *transfer;        /* one for each link */
};

/* Sums over similar calls. */
struct event_class {
    double sum, n;
    int64_t bound; /* the smallest upper bound, from calls in which the other duration decided */
};

struct event_graph {
    const struct recorded *in;
    struct durations recorded;
    struct event_link *link; /* one for each event, in the order of timeline.order */
    uint32_t *first_link;    /* one for each call, and one more */
    size_t n_links;
    ARRAY(struct event_group) groups;
    ARRAY(uint32_t) members;
    ARRAY(struct event_class) classes;
    struct index class_of;
    uint64_t calls_ns, unknown_ns; /* time in calls, and its part in calls whose wait is unknown */
    /* State of the present replay: */
    int64_t *entry; /* for each call, or EVENT_UNSET */
    struct event_lane {
        int64_t exit, shift; /* recorded exit of its last call in this window; replayed minus
                                recorded time, or EVENT_UNSET */
    } * lane;
};

/* One block of the run: one of EVENT_BLOCKS equal parts, or for a thinned trace one of its windows,
 * from first entry to last exit. */
struct event_block {
    int64_t recorded_ns, replayed_ns; /* its length */
};
enum { EVENT_BLOCKS = 16 };
struct event_replay {
    int64_t recorded_ns, replayed_ns; /* sums over all blocks */
    ARRAY(struct event_block) blocks; /* for free() */
};

static inline const struct call *event_call(const struct event_graph *g, uint32_t call)
{
    return &g->in->calls.at[call];
}

/* Whether the call is the first of its thread in its window. */
static inline bool event_is_first(const struct event_graph *g, uint32_t call)
{
    const struct call *c = event_call(g, call);
    return !call || c[-1].lane != c->lane || c[-1].epoch != c->epoch;
}

/* Resets the graph for another replay. */
static inline void event_forget_entries(struct event_graph *g)
{
    for (size_t i = 0; i < g->groups.n; i++)
        g->groups.at[i].entered = EVENT_UNSET;
}

/* Builds the graph of IN, which must exist until event_graph_free(). Needs about 130 bytes per
 * event. */
void event_graph_read(struct event_graph *g, const struct recorded *in, size_t n_events);
void event_graph_free(struct event_graph *g);

struct durations durations_copy(const struct event_graph *g);
void durations_free(struct durations *d);

/* Replaces the durations in D of all calls that begin at FROM_NS or later by means over similar
 * calls that end before it. */
void event_graph_extrapolate(struct event_graph *g, struct durations *d, int64_t from_ns);

/* Sets the durations D to those of the POP model's ideal network: no latency, no overhead in calls,
 * unlimited bandwidth. Calls whose wait is unknown keep their durations. */
void event_graph_ideal(const struct event_graph *g, struct durations *d);

/* Replays the calls with the durations D. */
struct event_replay event_graph_replay(struct event_graph *g, const struct durations *d);

#endif
