#include "verdict/judge.h"

#include "verdict/waits.h"

#include <stdlib.h>
#include <string.h>

const struct verdict_rule verdict_rules[VERDICT_KINDS] = {
    [VERDICT_GONE] = {.name = "gone"},
    [VERDICT_STOPPED] = {.name = "stopped"},
    [VERDICT_MISMATCH] = {.name = "mismatch",
                          .problem = "members of a communicator disagree about a collective: ",
                          .in_calls = true,
                          .pair = true},
    [VERDICT_UNMATCHED] = {.name = "unmatched",
                           .problem = "an awaited message is not sent: ",
                           .in_calls = true},
    [VERDICT_CROSSED] = {.name = "crossed",
                         .problem = "collectives of two communicators, in opposite order or with "
                                    "one left out: ",
                         .in_calls = true,
                         .pair = true},
    [VERDICT_CYCLE] = {.name = "cycle",
                       .problem = "messages are awaited in a cycle: ",
                       .in_calls = true},
    [VERDICT_MISSING] = {.name = "missing", .in_calls = true},
    [VERDICT_COMPUTES] = {.name = "computes"},
    [VERDICT_POLLING] = {.name = "polling",
                         .problem = "no request completes and no message arrives: "},
    [VERDICT_UNKNOWN] = {.name = "unknown",
                         .problem = "calls do not return, for an unknown reason: "},
    [VERDICT_MOVING] = {.name = "moving"}};

static int by_rank(const void *a, const void *b)
{
    return ORDER(*(const int32_t *)a, *(const int32_t *)b);
}

static struct verdict *verdict_new(const struct wait_graph *g)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->kind = VERDICT_MOVING;
    v->core = memory_alloc((g->s->n_ranks + 1) * sizeof *v->core);
    return v;
}

/* Sets the ranks at fault to those that are IN. */
static void set_core(const struct wait_graph *g, struct verdict *v, const bool *in)
{
    bool *waiting = memory_alloc(g->s->n_ranks + 1);
    memcpy(waiting, in, g->s->n_ranks);
    waits_spread(g, waiting, true, NULL);
    v->n = v->n_waiting = 0;
    for (size_t r = 0; r < g->s->n_ranks; r++) {
        v->n_waiting += waiting[r] && !in[r];
        if (in[r])
            v->core[v->n++] = (int32_t)r;
    }
    free(waiting);
}

static void set_mismatch(struct verdict *v, const struct wait_edge *e)
{
    v->kind = VERDICT_MISMATCH;
    v->first = e->why;
    v->second = e->instead;
}

static void set_two(const struct wait_graph *g, bool *in, int32_t one, int32_t other)
{
    memset(in, 0, g->s->n_ranks);
    in[one] = in[other < 0 ? one : other] = true;
}

/* The message, sent but not received, that is most similar to A: from its peer to the waiting rank,
 * or with ELSEWHERE also from or to another. If there is none, its N is 0. */
static struct message_count nearest(const struct wait_graph *g, const struct awaited *a,
                                    bool elsewhere)
{
    struct message_count best = {0};
    int best_alike = 0;
    for (size_t i = 0; i < g->sent.n && a->what == AWAIT_RECEIVE; i++) {
        const struct message_count *m = &g->sent.at[i];
        const bool from = m->from == a->peer, to = m->to == a->rank, comm = m->comm == a->comm,
                   tag = a->tag == AWAIT_ANY || a->tag == m->tag,
                   other = to ? from || a->peer == AWAIT_ANY || (comm && tag && elsewhere)
                              : from && elsewhere;
        const int alike = 8 * to + 4 * (from || a->peer == AWAIT_ANY) + 2 * comm + tag;
        if (!other || waits_receive_matches(a, m) || alike <= best_alike ||
            m->n <= waits_receives(g, m))
            continue;
        best = *m;
        best_alike = alike;
    }
    return best;
}

/* Why some ranks wait: a message (if possible one for which a SIMILAR one was sent), two
 * collectives in different order, and two calls that do not match. */
struct reasons {
    bool similar;
    const struct awaited *message, *collective, *other, *unknown;
    const struct wait_edge *mismatch;
};

/* Whether both calls differ in more than sizes and types, so that neither can return. */
static bool is_fatal(const struct wait_edge *e)
{
    return e && e->instead && !awaited_agree_in_kind(e->why, e->instead);
}

static void consider(const struct wait_graph *g, struct reasons *x, const struct wait_edge *e)
{
    const struct awaited *a = e->why;
    if (e->instead && (!x->mismatch || (is_fatal(e) && !is_fatal(x->mismatch))))
        x->mismatch = e;
    if (a->what > AWAIT_COLLECTIVE) {
        x->unknown = a;
    } else if (a->what != AWAIT_COLLECTIVE) {
        const bool similar = !x->similar && nearest(g, a, false).n > 0;
        x->message = similar || !x->message ? a : x->message;
        x->similar = x->similar || similar;
    } else if (!x->collective) {
        x->collective = a;
    }
}

