#include "verdict/judge.h"

#include <stdlib.h>
#include <string.h>

const struct verdict_rule verdict_rules[VERDICT_KINDS] = {
    [VERDICT_GONE] = {.name = "gone", .problem = ""},
    [VERDICT_STOPPED] = {.name = "stopped", .problem = ""},
    [VERDICT_MISMATCH] = {.name = "mismatch",
                          .problem = "members of a communicator disagree about a collective: ",
                          .in_calls = true,
                          .pair = true},
    [VERDICT_UNMATCHED] = {.name = "unmatched",
                           .problem = "an awaited message is not sent: ",
                           .in_calls = true},
    [VERDICT_CROSSED] = {.name = "crossed",
                         .problem =
                             "collectives of two communicators, in opposite order or with one left "
                             "out: ",
                         .in_calls = true,
                         .pair = true},
    [VERDICT_CYCLE] = {.name = "cycle",
                       .problem = "messages are awaited in a cycle: ",
                       .in_calls = true},
    [VERDICT_MISSING] = {.name = "missing",
                         .problem = "calls may wait for each other: ",
                         .in_calls = true},
    [VERDICT_COMPUTES] = {.name = "computes", .problem = ""},
    [VERDICT_POLLING] = {.name = "polling",
                         .problem = "no request completes and no message arrives: "},
    [VERDICT_UNKNOWN] = {.name = "unknown",
                         .problem = "calls do not return, for an unknown reason: "},
    [VERDICT_MOVING] = {.name = "moving", .problem = "the records show no rank that was stuck"}};

/* The wait-for graph follows the AND/OR model: a call needs all of its conditions, or one of them
 * (MPI_Waitany); each condition needs action by all, or any, of some ranks. */

