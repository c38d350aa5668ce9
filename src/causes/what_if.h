/* What a run would take if something in it were changed: replays of its graph of events. */
#ifndef COLLPROF_CAUSES_WHAT_IF_H
#define COLLPROF_CAUSES_WHAT_IF_H

#include "causes/causes.h"

enum what_if_kind {
    WHAT_IF_BALANCE, /* the selected computation takes the same time on all ranks that execute it */
    WHAT_IF_FASTER,  /* it takes PERCENT less */
    WHAT_IF_NO_TRANSFER, /* ideal network: no latency, no overhead, unlimited bandwidth */
    WHAT_IF_KINDS
};
extern const char *const what_if_names[WHAT_IF_KINDS]; /* "balance", ... */

struct what_if {
    enum what_if_kind kind;
    double percent;
    /* Whether a segment of computation is changed. Not for WHAT_IF_NO_TRANSFER. */
    bool (*selects)(const struct root_cause *segment, const void *context);
    const void *context;
};

/* Whether predictions can be made. */
enum replay_state {
    REPLAY_NONE, /* there are no calls */
    REPLAY_GOOD,
    REPLAY_THREADS, /* several threads of a rank call MPI: what starts and ends them is unknown */
    REPLAY_UNKNOWN_WAITS, /* more than 1 % of the time is in calls of which the wait is unknown */
    REPLAY_INEXACT,       /* with the recorded durations it is more than 1 % off */
    REPLAY_STATES
};
extern const char *const replay_names[REPLAY_STATES];

struct replay_check {
    uint32_t state;                   /* enum replay_state */
    int64_t recorded_ns, replayed_ns; /* the run, or its kept windows: recorded, and replayed with
                                         the recorded durations */
    int64_t ideal_ns;                 /* replayed on an ideal network; negative: unknown */
    double repeat_error; /* by how much of the second half the means over the first half fail to
                            predict it; NAN: unknown */
};

/* The wall time of the run after a change, with its 95 % interval (NAN: fewer than 4 blocks). */
struct prediction {
    struct root_cause segment; /* of what_if_best(): computation that ends with its call, */
    bool by_left;              /* or begins behind the call that it left, is balanced */
    uint32_t ranks;            /* that execute what is changed */
    double wall_ns, low_ns, high_ns;
};

/* For what_if_close(). T, ACT, N and RUN as for causes_find(); T and ACT are needed until then. */
struct what_if_replay *what_if_open(const struct timeline *t, const struct act *act, size_t n,
                                    const struct causes_run *run);
const struct replay_check *what_if_check(const struct what_if_replay *x);
void what_if_close(struct what_if_replay *x);

/* Fills P's ranks and times. False: W selects no computation, or predictions cannot be made. */
bool what_if_predict(struct what_if_replay *x, const struct what_if *w, struct prediction *p);

/* Balances the computation that costs most of ROWS, which are sorted by cost. Returns how many
 * predictions it made. */
enum { WHAT_IF_BEST = 3 };
size_t what_if_best(struct what_if_replay *x, const struct root_cause *rows, size_t n_rows,
                    struct prediction best[WHAT_IF_BEST]);

#endif
