/* A trace as a graph: its calls, the time between and inside of them, and what they wait for. */
#pragma once

#include "timeline/timeline.h"

#define CAUSES_NONE UINT32_MAX

enum cause_kind {
    CAUSE_COMPUTATION, /* time outside of MPI, between two calls */
    CAUSE_TRANSFER,    /* time in a call, minus the call's wait */
    CAUSE_UNKNOWN,     /* time in calls whose wait is unknown, or at edges of recorded windows */
    CAUSE_REST,        /* sum of all causes that do not fit in CAUSES_ROWS rows */
    CAUSE_KINDS
};

/* The recorded run. Times are in ns on the common clock of the events. */
struct causes_run {
    int64_t first_ns, last_ns;
    uint64_t time_mask; /* mask of a thinned trace (timeline_thinner()); 0: none */
    uint32_t last_rank; /* the rank that ended at LAST_NS; CAUSES_NONE: unknown */
    double error_ns;    /* the largest difference between the clocks of two ranks */
};

/* A segment on one rank (time in a call or between two), and waiting caused by it. Times in ns. */
struct root_cause {
    uint32_t kind; /* enum cause_kind */
    uint32_t rank; /* rank in MPI_COMM_WORLD; CAUSES_NONE for CAUSE_REST */
    /* The call before the segment; CAUSES_NONE at the start of the run. */
    uint32_t from_site, from_operation;
    uint32_t site, operation; /* call after or around the segment; CAUSES_NONE: end of the run */
    uint64_t direct_ns, passed_ns; /* waiting for RANK itself; for ranks that RANK delayed */
    uint64_t waits;                /* number of waits of which this is the largest cause */
    uint64_t path_ns;              /* time on the critical path */
    /* Whether late ranks alternate in a fixed order. FOLLOWED: how often, after RANK, another rank
     * was next to cause a wait by this segment (except the first time); IN_TURN: how often this was
     * the same rank as the time before. */
    uint64_t followed, in_turn;
    double error_ns; /* half the width of the 95 % interval of DIRECT_NS + PASSED_NS in a thinned
                        trace; 0: not thinned; NAN: fewer than 4 windows */
    /* The longest idle wave that the segment causes, a chain of ranks each of which waits because
     * the rank before waited: number of ranks, time between the first and last wait's end, last
     * rank. */
    uint32_t wave_ranks;
    int64_t wave_ns;
    uint32_t wave_end;
    /* The call in which the segment causes most waiting, with its wait state; or CAUSES_NONE. */
    uint32_t wait_site, wait_operation, wait_state;
};

/* Whether what_if.h can predict run times from the trace, otherwise why not. */
enum replay_state {
    REPLAY_NONE, /* the trace has no calls */
    REPLAY_GOOD,
    REPLAY_THREADS,       /* several threads of a rank call MPI: their dependences are unknown */
    REPLAY_UNKNOWN_WAITS, /* more than 1 % of the time is in calls whose wait is unknown */
    REPLAY_INEXACT,       /* a replay with the recorded durations is off by more than 1 % */
    REPLAY_STATES
};
struct replay_check {
    uint32_t state;                   /* enum replay_state */
    int64_t recorded_ns, replayed_ns; /* length of the run (thinned: of its recorded windows), and
                                         of a replay with the recorded durations */
    int64_t ideal_ns;                 /* run time replayed on an ideal network; negative: unknown */
    double repeat_error; /* relative error of predicting the second half of the run by means over
                            the first half; NAN if unknown */
};

/* The graph of the events of T, which timeline_find() filled. T must exist until
 * event_graph_close(). Allocates at most 400 bytes per event, causes_find() more: call these
 * functions inside of memory_try() (base/memory.h). */
struct event_graph;
struct event_graph *event_graph_open(const struct timeline *t, const struct causes_run *run);
void event_graph_close(struct event_graph *g);