/* One rank waits for another. */
struct edge {
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

struct node {
    size_t first_awaited; /* index of its first row in s->awaited */
    size_t first_need;    /* and in the graph's needs */
    bool free;            /* it can progress, now or later; all others are stuck */
};

struct graph {
    const struct situation *s;
    struct node *rank;                         /* one more, with the end of the last one's needs */
    ARRAY(const struct awaited *) collectives; /* sorted by sequence number */
    ARRAY(struct message_count) sent;          /* as in S, and open sends */
    ARRAY(struct need) needs;
    ARRAY(struct edge) edges;
};

static int by_number(const void *a, const void *b)
{
    const struct awaited *x = *(const struct awaited *const *)a,
                         *y = *(const struct awaited *const *)b;
    return ORDER(x->comm, y->comm) ?: ORDER(x->sequence, y->sequence) ?: ORDER(x->rank, y->rank);
}

static const struct awaited *collective_of(const struct graph *g, const struct awaited *a,
                                           int32_t rank)
{
    struct awaited key = {.comm = a->comm, .sequence = a->sequence, .rank = rank};
    const struct awaited *k = &key, **found;
    found = bsearch(&k, g->collectives.at, g->collectives.n, sizeof *found, by_number);
    return found ? *found : NULL;
}

/* Whether RANK will no longer take part in operations that it has entered and not left. */
static bool is_lost(const struct graph *g, int32_t rank)
{
    return g->s->rank[rank].state == RANK_STOPPED || g->s->rank[rank].state == RANK_GONE;
}

/* Whether RANK cannot progress, whatever other ranks do. */
static bool is_out(const struct graph *g, int32_t rank)
{
    return is_lost(g, rank) || g->s->rank[rank].state == RANK_FINISHED;
}

/* Whether C has been open only briefly, so that it may return at any moment. */
static bool is_young(const struct graph *g, const struct open_call *c)
{
    return c->seconds >= 0 && c->seconds < g->s->settled;
}

static void add_edge(struct graph *g, struct need *w, int32_t to, const struct awaited *instead)
{
    *PUSH(&g->edges) = (struct edge){w->a->rank, to, w->a, instead};
    w->n++;
}

enum entered { ENTERED, ENTERED_NOT, ENTERED_UNKNOWN };

/* Whether member M has entered the collective A; CALLED: what it has called with that number. */
static enum entered has_entered(const struct graph *g, const struct awaited *a, size_t m,
                                const struct awaited *called)
{
    const struct member_list *c = &g->s->comms.at[a->comm];
    if (called)
        return awaited_agree(a, called) && (called->left || !is_lost(g, called->rank))
                   ? ENTERED
                   : ENTERED_NOT;
    if (c->member[m] < 0 || c->entered[m] < 0)
        return ENTERED_UNKNOWN;
    return c->entered[m] > (int64_t)a->sequence ? ENTERED : ENTERED_NOT;
}

/* Whether MEMBER, with BELOW of a lower rank than A's, must enter A before its rank can leave. */
static bool is_needed(const struct awaited *a, int32_t member, bool below)
{
    return a->kind == COLLECTIVE_ALL || a->kind == COLLECTIVE_OTHER ||
           (a->kind == COLLECTIVE_PREFIX && below) ||
           (a->kind == COLLECTIVE_FROM_ROOT && member == a->root) ||
           (a->kind == COLLECTIVE_TO_ROOT && a->rank == a->root);
}

/* Waits for all needed members that have not entered, otherwise for one of the other members, since
 * an implementation may wait for them, too. */
static void wait_for_collective(struct graph *g, struct need *w)
{
    const struct awaited *a = w->a;
    const struct member_list *c = &g->s->comms.at[a->comm];
    bool unknown = !c->n;
    for (int others = 0; others < 2 && !w->n; others++) {
        bool below = true;
        for (size_t m = 0; m < c->n; m++) {
            const int32_t member = c->member[m];
            below = below && member != a->rank;
            if (member == a->rank || is_needed(a, member, below) == others)
                continue;
            const struct awaited *called = member < 0 ? NULL : collective_of(g, a, member);
            enum entered e = has_entered(g, a, m, called);
            unknown = unknown || e == ENTERED_UNKNOWN;
            if (e == ENTERED_NOT)
                add_edge(g, w, member, called && !awaited_agree(a, called) ? called : NULL);
        }
        w->one = others;
        w->maybe = unknown && (others || !w->n);
    }
}

/* Whether receive R matches message M. */
static bool receive_matches(const struct awaited *r, const struct message_count *m)
{
    return r->what == AWAIT_RECEIVE && r->comm == m->comm && r->rank == m->to &&
           (r->peer == AWAIT_ANY || r->peer == m->from) &&
           (r->tag == AWAIT_ANY || r->tag == m->tag);
}

/* The number of posted receives that match M. */
static uint64_t posted_receives(const struct graph *g, const struct message_count *m)
{
    const struct awaited *end = g->s->awaited.at + g->s->awaited.n, *o;
    uint64_t n = 0;
    for (o = g->s->awaited.at + g->rank[m->to].first_awaited; o < end && o->rank == m->to; o++)
        n += receive_matches(o, m);
    return n;
}

/* Whether more such messages were sent and not received than receives posted before R can take;
 * what wildcards take is unknown. */
static bool is_sent(const struct graph *g, const struct awaited *r)
{
    uint64_t sent = 0, earlier = 0;
    for (size_t i = 0; i < g->sent.n; i++)
        sent += receive_matches(r, &g->sent.at[i]) ? g->sent.at[i].n : 0;
    for (const struct awaited *o = g->s->awaited.at + g->rank[r->rank].first_awaited; o != r; o++)
        earlier += o->what == AWAIT_RECEIVE && o->comm == r->comm && o->peer == r->peer &&
                   o->tag == r->tag;
    return sent > (g->s->counted ? earlier : 0);
}

static struct message_count message_of(const struct awaited *send)
{
    return (struct message_count){
        .comm = send->comm, .from = send->rank, .to = send->peer, .tag = send->tag, .n = 1};
}

static void wait_for_message(struct graph *g, struct need *w)
{
    const struct awaited *a = w->a;
    const struct member_list *c = &g->s->comms.at[a->comm];
    const struct message_count m = message_of(a);
    const bool any = a->peer == AWAIT_ANY;
    if (a->what == AWAIT_RECEIVE ? is_sent(g, a)
                                 : a->peer >= 0 && !is_lost(g, a->peer) && posted_receives(g, &m))
        return;
    w->one = any;
    w->maybe = any ? !c->n : a->peer < 0;
    for (size_t i = 0; any && i < c->n; i++)
        w->maybe = w->maybe || c->member[i] < 0;
    if (!any && !w->maybe)
        add_edge(g, w, a->peer, NULL);
    /* Of members that have finished only if all have: none can send. */
    for (int finished = 0; any && !w->maybe && finished < 2 && !w->n; finished++)
        for (size_t i = 0; i < c->n; i++)
            if ((c->n == 1 || c->member[i] != a->rank) &&
                (g->s->rank[c->member[i]].state == RANK_FINISHED) <= finished)
                add_edge(g, w, c->member[i], NULL);
}

/* Whether the rank of A may wait there for rank R: a rank outside of MPI or, but for MPI_Finalize,
 * in a call of another operation. */
static bool is_awaited(const struct situation *s, const struct awaited *a, int32_t r)
{
    const struct rank_view *own = &s->rank[a->rank], *other = &s->rank[r];
    const struct open_call *c = &other->call;
    const bool elsewhere = !c->open || (own->state < RANK_STOPPED && c->parts.n &&
                                        s->awaited.at[c->parts.at[0]].name != a->name);
    return a->what == AWAIT_INIT ? other->state == RANK_UNSEEN
                                 : a->what == AWAIT_ALL && other->state < RANK_STOPPED && elsewhere;
}

static void wait_for_some(struct graph *g, struct need *w)
{
    w->maybe = true;
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++)
        if (r != w->a->rank && is_awaited(g->s, w->a, r))
            add_edge(g, w, r, NULL);
}

