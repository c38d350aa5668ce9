#include "verdict/judge.h"

#include "base/try.h"
#include "verdict/waits.h"

#include <stdlib.h>
#include <string.h>

const struct verdict_rule verdict_rules[VERDICT_KINDS] = {
    [VERDICT_GONE] = {"gone", ""},
    [VERDICT_STOPPED] = {"stopped", ""},
    [VERDICT_MISMATCH] = {"mismatch", "members of a communicator disagree about a collective: "},
    [VERDICT_UNMATCHED] = {"unmatched", "an awaited message is not sent: "},
    [VERDICT_CROSSED] = {"crossed",
                         "collectives of two communicators, in opposite order or with one left "
                         "out: "},
    [VERDICT_CYCLE] = {"cycle", "messages are awaited in a cycle: "},
    [VERDICT_MISSING] = {"missing", "calls may wait for each other: "},
    [VERDICT_COMPUTES] = {"computes", ""},
    [VERDICT_POLLING] = {"polling", "no request completes and no message arrives: "},
    [VERDICT_UNKNOWN] = {"unknown", "calls do not return, for an unknown reason: "},
    [VERDICT_MOVING] = {"moving", "the records show no rank that was blocked"}};

static struct verdict *verdict_new(const struct wait_graph *g)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->kind = VERDICT_MOVING;
    v->at_fault = memory_alloc(g->s->n_ranks + 1);
    return v;
}

/* Sets the ranks at fault to those in the set IN. */
static void blame(const struct wait_graph *g, struct verdict *v, const bool *in)
{
    const size_t n = g->s->n_ranks;
    FREED bool *waiting = memory_alloc(n + 1);
    memcpy(v->at_fault, in, n);
    memcpy(waiting, in, n);
    waits_spread(g, waiting, true);
    v->n = v->n_waiting = 0;
    for (size_t r = 0; r < n; r++) {
        v->n += in[r];
        v->n_waiting += waiting[r] && !in[r];
    }
}

static bool is_of_number(const struct awaited *a, const struct awaited *b)
{
    return a->comm == b->comm && a->sequence == b->sequence;
}

/* Whether edge E's two calls differ in more than sizes and types, so that neither can return. */
static bool is_fatal(const struct wait_edge *e)
{
    return !awaited_agree_in_kind(e->why, e->instead);
}

/* Reports E's two calls, and blames all ranks whose call with their number does not match the more
 * frequent of the two or, if they are equally frequent, one of the two. */
static void set_mismatch(const struct wait_graph *g, struct verdict *v, const struct wait_edge *e)
{
    bool (*agree)(const struct awaited *a, const struct awaited *b) =
        is_fatal(e) ? awaited_agree_in_kind : awaited_agree;
    FREED bool *in = memory_alloc(g->s->n_ranks + 1);
    int64_t more = 0; /* ranks that match WHY, not INSTEAD */
    for (EACH(const struct awaited *, a, g->collectives))
        more += is_of_number(*a, e->why) ? agree(*a, e->why) - agree(*a, e->instead) : 0;
    v->kind = VERDICT_MISMATCH;
    v->first = more > 0 ? e->instead : e->why;
    v->second = more > 0 ? e->why : e->instead;
    for (EACH(const struct awaited *, a, g->collectives))
        in[(*a)->rank] |=
            is_of_number(*a, e->why) && !(agree(*a, v->second) && (more || agree(*a, v->first)));
    blame(g, v, in);
}

/* The unreceived message most similar to receive A: preferably from A's peer to A's rank, otherwise
 * from another rank or to another rank. The result's N is 0 if no message is similar. */
static struct message_count nearest(const struct wait_graph *g, const struct awaited *a)
{
    struct message_count best = {0};
    int best_alike = 0;
    for (size_t i = 0; i < g->sent.n && a->what == AWAIT_RECEIVE; i++) {
        const struct message_count *m = &g->sent.at[i];
        const bool from = a->peer == AWAIT_ANY || m->from == a->peer, to = m->to == a->rank,
                   comm = m->comm == a->comm, tag = a->tag == AWAIT_ANY || a->tag == m->tag,
                   similar = to ? from || (comm && tag) : m->from == a->peer;
        const int alike = 8 * to + 4 * from + 2 * comm + tag;
        if (!similar || waits_receive_matches(a, m) || alike <= best_alike ||
            m->n <= waits_receives(g, m))
            continue;
        best = *m;
        best_alike = alike;
    }
    return best;
}

/* What some ranks wait for (NULL: nothing): MESSAGE (SIMILAR: the peer sent another message, which
 * does not match); two collectives, COLLECTIVE and OTHER, on different communicators if possible;
 * UNKNOWN, a call that may need any rank; and two calls that do not match. */
