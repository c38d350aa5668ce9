/* The wait-for graph of a situation, and the ranks that can progress. It is an AND/OR graph: a call
 * needs all of its conditions or one of them (MPI_Waitany); a condition needs action by all or one
 * of some ranks. */
#pragma once

#include "verdict/situation.h"

/* An edge: rank FROM waits for rank TO. */
struct wait_edge {
    int32_t from, to;
    const struct awaited *why;
    const struct awaited
        *instead; /* TO's call with WHY's number that does not match WHY; NULL: none */
};

/* A condition for the return of an open call: operation A is complete. */
struct need {
    const struct awaited *a;
    size_t first, n; /* edges to ranks that must progress; without edges, A can complete */
    bool one;        /* progress of one of these ranks is enough */
    bool maybe;      /* A may complete without these ranks */
};

struct wait_rank {
    size_t first_awaited; /* index of the rank's first row in s->awaited */
    size_t first_need;    /* index of the rank's first condition in the graph's needs */
    bool free;            /* the rank can progress, now or later; others are stuck */
};

struct wait_graph {
    const struct situation *s;
    struct wait_rank *rank; /* an element per rank, and one whose FIRST_NEED ends the last rank's */
    ARRAY(const struct awaited *) collectives; /* sorted by communicator, number and rank */
    ARRAY(struct message_count) sent; /* unreceived messages: those of S->sent and of open sends */
    ARRAY(struct need) needs;
    ARRAY(struct wait_edge) edges;
};

/* Builds the graph of S, which is not changed and must outlive it. Release by waits_end(). */
void waits_begin(struct wait_graph *g, const struct situation *s);
void waits_end(struct wait_graph *g);

/* Whether RANK has ended or is stopped, so that its open operations do not continue. */
bool waits_is_lost(const struct wait_graph *g, int32_t rank);

/* Whether RANK cannot progress, whatever others do: it is lost (above) or RANK_FINISHED. */
bool waits_is_out(const struct wait_graph *g, int32_t rank);

/* Whether C is open for less than situation.settled: it may return at any moment. */
bool waits_is_young(const struct wait_graph *g, const struct open_call *c);

/* Extends the set IN by all ranks that its members wait for directly or indirectly or, with
 * FOR_THEM, that wait for its members. */
void waits_spread(const struct wait_graph *g, bool *in, bool for_them);

/* Whether receive R matches message M, and the number of all posted receives that match M. */
bool waits_receive_matches(const struct awaited *r, const struct message_count *m);
uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m);