static void add_need(struct graph *g, const struct open_call *c, const struct awaited *a)
{
    struct need w = {.a = a, .first = g->edges.n};
    (a->what == AWAIT_COLLECTIVE  ? wait_for_collective
     : a->what < AWAIT_COLLECTIVE ? wait_for_message
                                  : wait_for_some)(g, &w);
    /* If the duration of a call is unknown, only message counts can show that its message is in
     * transit. */
    if (c->seconds < 0 && (a->what == AWAIT_SEND || (a->what == AWAIT_RECEIVE && !g->s->counted)))
        w.maybe = true;
    *PUSH(&g->needs) = w;
}

/* A posted send may already be complete: it counts only if nothing else explains why the call is
 * open. */
static void find_needs(struct graph *g)
{
    const struct situation *s = g->s;
    for (int32_t r = 0; r < (int32_t)s->n_ranks; r++) {
        const struct open_call *c = &s->rank[r].call;
        const size_t before = g->edges.n, n = is_young(g, c) || is_lost(g, r) ? 0 : c->parts.n;
        for (int posted = 0; posted < 2 && g->edges.n == before; posted++)
            for (size_t k = 0; k < n; k++) {
                const struct awaited *a = &s->awaited.at[c->parts.at[k]];
                if ((!c->any && a->what == AWAIT_SEND && a->posted > 0) == posted)
                    add_need(g, c, a);
            }
        g->rank[r + 1].first_need = g->needs.n;
    }
}

static size_t count_able(const struct graph *g, const struct need *w)
{
    size_t able = 0;
    for (size_t i = 0; i < w->n; i++)
        able += g->rank[g->edges.at[w->first + i].to].free;
    return able;
}

static bool can_complete(const struct graph *g, const struct need *w)
{
    size_t able = count_able(g, w);
    return w->maybe || able == w->n || (w->one && able > 0);
}

static bool can_return(const struct graph *g, int32_t rank)
{
    const struct open_call *c = &g->s->rank[rank].call;
    size_t n = g->rank[rank + 1].first_need - g->rank[rank].first_need, able = 0;
    for (size_t i = 0; i < n; i++)
        able += can_complete(g, &g->needs.at[g->rank[rank].first_need + i]);
    return c->polls || able == n || (c->any && able > 0);
}

