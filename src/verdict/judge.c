#include "verdict/judge.h"

#include "base/hash.h"
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICT_KINDS] = {
    "gone",    "stopped",  "mismatch", "unmatched", "crossed", "cycle",
    "missing", "computes", "polling",  "unknown",   "moving",
};

/* --- the table --- */

struct situation *situation_new(size_t n)
{
    struct situation *s = memory_alloc(sizeof *s);
    s->n_ranks = n;
    s->state = memory_alloc((n + 1) * sizeof *s->state);
    s->threads = memory_alloc((n + 1) * sizeof *s->threads);
    return s;
}

void situation_free(struct situation *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->comms.n; i++) {
        free(s->comms.at[i].member);
        free(s->comms.at[i].entered);
    }
    for (size_t i = 0; i < s->calls.n; i++)
        free(s->calls.at[i].part);
    free(s->state);
    free(s->threads);
    free(s->comms.at);
    free(s->awaited.at);
    free(s->left.at);
    free(s->calls.at);
    free(s->counts.at);
    free(s);
}

struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n)
{
    struct open_call *c = PUSH(&s->calls);
    *c = (struct open_call){.rank = rank, .part = memory_alloc((n + 1) * sizeof *c->part), .n = n};
    for (size_t i = 0; i < n; i++) {
        c->part[i] = s->awaited.n;
        *PUSH(&s->awaited) = awaited[i];
        s->awaited.at[s->awaited.n - 1].rank = rank;
    }
    return c;
}

const struct open_call *situation_find(const struct situation *s, int32_t rank)
{
    for (size_t i = 0; i < s->calls.n; i++)
        if (s->calls.at[i].rank == rank)
            return &s->calls.at[i];
    return NULL;
}

/* --- collectives --- */

struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes)
{
    static const enum collective_shape shapes[] = {
        [COLLECTIVE_ALL] = SHAPE_ALL,         [COLLECTIVE_FROM_ROOT] = SHAPE_FROM_ROOT,
        [COLLECTIVE_TO_ROOT] = SHAPE_TO_ROOT, [COLLECTIVE_PREFIX] = SHAPE_SCAN,
        [COLLECTIVE_NEIGHBOURS] = SHAPE_SOME, [COLLECTIVE_OTHER] = SHAPE_ALL};
    static const char of_one_size[] =
        " Bcast Reduce Allreduce Scan Exscan Reduce_scatter_block Alltoall Allgather ";
    size_t n = strlen(name);
    char word[64];
    n -= n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0;
    /* " Bcast " of MPI_Bcast and MPI_Ibcast */
    bool immediate = n > 5 && name[4] == 'I';
    snprintf(word, sizeof word, " %.*s ", (int)(n - (n > 4 ? 4 : n) - immediate),
             name + (n > 4 ? 4 : n) + immediate);
    bool one_size = !two_groups && strcasestr(of_one_size, word);
    return (struct awaited){.what = AWAIT_COLLECTIVE,
                            .operation = (uint32_t)hash_bytes(HASH_START, name, n),
                            .root = two_groups ? -1 : root,
                            .bytes = one_size ? bytes : JUDGE_UNKNOWN_BYTES,
                            .shape = two_groups ? SHAPE_SOME : shapes[collective_kind(name)]};
}

/* Without what MPI may survive. */
static bool agree_in_kind(const struct awaited *a, const struct awaited *b)
{
    return a->operation == b->operation && (a->root == b->root || a->root < 0 || b->root < 0);
}

bool awaited_agree(const struct awaited *a, const struct awaited *b)
{
    return agree_in_kind(a, b) &&
           (a->bytes == b->bytes || a->bytes == JUDGE_UNKNOWN_BYTES ||
            b->bytes == JUDGE_UNKNOWN_BYTES) &&
           (a->type == b->type || !a->type || !b->type) &&
           (a->reduction == b->reduction || !a->reduction || !b->reduction);
}

/* --- what a part of a call needs --- */

struct need {
    enum need_kind {
        NEED_NOTHING, /* it can complete now */
        NEED_UNKNOWN, /* so it may */
        NEED_ALL,     /* each of these ranks must act */
        NEED_ONE      /* one of them is enough */
    } kind;
    int32_t *rank; /* N of them */
    size_t n;
    bool shared; /* RANK belongs to another need */
};

/* The awaited PART needs the rank TO. */
struct wait_edge {
    size_t part;
    int32_t to;
};

