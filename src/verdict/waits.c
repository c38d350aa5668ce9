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
    return g->s->state[rank] == RANK_STOPPED || g->s->state[rank] == RANK_GONE;
}

bool waits_is_out(const struct wait_graph *g, int32_t rank)
{
    return waits_is_lost(g, rank) || g->s->state[rank] == RANK_FINISHED;
}

bool waits_is_young(const struct wait_graph *g, const struct open_call *c)
{
    return c->seconds >= 0 && c->seconds < g->s->settled;
}

static void add_edge(struct wait_graph *g, struct need *w, int32_t to)
{
    *PUSH(&g->edges) = (struct wait_edge){w->a->rank, to, w->a};
    w->n++;
}

enum entered { ENTERED, ENTERED_NOT, ENTERED_UNKNOWN };

static enum entered has_entered(const struct wait_graph *g, const struct awaited *a, size_t m)
{
    const struct situation *s = g->s;
    const struct member_list *c = &s->comms.at[a->comm];
    const struct awaited *e = c->member[m] < 0 ? NULL : collective_of(g, a, c->member[m]);
    if (e) {
        bool left = s->left.n && e >= s->left.at && e < s->left.at + s->left.n;
        return awaited_agree(a, e) && (left || !waits_is_lost(g, e->rank)) ? ENTERED : ENTERED_NOT;
    }
    if (c->member[m] < 0 || c->entered[m] < 0)
        return ENTERED_UNKNOWN;
    return c->entered[m] > (int64_t)a->sequence ? ENTERED : ENTERED_NOT;
}

/* Waits for all needed members that have not entered, otherwise for one of the other members, since
 * an implementation may wait for them, too. */
static void wait_for_collective(struct wait_graph *g, struct need *w)
{
    const struct awaited *a = w->a;
    const struct member_list *c = &g->s->comms.at[a->comm];
    bool unknown = !c->n;
    for (int others = 0; others < 2 && !w->n; others++) {
        bool below = true;
        for (size_t m = 0; m < c->n; m++) {
            int32_t member = c->member[m];
            below = below && member != a->rank;
            bool needed = a->shape == SHAPE_ALL || (a->shape == SHAPE_SCAN && below) ||
                          (a->shape == SHAPE_FROM_ROOT && member == a->root) ||
                          (a->shape == SHAPE_TO_ROOT && a->rank == a->root);
            if (member == a->rank || needed == others)
                continue;
            enum entered e = has_entered(g, a, m);
            unknown = unknown || e == ENTERED_UNKNOWN;
            if (e == ENTERED_NOT)
                add_edge(g, w, member);
        }
        w->one = others;
        w->maybe = a->maybe || (unknown && (others || !w->n));
    }
}

bool waits_takes(const struct awaited *r, const struct message_count *m)
{
    return r->what == AWAIT_RECEIVE && r->comm == m->comm && r->rank == m->to &&
           (r->peer == AWAIT_ANY || r->peer == m->from) &&
           (r->tag == AWAIT_ANY || r->tag == m->tag);
}

uint64_t waits_receives(const struct wait_graph *g, const struct message_count *m)
{
    const struct awaited *end = g->s->awaited.at + g->s->awaited.n, *o;
    uint64_t n = 0;
    for (o = g->s->awaited.at + g->first_awaited[m->to]; o < end && o->rank == m->to; o++)
        n += waits_takes(o, m);
    return n;
}

/* Whether more such messages were sent and not received than receives posted before R can take;
 * what wildcards take is unknown. */
static bool is_sent(const struct wait_graph *g, const struct awaited *r)
{
    uint64_t sent = 0, earlier = 0;
    for (size_t i = 0; i < g->sent.n; i++)
        sent += waits_takes(r, &g->sent.at[i]) ? g->sent.at[i].sent : 0;
    for (const struct awaited *o = g->s->awaited.at + g->first_awaited[r->rank]; o != r; o++)
        earlier += o->what == AWAIT_RECEIVE && o->comm == r->comm && o->peer == r->peer &&
                   o->tag == r->tag;
    return sent > (g->s->counted ? earlier : 0);
}

