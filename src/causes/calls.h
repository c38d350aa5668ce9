/* A trace as the analysis of causes replays it: calls of each thread, what they waited for, and the
 * segments between and inside of calls. */
#ifndef COLLPROF_CAUSES_CALLS_H
#define COLLPROF_CAUSES_CALLS_H

#include "base/array.h"
#include "base/hash.h"
#include "causes/delays.h"
#include "causes/segments.h"
#include "timeline/timeline.h"

/* One segment on one rank. Its index is its key in histories. */
struct piece {
    uint32_t kind, rank, from_site, from_operation, site, operation;
    uint32_t group[MATCHINGS]; /* for each matching: the piece that represents its group */
    double direct, passed, path;
    uint64_t waits;
    /* Cost at the end of the window before, and the sum over windows of its squares. */
    double cost_before, cost_squares;
    uint32_t farthest; /* the call at the end of the longest idle wave that begins here, plus one */
};

/* One MPI call. Times in ns. */
struct call {
    int64_t entry, exit, until; /* UNTIL: end of its wait; at most ENTRY if it did not wait */
    int64_t epoch;
    uint32_t lane, event;    /* EVENT: the one that ended the wait, or any */
    uint32_t before, inside; /* pieces before the call and in it */
    uint32_t request;        /* CAUSES_NONE if it did not wait, or if the awaited rank is unknown */
    /* Of a wait: its main cause, and how many waits with that cause led to each other up to this
     * one; the end of the first of them. */
    uint32_t cause, hops;
    int64_t wave_ns;
};

/* Requests the history of another lane at a given time, for a call that waited for that lane. */
struct request {
    int64_t time;
    uint32_t lane, call;
    bool served;
    uint32_t waited; /* the last call before TIME in which the lane waited, plus one; 0: none */
    struct history *history;
};

/* A thread of a rank. */
struct lane {
    uint32_t next, end; /* its calls that are still to be replayed: [NEXT, END) */
    uint32_t request, last_request;
    uint32_t rank, unknown, tail; /* RANK; then pieces: of unknown time, and after the last call */
    int64_t at;                   /* time at which its history ends */
    uint32_t waited;              /* its last call that waited, plus one; 0: none */
    bool busy;
    struct history *history;
};

struct recorded {
    const struct timeline *t;
    const struct event *events;
    const struct causes_run *run;
    ARRAY(struct piece) pieces;
    ARRAY(struct call) calls;       /* grouped by lane, in the order of time */
    ARRAY(struct request) requests; /* grouped by lane, in the order of time */
    ARRAY(struct lane) lanes;
    uint32_t *order; /* calls sorted by window and exit */
    struct index piece_of;
};

/* Parameters are those of causes_find(). Release by recorded_calls_free(), when no request holds a
 * history any more. */
struct recorded recorded_calls_read(const struct timeline *t, const struct event *events, size_t n,
                                    const struct causes_run *run);
void recorded_calls_free(struct recorded *r);

/* Begin and end of the window EPOCH of the run. */
void recorded_window(const struct causes_run *run, int64_t epoch, int64_t *from, int64_t *to);

#endif