struct judgement {
    const struct situation *s;
    struct need *need;                 /* by position in s->awaited */
    const struct awaited **collective; /* open ones and left ones, by communicator and number */
    size_t n_collectives;
    size_t *first_awaited, *next_awaited; /* of a rank, in their order */
    size_t *first_call, *next_call;
    bool *free; /* by rank: it can act, now or later */
    ARRAY(struct wait_edge) edges;
    size_t *first_edge; /* of a rank; behind the last: their number */
};

#define EACH_EDGE(e, j, rank)                                                                      \
    for (const struct wait_edge *e = &(j)->edges.at[(j)->first_edge[rank]];                        \
         e < &(j)->edges.at[(j)->first_edge[(rank) + 1]]; e++)

static int by_number(const void *a, const void *b)
{
    const struct awaited *x = *(const struct awaited *const *)a,
                         *y = *(const struct awaited *const *)b;
    return ORDER(x->comm, y->comm) ?: ORDER(x->sequence, y->sequence) ?: ORDER(x->rank, y->rank);
}

static const struct awaited *collective_of(const struct judgement *j, const struct awaited *a,
                                           int32_t rank)
{
    struct awaited key = {.comm = a->comm, .sequence = a->sequence, .rank = rank};
    const struct awaited *k = &key, **found;
    if (!j->n_collectives)
        return NULL;
    found = bsearch(&k, j->collective, j->n_collectives, sizeof *j->collective, by_number);
    return found ? *found : NULL;
}

static bool same_collective(const struct awaited *a, const struct awaited *b)
{
    return a->comm == b->comm && a->sequence == b->sequence && a->shape == b->shape &&
           a->bytes == b->bytes && a->root == b->root && a->operation == b->operation &&
           a->type == b->type && a->reduction == b->reduction;
}

/* What it has entered and not left, it does no part of any more. */
static bool is_lost(const struct situation *s, int32_t rank)
{
    return s->state[rank] == RANK_STOPPED || s->state[rank] == RANK_GONE;
}

static bool is_left(const struct situation *s, const struct awaited *a)
{
    return s->left.n && a >= s->left.at && a < s->left.at + s->left.n;
}

enum entered { ENTERED, ENTERED_NOT, ENTERED_UNKNOWN };

static enum entered has_entered(const struct judgement *j, const struct awaited *a, size_t m)
{
    const struct member_list *c = &j->s->comms.at[a->comm];
    const struct awaited *e = c->member[m] < 0 ? NULL : collective_of(j, a, c->member[m]);
    if (c->member[m] < 0)
        return ENTERED_UNKNOWN;
    if (e)
        return awaited_agree(a, e) && (is_left(j->s, e) || !is_lost(j->s, e->rank)) ? ENTERED
                                                                                    : ENTERED_NOT;
    if (a->sequence == JUDGE_NO_NUMBER)
        return ENTERED_NOT;
    if (c->entered[m] < 0)
        return ENTERED_UNKNOWN;
    return c->entered[m] > (int64_t)a->sequence ? ENTERED : ENTERED_NOT;
}

/* The members that have not entered; of them those that A cannot do without. */
static void need_collective(struct judgement *j, const struct awaited *a, struct need *need)
{
    const struct member_list *c = &j->s->comms.at[a->comm];
    bool unknown = false, root_missing = false, is_root = a->root == a->rank;
    size_t before = 0; /* missing members of lower rank come first */
    bool below = true;
    need->rank = memory_alloc((c->n + 1) * sizeof *need->rank);
    for (size_t m = 0; m < c->n; m++) {
        below = below && c->member[m] != a->rank;
        enum entered e = c->member[m] == a->rank ? ENTERED : has_entered(j, a, m);
        unknown = unknown || e == ENTERED_UNKNOWN;
        if (e != ENTERED_NOT)
            continue;
        need->rank[need->n++] = c->member[m];
        before += below;
        root_missing = root_missing || c->member[m] == a->root;
    }
    bool all = a->shape == SHAPE_ALL || (a->shape == SHAPE_TO_ROOT && is_root);
    if (a->shape == SHAPE_FROM_ROOT && root_missing) {
        need->rank[0] = a->root;
        need->n = 1;
        all = true;
    } else if (a->shape == SHAPE_SCAN && before) {
        need->n = before;
        all = true;
    }
    need->kind = need->n && all     ? NEED_ALL
                 : unknown || !c->n ? NEED_UNKNOWN
                 : need->n          ? NEED_ONE
                                    : NEED_NOTHING;
}