/* What a rank that is IN, and for which the collective A waits, waits for itself: a collective of
 * another communicator if there is one, otherwise another one of the same. */
static const struct awaited *find_other(const struct wait_graph *g, const bool *in,
                                        const struct awaited *a)
{
    const struct awaited *found = NULL;
    for (size_t i = 0; i < g->edges.n && a; i++) {
        const struct wait_edge *e = &g->edges.at[i];
        const struct wait_rank *to = &g->rank[e->to];
        for (size_t k = to->first_need; e->why == a && in[e->to] && k < to[1].first_need; k++) {
            const struct awaited *b = g->needs.at[k].a;
            if (b->what != AWAIT_COLLECTIVE || !g->needs.at[k].n)
                continue;
            if (b->comm != a->comm)
                return b;
            found = b->sequence != a->sequence ? b : found;
        }
    }
    return found;
}

/* The verdict on one rank that waits for no other, while others wait for it in FIRST (NULL: none
 * does). */
static enum verdict_kind kind_of_one(const struct wait_graph *g, int32_t rank,
                                     const struct awaited *first)
{
    const enum rank_state state = g->s->rank[rank].state;
    const struct open_call *c = situation_find(g->s, rank);
    bool unknown = state == RANK_UNSEEN;
    for (size_t i = 0; i < g->needs.n; i++)
        unknown = unknown || (g->needs.at[i].a->rank == rank && g->needs.at[i].maybe);
    if (waits_is_lost(g, rank))
        return state == RANK_GONE ? VERDICT_GONE : VERDICT_STOPPED;
    if (first && state == RANK_FINISHED)
        return first->what < AWAIT_COLLECTIVE ? VERDICT_UNMATCHED : VERDICT_MISSING;
    if (c && c->polls && !waits_is_young(g, c))
        return VERDICT_POLLING;
    const double outside = g->s->rank[rank].seconds;
    return !first || state == RANK_FINISHED                  ? VERDICT_MOVING
           : unknown                                         ? VERDICT_MISSING
           : !c && (outside < 0 || outside >= g->s->settled) ? VERDICT_COMPUTES
                                                             : VERDICT_MOVING;
}