static void release(struct graph *g)
{
    const int32_t n = (int32_t)g->s->n_ranks;
    for (int32_t r = 0; r < n; r++)
        g->rank[r].free = !is_out(g, r) && (!g->s->rank[r].call.open || g->s->rank[r].threads);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t r = 0; r < n; r++)
            if (!g->rank[r].free && !is_out(g, r) && can_return(g, r))
                g->rank[r].free = changed = true;
    }
}

/* A rank that is stuck in a call waits only for stuck ranks: the others will do their part. A rank
 * that can be released waits only for ranks that can progress: its other alternatives do not
 * matter. */
static void drop_edges(struct graph *g)
{
    size_t kept = 0;
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++) {
        const bool any = g->s->rank[r].call.any && can_return(g, r);
        for (size_t k = g->rank[r].first_need; k < g->rank[r + 1].first_need; k++) {
            struct need *w = &g->needs.at[k];
            const bool choice = can_complete(g, w) ? w->one && count_able(g, w) : any;
            const size_t first = kept;
            for (size_t i = w->first; i < w->first + w->n; i++) {
                const bool able = g->rank[g->edges.at[i].to].free;
                if ((able || !choice) && (!able || g->rank[r].free || is_out(g, r)))
                    g->edges.at[kept++] = g->edges.at[i];
            }
            w->first = first;
            w->n = kept - first;
        }
    }
    g->edges.n = kept;
}

/* Extends the set IN by the ranks that its members wait for, transitively, or with FOR_THEM by the
 * ranks that wait for its members. */
static void spread(const struct graph *g, bool *in, bool for_them)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->edges.n; i++) {
            const struct edge *e = &g->edges.at[i];
            const int32_t here = for_them ? e->to : e->from, there = for_them ? e->from : e->to;
            if (in[here] && !in[there])
                in[there] = changed = true;
        }
    }
}

/* Open sends have rows of their own, since they may be counted already. */
static void find_messages(struct graph *g)
{
    const struct situation *s = g->s;
    for (size_t i = 0; i < s->sent.n; i++)
        *PUSH(&g->sent) = s->sent.at[i];
    for (size_t i = 0; i < s->awaited.n; i++) {
        const struct awaited *a = &s->awaited.at[i];
        if (a->what == AWAIT_SEND && a->peer >= 0 && !is_lost(g, a->rank))
            *PUSH(&g->sent) = message_of(a);
    }
}

/* Builds the graph of S, which is not changed. Release by graph_free(). */
static void graph_make(struct graph *g, const struct situation *s)
{
    *g = (struct graph){.s = s, .rank = memory_alloc((s->n_ranks + 1) * sizeof *g->rank)};
    for (size_t r = 0; r < s->n_ranks; r++)
        g->rank[r].first_awaited = s->awaited.n;
    for (size_t i = s->awaited.n; i-- > 0;) {
        const struct awaited *a = &s->awaited.at[i];
        if (!a->left)
            g->rank[a->rank].first_awaited = i;
        if (a->what == AWAIT_COLLECTIVE)
            *PUSH(&g->collectives) = a;
    }
    if (g->collectives.n)
        qsort(g->collectives.at, g->collectives.n, sizeof *g->collectives.at, by_number);
    find_messages(g);
    find_needs(g);
    release(g);
    drop_edges(g);
}

static void graph_free(struct graph *g)
{
    free(g->rank);
    free(g->collectives.at);
    free(g->sent.at);
    free(g->needs.at);
    free(g->edges.at);
}

static struct verdict *verdict_new(const struct graph *g)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->kind = VERDICT_MOVING;
    v->at_fault = memory_alloc(g->s->n_ranks + 1);
    return v;
}

/* Sets the ranks at fault to those that are IN. */
static void blame(const struct graph *g, struct verdict *v, const bool *in)
{
    const size_t n = g->s->n_ranks;
    bool *waiting = memory_alloc(n + 1);
    memcpy(v->at_fault, in, n);
    memcpy(waiting, in, n);
    spread(g, waiting, true);
    v->n = v->n_waiting = 0;
    v->proven = true;
    for (size_t r = 0; r < n; r++) {
        v->n += in[r];
        v->n_waiting += waiting[r] && !in[r];
        v->proven = v->proven && !(in[r] && g->rank[r].free);
    }
    free(waiting);
}

