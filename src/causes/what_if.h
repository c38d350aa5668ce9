/* Predicts the run time after a change of program or network, by replaying the events' graph. */
#pragma once

#include "causes/causes.h"
#include "timeline/network.h"
#include "trees/positions.h"

enum what_if_kind {
    WHAT_IF_BALANCE, /* the selected computation takes the same time on all ranks that execute it */
    WHAT_IF_FASTER,  /* the selected computation takes PERCENT less time */
    WHAT_IF_NO_TRANSFER, /* ideal network: no latency, no overhead, unlimited bandwidth */
    WHAT_IF_BROADCAST,   /* broadcasts use another tree */
    WHAT_IF_KINDS
};
extern const char *const what_if_names[WHAT_IF_KINDS]; /* names of options: "balance", ... */

struct what_if {
    enum what_if_kind kind;
    double percent;
    /* For WHAT_IF_BALANCE and WHAT_IF_FASTER: whether the change applies to this computation. */
    bool (*selects)(const struct root_cause *segment, const void *context);
    const void *context;
    /* For WHAT_IF_BROADCAST: */
    const struct by_rank *tree;
    bool binomial; /* assume that recorded broadcasts are binomial, even if not shown by TRAFFIC */
    const struct net_traffic *traffic;
    uint32_t broadcast; /* index of the operation MPI_Bcast */
};

extern const char *const replay_names[REPLAY_STATES];

/* Which computation is balanced together with a segment. */
enum balance_scope {
    SCOPE_SEGMENT, /* computation between the same two calls */
    SCOPE_ENTERED, /* all computation that ends with the same call */
    SCOPE_LEFT,    /* all computation that begins after the same call */
    SCOPES
};

/* The wall time of the run after a change, with its 95 % interval (NAN: fewer than 4 blocks). */
struct prediction {
    struct root_cause segment; /* the balanced segment, set by what_if_best() */
    uint32_t scope;            /* enum balance_scope */
    uint32_t ranks;            /* number of ranks that execute changed segments */
    double wall_ns, low_ns, high_ns;
    const char *unknown; /* why the costs of another tree are unknown, or NULL */
};

/* Replays the graph with the recorded durations, and returns how closely this replay reproduces the
 * run. Must be called before predictions. The result belongs to G. */
const struct replay_check *what_if_check(struct event_graph *g);

/* Whether A and B are the same segment, on any ranks. */
bool same_segment(const struct root_cause *a, const struct root_cause *b);

/* Sets P's ranks and times. False if W selects no computation, predictions are impossible, or the
 * trees of the recorded broadcasts or the costs of their messages are unknown. */
bool what_if_predict(struct event_graph *g, const struct what_if *w, struct prediction *p);

/* Predicts the run time with balanced computation, for the costliest segments of ROWS, which are
 * sorted by cost. Puts the predictions that save time into BEST; returns their number. */
enum { WHAT_IF_BEST = 3 };
size_t what_if_best(struct event_graph *g, const struct root_cause *rows, size_t n_rows,
                    struct prediction best[WHAT_IF_BEST]);
