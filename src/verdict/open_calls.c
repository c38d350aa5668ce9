#include "verdict/open_calls.h"

#include "base/quote.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds call site I of the record to R->s->names, with its innermost frame only. */
static uint32_t first_frame(struct reading *r, uint32_t i)
{
    const struct ledger_site *from = &r->g.l->sites[i];
    struct profile_site site = {.depth = 1};
    if (i == LEDGER_NO_SITE || !from->depth)
        return PROFILE_NONE;
    site.frame[0].module = module_row(&r->g, from->frame[0].module);
    site.frame[0].address = from->frame[0].address;
    return profile_add_site(r->s->names, &site);
}

/* As situation_find_comm(), but adds a communicator that is missing. ROW: its row in the record. */
static uint32_t add_comm(struct reading *r, uint64_t id, uint32_t row)
{
    const struct ledger_comm *from = &r->g.l->comms[row];
    const uint32_t i = situation_find_comm(r->s, id);
    if (i < r->s->comms.n)
        return i;
    struct profile_comm *name = PUSH(&r->s->names->comms);
    struct member_list *c = PUSH(&r->s->comms);
    *name = (struct profile_comm){.id = id};
    *c = (struct member_list){.id = id, .group = from->id, .lowest = UINT64_MAX};
    if (from->size > r->s->n_ranks)
        return i;
    c->n = name->size = from->size;
    if (from->created == 1) { /* otherwise several communicators share this row and its name */
        text_copy_part(name->name, sizeof name->name, from->name, sizeof from->name);
        quote_plain(name->name);
    }
    c->member = memory_alloc((c->n + 1) * sizeof *c->member);
    c->entered = memory_alloc((c->n + 1) * sizeof *c->entered);
    for (size_t m = 0; m < c->n; m++) {
        c->member[m] = from->flags & LEDGER_COMM_WORLD ? (int32_t)m : -1;
        c->entered[m] = -1;
    }
    return i;
}

/* Seconds from TICKS to now; negative if unknown. */
static double age_of(const struct reading *r, uint64_t ticks)
{
    const struct ledger_header *h = r->g.h;
    if (r->now < 0 || r->g.rate <= 0)
        return -1;
    double age =
        r->now - h->pair[0].seconds - (double)(int64_t)(ticks - h->pair[0].ticks) / r->g.rate;
    return age > 0 ? age : 0;
}

/* Whether O is a collective: a rank cannot leave it, or know its result, without the others. */
static bool is_collective(const struct profile_operation *o)
{
    return o->family == FAMILY_COLLECTIVE || o->family == FAMILY_ICOLLECTIVE ||
           (o->family == FAMILY_COMM &&
            !text_has_word("MPI_Comm_create_group MPI_Comm_free MPI_Comm_disconnect", o->name));
}

/* Whether a call may need any rank. For windows and files the record has no communicator;
 * MPI_Comm_create_group is excluded: the record has no group, and most ranks may be no members. */
static bool may_need_all(const char *name)
{
    const bool alone = (strstr(name, "read") || strstr(name, "write") || strstr(name, "_get_") ||
                        text_has_word("MPI_File_delete MPI_File_seek", name)) &&
                       !strstr(name, "_all") && !strstr(name, "_ordered");
    return !strncmp(name, "MPI_Win_", 8) || (!strncmp(name, "MPI_File_", 9) && !alone) ||
           text_has_word("MPI_Finalize MPI_Comm_disconnect", name);
}

/* Whether NAME accepts MPI_IN_PLACE: then the byte count of an open call may be wrong. */
static bool may_be_in_place(const char *name)
{
    return strstr(name, "ather") || strstr(name, "Alltoall") || strstr(name, "MPI_Scatter");
}

/* On an intercommunicator, C's peer is a rank in the other group; in the result, ranks of the
 * second group are counted after those of the first. */