static void blame_two(const struct graph *g, struct verdict *v, int32_t one, int32_t other)
{
    bool *in = memory_alloc(g->s->n_ranks + 1);
    in[one] = in[other < 0 ? one : other] = true;
    blame(g, v, in);
    free(in);
}

static void set_mismatch(struct verdict *v, const struct edge *e)
{
    v->kind = VERDICT_MISMATCH;
    v->first = e->why;
    v->second = e->instead;
}

/* The message, sent but not received, that is most similar to A: best from its peer to the waiting
 * rank, otherwise from or to another. If there is none, its N is 0. */
static struct message_count nearest(const struct graph *g, const struct awaited *a)
{
    struct message_count best = {0};
    int best_alike = 0;
    for (size_t i = 0; i < g->sent.n && a->what == AWAIT_RECEIVE; i++) {
        const struct message_count *m = &g->sent.at[i];
        const bool from = a->peer == AWAIT_ANY || m->from == a->peer, to = m->to == a->rank,
                   comm = m->comm == a->comm, tag = a->tag == AWAIT_ANY || a->tag == m->tag,
                   similar = to ? from || (comm && tag) : m->from == a->peer;
        const int alike = 8 * to + 4 * from + 2 * comm + tag;
        if (!similar || receive_matches(a, m) || alike <= best_alike ||
            m->n <= posted_receives(g, m))
            continue;
        best = *m;
        best_alike = alike;
    }
    return best;
}

/* Why some ranks wait: a message (if possible one for which a SIMILAR one was sent from its peer),
 * two collectives, if possible of different communicators, and two calls that do not match. */
struct reasons {
    bool similar;
    const struct awaited *message, *collective, *other, *unknown;
    const struct edge *mismatch;
};

static void consider(const struct graph *g, struct reasons *x, const struct awaited *a)
{
    if (a->what > AWAIT_COLLECTIVE) {
        x->unknown = a;
    } else if (a->what != AWAIT_COLLECTIVE) {
        const struct message_count near = nearest(g, a);
        const bool similar = !x->similar && near.n && near.to == a->rank &&
                             (a->peer == AWAIT_ANY || a->peer == near.from);
        x->message = similar || !x->message ? a : x->message;
        x->similar = x->similar || similar;
    } else if (!x->collective) {
        x->collective = a;
    } else if (a->comm != x->collective->comm
                   ? !x->other || x->other->comm == x->collective->comm
                   : !x->other && a->sequence != x->collective->sequence) {
        x->other = a;
    }
}

/* Whether both calls differ in more than sizes and types, so that neither can return. */
static bool is_fatal(const struct edge *e)
{
    return !awaited_agree_in_kind(e->why, e->instead);
}

/* Why ranks wait for those that are IN: with INSIDE, only these themselves. */
static struct reasons reasons_of(const struct graph *g, const bool *in, bool inside)
{
    struct reasons x = {0};
    for (const struct need *w = g->needs.at; w < g->needs.at + g->needs.n; w++) {
        bool counts = false;
        for (size_t i = w->first; i < w->first + w->n; i++) {
            const struct edge *e = &g->edges.at[i];
            if (!in[e->to] || (inside && !in[e->from]))
                continue;
            counts = true;
            if (e->instead && (!x.mismatch || (is_fatal(e) && !is_fatal(x.mismatch))))
                x.mismatch = e;
        }
        if (counts)
            consider(g, &x, w->a);
    }
    return x;
}

/* The verdict on one rank that waits for no other, while others wait for it in FIRST (NULL: none
 * does). */