/* The verdict on ranks that wait for each other, for the reasons X. */
static enum verdict_kind kind_of_circle(const struct wait_graph *g, const bool *in,
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

/* Judges the ranks that are IN, which wait only for each other. Those at fault remain IN. */
static struct verdict *judge_core(const struct wait_graph *g, bool *in)
{
    struct verdict *v = verdict_new(g);
    struct reasons x = {0};
    const struct awaited *last = NULL;
    bool circle = false;
    for (size_t i = 0; i < g->edges.n; i++)
        circle = circle || (in[g->edges.at[i].from] && in[g->edges.at[i].to]);
    /* The evidence of a circle is the waits of its own ranks, otherwise the waits of others for
     * it. */
    for (size_t i = 0; i < g->edges.n; i++) {
        const struct wait_edge *e = &g->edges.at[i];
        if (in[e->to] && (in[e->from] || !circle) && (e->why != last || e->instead)) {
            consider(g, &x, e);
            last = e->why;
        }
    }
    x.other = circle ? find_other(g, in, x.collective) : NULL;
    v->first = x.message ?: x.unknown ?: x.collective;
    v->second = v->first == x.collective ? x.other : NULL;
    v->kind =
        circle ? kind_of_circle(g, in, &x)
               : kind_of_one(g, (int32_t)((bool *)memchr(in, true, g->s->n_ranks) - in), v->first);
    if (v->kind > VERDICT_STOPPED && x.mismatch &&
        (is_fatal(x.mismatch) ||
         (circle ? !x.message : v->kind == VERDICT_COMPUTES || v->kind == VERDICT_POLLING))) {
        set_mismatch(v, x.mismatch);
        if (!circle)
            set_two(g, in, v->first->rank, v->second->rank);
    } else if (v->kind == VERDICT_UNMATCHED) {
        v->near = nearest(g, v->first, true);
        if (circle)
            set_two(g, in, v->first->rank, v->first->peer);
    }
    return v;
}

/* Follows the waits of RANK. Finally IN has ranks that wait only for each other; SEEN has these and
 * all that wait for them. */
static void find_core(const struct wait_graph *g, int32_t rank, const bool *among, bool *in,
                      bool *seen)
{
    size_t n = g->s->n_ranks;
    for (int32_t next = rank; next >= 0;) {
        memset(in, 0, n);
        memset(seen, 0, n);
        in[next] = seen[next] = true;
        waits_spread(g, in, false, among);
        waits_spread(g, seen, true, among);
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
    return a->kind == b->kind &&
           (a->kind <= VERDICT_STOPPED ||
            ((a->kind == VERDICT_MISSING || a->kind == VERDICT_COMPUTES) && x && y &&
             x->what == y->what && x->comm == y->comm && x->sequence == y->sequence &&
             (x->what == AWAIT_COLLECTIVE || x->what >= AWAIT_INIT)));
}

/* A stopped rank that none waits for is less important than a deadlock of others. */
static double priority_of(const struct verdict *v)
{
    return v->kind == VERDICT_STOPPED && !v->n_waiting ? VERDICT_MISSING + 0.5 : (double)v->kind;
}

/* Of the verdicts on ranks that wait only for each other, the one with the highest priority; AMONG:
 * as for waits_spread(). */
static struct verdict *judge_cores(const struct wait_graph *g, const bool *among)
{
    size_t n = g->s->n_ranks;
    bool *in = memory_alloc(n + 1), *seen = memory_alloc(n + 1), *done = memory_alloc(n + 1);
    struct verdict *best = verdict_new(g);
    for (size_t r = 0; r < n; r++) {
        if (done[r] || (among && !among[r]))
            continue;
        find_core(g, (int32_t)r, among, in, seen);
        for (size_t i = 0; i < n; i++)
            done[i] = done[i] || seen[i];
        struct verdict *v = judge_core(g, in), *less = v;
        for (size_t i = 0; i < best->n && belong_together(v, best); i++)
            in[best->core[i]] = true;
        set_core(g, v, in);
        bool larger =
            v->n_waiting > best->n_waiting || (v->n_waiting == best->n_waiting && v->n > best->n);
        const double p = priority_of(v), q = priority_of(best);
        if (p < q || (p == q && v->kind < VERDICT_MOVING && larger)) {
            less = best;
            best = v;
        }
        verdict_free(less);
    }
    for (size_t i = 0; i < g->edges.n && best->kind > VERDICT_MISMATCH; i++) {
        const struct wait_edge *e = &g->edges.at[i];
        if (!is_fatal(e) || (among && !(among[e->from] && among[e->to])))
            continue;
        set_mismatch(best, e);
        set_two(g, in, e->from, e->to);
        set_core(g, best, in);
    }
    free(in);
    free(seen);
    free(done);
    return best;
}

/* All ranks whose state is known have been in calls for long, and none is known to wait for
 * another. */
static void judge_long(const struct wait_graph *g, struct verdict *v)
{
    bool all = true, some = false, *in = memory_alloc(g->s->n_ranks + 1);
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++) {
        const struct open_call *c = &g->s->rank[r].call;
        in[r] = c->open;
        some = some || (c->open && c->seconds >= g->s->settled);
        all = all && (c->open ? !waits_is_young(g, c) : waits_is_out(g, r));
    }
    if (all && some) {
        v->kind = VERDICT_UNKNOWN;
        set_core(g, v, in);
    }
    free(in);
}

/* Whether nothing can release a rank at fault, and some rank needs one of them to continue; if a
 * process has ended or is stopped, any rank that waits for it. */
static bool is_proven(const struct wait_graph *g, const struct verdict *v)
{
    bool proven = v->n > 0, stuck = v->kind <= VERDICT_STOPPED && v->n_waiting > 0;
    for (size_t k = 0; k < v->n; k++)
        proven = proven && !g->rank[v->core[k]].free;
    for (size_t i = 0; i < g->edges.n && !stuck; i++)
        stuck = !g->rank[g->edges.at[i].from].free && verdict_blames(v, g->edges.at[i].to);
    if (v->kind == VERDICT_MISMATCH && v->second && v->first->sequence == v->second->sequence)
        proven = proven && !awaited_agree_in_kind(v->first, v->second);
    return proven && stuck;
}

struct verdict *verdict_of(const struct situation *s)
{
    struct wait_graph g;
    waits_begin(&g, s);
    bool *stuck = memory_alloc(s->n_ranks + 1);
    for (size_t r = 0; r < s->n_ranks; r++)
        stuck[r] = !g.rank[r].free;
    struct verdict *v = judge_cores(&g, stuck);
    if (v->kind == VERDICT_MOVING) {
        verdict_free(v);
        v = judge_cores(&g, NULL);
    }
    if (v->kind == VERDICT_MOVING)
        judge_long(&g, v);
    v->proven = is_proven(&g, v);
    for (size_t i = 0; i < v->n && v->kind == VERDICT_COMPUTES; i++)
        if (s->rank[v->core[i]].killed)
            v->kind = VERDICT_UNKNOWN;
    free(stuck);
    waits_end(&g);
    return v;
}

bool verdict_blames(const struct verdict *v, int32_t rank)
{
    return bsearch(&rank, v->core, v->n, sizeof rank, by_rank);
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    free(v->core);
    free(v);
}