struct reasons {
    bool similar;
    const struct awaited *message, *collective, *other, *unknown;
    const struct wait_edge *mismatch;
};

static void consider(const struct wait_graph *g, struct reasons *x, const struct awaited *a)
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

/* Why ranks (with INSIDE: only ranks in the set IN) wait for ranks in the set IN. */
static struct reasons reasons_of(const struct wait_graph *g, const bool *in, bool inside)
{
    struct reasons x = {0};
    for (EACH(const struct need, w, g->needs)) {
        bool counts = false;
        for (size_t i = w->first; i < w->first + w->n; i++) {
            const struct wait_edge *e = &g->edges.at[i];
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

/* Kind of the verdict on RANK, which waits for no rank. FIRST: a call awaiting RANK, or NULL. */
static enum verdict_kind kind_of_one(const struct wait_graph *g, int32_t rank,
                                     const struct awaited *first)
{
    const struct rank_view *r = &g->s->rank[rank];
    bool unknown = r->state == RANK_UNSEEN;
    for (size_t k = g->rank[rank].first_need; k < g->rank[rank + 1].first_need; k++)
        unknown = unknown || g->needs.at[k].maybe;
    if (waits_is_lost(g, rank))
        return r->state == RANK_GONE ? VERDICT_GONE : VERDICT_STOPPED;
    if (r->call.polls && !waits_is_young(g, &r->call))
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

/* The kind of verdict on the ranks IN, which wait for each other for the reasons X. */
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

/* Whether E's rank FROM cannot continue without a rank at fault in V. A call on a window or file
 * may not need a stopped rank, unless ALL others wait, so that none can complete it. */
static bool needs_fault(const struct wait_graph *g, const struct verdict *v,
                        const struct wait_edge *e, bool all)
{
    return v->at_fault[e->to] && (!g->rank[e->from].free || (v->kind == VERDICT_STOPPED &&
                                                             (all || e->why->what < AWAIT_INIT)));
}

/* Whether no rank can release a rank at fault, and some rank cannot continue without ranks at
 * fault. If a process has ended, any rank that waits for it is such a rank. */
static bool is_proven(const struct wait_graph *g, const struct verdict *v)
{
    const bool all = v->n + v->n_waiting == g->s->n_ranks;
    bool waits = v->kind == VERDICT_GONE && v->n_waiting > 0;
    for (size_t r = 0; r < g->s->n_ranks; r++)
        if (v->at_fault[r] && g->rank[r].free)
            return false;
    const struct awaited *a = v->first, *b = v->second;
    if (b && is_of_number(a, b) && awaited_agree_in_kind(a, b))
        return false;
    for (size_t i = 0; i < g->edges.n && !waits; i++)
        waits = needs_fault(g, v, &g->edges.at[i], all);
    return waits;
}

/* The verdict on the ranks IN, which wait only for each other. */
static struct verdict *judge_core(const struct wait_graph *g, const bool *in)
{
    struct verdict *v = verdict_new(g);
    bool circle = false;
    for (size_t i = 0; i < g->edges.n; i++)
        circle = circle || (in[g->edges.at[i].from] && in[g->edges.at[i].to]);
    const struct reasons x = reasons_of(g, in, circle);
    v->first = x.message ?: x.unknown ?: x.collective;
    v->kind =
        circle ? kind_of_circle(g, in, &x)
               : kind_of_one(g, (int32_t)((bool *)memchr(in, true, g->s->n_ranks) - in), v->first);
    v->second = v->kind == VERDICT_MISMATCH || v->kind == VERDICT_CROSSED ? x.other : NULL;
    blame(g, v, in);
    if (v->kind > VERDICT_STOPPED && x.mismatch &&
        (is_fatal(x.mismatch) ||
         (circle ? !x.message : v->kind == VERDICT_COMPUTES || v->kind == VERDICT_POLLING)))
        set_mismatch(g, v, x.mismatch);
    else if (v->kind == VERDICT_UNMATCHED)
        v->near = nearest(g, v->first);
    if (v->kind == VERDICT_UNMATCHED && circle) {
        FREED bool *two = memory_alloc(g->s->n_ranks + 1);
        two[v->first->rank] = two[v->first->peer < 0 ? v->first->rank : v->first->peer] = true;
        blame(g, v, two);
    }
    v->proven = is_proven(g, v);
    return v;
}

/* Finds a core that RANK waits for. IN becomes the core: ranks that wait only for each other; SEEN:
 * the core and all ranks that wait for it. */
static void find_core(const struct wait_graph *g, int32_t rank, bool *in, bool *seen)
{
    size_t n = g->s->n_ranks;
    for (int32_t next = rank; next >= 0;) {
        memset(in, 0, n);
        memset(seen, 0, n);
        in[next] = seen[next] = true;
        waits_spread(g, in, false);
        waits_spread(g, seen, true);
        next = -1;
        for (size_t r = 0; r < n; r++)
            if (in[r] && !seen[r])
                next = (int32_t)r;
    }
}

/* Whether verdicts A and B are reported as one: processes that have ended, or that are stopped, or
 * ranks for which the same collective, MPI_Init or MPI_Finalize waits. */
static bool belong_together(const struct verdict *a, const struct verdict *b)
{
    const struct awaited *x = a->first, *y = b->first;
    return a->kind == b->kind &&
           (a->kind <= VERDICT_STOPPED ||
            (a->proven == b->proven && x && y && x->what == y->what &&
             x->what >= AWAIT_COLLECTIVE && x->comm == y->comm && x->sequence == y->sequence));
}

/* The verdict with the lowest value is reported: ended processes, then proven verdicts, by kind. */
static int priority_of(const struct verdict *v)
{
    return (int)v->kind + (v->proven || v->kind == VERDICT_GONE ? 0 : VERDICT_KINDS);
}

/* The verdict with the highest priority among the verdicts on all cores. */
static struct verdict *judge_cores(const struct wait_graph *g)
{
    size_t n = g->s->n_ranks;
    FREED bool *in = memory_alloc(n + 1), *seen = memory_alloc(n + 1), *done = memory_alloc(n + 1);
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
        v->proven = is_proven(g, v);
        bool larger =
            v->n_waiting > best->n_waiting || (v->n_waiting == best->n_waiting && v->n > best->n);
        const int p = priority_of(v), q = priority_of(best);
        if (p < q || (p == q && v->kind < VERDICT_MOVING && larger)) {
            less = best;
            best = v;
        }
        verdict_free(less);
    }
    /* Outside of cores, too, calls that differ in more than sizes and types may explain a wait. */
    for (size_t i = 0; i < g->edges.n && best->kind > VERDICT_MISMATCH; i++) {
        const struct wait_edge *e = &g->edges.at[i];
        if (e->instead && is_fatal(e) && !(best->proven && g->rank[e->from].free)) {
            set_mismatch(g, best, e);
            best->proven = is_proven(g, best);
        }
    }
    return best;
}

/* Finds members of a collective that disagreed when the run ended. Their calls may have been open
 * only briefly, because MPI refused them and ended the run. */
static void judge_refused(const struct wait_graph *g, struct verdict *v)
{
    /* Compares all pairs: two calls that differ may both match a third, less known call. */
    for (EACH(const struct awaited *, a, g->collectives))
        for (const struct awaited **b = a; b-- > g->collectives.at && is_of_number(*a, *b);)
            if (v->kind == VERDICT_MOVING && !awaited_agree(*a, *b))
                set_mismatch(g, v, &(struct wait_edge){.why = *b, .instead = *a});
}

/* VERDICT_UNKNOWN if all ranks whose state is known have been in calls for long, and none is known
 * to wait for another. */
static void judge_long(const struct wait_graph *g, struct verdict *v)
{
    bool all = true, some = false;
    FREED bool *in = memory_alloc(g->s->n_ranks + 1);
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++) {
        const struct open_call *c = &g->s->rank[r].call;
        in[r] = c->open;
        some = some || (c->open && c->seconds >= g->s->settled);
        all = all && (c->open ? !waits_is_young(g, c) : waits_is_out(g, r));
    }
    if (all && some) {
        v->kind = VERDICT_UNKNOWN;
        blame(g, v, in);
    }
}

struct verdict *verdict_of(const struct situation *s)
{
    struct wait_graph g;
    waits_begin(&g, s);
    struct verdict *v = judge_cores(&g);
    if (!s->live && !s->unseen)
        judge_refused(&g, v);
    if (v->kind == VERDICT_MOVING)
        judge_long(&g, v);
    for (size_t r = 0; r < s->n_ranks && v->kind == VERDICT_COMPUTES; r++)
        if (v->at_fault[r] && s->rank[r].killed)
            v->kind = VERDICT_UNKNOWN;
    v->why = memory_alloc((s->n_ranks + 1) * sizeof *v->why);
    for (EACH(const struct wait_edge, e, g.edges))
        v->why[e->from] = v->why[e->from] ?: e->why;
    waits_end(&g);
    return v;
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    free(v->at_fault);
    free(v->why);
    free(v);
}
