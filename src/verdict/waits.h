/* Who waits for whom in a situation, and who can still act. The graph follows the AND/OR model: a
 * call needs all of what it waits for, or one of it (MPI_Waitany), and of each that all, or one, of
 * some ranks act. */
#ifndef COLLPROF_VERDICT_WAITS_H
#define COLLPROF_VERDICT_WAITS_H

#include "verdict/situation.h"

/* One rank waits for another. */
struct wait_edge {
    int32_t from, to;
    const struct awaited *why;
    size_t next[2]; /* the next edge from FROM; to TO; EDGE_NONE: none */
};
#define EDGE_NONE SIZE_MAX

/* One of the things that an open call waits for, and the ranks that must act for it. */
struct need {
    const struct awaited *a;
    size_t first, n; /* edges to these ranks; none: it can complete */
    bool one;        /* one of them is enough, not all are needed */
    bool maybe;      /* it may complete without them */
};

struct wait_graph {
    const struct situation *s;
    const struct open_call **call;             /* by rank: its first one; NULL: none */
    size_t *first_awaited;                     /* by rank: where its rows begin */
    ARRAY(const struct awaited *) collectives; /* open ones and left ones, by number */
    ARRAY(struct message_count) sent;          /* and not received, those of open sends, too */
    ARRAY(struct need) waits;
    size_t *first_wait; /* of a call; behind the last: their number */
    ARRAY(struct wait_edge) edges;
    size_t *edge[2]; /* by rank: its first edge from it; to it */
    bool *free;      /* by rank: it can act, now or later */
};

/* The waits in S, which is not changed. For waits_end(). */
void waits_begin(struct wait_graph *g, const struct situation *s);
void waits_end(struct wait_graph *g);

/* What it has entered and not left, it does no part of any more. */
bool waits_is_lost(const struct wait_graph *g, int32_t rank);

/* It cannot act as it is, whatever others do. */
bool waits_is_out(const struct wait_graph *g, int32_t rank);

/* It may return at any moment. */
bool waits_is_young(const struct wait_graph *g, const struct open_call *c);

/* Adds to the ranks that are IN those for whom they wait, or those that wait FOR them; only
 * AMONG these ranks (NULL: all). */
void waits_spread(const struct wait_graph *g, bool *in, bool for_them, const bool *among);

/* Whether the receive R takes the message M; how many receives are posted that do. */
bool waits_takes(const struct awaited *r, const struct message_count *m);
uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m);

#endif