static struct message_count message_of(const struct awaited *send)
{
    return (struct message_count){send->comm, send->rank, send->peer, send->tag, 1, 0};
}

static void wait_for_message(struct wait_graph *g, struct need *w)
{
    const struct awaited *a = w->a;
    const struct member_list *c = &g->s->comms.at[a->comm];
    bool any = a->peer == AWAIT_ANY;
    size_t n = any ? c->n : 1;
    const struct message_count m = message_of(a);
    if (a->what == AWAIT_RECEIVE && is_sent(g, a))
        return;
    if (a->what == AWAIT_SEND && a->peer >= 0 && !waits_is_lost(g, a->peer) &&
        waits_receives(g, &m))
        return;
    w->one = any;
    w->maybe = !n;
    for (size_t i = 0; i < n; i++) {
        int32_t rank = any ? c->member[i] : a->peer;
        if (rank < 0)
            w->maybe = true;
        else if (!any || n == 1 || rank != a->rank)
            add_edge(g, w, rank);
    }
    if (w->maybe) {
        g->edges.n -= w->n;
        w->n = 0;
    }
}

/* It waits for the ranks that may satisfy it. */
static void wait_for_some(struct wait_graph *g, struct need *w)
{
    const enum awaited_what what = w->a->what;
    w->maybe = true;
    for (int32_t r = 0; r < (int32_t)g->s->n_ranks; r++)
        if (r != w->a->rank && ((what == AWAIT_LOCK && g->s->locks[r]) ||
                                (what == AWAIT_INIT && g->s->state[r] == RANK_UNSEEN)))
            add_edge(g, w, r);
}

static void add_wait(struct wait_graph *g, const struct open_call *c, const struct awaited *a)
{
    struct need w = {.a = a, .first = g->edges.n};
    (a->what == AWAIT_COLLECTIVE  ? wait_for_collective
     : a->what < AWAIT_COLLECTIVE ? wait_for_message
                                  : wait_for_some)(g, &w);
    /* If the duration of a call is unknown, only message counts can show that its message is in
     * transit. */
    if (c->seconds < 0 && (a->what == AWAIT_SEND || (a->what == AWAIT_RECEIVE && !g->s->counted)))
        w.maybe = true;
    *PUSH(&g->waits) = w;
}

/* A posted send may already be complete: it counts only if nothing else explains why the call is
 * open. */
static void find_waits(struct wait_graph *g)
{
    const struct situation *s = g->s;
    for (size_t i = 0; i < s->calls.n; i++) {
        const struct open_call *c = &s->calls.at[i];
        const size_t before = g->edges.n,
                     n = waits_is_young(g, c) || waits_is_out(g, c->rank) ? 0 : c->parts.n;
        g->first_wait[i] = g->waits.n;
        for (int posted = 0; posted < 2 && g->edges.n == before; posted++)
            for (size_t k = 0; k < n; k++) {
                const struct awaited *a = &s->awaited.at[c->parts.at[k]];
                if ((!c->any && a->what == AWAIT_SEND && a->posted > 0) == posted)
                    add_wait(g, c, a);
            }
    }
    g->first_wait[s->calls.n] = g->waits.n;
}

static size_t count_able(const struct wait_graph *g, const struct need *w)
{
    size_t able = 0;
    for (size_t i = 0; i < w->n; i++)
        able += g->free[g->edges.at[w->first + i].to];
    return able;
}

static bool can_complete(const struct wait_graph *g, const struct need *w)
{
    size_t able = count_able(g, w);
    return w->maybe || able == w->n || (w->one && able > 0);
}

static bool can_return(const struct wait_graph *g, size_t call)
{
    const struct open_call *c = &g->s->calls.at[call];
    size_t n = g->first_wait[call + 1] - g->first_wait[call], able = 0;
    for (size_t i = 0; i < n; i++)
        able += can_complete(g, &g->waits.at[g->first_wait[call] + i]);
    return c->polls || able == n || (c->any && able > 0);
}

