/* The wait-for graph of a situation, and the ranks that can still act. It follows the AND/OR model:
 * a call needs all of its conditions, or one of them (MPI_Waitany); each condition needs action by
 * all, or any, of some ranks. */
#ifndef COLLPROF_VERDICT_WAITS_H
#define COLLPROF_VERDICT_WAITS_H

#include "verdict/situation.h"

/* One rank waits for another. */
struct wait_edge {
    int32_t from, to;
    const struct awaited *why;
};

/* One condition of an open call, and the ranks that must act to satisfy it. */
struct need {
    const struct awaited *a;
    size_t first, n; /* edges to these ranks; if none, it can complete */
    bool one;        /* one of them is enough */
    bool maybe;      /* it may complete without them */
};

struct wait_graph {
    const struct situation *s;
    const struct open_call **call;             /* by rank: its first open call, or NULL */
    size_t *first_awaited;                     /* by rank: index of its first row in s->awaited */
    ARRAY(const struct awaited *) collectives; /* open and completed, sorted by sequence number */
    ARRAY(struct message_count) sent;          /* not yet received, including open sends */
    ARRAY(struct need) waits;
    size_t *first_wait; /* by call: index of its first need; the last element is their number */
    ARRAY(struct wait_edge) edges;
    bool *free; /* by rank: it can act, now or later */
};

/* Builds the graph of S, which is not changed. Release by waits_end(). */
void waits_begin(struct wait_graph *g, const struct situation *s);
void waits_end(struct wait_graph *g);

/* Whether RANK will no longer take part in operations that it has entered and not left. */
bool waits_is_lost(const struct wait_graph *g, int32_t rank);

/* Whether RANK cannot act, whatever other ranks do. */
bool waits_is_out(const struct wait_graph *g, int32_t rank);

/* Whether C has been open only briefly, so that it may return at any moment. */
bool waits_is_young(const struct wait_graph *g, const struct open_call *c);

/* Extends the set IN by the ranks that its members wait for, transitively, or with FOR_THEM by the
 * ranks that wait for its members. AMONG: only these ranks (NULL: all). */
void waits_spread(const struct wait_graph *g, bool *in, bool for_them, const bool *among);

/* waits_takes(): whether receive R matches message M. The other counts posted receives that match
 * M. */
bool waits_takes(const struct awaited *r, const struct message_count *m);
uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m);

#endif
