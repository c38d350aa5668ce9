#include "timeline/network.h"

#include "base/array.h"
#include "timeline/timeline.h"

#include <stdlib.h>

/* Events of some kinds in an order in which they can be found. */
struct list {
    uint32_t *at;
    size_t n;
};

struct net_search {
    const struct act *act;
    const struct timeline *t;
    const struct net *net;
    size_t m;
    int64_t error;
    uint32_t *end;       /* per event: where the end of this start was seen; TIMELINE_NONE */
    struct list starts;  /* by rank, call and kind */
    struct list polls;   /* by rank and end */
    struct list copies;  /* by rank and end */
    uint64_t *copied;    /* bytes of all copies before it in the list, and one more */
    struct net_row *row; /* one per start, act or copy, to be put together */
    struct carrier {
        uint32_t site, operation, by_site, by_operation;
    } * carrier;
    size_t rows, carriers;
};

static int by_number(const void *a, const void *b, void *nets)
{
    const struct net *net = nets, *x = &net[*(const uint32_t *)a], *y = &net[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->number, y->number) ?: ORDER(x->kind, y->kind);
}

static int by_call(const void *a, const void *b, void *nets)
{
    const struct net *net = nets, *x = &net[*(const uint32_t *)a], *y = &net[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->call_ns, y->call_ns) ?: ORDER(x->kind, y->kind);
}

static int by_end(const void *a, const void *b, void *nets)
{
    const struct net *net = nets, *x = &net[*(const uint32_t *)a], *y = &net[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->to_ns, y->to_ns);
}

static struct list list_of(const struct net_search *w, unsigned kinds,
                           int (*by)(const void *, const void *, void *))
{
    struct list l = {memory_alloc((w->m + 1) * sizeof *l.at), 0};
    for (size_t i = 0; i < w->m; i++)
        if (kinds >> w->net[i].kind & 1)
            l.at[l.n++] = (uint32_t)i;
    qsort_r(l.at, l.n, sizeof *l.at, by, (void *)w->net);
    return l;
}