static void release(struct wait_graph *g)
{
    const struct situation *s = g->s;
    for (int32_t r = 0; r < (int32_t)s->n_ranks; r++)
        g->free[r] = !waits_is_out(g, r) && (!g->call[r] || s->threads[r]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->calls.n; i++) {
            int32_t r = s->calls.at[i].rank;
            if (!g->free[r] && !waits_is_out(g, r) && can_return(g, i))
                g->free[r] = changed = true;
        }
    }
}

/* A rank that can be released waits only for ranks that can act: its other alternatives do not
 * matter. */
static void drop_alternatives(struct wait_graph *g)
{
    const struct situation *s = g->s;
    size_t kept = 0;
    for (size_t i = 0; i < s->calls.n; i++) {
        const bool any = s->calls.at[i].any && can_return(g, i);
        for (size_t k = g->first_wait[i]; k < g->first_wait[i + 1]; k++) {
            struct need *w = &g->waits.at[k];
            const bool drop = can_complete(g, w) ? w->one && count_able(g, w) : any;
            const size_t first = w->first, n = w->n;
            w->first = kept;
            for (size_t e = first; e < first + n; e++)
                if (!drop || g->free[g->edges.at[e].to])
                    g->edges.at[kept++] = g->edges.at[e];
            w->n = kept - w->first;
        }
    }
    g->edges.n = kept;
}

void waits_spread(const struct wait_graph *g, bool *in, bool for_them, const bool *among)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->edges.n; i++) {
            const struct wait_edge *e = &g->edges.at[i];
            const int32_t here = for_them ? e->to : e->from, there = for_them ? e->from : e->to;
            if (in[here] && !in[there] && (!among || (among[here] && among[there])))
                in[there] = changed = true;
        }
    }
}

void waits_begin(struct wait_graph *g, const struct situation *s)
{
    *g = (struct wait_graph){.s = s,
                             .call = memory_alloc((s->n_ranks + 1) * sizeof *g->call),
                             .first_awaited = memory_alloc((s->n_ranks + 1) * sizeof(size_t)),
                             .first_wait = memory_alloc((s->calls.n + 1) * sizeof(size_t)),
                             .free = memory_alloc(s->n_ranks + 1)};
    for (size_t r = 0; r < s->n_ranks; r++)
        g->first_awaited[r] = s->awaited.n;
    for (size_t i = s->calls.n; i-- > 0;)
        g->call[s->calls.at[i].rank] = &s->calls.at[i];
    for (size_t i = s->awaited.n; i-- > 0;)
        g->first_awaited[s->awaited.at[i].rank] = i;
    for (size_t i = 0; i < s->awaited.n; i++) {
        const struct awaited *a = &s->awaited.at[i];
        if (a->what == AWAIT_COLLECTIVE)
            *PUSH(&g->collectives) = a;
        else if (a->what == AWAIT_SEND && a->peer >= 0 && !waits_is_lost(g, a->rank))
            *PUSH(&g->sent) = message_of(a);
    }
    for (size_t i = 0; i < s->left.n; i++)
        *PUSH(&g->collectives) = &s->left.at[i];
    for (size_t i = 0; i < s->counts.n; i++) {
        struct message_count m = s->counts.at[i];
        m.sent -= m.received < m.sent ? m.received : m.sent;
        if (m.sent)
            *PUSH(&g->sent) = m;
    }
    if (g->collectives.n)
        qsort(g->collectives.at, g->collectives.n, sizeof *g->collectives.at, by_number);
    find_waits(g);
    release(g);
    drop_alternatives(g);
}

void waits_end(struct wait_graph *g)
{
    free(g->call);
    free(g->first_awaited);
    free(g->collectives.at);
    free(g->sent.at);
    free(g->waits.at);
    free(g->first_wait);
    free(g->edges.at);
    free(g->free);
}