static enum verdict_kind kind_of_one(const struct graph *g, int32_t rank,
                                     const struct awaited *first)
{
    const struct rank_view *r = &g->s->rank[rank];
    bool unknown = r->state == RANK_UNSEEN;
    for (size_t k = g->rank[rank].first_need; k < g->rank[rank + 1].first_need; k++)
        unknown = unknown || g->needs.at[k].maybe;
    if (is_lost(g, rank))
        return r->state == RANK_GONE ? VERDICT_GONE : VERDICT_STOPPED;
    if (r->call.polls && !is_young(g, &r->call))
        return VERDICT_POLLING;
    if (!first)
        return VERDICT_MOVING;
    if (r->state == RANK_FINISHED)
        return first->what < AWAIT_COLLECTIVE ? VERDICT_UNMATCHED : VERDICT_MISSING;
    if (unknown)
        return VERDICT_MISSING;
    return !r->call.open && (r->seconds < 0 || r->seconds >= g->s->settled) ? VERDICT_COMPUTES
                                                                            : VERDICT_MOVING;
}

/* The verdict on ranks that wait for each other, for the reasons X. */
static enum verdict_kind kind_of_circle(const struct graph *g, const bool *in,
                                        const struct reasons *x)
{
    for (size_t r = 0; r < g->s->n_ranks; r++)
        if (in[r] && g->s->rank[r].call.polls)
            return VERDICT_POLLING;
    if (x->unknown && !x->similar)
        return VERDICT_MISSING;
    if (!x->message)
        return x->other && x->other->comm != x->collective->comm ? VERDICT_CROSSED
                                                                 : VERDICT_MISMATCH;
    return !x->collective && !x->similar && x->message->peer != x->message->rank
               ? VERDICT_CYCLE
               : VERDICT_UNMATCHED;
}

/* Judges the ranks that are IN, which wait only for each other. */
static struct verdict *judge_core(const struct graph *g, const bool *in)
{
    struct verdict *v = verdict_new(g);
    bool circle = false;
    for (size_t i = 0; i < g->edges.n; i++)
        circle = circle || (in[g->edges.at[i].from] && in[g->edges.at[i].to]);
    const struct reasons x = reasons_of(g, in, circle);
    v->first = x.message ?: x.unknown ?: x.collective;
    v->second = circle && v->first == x.collective ? x.other : NULL;
    v->kind =
        circle ? kind_of_circle(g, in, &x)
               : kind_of_one(g, (int32_t)((bool *)memchr(in, true, g->s->n_ranks) - in), v->first);
    blame(g, v, in);
    if (v->kind > VERDICT_STOPPED && x.mismatch &&
        (is_fatal(x.mismatch) ||
         (circle ? !x.message : v->kind == VERDICT_COMPUTES || v->kind == VERDICT_POLLING)))
        set_mismatch(v, x.mismatch);
    else if (v->kind == VERDICT_UNMATCHED)
        v->near = nearest(g, v->first);
    if (v->kind == VERDICT_MISMATCH ? !circle : circle && v->kind == VERDICT_UNMATCHED)
        blame_two(g, v, v->first->rank,
                  v->kind == VERDICT_MISMATCH ? v->second->rank : v->first->peer);
    return v;
}

/* Follows the waits of RANK. Finally IN has ranks that wait only for each other; SEEN has these and
 * all that wait for them. */
static void find_core(const struct graph *g, int32_t rank, bool *in, bool *seen)
{
    size_t n = g->s->n_ranks;
    for (int32_t next = rank; next >= 0;) {
        memset(in, 0, n);
        memset(seen, 0, n);
        in[next] = seen[next] = true;
        spread(g, in, false);
        spread(g, seen, true);
        next = -1;
        for (size_t r = 0; r < n; r++)
            if (in[r] && !seen[r])
                next = (int32_t)r;
    }
}

/* Whether one verdict covers the ranks of both: processes that have ended, or are stopped; ranks
 * that one collective, MPI_Init or MPI_Finalize waits for. */
static bool belong_together(const struct verdict *a, const struct verdict *b)
{
    const struct awaited *x = a->first, *y = b->first;
    return a->kind == b->kind && a->proven == b->proven &&
           (a->kind <= VERDICT_STOPPED ||
            (x && y && x->what == y->what && x->what >= AWAIT_COLLECTIVE && x->comm == y->comm &&
             x->sequence == y->sequence));
}

