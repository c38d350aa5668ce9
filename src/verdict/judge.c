#include "verdict/judge.h"

#include "base/hash.h"
#include "base/names.h"

#include <stdio.h>
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
    char word[64];
    size_t n = strlen(name), from = !strncmp(name, "MPI_I", 5) ? 5 : n < 4 ? n : 4;
    n -= n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0;
    snprintf(word, sizeof word, " %.*s ", (int)(n - from), name + from);
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
    return agree_in_kind(a, b) && (a->bytes == b->bytes || a->bytes == JUDGE_UNKNOWN_BYTES ||
                                   b->bytes == JUDGE_UNKNOWN_BYTES);
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
};

/* The awaited PART needs the rank TO. */
struct wait_edge {
    size_t part;
    int32_t to;
};

/* The rows of each rank in the order of a table; JUDGE_NONE ends. */
struct chain {
    size_t *first, *next;
};

struct judgement {
    const struct situation *s;
    struct need *need;                 /* by position in s->awaited */
    const struct awaited **collective; /* open ones and left ones, by communicator and number */
    size_t n_collectives;
    struct chain awaited, calls;
    bool *free; /* by rank: it can act, now or later */
    ARRAY(struct wait_edge) edges;
    size_t *first_edge; /* of a rank; behind the last: their number */
};

static const struct open_call *first_call(const struct judgement *j, size_t rank)
{
    size_t i = j->calls.first[rank];
    return i == JUDGE_NONE ? NULL : &j->s->calls.at[i];
}

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
    found = bsearch(&k, j->collective, j->n_collectives, sizeof *j->collective, by_number);
    return found ? *found : NULL;
}

/* What it has entered and not left, it does no part of any more. */
static bool is_lost(const struct situation *s, int32_t rank)
{
    return s->state[rank] == RANK_STOPPED || s->state[rank] == RANK_GONE;
}

/* It cannot act as it is, whatever others do. */
static bool is_out(const struct situation *s, size_t rank)
{
    return is_lost(s, (int32_t)rank) || s->state[rank] == RANK_FINISHED;
}

enum entered { ENTERED, ENTERED_NOT, ENTERED_UNKNOWN };

static enum entered has_entered(const struct judgement *j, const struct awaited *a, size_t m)
{
    const struct situation *s = j->s;
    const struct member_list *c = &s->comms.at[a->comm];
    const struct awaited *e = c->member[m] < 0 ? NULL : collective_of(j, a, c->member[m]);
    if (e) {
        bool left = s->left.n && e >= s->left.at && e < s->left.at + s->left.n;
        return awaited_agree(a, e) && (left || !is_lost(s, e->rank)) ? ENTERED : ENTERED_NOT;
    }
    if (c->member[m] >= 0 && a->sequence == JUDGE_NO_NUMBER)
        return ENTERED_NOT;
    if (c->member[m] < 0 || c->entered[m] < 0)
        return ENTERED_UNKNOWN;
    return c->entered[m] > (int64_t)a->sequence ? ENTERED : ENTERED_NOT;
}