static bool tag_matches(int32_t wanted, int32_t tag)
{
    return wanted == AWAIT_ANY || wanted == tag;
}

/* Whether the receive R takes the message that S sends. */
static bool message_matches(const struct awaited *r, const struct awaited *s)
{
    return r->what == AWAIT_RECEIVE && s->what == AWAIT_SEND && r->comm == s->comm &&
           s->peer == r->rank && (r->peer == AWAIT_ANY || r->peer == s->rank) &&
           tag_matches(r->tag, s->tag);
}

static bool count_matches(const struct awaited *r, const struct message_count *m)
{
    return m->comm == r->comm && m->to == r->rank && (r->peer == AWAIT_ANY || r->peer == m->from) &&
           tag_matches(r->tag, m->tag);
}

/* Messages that were sent and not received, and that receives posted before R do not take: of
 * those with wildcards it is unknown what they take. */
static bool is_sent(const struct judgement *j, const struct awaited *r)
{
    uint64_t sent = 0, earlier = 0;
    for (size_t i = 0; i < j->s->counts.n; i++) {
        const struct message_count *m = &j->s->counts.at[i];
        if (count_matches(r, m) && m->sent > m->received)
            sent += m->sent - m->received;
    }
    for (size_t i = j->first_awaited[r->rank]; sent && i != JUDGE_NONE; i = j->next_awaited[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        if (o == r)
            break;
        earlier += o->what == AWAIT_RECEIVE && o->comm == r->comm && o->peer == r->peer &&
                   o->tag == r->tag;
    }
    return sent > earlier;
}

/* Whether RANK, in a call, has posted what matches A. */
static bool is_posted(const struct judgement *j, const struct awaited *a, int32_t rank)
{
    size_t first = is_lost(j->s, rank) ? JUDGE_NONE : j->first_awaited[rank];
    for (size_t i = first; i != JUDGE_NONE; i = j->next_awaited[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        if (a->what == AWAIT_SEND ? message_matches(o, a) : message_matches(a, o))
            return true;
    }
    return false;
}

static void need_message(struct judgement *j, const struct awaited *a, struct need *need)
{
    const struct member_list *c = a->comm < j->s->comms.n ? &j->s->comms.at[a->comm] : NULL;
    int32_t one = a->peer;
    bool any = a->peer == AWAIT_ANY, unknown = a->peer == AWAIT_UNKNOWN || (any && !c);
    size_t n = any && c ? c->n : 1;
    need->rank = memory_alloc((n + 1) * sizeof *need->rank);
    if (a->what == AWAIT_RECEIVE && is_sent(j, a))
        return;
    for (size_t m = 0; m < n && !unknown; m++) {
        int32_t rank = any ? c->member[m] : one;
        if (rank < 0 || (size_t)rank >= j->s->n_ranks) {
            unknown = true;
        } else if (is_posted(j, a, rank)) {
            return;
        } else if (!any || n == 1 || rank != a->rank) {
            need->rank[need->n++] = rank;
        }
    }
    need->kind = unknown ? NEED_UNKNOWN : any ? NEED_ONE : NEED_ALL;
    if (unknown)
        need->n = 0;
}

static void find_needs(struct judgement *j)
{
    size_t last = JUDGE_NONE; /* a large collective: one list serves all that wait alike */
    for (size_t i = 0; i < j->s->awaited.n; i++) {
        const struct awaited *a = &j->s->awaited.at[i];
        struct need *need = &j->need[i];
        bool alike =
            a->what == AWAIT_COLLECTIVE && a->shape == SHAPE_ALL && !is_lost(j->s, a->rank);
        if (alike && last != JUDGE_NONE && same_collective(a, &j->s->awaited.at[last])) {
            *need = j->need[last];
            need->shared = true;
        } else if (a->what == AWAIT_COLLECTIVE) {
            need_collective(j, a, need);
            last = alike ? i : last;
        } else if (a->what == AWAIT_OTHER) {
            need->kind = NEED_UNKNOWN;
        } else {
            need_message(j, a, need);
        }
    }
}

/* --- who can act --- */

static bool can_complete(const struct judgement *j, const struct need *need)
{
    size_t able = 0;
    for (size_t i = 0; i < need->n; i++)
        able += j->free[need->rank[i]];
    return need->kind == NEED_NOTHING || need->kind == NEED_UNKNOWN ||
           (need->kind == NEED_ALL ? able == need->n : able > 0);
}

/* Whether PART of C is to be counted: a send that was posted may be complete already, if something
 * else explains why the call is open. */
static bool counts_part(const struct judgement *j, const struct open_call *c, size_t part)
{
    const struct awaited *a = &j->s->awaited.at[c->part[part]];
    if (c->any || a->what != AWAIT_SEND || !a->posted)
        return true;
    for (size_t i = 0; i < c->n; i++) {
        const struct awaited *o = &j->s->awaited.at[c->part[i]];
        if ((o->what != AWAIT_SEND || !o->posted) && j->need[c->part[i]].kind > NEED_UNKNOWN)
            return false;
    }
    return true;
}

static bool is_young(const struct situation *s, const struct open_call *c)
{
    return c->seconds >= 0 && c->seconds < s->settled;
}

static bool can_return(const struct judgement *j, const struct open_call *c)
{
    size_t able = 0, counted = 0;
    if (c->polls || !c->n || is_young(j->s, c))
        return true;
    for (size_t i = 0; i < c->n; i++)
        if (counts_part(j, c, i)) {
            counted++;
            able += can_complete(j, &j->need[c->part[i]]);
        }
    return c->any ? able > 0 : able == counted;
}

/* It cannot act as it is, whatever others do. */
static bool is_out(const struct situation *s, int32_t rank)
{
    return is_lost(s, rank) || s->state[rank] == RANK_FINISHED;
}

static void release(struct judgement *j)
{
    const struct situation *s = j->s;
    for (size_t r = 0; r < s->n_ranks; r++)
        j->free[r] = !is_out(s, (int32_t)r) && (j->first_call[r] == JUDGE_NONE || s->threads[r]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->calls.n; i++) {
            const struct open_call *c = &s->calls.at[i];
            if (!j->free[c->rank] && !is_out(s, c->rank) && can_return(j, c))
                j->free[c->rank] = changed = true;
        }
    }
}

static void add_edges(struct judgement *j, const struct open_call *c)
{
    for (size_t i = 0; i < c->n && !is_young(j->s, c); i++) {
        const struct need *need = &j->need[c->part[i]];
        for (size_t k = 0; k < need->n && counts_part(j, c, i); k++)
            *PUSH(&j->edges) = (struct wait_edge){c->part[i], need->rank[k]};
    }
}

static void find_edges(struct judgement *j)
{
    const struct situation *s = j->s;
    j->first_edge = memory_alloc((s->n_ranks + 2) * sizeof *j->first_edge);
    for (size_t r = 0; r < s->n_ranks; r++) {
        j->first_edge[r] = j->edges.n;
        for (size_t c = j->first_call[r]; c != JUDGE_NONE && !is_out(s, (int32_t)r);
             c = j->next_call[c])
            add_edges(j, &s->calls.at[c]);
    }
    j->first_edge[s->n_ranks] = j->edges.n;
    PUSH(&j->edges); /* so that there is an array */
}

/* --- components that wait for nothing else --- */

/* Tarjan's algorithm. Among stuck ranks only, or among all. */
struct component_search {
    const struct judgement *j;
    bool stuck;
    uint32_t *number, *low, next; /* 0: not seen yet */
    int32_t *stack;
    size_t depth;
    bool *on_stack;
    void (*found)(struct component_search *t, const int32_t *rank, size_t n);
    struct verdict *best;
    size_t best_waiting;
};

static bool is_node(const struct component_search *t, size_t rank)
{
    return !t->stuck || !t->j->free[rank];
}

static void visit(struct component_search *t, size_t rank)
{
    bool sink = true;
    t->number[rank] = t->low[rank] = ++t->next;
    t->stack[t->depth++] = (int32_t)rank;
    t->on_stack[rank] = true;
    EACH_EDGE(e, t->j, rank)
    {
        size_t to = (size_t)e->to;
        if (!is_node(t, to))
            continue;
        if (!t->number[to])
            visit(t, to);
        if (t->on_stack[to] && t->low[to] < t->low[rank])
            t->low[rank] = t->low[to];
    }
    if (t->low[rank] < t->number[rank])
        return;
    size_t first = t->depth;
    while ((size_t)t->stack[first - 1] != rank)
        first--;
    const int32_t *members = &t->stack[first - 1];
    size_t n = t->depth - (first - 1);
    for (size_t i = 0; i < n && sink; i++)
        EACH_EDGE(e, t->j, members[i])
    sink = sink && (!is_node(t, (size_t)e->to) ||
                    (t->on_stack[e->to] && t->number[e->to] >= t->number[rank]));
    for (size_t i = 0; i < n; i++)
        t->on_stack[members[i]] = false;
    t->depth -= n;
    if (sink)
        t->found(t, members, n);
}

/* --- what a component is --- */

static bool is_in(const int32_t *rank, size_t n, int32_t r)
{
    for (size_t i = 0; i < n; i++)
        if (rank[i] == r)
            return true;
    return false;
}

/* Two that disagree about one collective, the first of it in the core. */
static bool find_mismatch(const struct judgement *j, struct verdict *v)
{
    for (size_t i = 0; i < j->n_collectives; i++)
        for (size_t k = i + 1;
             k < j->n_collectives && j->collective[k]->comm == j->collective[i]->comm &&
             j->collective[k]->sequence == j->collective[i]->sequence;
             k++) {
            const struct awaited *a = j->collective[i], *b = j->collective[k];
            bool a_in = is_in(v->core, v->n, a->rank), b_in = is_in(v->core, v->n, b->rank);
            if (awaited_agree(a, b) || (!a_in && !b_in))
                continue;
            v->first = a_in ? a : b;
            v->second = a_in ? b : a;
            return true;
        }
    return false;
}

/* Whether messages of M are left that no receive of theirs is posted for. */
static bool is_unclaimed(const struct judgement *j, const struct message_count *m)
{
    uint64_t posted = 0;
    for (size_t i = j->first_awaited[m->to]; i != JUDGE_NONE; i = j->next_awaited[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        posted += o->what == AWAIT_RECEIVE && count_matches(o, m);
    }
    return m->sent > m->received && m->sent - m->received > posted;
}

/* The message, sent to the rank that waits for A and not received, that is most like A. */
static const struct message_count *nearest(const struct judgement *j, const struct awaited *a)
{
    const struct situation *s = j->s;
    const struct message_count *best = NULL;
    int best_alike = 0;
    for (size_t i = 0; i < s->counts.n; i++) {
        const struct message_count *m = &s->counts.at[i];
        if (m->to != a->rank || count_matches(a, m) || !is_unclaimed(j, m))
            continue;
        int alike = 4 * (a->peer == AWAIT_ANY || m->from == a->peer) + 2 * (m->comm == a->comm) +
                    tag_matches(a->tag, m->tag);
        if (alike >= 3 && alike > best_alike) {
            best = m;
            best_alike = alike;
        }
    }
    return best;
}

/* A send to the rank that waits for A, from whom it waits for, that does not match it. */
static const struct awaited *other_send(const struct judgement *j, const struct awaited *a)
{
    for (size_t i = a->peer < 0 ? JUDGE_NONE : j->first_awaited[a->peer]; i != JUDGE_NONE;
         i = j->next_awaited[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        if (o->what == AWAIT_SEND && o->peer == a->rank && !is_posted(j, o, a->rank))
            return o;
    }
    return NULL;
}

static void classify_stuck(const struct judgement *j, struct verdict *v)
{
    const struct situation *s = j->s;
    const struct awaited *message = NULL, *collective = NULL, *other = NULL;
    bool self = false;
    if (find_mismatch(j, v)) {
        v->kind = VERDICT_MISMATCH;
        v->proven = v->proven && !agree_in_kind(v->first, v->second);
        return;
    }
    for (size_t r = 0; r < v->n; r++)
        EACH_EDGE(e, j, v->core[r])
        {
            const struct awaited *a = &s->awaited.at[e->part];
            self = self || e->to == a->rank;
            if (a->what == AWAIT_COLLECTIVE) {
                other = collective && collective->comm != a->comm && !other ? a : other;
                collective = collective ? collective : a;
                continue;
            }
            const struct message_count *near =
                a->what == AWAIT_RECEIVE && !v->near ? nearest(j, a) : NULL;
            const struct awaited *unlike =
                a->what == AWAIT_RECEIVE && !v->second ? other_send(j, a) : NULL;
            if (near || (unlike && !v->near) || !message ||
                (message->what == AWAIT_SEND && a->what == AWAIT_RECEIVE && !v->near))
                message = a;
            v->near = near ? near : v->near;
            v->second = unlike ? unlike : v->second;
        }
    v->kind = message && (collective || v->near || v->second || self) ? VERDICT_UNMATCHED
              : message                                               ? VERDICT_CYCLE
              : other                                                 ? VERDICT_CROSSED
                                                                      : VERDICT_MISMATCH;
    v->first = message ? message : collective;
    if (v->kind == VERDICT_UNMATCHED) { /* of a component these two are at fault */
        bool two = message->peer >= 0 && message->peer != message->rank;
        v->n = two ? 2 : 1;
        v->core[0] = two && message->peer < message->rank ? message->peer : message->rank;
        v->core[1] = two && message->peer > message->rank ? message->peer : message->rank;
    }
    if (!message)
        v->second = other;
    for (size_t i = 0; v->kind == VERDICT_MISMATCH && !v->second && i < s->awaited.n; i++)
        if (s->awaited.at[i].what == AWAIT_COLLECTIVE && s->awaited.at[i].comm == v->first->comm &&
            s->awaited.at[i].sequence != v->first->sequence &&
            is_in(v->core, v->n, s->awaited.at[i].rank))
            v->second = &s->awaited.at[i];
}

/* What makes others wait for a rank that is finished, gone or not seen. */
static const struct awaited *awaited_from(const struct judgement *j, int32_t rank)
{
    const struct awaited *found = NULL;
    for (size_t r = 0; r < j->s->n_ranks; r++)
        EACH_EDGE(e, j, r)
    if (e->to == rank && (!found || (found->what == AWAIT_COLLECTIVE &&
                                     j->s->awaited.at[e->part].what != AWAIT_COLLECTIVE)))
        found = &j->s->awaited.at[e->part];
    return found;
}

/* Whether it is certain that nothing is under way: of calls whose duration is unknown only the
 * counts can tell. */
static bool is_certain(const struct judgement *j, const struct verdict *v)
{
    for (size_t r = 0; r < v->n; r++)
        for (size_t c = j->first_call[v->core[r]]; c != JUDGE_NONE; c = j->next_call[c]) {
            const struct open_call *call = &j->s->calls.at[c];
            for (size_t i = 0; call->seconds < 0 && i < call->n; i++)
                if (j->s->awaited.at[call->part[i]].what == AWAIT_SEND ||
                    (j->s->awaited.at[call->part[i]].what == AWAIT_RECEIVE && !j->s->counted))
                    return false;
        }
    return true;
}

static void classify_one(const struct judgement *j, struct verdict *v)
{
    const struct situation *s = j->s;
    const int32_t rank = v->core[0];
    size_t c = j->first_call[rank];
    v->first = awaited_from(j, rank);
    if (s->state[rank] == RANK_GONE)
        v->kind = VERDICT_GONE;
    else if (s->state[rank] == RANK_STOPPED)
        v->kind = VERDICT_STOPPED;
    else if (s->state[rank] == RANK_FINISHED)
        v->kind = !v->first                            ? VERDICT_MOVING
                  : v->first->what == AWAIT_COLLECTIVE ? VERDICT_MISSING
                                                       : VERDICT_UNMATCHED;
    else if (!v->first)
        v->kind = VERDICT_MOVING;
    else if (s->state[rank] == RANK_UNSEEN)
        v->kind = VERDICT_MISSING;
    else if (c == JUDGE_NONE)
        v->kind = VERDICT_COMPUTES;
    else if (s->calls.at[c].polls)
        v->kind = is_young(s, &s->calls.at[c]) ? VERDICT_MOVING : VERDICT_POLLING;
    else if (is_young(s, &s->calls.at[c]))
        v->kind = VERDICT_MOVING;
    else
        v->kind = s->calls.at[c].n && j->need[s->calls.at[c].part[0]].kind == NEED_UNKNOWN
                      ? VERDICT_MISSING
                      : VERDICT_MOVING;
    const struct awaited *other = s->state[rank] == RANK_FINISHED && v->kind == VERDICT_MISSING
                                      ? collective_of(j, v->first, rank)
                                      : NULL;
    if (other) { /* it took part in another one of that number, and went on */
        v->kind = VERDICT_MISMATCH;
        v->second = other;
        v->proven = v->proven && !agree_in_kind(v->first, other);
    }
    if (s->state[rank] == RANK_FINISHED && v->first)
        v->near = v->first->what == AWAIT_RECEIVE ? nearest(j, v->first) : NULL;
}

static int by_value(const void *a, const void *b)
{
    return ORDER(*(const int32_t *)a, *(const int32_t *)b);
}

static void find_waiting(const struct judgement *j, struct verdict *v)
{
    v->waits = memory_alloc((j->s->n_ranks + 1) * sizeof *v->waits);
    for (size_t i = 0; i < v->n; i++)
        v->waits[v->core[i]] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t r = 0; r < j->s->n_ranks; r++)
            EACH_EDGE(e, j, r)
        if (!v->waits[r] && v->waits[e->to])
            v->waits[r] = changed = true;
    }
    for (size_t i = 0; i < v->n; i++)
        v->waits[v->core[i]] = false;
    for (size_t r = 0; r < j->s->n_ranks; r++)
        v->n_waiting += v->waits[r];
}

static bool waits_for_itself(const struct judgement *j, int32_t rank)
{
    EACH_EDGE(e, j, rank)
    if (e->to == rank)
        return true;
    return false;
}

static bool any_polls(const struct judgement *j, const struct verdict *v)
{
    for (size_t r = 0; r < v->n; r++)
        for (size_t c = j->first_call[v->core[r]]; c != JUDGE_NONE; c = j->next_call[c])
            if (j->s->calls.at[c].polls)
                return true;
    return false;
}

/* A component that waits for nothing else: is it said before the best so far? */
static void judge_component(struct component_search *t, const int32_t *rank, size_t n)
{
    const struct judgement *j = t->j;
    struct verdict *v = memory_alloc(sizeof *v);
    v->core = memory_alloc((n + 1) * sizeof *v->core);
    v->n = n;
    memcpy(v->core, rank, n * sizeof *v->core);
    qsort(v->core, n, sizeof *v->core, by_value);
    v->proven = t->stuck && is_certain(j, v);
    if (!t->stuck && any_polls(j, v) && (n > 1 || waits_for_itself(j, rank[0])))
        v->kind = VERDICT_POLLING;
    else if (n > 1 || waits_for_itself(j, rank[0]))
        classify_stuck(j, v);
    else
        classify_one(j, v);
    if (v->kind != VERDICT_MOVING)
        find_waiting(j, v);
    /* Of several the same happened to: those are one verdict. */
    if (t->best && v->kind == t->best->kind && v->kind <= VERDICT_STOPPED) {
        t->best->core = realloc(t->best->core, (t->best->n + n) * sizeof *v->core);
        if (!t->best->core)
            memory_out();
        memcpy(&t->best->core[t->best->n], v->core, n * sizeof *v->core);
        t->best->n += n;
        qsort(t->best->core, t->best->n, sizeof *v->core, by_value);
        t->best->first = t->best->first ? t->best->first : v->first;
    } else if (v->kind != VERDICT_MOVING &&
               (!t->best || v->kind < t->best->kind ||
                (v->kind == t->best->kind && v->n_waiting > t->best->n_waiting))) {
        struct verdict *worse = t->best;
        t->best = v;
        v = worse;
    }
    verdict_free(v);
}

static struct verdict *find_component(const struct judgement *j, bool stuck)
{
    size_t n = j->s->n_ranks;
    struct component_search t = {.j = j,
                                 .stuck = stuck,
                                 .number = memory_alloc((n + 1) * sizeof *t.number),
                                 .low = memory_alloc((n + 1) * sizeof *t.low),
                                 .stack = memory_alloc((n + 1) * sizeof *t.stack),
                                 .on_stack = memory_alloc(n + 1),
                                 .found = judge_component};
    for (size_t r = 0; r < n; r++)
        if (!t.number[r] && is_node(&t, r))
            visit(&t, r);
    free(t.number);
    free(t.low);
    free(t.stack);
    free(t.on_stack);
    return t.best;
}

/* --- all of it --- */

static void chain(size_t **first, size_t **next, size_t ranks, size_t n)
{
    *first = memory_alloc((ranks + 1) * sizeof **first);
    *next = memory_alloc((n + 1) * sizeof **next);
    for (size_t i = 0; i < ranks; i++)
        (*first)[i] = JUDGE_NONE;
}

static void judgement_begin(struct judgement *j, const struct situation *s)
{
    *j = (struct judgement){.s = s};
    j->need = memory_alloc((s->awaited.n + 1) * sizeof *j->need);
    j->free = memory_alloc(s->n_ranks + 1);
    j->collective = memory_alloc((s->awaited.n + s->left.n + 1) * sizeof *j->collective);
    chain(&j->first_awaited, &j->next_awaited, s->n_ranks, s->awaited.n);
    chain(&j->first_call, &j->next_call, s->n_ranks, s->calls.n);
    for (size_t i = s->awaited.n; i-- > 0;) {
        const struct awaited *a = &s->awaited.at[i];
        j->next_awaited[i] = j->first_awaited[a->rank];
        j->first_awaited[a->rank] = i;
        if (a->what == AWAIT_COLLECTIVE)
            j->collective[j->n_collectives++] = a;
    }
    for (size_t i = 0; i < s->left.n; i++)
        j->collective[j->n_collectives++] = &s->left.at[i];
    if (j->n_collectives)
        qsort(j->collective, j->n_collectives, sizeof *j->collective, by_number);
    for (size_t i = s->calls.n; i-- > 0;) {
        j->next_call[i] = j->first_call[s->calls.at[i].rank];
        j->first_call[s->calls.at[i].rank] = i;
    }
}

static void judgement_end(struct judgement *j)
{
    for (size_t i = 0; i < j->s->awaited.n; i++)
        if (!j->need[i].shared)
            free(j->need[i].rank);
    free(j->need);
    free(j->collective);
    free(j->first_awaited);
    free(j->next_awaited);
    free(j->first_call);
    free(j->next_call);
    free(j->free);
    free(j->edges.at);
    free(j->first_edge);
}

/* Whether all ranks are in calls, for long. */
static bool all_wait(const struct judgement *j)
{
    for (size_t r = 0; r < j->s->n_ranks; r++)
        if (j->first_call[r] == JUDGE_NONE && !is_out(j->s, (int32_t)r))
            return false;
    for (size_t i = 0; i < j->s->calls.n; i++)
        if (j->s->calls.at[i].seconds < j->s->settled)
            return false;
    return j->s->calls.n > 0;
}

/* No rank waits for another: those that poll without an answer. */
static struct verdict *judge_rest(const struct judgement *j)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->kind = VERDICT_MOVING;
    v->core = memory_alloc((j->s->calls.n + 1) * sizeof *v->core);
    v->waits = memory_alloc(j->s->n_ranks + 1);
    for (size_t i = 0; i < j->s->calls.n; i++) {
        const struct open_call *c = &j->s->calls.at[i];
        if (c->polls && c->seconds >= 0 && !is_young(j->s, c) && !is_in(v->core, v->n, c->rank))
            v->core[v->n++] = c->rank;
    }
    if (v->n)
        v->kind = VERDICT_POLLING;
    else if (all_wait(j))
        v->kind = VERDICT_UNKNOWN;
    for (size_t i = 0; v->kind == VERDICT_UNKNOWN && i < j->s->calls.n; i++)
        if (!is_in(v->core, v->n, j->s->calls.at[i].rank))
            v->core[v->n++] = j->s->calls.at[i].rank;
    qsort(v->core, v->n, sizeof *v->core, by_value);
    return v;
}

