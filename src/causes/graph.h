/* A trace as a graph: its calls, the time between and inside of them, and what they wait for. */
#pragma once

#include "timeline/timeline.h"

#define CAUSES_NONE UINT32_MAX

enum cause_kind {
    CAUSE_COMPUTATION, /* time outside of MPI, between two calls */
    CAUSE_TRANSFER,    /* time in a call without its wait */
    CAUSE_UNKNOWN,     /* time in calls whose wait is unknown, or at edges of windows */
    CAUSE_REST,        /* sum of all causes beyond CAUSES_ROWS */
    CAUSE_KINDS
};

/* The recorded run. Times are in ns on the common clock of the events. */
struct causes_run {
    int64_t first_ns, last_ns;
    uint64_t time_mask; /* mask of a thinned trace (timeline_thinner()); 0: none */
    uint32_t last_rank; /* the rank that ended at LAST_NS; CAUSES_NONE: unknown */
    double error_ns;    /* the largest difference between the clocks of two ranks */
};

/* A segment of time on one rank, and the waiting that it causes. Times in ns. */
struct root_cause {
    uint32_t kind; /* enum cause_kind */
    uint32_t rank; /* rank in MPI_COMM_WORLD; CAUSES_NONE for CAUSE_REST */
    /* The call before the segment; CAUSES_NONE at the start of the run. */
    uint32_t from_site, from_operation;
    uint32_t site, operation; /* the call after or around it; CAUSES_NONE: the end of the run */
    uint64_t direct_ns, passed_ns; /* waits for RANK itself; for ranks that it delayed */
    uint64_t waits;                /* number of waits of which it is the largest cause */
    uint64_t path_ns;              /* time on the critical path */
    /* Whether late ranks alternate in a fixed order. FOLLOWED: how often this segment on another
     * rank caused the next wait, except the first time; IN_TURN: on the same rank as before. */
    uint64_t followed, in_turn;
    double error_ns; /* half the width of the 95 % interval of DIRECT + PASSED, sums over windows of
                        a thinned trace; 0: all was recorded; NAN: fewer than 4 windows */
    /* Its longest idle wave, a chain of ranks of which each waits because the one before it waited:
     * number of ranks, time from the end of the first wait to the end of the last, last rank. */
    uint32_t wave_ranks;
    int64_t wave_ns;
    uint32_t wave_end;
    /* Where most of this waiting occurs, and its wait state; CAUSES_NONE: it causes none. */
    uint32_t wait_site, wait_operation, wait_state;
};

/* Whether what_if.h can predict run times from the trace, otherwise why not. */
enum replay_state {
    REPLAY_NONE, /* the trace has no calls */
    REPLAY_GOOD,
    REPLAY_THREADS,       /* several threads of a rank call MPI: their dependences are unknown */
    REPLAY_UNKNOWN_WAITS, /* more than 1 % of the time is in calls whose wait is unknown */
    REPLAY_INEXACT,       /* with the recorded durations the replay is off by more than 1 % */
    REPLAY_STATES
};
struct replay_check {
    uint32_t state;                   /* enum replay_state */
    int64_t recorded_ns, replayed_ns; /* length of the run or its recorded windows, and of its
                                         replay with the recorded durations */
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