/* The lower the earlier it is reported: first what cannot go on. A stopped rank that none waits for
 * is less important than a deadlock of others. */
static double priority_of(const struct verdict *v)
{
    const bool last = !v->proven || v->kind == VERDICT_MOVING;
    const double kind =
        v->kind == VERDICT_STOPPED && !v->n_waiting ? VERDICT_MISSING + 0.5 : (double)v->kind;
    return last ? kind + VERDICT_KINDS : kind;
}

/* Of the verdicts on ranks that wait only for each other, the one with the highest priority. */
static struct verdict *judge_cores(const struct graph *g)
{
    size_t n = g->s->n_ranks;
    bool *in = memory_alloc(n + 1), *seen = memory_alloc(n + 1), *done = memory_alloc(n + 1);
    struct verdict *best = verdict_new(g);
    for (size_t r = 0; r < n; r++) {
        if (done[r])
            continue;
        find_core(g, (int32_t)r, in, seen);
        struct verdict *v = judge_core(g, in), *less = v;
        const bool together = belong_together(v, best);
        for (size_t i = 0; i < n; i++) {
            done[i] = done[i] || seen[i];
            in[i] = v->at_fault[i] || (together && best->at_fault[i]);
        }
        blame(g, v, in);
        bool larger =
            v->n_waiting > best->n_waiting || (v->n_waiting == best->n_waiting && v->n > best->n);
        const double p = priority_of(v), q = priority_of(best);
        if (p < q || (p == q && v->kind < VERDICT_MOVING && larger)) {
            less = best;
            best = v;
        }
        verdict_free(less);
    }
    /* Two calls that differ in more than sizes and types can be the reason why others wait, too. */
    for (size_t i = 0; i < g->edges.n && best->kind > VERDICT_MISMATCH; i++) {
        const struct edge *e = &g->edges.at[i];
        if (e->instead && is_fatal(e) &&
            !(best->proven && best->kind != VERDICT_MOVING && g->rank[e->from].free)) {
            set_mismatch(best, e);
            blame_two(g, best, e->from, e->to);
        }
    }
    free(in);
    free(seen);
    free(done);
    return best;
}

/* All ranks whose state is known have been in calls for long, and none is known to wait for
 * another. */
static void judge_long(const struct graph *g, struct verdict *v)
{
    bool all = true, some = false, *in = memory_alloc(g->s->n_ranks + 1);
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++) {
        const struct open_call *c = &g->s->rank[r].call;
        in[r] = c->open;
        some = some || (c->open && c->seconds >= g->s->settled);
        all = all && (c->open ? !is_young(g, c) : is_out(g, r));
    }
    if (all && some) {
        v->kind = VERDICT_UNKNOWN;
        blame(g, v, in);
    }
    free(in);
}

/* Whether nothing can release a rank at fault, and some rank needs one of them to continue; if a
 * process has ended or is stopped, any rank that waits for it. */
static bool is_proven(const struct graph *g, const struct verdict *v)
{
    bool waits = v->kind <= VERDICT_STOPPED && v->n_waiting > 0;
    for (size_t i = 0; i < g->edges.n && !waits; i++)
        waits = !g->rank[g->edges.at[i].from].free && v->at_fault[g->edges.at[i].to];
    if (v->kind == VERDICT_MISMATCH && v->second && v->first->sequence == v->second->sequence)
        waits = waits && !awaited_agree_in_kind(v->first, v->second);
    return v->proven && v->n && waits;
}

struct verdict *verdict_of(const struct situation *s)
{
    struct graph g;
    graph_make(&g, s);
    struct verdict *v = judge_cores(&g);
    if (v->kind == VERDICT_MOVING)
        judge_long(&g, v);
    v->proven = is_proven(&g, v);
    for (size_t r = 0; r < s->n_ranks && v->kind == VERDICT_COMPUTES; r++)
        if (v->at_fault[r] && s->rank[r].killed)
            v->kind = VERDICT_UNKNOWN;
    graph_free(&g);
    return v;
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    free(v->at_fault);
    free(v);
}