/* Two that disagree will never go on, whomever they wait for at the moment: NULL, or that. */
static struct verdict *judge_disagreement(const struct judgement *j)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->core = memory_alloc((j->s->calls.n + 2) * sizeof *v->core);
    for (size_t i = 0; i < j->s->calls.n; i++)
        v->core[v->n++] = j->s->calls.at[i].rank;
    if (!find_mismatch(j, v) || agree_in_kind(v->first, v->second)) {
        verdict_free(v);
        return NULL;
    }
    v->kind = VERDICT_MISMATCH;
    v->n = 2;
    v->core[0] = v->first->rank < v->second->rank ? v->first->rank : v->second->rank;
    v->core[1] = v->first->rank < v->second->rank ? v->second->rank : v->first->rank;
    find_waiting(j, v);
    return v;
}

struct verdict *verdict_of(const struct situation *s)
{
    struct judgement j;
    judgement_begin(&j, s);
    find_needs(&j);
    find_edges(&j);
    release(&j);
    struct verdict *v = find_component(&j, true);
    if (!v)
        v = find_component(&j, false);
    if (!v)
        v = judge_rest(&j);
    struct verdict *other = v->kind > VERDICT_MISMATCH ? judge_disagreement(&j) : NULL;
    if (other) {
        verdict_free(v);
        v = other;
    }
    judgement_end(&j);
    return v;
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    free(v->core);
    free(v->waits);
    free(v);
}
