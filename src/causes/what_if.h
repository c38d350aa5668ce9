/* Predicts the duration of a run after a change, by replays of its graph of events. */
#pragma once

#include "causes/causes.h"
#include "timeline/network.h"
#include "trees/positions.h"

enum what_if_kind {
    WHAT_IF_BALANCE, /* the selected computation takes the same time on all ranks that execute it */
    WHAT_IF_FASTER,  /* it takes PERCENT less */
    WHAT_IF_NO_TRANSFER, /* ideal network: no latency, no overhead, unlimited bandwidth */
    WHAT_IF_BROADCAST,   /* broadcasts take another tree */
    WHAT_IF_KINDS
};
extern const char *const what_if_names[WHAT_IF_KINDS]; /* "balance", ... */

struct what_if {
    enum what_if_kind kind;
    double percent;
    /* Whether the change applies to a segment of computation. Only for the first two kinds. */
    bool (*selects)(const struct root_cause *segment, const void *context);
    const void *context;
    /* For WHAT_IF_BROADCAST: */
    const struct by_rank *tree;
    bool binomial; /* all were recorded along the binomial tree; otherwise by their messages */
    const struct net_traffic *traffic;
    uint32_t broadcast; /* the operation */
};

extern const char *const replay_names[REPLAY_STATES];

/* What is balanced with a segment. */
enum balance_scope {
    SCOPE_SEGMENT, /* computation between the same two calls */
    SCOPE_ENTERED, /* all that ends with the same call */
    SCOPE_LEFT,    /* all that begins after the same call */
    SCOPES
};

/* The wall time of the run after a change, with its 95 % interval (NAN: fewer than 4 blocks). */
struct prediction {
    struct root_cause segment; /* of what_if_best(): what is balanced */
    uint32_t scope;            /* enum balance_scope */
    uint32_t ranks;            /* that execute what is changed */
    double wall_ns, low_ns, high_ns;
    const char *unknown; /* why the costs of another tree are unknown, or NULL */
};

/* Replays the graph as it was recorded. To be called before predictions; valid as long as G. */
const struct replay_check *what_if_check(struct event_graph *g);

/* Whether A and B are between the same two calls. */
bool same_segment(const struct root_cause *a, const struct root_cause *b);

/* Sets P's ranks and times. False if W selects no computation, predictions are impossible, or the
 * trees of the recorded broadcasts or the costs of their messages are unknown. */
bool what_if_predict(struct event_graph *g, const struct what_if *w, struct prediction *p);

/* Balances the computation that costs most of ROWS, which are sorted by cost, where that gains.
 * Returns how many predictions it made. */
enum { WHAT_IF_BEST = 3 };
size_t what_if_best(struct event_graph *g, const struct root_cause *rows, size_t n_rows,
                    struct prediction best[WHAT_IF_BEST]);