/* The members that have not entered; of them those that A cannot do without. */
static void need_collective(struct judgement *j, const struct awaited *a, struct need *need)
{
    const struct member_list *c = &j->s->comms.at[a->comm];
    bool unknown = false, root_missing = false, below = true;
    size_t before = 0; /* missing members of lower rank come first */
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
    bool all = a->shape == SHAPE_ALL || (a->shape == SHAPE_TO_ROOT && a->root == a->rank);
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

/* Whether the receive R takes a message on COMM with TAG that FROM sends to TO. */
static bool takes(const struct awaited *r, uint32_t comm, int32_t from, int32_t to, int32_t tag)
{
    return r->what == AWAIT_RECEIVE && r->comm == comm && r->rank == to &&
           (r->peer == AWAIT_ANY || r->peer == from) && (r->tag == AWAIT_ANY || r->tag == tag);
}

static bool takes_counted(const struct awaited *r, const struct message_count *m)
{
    return takes(r, m->comm, m->from, m->to, m->tag);
}

static uint64_t unreceived(const struct message_count *m)
{
    return m->sent > m->received ? m->sent - m->received : 0;
}

/* Whether more messages were sent and not received than receives posted before R take: of those
 * with wildcards it is unknown what they take. */
static bool is_sent(const struct judgement *j, const struct awaited *r)
{
    uint64_t sent = 0, earlier = 0;
    for (size_t i = 0; i < j->s->counts.n; i++)
        if (takes_counted(r, &j->s->counts.at[i]))
            sent += unreceived(&j->s->counts.at[i]);
    for (size_t i = j->awaited.first[r->rank]; sent && i != JUDGE_NONE; i = j->awaited.next[i]) {
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
    size_t first = is_lost(j->s, rank) ? JUDGE_NONE : j->awaited.first[rank];
    for (size_t i = first; i != JUDGE_NONE; i = j->awaited.next[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        const struct awaited *send = a->what == AWAIT_SEND ? a : o, *receive = send == a ? o : a;
        if (send->what == AWAIT_SEND &&
            takes(receive, send->comm, send->rank, send->peer, send->tag))
            return true;
    }
    return false;
}

static void need_message(struct judgement *j, const struct awaited *a, struct need *need)
{
    const struct member_list *c = a->comm < j->s->comms.n ? &j->s->comms.at[a->comm] : NULL;
    bool any = a->peer == AWAIT_ANY, unknown = a->peer == AWAIT_UNKNOWN || (any && !c);
    size_t n = any && c ? c->n : 1;
    if (a->what == AWAIT_RECEIVE && is_sent(j, a))
        return;
    need->rank = memory_alloc((n + 1) * sizeof *need->rank);
    for (size_t m = 0; m < n && !unknown; m++) {
        int32_t rank = any ? c->member[m] : a->peer;
        unknown = rank < 0 || (size_t)rank >= j->s->n_ranks;
        if (!unknown && is_posted(j, a, rank)) {
            need->n = 0;
            return;
        }
        if (!unknown && (!any || n == 1 || rank != a->rank))
            need->rank[need->n++] = rank;
    }
    need->kind = unknown ? NEED_UNKNOWN : any ? NEED_ONE : NEED_ALL;
    need->n = unknown ? 0 : need->n;
}

static void find_needs(struct judgement *j)
{
    for (size_t i = 0; i < j->s->awaited.n; i++) {
        const struct awaited *a = &j->s->awaited.at[i];
        if (a->what == AWAIT_COLLECTIVE)
            need_collective(j, a, &j->need[i]);
        else if (a->what == AWAIT_OTHER)
            j->need[i].kind = NEED_UNKNOWN;
        else
            need_message(j, a, &j->need[i]);
    }
}

/* --- who can act --- */

static bool can_complete(const struct judgement *j, const struct need *need)
{
    size_t able = 0;
    for (size_t i = 0; i < need->n; i++)
        able += j->free[need->rank[i]];
    return need->kind <= NEED_UNKNOWN || (need->kind == NEED_ALL ? able == need->n : able > 0);
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
    for (size_t i = 0; i < c->n; i++)
        if (counts_part(j, c, i)) {
            counted++;
            able += can_complete(j, &j->need[c->part[i]]);
        }
    return c->polls || !c->n || is_young(j->s, c) || (c->any ? able > 0 : able == counted);
}

static void release(struct judgement *j)
{
    const struct situation *s = j->s;
    for (size_t r = 0; r < s->n_ranks; r++)
        j->free[r] = !is_out(s, r) && (!first_call(j, r) || s->threads[r]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->calls.n; i++) {
            const struct open_call *c = &s->calls.at[i];
            if (!j->free[c->rank] && !is_out(s, (size_t)c->rank) && can_return(j, c))
                j->free[c->rank] = changed = true;
        }
    }
}

static void find_edges(struct judgement *j)
{
    const struct situation *s = j->s;
    j->first_edge = memory_alloc((s->n_ranks + 2) * sizeof *j->first_edge);
    for (size_t r = 0; r < s->n_ranks; r++) {
        j->first_edge[r] = j->edges.n;
        size_t first = is_out(s, r) ? JUDGE_NONE : j->calls.first[r];
        for (size_t k = first; k != JUDGE_NONE; k = j->calls.next[k]) {
            const struct open_call *c = &s->calls.at[k];
            for (size_t i = 0; i < c->n && !is_young(s, c); i++) {
                const struct need *need = &j->need[c->part[i]];
                bool counted = counts_part(j, c, i);
                for (size_t n = 0; n < need->n && counted; n++)
                    *PUSH(&j->edges) = (struct wait_edge){c->part[i], need->rank[n]};
            }
        }
    }
    j->first_edge[s->n_ranks] = j->edges.n;
    PUSH(&j->edges); /* so that there is an array */
}

/* Those of RANK end where those of the next begin. */
static const struct wait_edge *edges_of(const struct judgement *j, int32_t rank)
{
    return &j->edges.at[j->first_edge[rank]];
}

/* --- what a component is --- */

static bool is_in(const int32_t *rank, size_t n, int32_t r)
{
    for (size_t i = 0; i < n; i++)
        if (rank[i] == r)
            return true;
    return false;
}

/* A verdict of KIND on the ranks that are IN; takes that over. */
static struct verdict *verdict_on(const struct judgement *j, bool *in, enum verdict_kind kind)
{
    struct verdict *v = memory_alloc(sizeof *v);
    v->kind = kind;
    v->core = memory_alloc((j->s->n_ranks + 2) * sizeof *v->core);
    for (size_t r = 0; r < j->s->n_ranks; r++)
        if (in[r])
            v->core[v->n++] = (int32_t)r;
    v->waits = in;
    return v;
}

static void set_core(struct verdict *v, int32_t one, int32_t other)
{
    v->core[0] = one < other ? one : other;
    v->core[1] = one < other ? other : one;
    v->n = one == other ? 1 : 2;
}

/* Two that disagree about one collective, the first of it in the core. */
static bool find_mismatch(const struct judgement *j, struct verdict *v)
{
    for (size_t i = 0; i < j->n_collectives; i++)
        for (size_t k = i + 1; k < j->n_collectives; k++) {
            const struct awaited *a = j->collective[i], *b = j->collective[k];
            if (b->comm != a->comm || b->sequence != a->sequence)
                break;
            if (awaited_agree(a, b))
                continue;
            bool a_in = is_in(v->core, v->n, a->rank);
            if (!a_in && !is_in(v->core, v->n, b->rank))
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
    for (size_t i = j->awaited.first[m->to]; i != JUDGE_NONE; i = j->awaited.next[i])
        posted += takes_counted(&j->s->awaited.at[i], m);
    return unreceived(m) > posted;
}

/* The message, sent to the rank that waits for A and not received, that is most like A. */
static const struct message_count *nearest(const struct judgement *j, const struct awaited *a)
{
    const struct message_count *best = NULL;
    int best_alike = 2; /* the sender, or the communicator and the tag */
    for (size_t i = 0; i < j->s->counts.n; i++) {
        const struct message_count *m = &j->s->counts.at[i];
        int alike = 4 * (a->peer == AWAIT_ANY || m->from == a->peer) + 2 * (m->comm == a->comm) +
                    (a->tag == AWAIT_ANY || a->tag == m->tag);
        if (m->to != a->rank || takes_counted(a, m) || alike <= best_alike || !is_unclaimed(j, m))
            continue;
        best = m;
        best_alike = alike;
    }
    return best;
}

/* Whether the rank that A waits for is in a send to it that A does not take. */
static bool is_sent_another(const struct judgement *j, const struct awaited *a)
{
    for (size_t i = a->peer < 0 ? JUDGE_NONE : j->awaited.first[a->peer]; i != JUDGE_NONE;
         i = j->awaited.next[i]) {
        const struct awaited *o = &j->s->awaited.at[i];
        if (o->what == AWAIT_SEND && o->peer == a->rank && !is_posted(j, o, a->rank))
            return true;
    }
    return false;
}

/* How much a message that is awaited says about why it does not come. */
enum evidence_of { OF_NOTHING, OF_SEND, OF_RECEIVE, OF_ANOTHER_SEND, OF_NEAREST };

static enum evidence_of weigh(const struct judgement *j, const struct awaited *a)
{
    return a->what != AWAIT_RECEIVE ? OF_SEND
           : nearest(j, a)          ? OF_NEAREST
           : is_sent_another(j, a)  ? OF_ANOTHER_SEND
                                    : OF_RECEIVE;
}

static void classify_stuck(const struct judgement *j, struct verdict *v)
{
    const struct awaited *message = NULL, *collective = NULL, *other = NULL;
    enum evidence_of best = OF_NOTHING, weight;
    if (find_mismatch(j, v)) {
        v->kind = VERDICT_MISMATCH;
        v->proven = v->proven && !agree_in_kind(v->first, v->second);
        return;
    }
    for (size_t r = 0; r < v->n; r++)
        for (const struct wait_edge *e = edges_of(j, v->core[r]); e < edges_of(j, v->core[r] + 1);
             e++) {
            const struct awaited *a = &j->s->awaited.at[e->part];
            if (a->what == AWAIT_COLLECTIVE) {
                collective = collective ? collective : a;
                if (a->comm != collective->comm ? !other || other->comm == collective->comm
                                                : !other && a->sequence != collective->sequence)
                    other = a;
            } else if (best < OF_NEAREST && (weight = weigh(j, a)) > best) {
                best = weight;
                message = a;
            }
        }
    v->first = message ? message : collective;
    v->second = message ? NULL : other;
    if (!message) {
        v->kind = other && other->comm != collective->comm ? VERDICT_CROSSED : VERDICT_MISMATCH;
    } else if (collective || best > OF_RECEIVE || message->peer == message->rank) {
        v->kind = VERDICT_UNMATCHED; /* of a component these two are at fault */
        v->near = best == OF_NEAREST ? nearest(j, message) : NULL;
        set_core(v, message->rank, message->peer < 0 ? message->rank : message->peer);
    } else {
        v->kind = VERDICT_CYCLE;
    }
}

/* What makes others wait for RANK: a message rather than a collective. */
static const struct awaited *awaited_from(const struct judgement *j, int32_t rank)
{
    const struct awaited *found = NULL;
    for (size_t i = 0; i + 1 < j->edges.n; i++) {
        const struct awaited *a = &j->s->awaited.at[j->edges.at[i].part];
        if (j->edges.at[i].to == rank &&
            (!found || (found->what == AWAIT_COLLECTIVE && a->what != AWAIT_COLLECTIVE)))
            found = a;
    }
    return found;
}

/* Whether it is certain that nothing is under way: of calls whose duration is unknown only the
 * counts can tell. */
static bool is_certain(const struct judgement *j, const struct verdict *v)
{
    for (size_t r = 0; r < v->n; r++)
        for (size_t k = j->calls.first[v->core[r]]; k != JUDGE_NONE; k = j->calls.next[k]) {
            const struct open_call *c = &j->s->calls.at[k];
            for (size_t i = 0; c->seconds < 0 && i < c->n; i++)
                if (j->s->awaited.at[c->part[i]].what == AWAIT_SEND ||
                    (j->s->awaited.at[c->part[i]].what == AWAIT_RECEIVE && !j->s->counted))
                    return false;
        }
    return true;
}

static void classify_one(const struct judgement *j, struct verdict *v)
{
    const enum rank_state state = j->s->state[v->core[0]];
    const struct open_call *c = first_call(j, (size_t)v->core[0]);
    v->first = awaited_from(j, v->core[0]);
    if (!v->first)
        return;
    if (state == RANK_FINISHED)
        v->kind = v->first->what == AWAIT_COLLECTIVE ? VERDICT_MISSING : VERDICT_UNMATCHED;
    else if (state == RANK_UNSEEN)
        v->kind = VERDICT_MISSING;
    else if (!c)
        v->kind = VERDICT_COMPUTES;
    else if (!is_young(j->s, c) && c->polls)
        v->kind = VERDICT_POLLING;
    else if (!is_young(j->s, c) && c->n && j->need[c->part[0]].kind == NEED_UNKNOWN)
        v->kind = VERDICT_MISSING;
    if (state != RANK_FINISHED)
        return;
    v->near = v->first->what == AWAIT_RECEIVE ? nearest(j, v->first) : NULL;
    v->second = v->kind == VERDICT_MISSING ? collective_of(j, v->first, v->core[0]) : NULL;
    if (v->second) { /* it took part in another one of that number, and went on */
        v->kind = VERDICT_MISMATCH;
        v->proven = v->proven && !agree_in_kind(v->first, v->second);
    }
}

/* Marks all that wait for the core, and only those. */
static void find_waiting(const struct judgement *j, struct verdict *v)
{
    memset(v->waits, 0, j->s->n_ranks * sizeof *v->waits);
    for (size_t i = 0; i < v->n; i++)
        v->waits[v->core[i]] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t r = 0; r < (int32_t)j->s->n_ranks; r++)
            for (const struct wait_edge *e = edges_of(j, r); !v->waits[r] && e < edges_of(j, r + 1);
                 e++)
                if (v->waits[e->to])
                    v->waits[r] = changed = true;
    }
    for (size_t i = 0; i < v->n; i++)
        v->waits[v->core[i]] = false;
    for (size_t r = 0; r < j->s->n_ranks; r++)
        v->n_waiting += v->waits[r];
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
    struct verdict *best;
};

static bool is_node(const struct component_search *t, int32_t rank)
{
    return !t->stuck || !t->j->free[rank];
}

/* The verdict on the component of the N ranks, if it is said before the best so far. */
static void judge_component(struct component_search *t, const int32_t *rank, size_t n)
{
    const struct judgement *j = t->j;
    bool circle = n > 1, polls = false, *in = memory_alloc(j->s->n_ranks + 1);
    for (size_t i = 0; i < n; i++)
        in[rank[i]] = true;
    for (const struct wait_edge *e = edges_of(j, *rank); e < edges_of(j, *rank + 1); e++)
        circle = circle || e->to == *rank;
    for (size_t i = 0; i < j->s->calls.n; i++)
        polls = polls || (j->s->calls.at[i].polls && in[j->s->calls.at[i].rank]);
    struct verdict *v = verdict_on(j, in, VERDICT_MOVING), *less = v;
    v->proven = t->stuck && is_certain(j, v);
    if (!circle)
        classify_one(j, v);
    else if (polls && !t->stuck)
        v->kind = VERDICT_POLLING;
    else
        classify_stuck(j, v);
    if (v->kind != VERDICT_MOVING)
        find_waiting(j, v);
    if (v->kind != VERDICT_MOVING &&
        (!t->best || v->kind < t->best->kind ||
         (v->kind == t->best->kind && v->n_waiting > t->best->n_waiting))) {
        less = t->best;
        t->best = v;
    }
    verdict_free(less);
}

static void visit(struct component_search *t, int32_t rank)
{
    const struct judgement *j = t->j;
    bool sink = true;
    t->number[rank] = t->low[rank] = ++t->next;
    t->stack[t->depth++] = rank;
    t->on_stack[rank] = true;
    for (const struct wait_edge *e = edges_of(j, rank); e < edges_of(j, rank + 1); e++) {
        if (is_node(t, e->to) && !t->number[e->to])
            visit(t, e->to);
        if (t->on_stack[e->to] && t->low[e->to] < t->low[rank])
            t->low[rank] = t->low[e->to];
    }
    if (t->low[rank] < t->number[rank])
        return;
    size_t first = t->depth - 1;
    while (t->stack[first] != rank)
        first--;
    for (size_t i = first; i < t->depth; i++)
        for (const struct wait_edge *e = edges_of(j, t->stack[i]); e < edges_of(j, t->stack[i] + 1);
             e++)
            sink = sink && (!is_node(t, e->to) ||
                            (t->on_stack[e->to] && t->number[e->to] >= t->number[rank]));
    for (size_t i = first; i < t->depth; i++)
        t->on_stack[t->stack[i]] = false;
    if (sink)
        judge_component(t, &t->stack[first], t->depth - first);
    t->depth = first;
}

static struct verdict *find_component(const struct judgement *j, bool stuck)
{
    size_t n = j->s->n_ranks + 1;
    struct component_search t = {.j = j,
                                 .stuck = stuck,
                                 .number = memory_alloc(n * sizeof *t.number),
                                 .low = memory_alloc(n * sizeof *t.low),
                                 .stack = memory_alloc(n * sizeof *t.stack),
                                 .on_stack = memory_alloc(n)};
    for (int32_t r = 0; r < (int32_t)j->s->n_ranks; r++)
        if (!t.number[r] && is_node(&t, r))
            visit(&t, r);
    free(t.number);
    free(t.low);
    free(t.stack);
    free(t.on_stack);
    return t.best;
}

/* --- all of it --- */

/* Of N rows of SIZE bytes, each with its rank at FIRST_RANK + a multiple of that. */
static struct chain chain_of(size_t ranks, const int32_t *first_rank, size_t n, size_t size)
{
    struct chain c = {memory_alloc((ranks + 1) * sizeof *c.first),
                      memory_alloc((n + 1) * sizeof *c.next)};
    for (size_t i = 0; i < ranks; i++)
        c.first[i] = JUDGE_NONE;
    for (size_t i = n; i-- > 0;) {
        int32_t rank = *(const int32_t *)((const char *)first_rank + i * size);
        c.next[i] = c.first[rank];
        c.first[rank] = i;
    }
    return c;
}

static void judgement_begin(struct judgement *j, const struct situation *s)
{
    *j = (struct judgement){
        .s = s,
        .need = memory_alloc((s->awaited.n + 1) * sizeof *j->need),
        .free = memory_alloc(s->n_ranks + 1),
        .collective = memory_alloc((s->awaited.n + s->left.n + 1) * sizeof *j->collective),
        .awaited = chain_of(s->n_ranks, s->awaited.n ? &s->awaited.at->rank : NULL, s->awaited.n,
                            sizeof *s->awaited.at),
        .calls = chain_of(s->n_ranks, s->calls.n ? &s->calls.at->rank : NULL, s->calls.n,
                          sizeof *s->calls.at)};
    for (size_t i = 0; i < s->awaited.n; i++)
        if (s->awaited.at[i].what == AWAIT_COLLECTIVE)
            j->collective[j->n_collectives++] = &s->awaited.at[i];
    for (size_t i = 0; i < s->left.n; i++)
        j->collective[j->n_collectives++] = &s->left.at[i];
    qsort(j->collective, j->n_collectives, sizeof *j->collective, by_number);
    find_needs(j);
    find_edges(j);
    release(j);
}

static void judgement_end(struct judgement *j)
{
    for (size_t i = 0; i < j->s->awaited.n; i++)
        free(j->need[i].rank);
    free(j->need);
    free(j->collective);
    free(j->awaited.first);
    free(j->awaited.next);
    free(j->calls.first);
    free(j->calls.next);
    free(j->free);
    free(j->edges.at);
    free(j->first_edge);
}

/* All ranks in STATE are at fault; NULL: there is none. */
static struct verdict *judge_state(const struct judgement *j, enum rank_state state,
                                   enum verdict_kind kind)
{
    bool *in = memory_alloc(j->s->n_ranks + 1);
    for (size_t r = 0; r < j->s->n_ranks; r++)
        in[r] = j->s->state[r] == state;
    struct verdict *v = verdict_on(j, in, kind);
    v->proven = true;
    find_waiting(j, v);
    if (v->n)
        return v;
    verdict_free(v);
    return NULL;
}

/* No rank waits for another: those that poll without an answer; or all, if all are in calls for
 * long. */
static struct verdict *judge_rest(const struct judgement *j)
{
    const struct situation *s = j->s;
    bool *in = memory_alloc(s->n_ranks + 1), all = s->calls.n > 0, polling = false;
    for (size_t r = 0; r < s->n_ranks; r++)
        all = all && (first_call(j, r) || is_out(s, r));
    for (size_t i = 0; i < s->calls.n; i++) {
        const struct open_call *c = &s->calls.at[i];
        all = all && c->seconds >= s->settled;
        in[c->rank] = in[c->rank] || (c->polls && c->seconds >= s->settled);
        polling = polling || in[c->rank];
    }
    for (size_t r = 0; r < s->n_ranks && all && !polling; r++)
        in[r] = first_call(j, r);
    struct verdict *v = verdict_on(j, in,
                                   polling ? VERDICT_POLLING
                                   : all   ? VERDICT_UNKNOWN
                                           : VERDICT_MOVING);
    memset(v->waits, 0, s->n_ranks * sizeof *v->waits);
    return v;
}

/* Two that disagree will never go on, whomever they wait for at the moment: V, or that. */
static struct verdict *judge_disagreement(const struct judgement *j, struct verdict *v)
{
    bool *in = memory_alloc(j->s->n_ranks + 1);
    for (size_t r = 0; r < j->s->n_ranks; r++)
        in[r] = first_call(j, r);
    struct verdict *other = verdict_on(j, in, VERDICT_MISMATCH), *less = other;
    if (v->kind > VERDICT_MISMATCH && find_mismatch(j, other) &&
        !agree_in_kind(other->first, other->second)) {
        set_core(other, other->first->rank, other->second->rank);
        find_waiting(j, other);
        less = v;
        v = other;
    }
    verdict_free(less);
    return v;
}

struct verdict *verdict_of(const struct situation *s)
{
    struct judgement j;
    judgement_begin(&j, s);
    struct verdict *v = judge_state(&j, RANK_GONE, VERDICT_GONE);
    v = v ? v : judge_state(&j, RANK_STOPPED, VERDICT_STOPPED);
    v = v ? v : find_component(&j, true);
    v = v ? v : find_component(&j, false);
    v = v ? v : judge_rest(&j);
    v = judge_disagreement(&j, v);
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
