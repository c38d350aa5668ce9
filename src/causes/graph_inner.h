/* The graph of a trace's events: calls of each thread, the segments between and inside of calls,
 * and what they wait for. It can be replayed with other durations.
 *
 *     entry of a call = exit of the call before it in its thread + computation
 *     exit of a call  = max(entry + least, enabled + transfer for each event that it waits for)
 *
 * ENABLED is when the event could complete: a message, after entry of its send and posting of its
 * receive; a send that waits for its receive, after the receive's posting; a collective, after
 * entry of the members that the caller depends on. LEAST is the call's duration without a wait,
 * TRANSFER the time from ENABLED to the exit. The recorded exit determines LEAST or TRANSFER,
 * whichever is in the larger term; the other duration is estimated from similar calls in which its
 * term was larger. So a replay with the recorded durations reproduces all exits, if all dependences
 * are known. */
#pragma once

#include "base/array.h"
#include "causes/delays.h"
#include "causes/graph.h"

/* A duration in ns: as recorded, and as the next replay uses it. */
struct duration {
    int64_t recorded, changed;
};

/* One MPI call. Times in ns. */
struct graph_call {
    int64_t entry, exit, until; /* UNTIL: end of the call's wait; ENTRY if it did not wait */
    int64_t replayed;           /* entry in the present replay; EVENT_UNSET: not yet replayed */
    struct duration compute, least;
    int64_t epoch; /* number of the window of a thinned trace, otherwise 0 */
    uint32_t lane;
    uint32_t first, end;     /* the call's events in timeline.order: FIRST to END - 1 */
    uint32_t event;          /* the event that ended the wait; without a wait, the first event */
    uint32_t before, inside; /* pieces (event_graph.pieces) before the call and in it */
    uint32_t awaited; /* the call whose entry ended the wait; CAUSES_NONE: unknown, or no wait */
    uint32_t waited;  /* its thread's most recent earlier call that waited, plus one; 0: none */
};

/* A thread of a rank. Its calls in event_graph.calls are BEGIN to END - 1. */
struct lane {
    uint32_t begin, end;
    uint32_t rank;
    uint32_t unknown, tail; /* pieces: of unknown time; of the time after its last call */
    /* Of the call replayed last in this window: recorded exit; replayed minus recorded exit. */
    int64_t exit, shift;
};

/* What an event waits for. */
struct event_link {
    uint32_t call;    /* index of the event's call */
    uint32_t entered; /* call whose entry it waits for; EVENT_GROUP + i: group i; or CAUSES_NONE */
    uint32_t posted;  /* the call that posted the operation, if not CALL; otherwise CAUSES_NONE */
    struct duration transfer;
    /* REPLAYED: the event is of a broadcast that is replayed along another tree. Times in ns. */
    bool replayed;
    uint32_t parent;    /* event of the member that sends the data; CAUSES_NONE: this is the root */
    int64_t arrives_ns; /* the data arrive this long after PARENT has entered and has them */
    int64_t sends_ns;   /* time for which this member then sends to its children */
};
#define EVENT_GROUP (1u << 31)

/* Members of a collective: a range in graph.members. */
struct event_group {
    uint32_t first, n;
    int64_t entered; /* members' latest entry in the present replay; EVENT_UNSET: not yet known */
};
#define EVENT_UNSET INT64_MIN

/* Statistics of LEAST or TRANSFER (ns) over similar calls: sum and number of known durations. */
struct event_class {
    double sum, n;
    int64_t bound; /* least upper bound, from calls in which the other term was larger */
};

/* A part of the run, for the error of a prediction: one of EVENT_BLOCKS equal parts or, of a
 * thinned trace, one of its windows from first entry to last exit. */
struct event_block {
    int64_t recorded_ns, replayed_ns; /* length of the block, ns */
};
enum { EVENT_BLOCKS = 16 };
struct event_replay {
    int64_t recorded_ns, replayed_ns; /* sums over all blocks */
    ARRAY(struct event_block) blocks;
};

struct event_graph {
    const struct timeline *t;
    struct causes_run run;
    /* Pieces: segments on one rank, and groups of these (delays.h); only kind, rank, and the calls
     * before and after are set. The index of a piece is its key in histories. */
    ARRAY(struct root_cause) pieces;
    ARRAY(struct delay_groups) groups_of; /* the groups of each piece */
    struct index piece_of;
    ARRAY(struct graph_call) calls; /* grouped by thread (lane), in the order of time */
    ARRAY(struct lane) lanes;
    bool threads;            /* several threads of a rank call MPI: some dependences are unknown */
    uint32_t *order;         /* calls sorted by window and exit */
    struct event_link *link; /* what each event waits for */
    ARRAY(struct event_group) groups;
    ARRAY(uint32_t) members;
    ARRAY(struct event_class) classes;
    struct index class_of;
    struct replay_check check;
    struct event_replay replay; /* result of the last replay */
};

static inline struct graph_call *event_call(const struct event_graph *g, uint32_t call)
{
    return &g->calls.at[call];
}

/* Whether the call is the first of its thread in its window. */
static inline bool event_is_first(const struct event_graph *g, uint32_t call)
{
    const struct graph_call *c = event_call(g, call);
    return !call || c[-1].lane != c->lane || c[-1].epoch != c->epoch;
}

/* Begin and end (ns) of window number EPOCH of a thinned trace; otherwise of the run. */
struct event_window {
    int64_t from, to;
};
struct event_window event_window(const struct event_graph *g, int64_t epoch);

/* The call in the same window that posted what EVENT completes; CAUSES_NONE if there is none. */
uint32_t event_posting(const struct event_graph *g, uint32_t event);

/* The first step of event_graph_open(): adds pieces, calls and lanes. */
void event_calls_read(struct event_graph *g);

/* Sets the entries of all calls to the recorded ones. */
void event_enter_recorded(struct event_graph *g);

/* The time (ns) at which EVENT could complete in the present replay, by the entries of the calls
 * that it waits for; link.entered must be known. */
int64_t event_enabled(const struct event_graph *g, uint32_t event);

/* Sets the durations of the next replay to the recorded ones. */
void event_graph_reset(struct event_graph *g);

/* Replaces the recorded durations of all calls that begin at FROM_NS or later by means over similar
 * calls that end before FROM_NS. */
void event_graph_extrapolate(struct event_graph *g, int64_t from_ns);

/* Sets the durations of the next replay to those of the POP model's ideal network: no latency, no
 * overhead in calls, unlimited bandwidth. Calls whose wait is unknown keep their durations. */
void event_graph_ideal(struct event_graph *g);

/* Replays calls with the durations set above. The result is valid until the next replay. */
const struct event_replay *event_graph_replay(struct event_graph *g);

/* Makes replays send broadcasts along the tree of W, until a call of event_graph_ideal(). Returns
 * NULL or, if the costs of messages are unknown, why. */
struct what_if;
const char *event_graph_replace(struct event_graph *g, const struct what_if *w);
