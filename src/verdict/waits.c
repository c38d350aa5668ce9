#include "verdict/waits.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const struct awaited *x = *(const struct awaited *const *)a,
                         *y = *(const struct awaited *const *)b;
    return ORDER(x->comm, y->comm) ?: ORDER(x->sequence, y->sequence) ?: ORDER(x->rank, y->rank);
}

static const struct awaited *collective_of(const struct wait_graph *g, const struct awaited *a,
                                           int32_t rank)
{
    struct awaited key = {.comm = a->comm, .sequence = a->sequence, .rank = rank};
    const struct awaited *k = &key, **found;
    found = bsearch(&k, g->collectives.at, g->collectives.n, sizeof *found, by_number);
    return found ? *found : NULL;
}

bool waits_is_lost(const struct wait_graph *g, int32_t rank)
{
    return g->s->rank[rank].state == RANK_STOPPED || g->s->rank[rank].state == RANK_GONE;
}

bool waits_is_out(const struct wait_graph *g, int32_t rank)
{
    return waits_is_lost(g, rank) || g->s->rank[rank].state == RANK_FINISHED;
}

bool waits_is_young(const struct wait_graph *g, const struct open_call *c)
{
    return c->seconds >= 0 && c->seconds < g->s->settled;
}

static void add_edge(struct wait_graph *g, struct need *w, int32_t to,
                     const struct awaited *instead)
{
    *PUSH(&g->edges) = (struct wait_edge){w->a->rank, to, w->a, instead};
    w->n++;
}

enum entered { ENTERED, ENTERED_NOT, ENTERED_UNKNOWN };

/* Whether member M has entered A. CALLED: M's collective with A's number; NULL: unknown. */
static enum entered has_entered(const struct wait_graph *g, const struct awaited *a, size_t m,
                                const struct awaited *called)
{
    const struct member_list *c = &g->s->comms.at[a->comm];
    if (called)
        return awaited_agree(a, called) && (called->left || !waits_is_lost(g, called->rank))
                   ? ENTERED
                   : ENTERED_NOT;
    if (c->member[m] < 0 || c->entered[m] < 0)
        return ENTERED_UNKNOWN;
    return c->entered[m] > (int64_t)a->sequence ? ENTERED : ENTERED_NOT;
}

/* Whether A's rank can leave A only after MEMBER enters. BELOW: MEMBER's rank is lower than A's. */
static bool is_needed(const struct awaited *a, int32_t member, bool below)
{
    return a->kind == COLLECTIVE_ALL || a->kind == COLLECTIVE_OTHER ||
           (a->kind == COLLECTIVE_PREFIX && below) ||
           (a->kind == COLLECTIVE_FROM_ROOT && member == a->root) ||
           (a->kind == COLLECTIVE_TO_ROOT && a->rank == a->root);
}

/* Adds edges to all members that the collective needs and that have not entered. If there are none,
 * adds edges to all others that have not entered, of which one must enter: the MPI library may
 * synchronize with members that MPI does not require. */
static void wait_for_collective(struct wait_graph *g, struct need *w)
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

bool waits_receive_matches(const struct awaited *r, const struct message_count *m)
{
    return r->what == AWAIT_RECEIVE && r->comm == m->comm && r->rank == m->to &&
           (r->peer == AWAIT_ANY || r->peer == m->from) &&
           (r->tag == AWAIT_ANY || r->tag == m->tag);
}

uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m)
{
    const struct awaited *end = g->s->awaited.at + g->s->awaited.n, *o;
    uint64_t n = 0;
    for (o = g->s->awaited.at + g->rank[m->to].first_awaited; o < end && o->rank == m->to; o++)
        n += waits_receive_matches(o, m);
    return n;
}

/* Whether an unreceived message remains for R after the receives of the same source and tag that
 * were posted before. Other receives with wildcards are ignored: what they take is unknown. */
static bool is_sent(const struct wait_graph *g, const struct awaited *r)
{
    uint64_t sent = 0, earlier = 0;
    for (size_t i = 0; i < g->sent.n; i++)
        sent += waits_receive_matches(r, &g->sent.at[i]) ? g->sent.at[i].n : 0;
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

static void wait_for_message(struct wait_graph *g, struct need *w)
{
    const struct awaited *a = w->a;
    const struct member_list *c = &g->s->comms.at[a->comm];
    const struct message_count m = message_of(a);
    const bool any = a->peer == AWAIT_ANY;
    if (a->what == AWAIT_RECEIVE
            ? is_sent(g, a)
            : a->peer >= 0 && !waits_is_lost(g, a->peer) && waits_receives(g, &m))
        return;
    w->one = any;
    w->maybe = any ? !c->n : a->peer < 0;
    for (size_t i = 0; any && i < c->n; i++)
        w->maybe = w->maybe || c->member[i] < 0;
    if (!any && !w->maybe)
        add_edge(g, w, a->peer, NULL);
    /* A finished member cannot send, so it is awaited only if all members have finished. */
    for (int finished = 0; any && !w->maybe && finished < 2 && !w->n; finished++)
        for (size_t i = 0; i < c->n; i++)
            if ((c->n == 1 || c->member[i] != a->rank) &&
                (g->s->rank[c->member[i]].state == RANK_FINISHED) <= finished)
                add_edge(g, w, c->member[i], NULL);
}

/* Whether A's rank may wait in A for rank R: R has ended unexpectedly, is stopped or outside of MPI
 * or, unless A is MPI_Finalize, is in a call of another operation. */
static bool is_awaited(const struct situation *s, const struct awaited *a, int32_t r)
{
    const struct rank_view *own = &s->rank[a->rank], *other = &s->rank[r];
    const struct open_call *c = &other->call;
    const bool elsewhere =
        !c->open || other->state >= RANK_STOPPED ||
        (own->state < RANK_STOPPED && c->parts.n && s->awaited.at[c->parts.at[0]].name != a->name);
    return a->what == AWAIT_INIT
               ? other->state == RANK_UNSEEN
               : a->what == AWAIT_ALL && other->state < RANK_FINISHED && elsewhere;
}

static void wait_for_some(struct wait_graph *g, struct need *w)
{
    w->maybe = true;
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++)
        if (r != w->a->rank && is_awaited(g->s, w->a, r))
            add_edge(g, w, r, NULL);
}

