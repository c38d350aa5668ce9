/* The events of a trace as the analysis of causes replays them: calls of threads, what they waited
 * for, and the segments between and in them. */
#ifndef COLLPROF_CAUSES_CALLS_H
#define COLLPROF_CAUSES_CALLS_H

#include "base/array.h"
#include "base/hash.h"
#include "causes/delays.h"
#include "causes/segments.h"
#include "timeline/timeline.h"

/* One segment on one rank. Its position is its key in histories. */
struct piece {
    uint32_t kind, rank, from_site, from_operation, site, operation;
    uint32_t group[MATCHINGS]; /* for each matching: the piece that represents its group */
    double direct, passed, path;
    uint64_t waits;
};

/* One call of MPI. Times in ns. */
struct call {
    int64_t entry, exit, until; /* until: end of its wait; <= entry: it did not wait */
    int64_t epoch;
    uint32_t lane, event;    /* event: that ended the wait, or any */
    uint32_t before, inside; /* pieces */
    uint32_t request;        /* CAUSES_NONE: it did not wait, or it is unknown for whom */
};

/* The history of a lane at a time, which a call that waited for it needs. */
struct request {
    int64_t time;
    uint32_t lane, call;
    bool served;
    struct history *history;
};

/* A thread of a rank. */
struct lane {
    uint32_t next, end; /* its calls that are not replayed yet: [NEXT, END) */
    uint32_t request, last_request;
    uint32_t rank, unknown, tail; /* pieces: of an unknown time, and after its last call */
    int64_t at;                   /* its history ends here */
    bool busy;
    struct history *history;
};

struct recorded {
    const struct timeline *t;
    const struct act *act;
    const struct causes_run *run;
    ARRAY(struct piece) pieces;
    ARRAY(struct call) calls;       /* of one lane after the other, in the order of time */
    ARRAY(struct request) requests; /* of one lane after the other, in the order of time */
    ARRAY(struct lane) lanes;
    struct lookup piece_of;
};

/* As causes_find() has them. For recorded_free(), when no request has a history any more. */
struct recorded recorded_read(const struct timeline *t, const struct act *act, size_t n,
                              const struct causes_run *run);
void recorded_free(struct recorded *r);

/* Where the window EPOCH of the run begins and ends. */
void recorded_window(const struct causes_run *run, int64_t epoch, int64_t *from, int64_t *to);

#endif