struct awaited open_calls_awaited(struct reading *r, const struct ledger_call *c, bool sends)
{
    const uint32_t operation = operation_row(&r->g, c->operation);
    const struct profile_operation *o = &r->s->names->operations.at[operation];
    const struct ledger_comm *comm = &r->g.l->comms[c->comm];
    const bool known = c->comm_id && c->comm != LEDGER_NO_COMM, both = o->family == FAMILY_SENDRECV,
               send = both ? sends : strstr(o->name, "end") != NULL,
               receive = both ? !sends : strstr(o->name, "ecv") || o->family == FAMILY_PROBE,
               two_groups = known && comm->flags & LEDGER_COMM_INTER;
    const int32_t peer = sends ? c->to : c->peer, tag = sends ? c->to_tag : c->tag,
                  before = two_groups && comm->rank < comm->first ? (int32_t)comm->first : 0;
    struct awaited a = {.what = may_need_all(o->name) ? AWAIT_ALL : AWAIT_OTHER};
    if (known && is_collective(o)) {
        const bool unknown = c->since && may_be_in_place(o->name);
        a = awaited_collective(o->name, two_groups, c->root,
                               unknown ? JUDGE_UNKNOWN_BYTES : c->bytes);
        a.sequence = c->sequence;
    } else if (known && c->peer != INT32_MIN && send != receive) {
        a.what = send ? AWAIT_SEND : AWAIT_RECEIVE;
        a.peer = peer < 0                               ? AWAIT_ANY
                 : peer + before >= (int32_t)comm->size ? AWAIT_INVALID
                                                        : peer + before;
        a.tag = tag < 0 ? AWAIT_ANY : tag;
    }
    if (a.what <= AWAIT_COLLECTIVE)
        a.comm = add_comm(r, c->comm_id, c->comm);
    if (a.what == AWAIT_COLLECTIVE && a.sequence < r->s->comms.at[a.comm].lowest)
        r->s->comms.at[a.comm].lowest = a.sequence;
    a.rank = r->g.h->rank;
    a.name = operation;
    a.site = first_frame(r, c->site);
    return a;
}

COMPARISON(by_post, struct awaited, ORDER(x->posted, y->posted))

static bool is_open(const struct ledger_request *q, uint32_t n, uint32_t i)
{
    bool open = q[i].posted && q[i].active;
    for (uint32_t k = 0; k < n && open; k++) /* MPI reuses the handles of complete requests */
        open = k == i || !q[k].posted || !q[k].active || q[k].handle != q[i].handle;
    return open;
}

/* Adds the open requests in the order of posting. MOST_REQUESTS bounds the time, since is_open()
 * compares each request with all others. */
enum { MOST_REQUESTS = 4096 };
static void add_requests(struct reading *r)
{
    struct situation *s = r->s;
    const struct ledger_request *q = r->g.l->requests;
    uint32_t n = count_of(r->g.l, LEDGER_REQUESTS);
    n = n < MOST_REQUESTS ? n : MOST_REQUESTS;
    r->first = s->awaited.n;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_open(q, n, i))
            continue;
        struct awaited a = open_calls_awaited(
            r, &(struct ledger_call){CALL_OF(&q[i]), .peer = q[i].peer, .tag = q[i].tag}, false);
        a.posted = q[i].posted;
        a.request = q[i].handle;
        *PUSH(&s->awaited) = a;
    }
    if (s->awaited.n > r->first)
        qsort(s->awaited.at + r->first, s->awaited.n - r->first, sizeof *s->awaited.at, by_post);
}

static bool is_named(const struct ledger_call *c, uint64_t request)
{
    const size_t most = sizeof c->request / sizeof *c->request;
    bool found = false;
    for (size_t i = 0; i < c->n_requests && i < most; i++)
        found = found || c->request[i] == request;
    return found;
}

/* Longest time (s) of a returned call of C's operation and call site; 0: none has returned. */
static double longest_before(const struct reading *r, const struct ledger_call *c)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_ENTRIES); i++) {
        const struct ledger_entry *e = &r->g.l->entries[i];
        if (e->operation == c->operation && e->site == c->site && e->max_ns > longest)
            longest = e->max_ns;
    }
    return (double)longest / 1e9;
}

/* Adds C, a thread's open call or its last call, a poll. A polling rank waits for all its open
 * requests and for what it probes; its waiting starts at the last successful poll. */