static void add_need(struct wait_graph *g, const struct open_call *c, const struct awaited *a)
{
    struct need w = {.a = a, .first = g->edges.n};
    (a->what == AWAIT_COLLECTIVE  ? wait_for_collective
     : a->what < AWAIT_COLLECTIVE ? wait_for_message
                                  : wait_for_some)(g, &w);
    /* If it is unknown how long a call is open, its message may be in transit, unless messages are
     * counted. */
    if (c->seconds < 0 && (a->what == AWAIT_SEND || (a->what == AWAIT_RECEIVE && !g->s->counted)))
        w.maybe = true;
    *PUSH(&g->needs) = w;
}

/* Finds what each open call waits for. Posted sends may already be complete: they are considered
 * only if nothing else explains why the call is open. */
static void find_needs(struct wait_graph *g)
{
    const struct situation *s = g->s;
    for (int32_t r = 0; r < (int32_t)s->n_ranks; r++) {
        const struct open_call *c = &s->rank[r].call;
        const size_t before = g->edges.n,
                     n = waits_is_young(g, c) || waits_is_lost(g, r) ? 0 : c->parts.n;
        for (int posted = 0; posted < 2 && g->edges.n == before; posted++)
            for (size_t k = 0; k < n; k++) {
                const struct awaited *a = &s->awaited.at[c->parts.at[k]];
                if ((!c->any && a->what == AWAIT_SEND && a->posted > 0) == posted)
                    add_need(g, c, a);
            }
        g->rank[r + 1].first_need = g->needs.n;
    }
}

static size_t count_able(const struct wait_graph *g, const struct need *w)
{
    size_t able = 0;
    for (size_t i = 0; i < w->n; i++)
        able += g->rank[g->edges.at[w->first + i].to].free;
    return able;
}

static bool can_complete(const struct wait_graph *g, const struct need *w)
{
    size_t able = count_able(g, w);
    return w->maybe || able == w->n || (w->one && able > 0);
}

static bool can_return(const struct wait_graph *g, int32_t rank)
{
    const struct open_call *c = &g->s->rank[rank].call;
    size_t n = g->rank[rank + 1].first_need - g->rank[rank].first_need, able = 0;
    for (size_t i = 0; i < n; i++)
        able += can_complete(g, &g->needs.at[g->rank[rank].first_need + i]);
    return c->polls || able == n || (c->any && able > 0);
}

static void release(struct wait_graph *g)
{
    const int32_t n = (int32_t)g->s->n_ranks;
    for (int32_t r = 0; r < n; r++)
        g->rank[r].free =
            !waits_is_out(g, r) && (!g->s->rank[r].call.open || g->s->rank[r].threads);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t r = 0; r < n; r++)
            if (!g->rank[r].free && !waits_is_out(g, r) && can_return(g, r))
                g->rank[r].free = changed = true;
    }
}

/* Drops edges that explain no wait. A stuck rank waits only for stuck ranks: the others will do
 * their part. Of a rank that can be released, only edges to ranks that can progress remain. */
static void drop_edges(struct wait_graph *g)
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
                if ((able || !choice) && (!able || g->rank[r].free || waits_is_out(g, r)))
                    g->edges.at[kept++] = g->edges.at[i];
            }
            w->first = first;
            w->n = kept - first;
        }
    }
    g->edges.n = kept;
}

void waits_spread(const struct wait_graph *g, bool *in, bool for_them)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (EACH(const struct wait_edge, e, g->edges)) {
            const int32_t here = for_them ? e->to : e->from, there = for_them ? e->from : e->to;
            if (in[here] && !in[there])
                in[there] = changed = true;
        }
    }
}

/* Collects unreceived messages. An open send becomes a separate element, since S->sent may have
 * counted it already. */
static void find_messages(struct wait_graph *g)
{
    const struct situation *s = g->s;
    for (size_t i = 0; i < s->sent.n; i++)
        *PUSH(&g->sent) = s->sent.at[i];
    for (EACH(const struct awaited, a, s->awaited))
        if (a->what == AWAIT_SEND && a->peer >= 0 && !waits_is_lost(g, a->rank))
            *PUSH(&g->sent) = message_of(a);
}

void waits_begin(struct wait_graph *g, const struct situation *s)
{
    *g = (struct wait_graph){.s = s, .rank = memory_alloc((s->n_ranks + 1) * sizeof *g->rank)};
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

void waits_end(struct wait_graph *g)
{
    free(g->rank);
    free(g->collectives.at);
    free(g->sent.at);
    free(g->needs.at);
    free(g->edges.at);
}