/* The first position whose event is not before WANTED. */
static size_t position(const struct net_search *w, const struct list *l, const struct net *wanted,
                       int (*by)(const void *, const void *, void *))
{
    size_t low = 0, high = l->n;
    struct net pair[2] = {[1] = *wanted};
    const uint32_t first = 0, second = 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        pair[0] = w->net[l->at[middle]];
        if (by(&first, &second, pair) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum { STARTS = (1u << TRANSPORT_STARTS) - 1 };

static void find_ends(struct net_search *w)
{
    struct list l = list_of(w, STARTS | 1u << TRANSPORT_COMPLETED, by_number);
    w->end = memory_alloc((w->m + 1) * sizeof *w->end);
    for (size_t i = 0; i < w->m; i++)
        w->end[i] = w->net[i].at_once ? (uint32_t)i : TIMELINE_NONE;
    for (size_t i = 0; i + 1 < l.n; i++) {
        const struct net *a = &w->net[l.at[i]], *b = &w->net[l.at[i + 1]];
        if (a->kind < TRANSPORT_STARTS && b->kind == TRANSPORT_COMPLETED && a->rank == b->rank &&
            a->number == b->number)
            w->end[l.at[i]] = l.at[i + 1];
    }
    free(l.at);
}

/* What was started by the call of RANK that was entered at CALL, if that is one of KIND. */
static uint32_t start_in(const struct net_search *w, uint32_t rank, int64_t call, uint8_t kind)
{
    struct net wanted = {.rank = rank, .call_ns = call, .kind = kind};
    size_t i = position(w, &w->starts, &wanted, by_call), n = 0;
    for (size_t k = i; k < w->starts.n && n < 2; k++, n++) {
        const struct net *e = &w->net[w->starts.at[k]];
        if (e->rank != rank || e->call_ns != call || e->kind != kind)
            break;
    }
    return n == 1 ? w->starts.at[i] : TIMELINE_NONE;
}

/* Bytes that RANK copied out of other processes, or into them, between FROM and TO. */
static uint64_t copied(const struct net_search *w, uint32_t rank, int64_t from, int64_t to)
{
    struct net low = {.rank = rank, .to_ns = from}, high = {.rank = rank, .to_ns = to + 1};
    return w->copied[position(w, &w->copies, &high, by_end)] -
           w->copied[position(w, &w->copies, &low, by_end)];
}

enum protocol { UNKNOWN, EAGER, RENDEZVOUS };

/* Of the send S, whose message is the act SENT, if that is known. */
static enum protocol protocol_of(const struct net_search *w, uint32_t s, uint32_t sent)
{
    const struct net *start = &w->net[s];
    if (start->at_once)
        return EAGER;
    if (w->end[s] == TIMELINE_NONE || sent == TIMELINE_NONE || w->t->partner[sent] == TIMELINE_NONE)
        return UNKNOWN;
    const struct net *end = &w->net[w->end[s]];
    const struct act *receive = &w->act[w->t->partner[sent]];
    int64_t posted = receive->posted_ns;
    if (end->to_ns < posted - w->error)
        return EAGER;
    if (posted > start->to_ns + w->error && end->call_ns != NET_NO_CALL &&
        end->call_ns < posted - w->error)
        return RENDEZVOUS;
    uint32_t r = start_in(w, receive->rank, posted, TRANSPORT_RECEIVE);
    uint64_t bytes = w->act[sent].bytes;
    if (r == TIMELINE_NONE || w->end[r] == TIMELINE_NONE || !bytes)
        return UNKNOWN;
    bool fetched = copied(w, receive->rank, start->from_ns - w->error,
                          w->net[w->end[r]].to_ns + w->error) >= bytes;
    bool put = copied(w, start->rank, start->from_ns, end->to_ns) >= bytes;
    return fetched || put ? RENDEZVOUS : UNKNOWN;
}

/* When its rank began to look, where the message that was given away at HANDED was found. */
static bool found_at(const struct net_search *w, uint32_t r, enum protocol protocol, int64_t handed,
                     int64_t *looked)
{
    const struct net *start = &w->net[r], *by = NULL;
    const struct net *end = w->end[r] == TIMELINE_NONE ? NULL : &w->net[w->end[r]];
    if (protocol == EAGER && end && !start->at_once) {
        by = end;
    } else {
        struct net wanted = {.rank = start->rank, .to_ns = handed};
        size_t i = position(w, &w->polls, &wanted, by_end);
        if (i < w->polls.n && w->net[w->polls.at[i]].rank == start->rank)
            by = &w->net[w->polls.at[i]];
        if (end && (!by || by->from_ns > end->to_ns))
            by = end;
    }
    if (!by)
        return false;
    *looked = by->call_ns == NET_NO_CALL ? by->from_ns : by->call_ns;
    return true;
}

static struct net_row *new_row(struct net_search *w, const struct net *of)
{
    struct net_row *row = &w->row[w->rows++];
    *row = (struct net_row){.site = of->site, .operation = of->operation};
    return row;
}

static void row_of_start(struct net_search *w, uint32_t s)
{
    const struct net *start = &w->net[s];
    struct net_row *row = new_row(w, start);
    row->sends = start->kind == TRANSPORT_SEND;
    row->receives = start->kind == TRANSPORT_RECEIVE;
    if (w->end[s] == TIMELINE_NONE)
        return;
    const struct net *end = &w->net[w->end[s]];
    row->same_call = end->call_ns == start->call_ns && end->call_ns != NET_NO_CALL;
    row->outside = end->call_ns == NET_NO_CALL;
    row->other_call = !row->same_call && !row->outside;
    if (row->other_call)
        w->carrier[w->carriers++] =
            (struct carrier){start->site, start->operation, end->site, end->operation};
}

/* A message at both ends. */
static void rows_of_message(struct net_search *w, uint32_t sent, uint32_t s, uint64_t bytes)
{
    enum protocol protocol = protocol_of(w, s, sent);
    struct net_row *row = new_row(w, &w->net[s]);
    row->eager = protocol == EAGER;
    row->rendezvous = protocol == RENDEZVOUS;
    row->eager_max = protocol == EAGER ? bytes : 0;
    row->rendezvous_min = protocol == RENDEZVOUS ? bytes : 0;
    uint32_t received = sent == TIMELINE_NONE ? TIMELINE_NONE : w->t->partner[sent];
    if (received == TIMELINE_NONE || protocol == UNKNOWN)
        return;
    const struct act *a = &w->act[received];
    uint32_t r = start_in(w, a->rank, a->posted_ns, TRANSPORT_RECEIVE);
    int64_t looked, handed = w->net[s].to_ns;
    if (r == TIMELINE_NONE || !found_at(w, r, protocol, handed, &looked))
        return;
    row = new_row(w, &w->net[r]);
    row->lay = 1;
    row->lay_ns = looked - handed > w->error ? (uint64_t)(looked - handed) : 0;
}

static bool same_size(const struct net *start, const struct act *a)
{
    return start->bytes == TRANSPORT_UNKNOWN_BYTES || start->bytes == a->bytes;
}

static void rows_of_messages(struct net_search *w, size_t n, uint64_t *sends)
{
    bool *tied = memory_alloc(w->m + 1);
    for (size_t i = 0; i < n; i++) {
        const struct act *a = &w->act[i];
        if (a->kind != ACT_SEND && a->kind != ACT_POST)
            continue;
        uint32_t s = start_in(w, a->rank, a->entry_ns, TRANSPORT_SEND);
        if (s == TIMELINE_NONE || tied[s] || !same_size(&w->net[s], a))
            continue;
        tied[s] = true;
        *sends += act_is_numbered(a);
        rows_of_message(w, (uint32_t)i, s, a->bytes);
    }
    for (size_t k = 0; k < w->starts.n; k++) { /* inside of collectives, say */
        uint32_t s = w->starts.at[k];
        row_of_start(w, s);
        if (!tied[s] && w->net[s].kind == TRANSPORT_SEND)
            rows_of_message(w, TIMELINE_NONE, s,
                            w->net[s].bytes == TRANSPORT_UNKNOWN_BYTES ? 0 : w->net[s].bytes);
    }
    for (size_t i = 0; i < w->m; i++) {
        const struct net *e = &w->net[i];
        if (e->kind != TRANSPORT_COPY && e->kind != TRANSPORT_WROTE && e->kind != TRANSPORT_READ)
            continue;
        struct net_row *row = new_row(w, e);
        row->moved_bytes = e->bytes;
    }
    free(tied);
}

/* --- rows of one place become one --- */

static int by_place(const void *a, const void *b)
{
    const struct net_row *x = a, *y = b;
    return ORDER(x->operation, y->operation) ?: ORDER(x->site, y->site);
}

static int by_carrier(const void *a, const void *b)
{
    const struct carrier *x = a, *y = b;
    return ORDER(x->operation, y->operation)
               ?: ORDER(x->site, y->site)
               ?: ORDER(x->by_operation, y->by_operation)
               ?: ORDER(x->by_site, y->by_site);
}

static void add(struct net_row *to, const struct net_row *from)
{
    uint64_t least = to->rendezvous_min, other = from->rendezvous_min;
    to->rendezvous_min = !least || (other && other < least) ? other : least;
    if (from->eager_max > to->eager_max)
        to->eager_max = from->eager_max;
#define ADD(member) to->member += from->member;
    ADD(sends)
    ADD(eager)
    ADD(rendezvous)
    ADD(receives)
    ADD(lay)
    ADD(lay_ns)
    ADD(same_call)
    ADD(other_call)
    ADD(outside)
    ADD(moved_bytes)
#undef ADD
}

static void find_carriers(struct net_search *w, const struct net_found *f)
{
    qsort(w->carrier, w->carriers, sizeof *w->carrier, by_carrier);
    for (size_t i = 0, end; i < w->carriers; i = end) {
        const struct carrier *c = &w->carrier[i];
        for (end = i + 1; end < w->carriers && !by_carrier(c, &w->carrier[end]);)
            end++;
        struct net_row wanted = {.site = c->site, .operation = c->operation};
        struct net_row *row = bsearch(&wanted, f->rows, f->n_rows, sizeof *row, by_place);
        if (row && end - i > row->carried) {
            row->carried = end - i;
            row->carrier_site = c->by_site;
            row->carrier_operation = c->by_operation;
        }
    }
}

static void put_together(struct net_search *w, struct net_found *f)
{
    qsort(w->row, w->rows, sizeof *w->row, by_place);
    f->rows = w->row;
    for (size_t i = 0; i < w->rows; i++) {
        if (f->n_rows && !by_place(&f->rows[f->n_rows - 1], &w->row[i])) {
            add(&f->rows[f->n_rows - 1], &w->row[i]);
        } else {
            f->rows[f->n_rows] = w->row[i];
            f->rows[f->n_rows].carrier_site = TIMELINE_NONE;
            f->rows[f->n_rows++].carrier_operation = TIMELINE_NONE;
        }
    }
    find_carriers(w, f);
}

void net_find(struct net_found *f, const struct act *act, size_t n, const struct timeline *t,
              const struct net *net, size_t m, int64_t error_ns)
{
    struct net_search w = {.act = act, .t = t, .net = net, .m = m, .error = error_ns};
    *f = (struct net_found){0};
    find_ends(&w);
    w.starts = list_of(&w, STARTS, by_call);
    w.polls = list_of(&w, 1u << TRANSPORT_POLL, by_end);
    w.copies = list_of(&w, 1u << TRANSPORT_COPY, by_end);
    w.copied = memory_alloc((w.copies.n + 1) * sizeof *w.copied);
    for (size_t i = 0; i < w.copies.n; i++)
        w.copied[i + 1] = w.copied[i] + net[w.copies.at[i]].bytes;
    w.row = memory_alloc((3 * m + 1) * sizeof *w.row); /* a start: itself, its send, its receive */
    w.carrier = memory_alloc((m + 1) * sizeof *w.carrier);
    rows_of_messages(&w, n, &f->sends);
    put_together(&w, f);
    free(w.end);
    free(w.starts.at);
    free(w.polls.at);
    free(w.copies.at);
    free(w.copied);
    free(w.carrier);
}

void net_free(struct net_found *f)
{
    free(f->rows);
    *f = (struct net_found){0};
}