static void add_call(struct reading *r, const struct ledger_call *c)
{
    /* calls that only start an operation wait for no rank */
    const uint32_t starting = 1u << FAMILY_ICOLLECTIVE | 1u << FAMILY_ISEND | 1u << FAMILY_IRECV |
                              1u << FAMILY_INIT_REQUEST;
    struct situation *s = r->s;
    struct awaited own[2];
    const uint32_t operation = operation_row(&r->g, c->operation);
    const struct profile_operation *o = &s->names->operations.at[operation];
    const size_t requests = s->awaited.n;
    const bool polling = profile_operation_polls(o->name),
               waits = o->family == FAMILY_COMPLETION && !strncmp(o->name, "MPI_Wait", 8);
    size_t n = o->family == FAMILY_PROBE || !(polling || waits);
    own[0] = open_calls_awaited(r, c, false);
    if (1u << o->family & starting && own[0].peer != AWAIT_INVALID)
        own[0].what = AWAIT_OTHER;
    if (o->family == FAMILY_SENDRECV) {
        own[n] = open_calls_awaited(r, c, true);
        own[n++].posted = true;
    }
    struct open_call *call = situation_call(s, r->g.h->rank, own, n);
    call->since = c->since;
    /* MPI_Finalize may take any time: it is unknown how long processes take to end. */
    call->longest = o->family == FAMILY_LIFECYCLE ? INFINITY : longest_before(r, c);
    call->any = text_has_word("MPI_Waitany MPI_Waitsome", o->name);
    call->polls = polling;
    call->seconds = !polling ? age_of(r, c->since) : c->progress ? age_of(r, c->progress) : -1;
    for (size_t i = r->first; (polling || waits) && i < requests; i++)
        if (s->awaited.at[i].request && (polling || is_named(c, s->awaited.at[i].request)))
            *PUSH(&call->parts) = i;
    if (waits && (!call->parts.n || c->n_requests > sizeof c->request / sizeof *c->request)) {
        *PUSH(&call->parts) = s->awaited.n;
        *PUSH(&s->awaited) = own[0];
    }
}

/* Adds MPI_Init as the open call: until it returns, the record has no calls. */
static void add_init(struct reading *r)
{
    struct awaited a = {.what = AWAIT_INIT, .site = PROFILE_NONE};
    a.name = profile_add_operation(r->s->names, "MPI_Init", FAMILY_LIFECYCLE);
    struct open_call *call = situation_call(r->s, r->g.h->rank, &a, 1);
    r->s->rank[r->g.h->rank].operation = a.name;
    call->since = 1;
    call->longest = INFINITY; /* it is unknown how long processes take to start */
    call->seconds = r->now < 0 ? -1 : r->now - r->g.h->pair[0].seconds;
}

void open_calls_add(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct situation *s = r->s;
    struct rank_view *rank = &s->rank[h->rank];
    const struct ledger_call *last = NULL, *open = NULL;
    if (!count_of(r->g.l, LEDGER_OPERATIONS)) {
        add_init(r);
        return;
    }
    add_requests(r);
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_CALLS); i++) {
        const struct ledger_call *c = &r->g.l->calls[i];
        if (!c->thread)
            continue;
        last = !last || c->progress > last->progress ? c : last;
        if (c->since && (!open || c->since < open->since))
            open = c;
    }
    rank->outside = !open;
    if (open) {
        add_call(r, open);
        if (!strcmp(r->g.l->operations[open->operation].name, "MPI_Finalize"))
            rank->state = RANK_FINISHED;
    }
    /* A record on another host may be out of date, so other threads are possible. */
    rank->threads = h->threads_at_once || rank->unseen;
    rank->seconds = h->last_ticks ? age_of(r, h->last_ticks) : -1;
    last = open ? open : last;
    if (!last)
        return;
    rank->operation = operation_row(&r->g, last->operation);
    rank->site = first_frame(r, last->site);
    if (!open && profile_operation_polls(s->names->operations.at[rank->operation].name) &&
        !h->threads_at_once && rank->seconds >= 0 && rank->seconds < s->settled) {
        rank->threads = false;
        add_call(r, last);
    }
}
