/* The wait-for graph of a situation, and the ranks that can progress. It follows the AND/OR model:
 * a call needs all of its conditions, or one of them (MPI_Waitany); each condition needs action by
 * all, or any, of some ranks. */
#pragma once

#include "verdict/situation.h"

/* One rank waits for another. */
struct wait_edge {
    int32_t from, to;
    const struct awaited *why;
    const struct awaited *instead; /* what TO has called with the number of the collective WHY, and
                                      does not match it; NULL if nothing */
};

/* One condition of an open call. */
struct need {
    const struct awaited *a;
    size_t first, n; /* edges to the ranks that must progress; if none, it can complete */
    bool one;        /* one of them is enough */
    bool maybe;      /* it may complete without them */
};

struct wait_rank {
    size_t first_awaited; /* index of its first row in s->awaited */
    size_t first_need;    /* index of its first condition in the graph's needs */
    bool free;            /* it can progress, now or later; all others are stuck */
};

struct wait_graph {
    const struct situation *s;
    struct wait_rank *rank;                    /* one more, with the end of the last one's needs */
    ARRAY(const struct awaited *) collectives; /* sorted by sequence number */
    ARRAY(struct message_count) sent;          /* as in S, and open sends */
    ARRAY(struct need) needs;
    ARRAY(struct wait_edge) edges;
};

/* Builds the graph of S, which is not changed and must outlive it. Release by waits_end(). */
void waits_begin(struct wait_graph *g, const struct situation *s);
void waits_end(struct wait_graph *g);

/* Whether RANK will no longer take part in operations that it has entered and not left. */
bool waits_is_lost(const struct wait_graph *g, int32_t rank);

/* Whether RANK cannot progress, whatever other ranks do. */
bool waits_is_out(const struct wait_graph *g, int32_t rank);

/* Whether C has been open only briefly, so that it may return at any moment. */
bool waits_is_young(const struct wait_graph *g, const struct open_call *c);

/* Extends the set IN by the ranks that its members wait for, transitively, or with FOR_THEM by the
 * ranks that wait for its members. */
void waits_spread(const struct wait_graph *g, bool *in, bool for_them);

/* Whether receive R matches message M, and how many posted receives match it. */
bool waits_receive_matches(const struct awaited *r, const struct message_count *m);
uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m);
