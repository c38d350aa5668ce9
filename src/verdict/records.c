#include "verdict/records.h"

#include "base/clock.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "profile/gather.h"
#include "profile/records.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One rank's record. */
struct reading {
    struct evidence *e;
    struct gather g;
    double now; /* of this host's clock, or when the process ended; negative: unknown */
    /* By position of a communicator: what its members are called, and the lowest number of a
     * collective that is open there. */
    ARRAY(uint64_t) known;
    ARRAY(uint32_t) lowest;
};

/* --- names --- */

/* Of a call site the innermost frame is enough. */
static uint32_t first_frame(struct reading *r, uint32_t i)
{
    const struct ledger_site *from = &r->g.l->sites[i];
    struct profile_site site = {.depth = 1};
    if (i == LEDGER_NO_SITE || !from->depth)
        return PROFILE_NONE;
    site.frame[0].module = module_of(&r->g, from->frame[0].module);
    site.frame[0].address = from->frame[0].address;
    return profile_add_site(r->e->names, &site);
}

/* The position of the communicator ID in the situation, of which the record has ROW, or
 * LEDGER_NO_COMM. */
static uint32_t comm_in(struct reading *r, uint64_t id, uint32_t row)
{
    struct situation *s = r->e->s;
    struct profile *names = r->e->names;
    const struct ledger_comm *from = &r->g.l->comms[row];
    uint32_t i = 0;
    while (i < names->comms.n && names->comms.at[i].id != id)
        i++;
    if (i == names->comms.n) {
        *PUSH(&names->comms) = (struct profile_comm){.id = id};
        *PUSH(&r->known) = 0;
        *PUSH(&r->lowest) = UINT32_MAX;
        PUSH(&s->comms);
    }
    if (row == LEDGER_NO_COMM)
        return i;
    struct member_list *c = &s->comms.at[i];
    r->known.at[i] = from->id;
    if (!c->n && from->size <= s->n_ranks) {
        names->comms.at[i].size = from->size;
        if (from->created == 1) { /* others share the row and its name */
            text_copy_part(names->comms.at[i].name, sizeof names->comms.at[i].name, from->name,
                           sizeof from->name);
            quote_plain(names->comms.at[i].name);
        }
        c->n = from->size;
        c->member = memory_alloc((c->n + 1) * sizeof *c->member);
        c->entered = memory_alloc((c->n + 1) * sizeof *c->entered);
        for (size_t m = 0; m < c->n; m++) {
            c->member[m] = from->flags & LEDGER_COMM_WORLD ? (int32_t)m : -1;
            c->entered[m] = -1;
        }
    }
    return i;
}

/* --- one rank's open calls --- */

/* Seconds from TICKS to now; negative: unknown. */
static double age_of(const struct reading *r, uint64_t ticks)
{
    const struct ledger_header *h = r->g.h;
    if (r->now < 0 || r->g.rate <= 0)
        return -1;
    double age =
        r->now - h->pair[0].seconds - (double)(int64_t)(ticks - h->pair[0].ticks) / r->g.rate;
    return age > 0 ? age : 0;
}

static bool starts_with(const char *name, const char *const *list)
{
    while (*list && strncmp(name, *list, strlen(*list)) != 0)
        list++;
    return *list != NULL;
}

static bool polls(const char *name)
{
    static const char *const list[] = {
        "MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived", NULL};
    return starts_with(name, list);
}

/* These all members leave only after all have entered. */
static bool makes_communicator(const char *name)
{
    static const char *const list[] = {"MPI_Comm_dup",
                                       "MPI_Comm_create",
                                       "MPI_Comm_split",
                                       "MPI_Comm_dup_with_info",
                                       "MPI_Comm_split_type",
                                       "MPI_Dist_graph_create",
                                       "MPI_Cart_create",
                                       "MPI_Dist_graph_create_adjacent",
                                       "MPI_Graph_create",
                                       "MPI_Cart_sub",
                                       NULL};
    return text_is_one_of(name, list);
}

/* PEER's rank in MPI_COMM_WORLD becomes known with the records of all: until then it is the one in
 * the communicator, where the ranks of a second group come behind those of the first. */
static struct awaited message(struct reading *r, enum awaited_what what, uint64_t id, uint32_t row,
                              int32_t peer, int32_t tag)
{
    const struct ledger_comm *c = &r->g.l->comms[row];
    if (!id || row == LEDGER_NO_COMM || peer == INT32_MIN)
        return (struct awaited){.what = AWAIT_OTHER};
    bool second = peer >= 0 && c->flags & LEDGER_COMM_INTER && c->rank < c->first;
    return (struct awaited){.what = what,
                            .comm = comm_in(r, id, row),
                            .peer = peer < 0 ? AWAIT_ANY : peer + (second ? (int32_t)c->first : 0),
                            .tag = tag < 0 ? AWAIT_ANY : tag};
}

static struct awaited collective(struct reading *r, uint32_t operation, uint64_t id, uint32_t row,
                                 uint32_t sequence, int32_t root, uint64_t bytes)
{
    if (!id || row == LEDGER_NO_COMM)
        return (struct awaited){.what = AWAIT_OTHER};
    struct awaited a =
        awaited_collective(r->e->names->operations.at[operation].name,
                           r->g.l->comms[row].flags & LEDGER_COMM_INTER, root, bytes);
    a.comm = comm_in(r, id, row);
    a.sequence = sequence;
    return a;
}

static struct awaited request(struct reading *r, const struct ledger_request *q)
{
    uint32_t operation = operation_of(&r->g, q->operation);
    const struct profile_operation *o = &r->e->names->operations.at[operation];
    bool receive = strstr(o->name, "ecv"), send = strstr(o->name, "end");
    struct awaited a = {.what = AWAIT_OTHER};
    if (o->family == FAMILY_ICOLLECTIVE)
        a = collective(r, operation, q->comm_id, q->comm, q->sequence, q->root, q->bytes);
    else if (receive != send)
        a = message(r, send ? AWAIT_SEND : AWAIT_RECEIVE, q->comm_id, q->comm, q->peer, q->tag);
    a.posted = true;
    a.name = operation;
    a.site = first_frame(r, q->site);
    a.rank = r->g.h->rank;
    return a;
}

static int by_post(const void *a, const void *b, void *requests)
{
    const struct ledger_request *q = requests;
    return ORDER(q[*(const uint32_t *)a].posted, q[*(const uint32_t *)b].posted);
}

static bool is_open(const struct ledger_request *q, uint32_t n, uint32_t i)
{
    bool open = q[i].posted && q[i].active;
    for (uint32_t k = 0; k < n && open; k++) /* of several with one handle all are done */
        open = k == i || !q[k].posted || !q[k].active || q[k].handle != q[i].handle;
    return open;
}

/* Requests that are open, in the order in which they were posted; AT[i]: the position in the
 * situation of the i-th row, or JUDGE_NONE. */
static void add_requests(struct reading *r, size_t *at)
{
    uint32_t n = count_of(r->g.l, LEDGER_REQUESTS), open = 0;
    uint32_t *order = memory_alloc((n + 1) * sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = JUDGE_NONE;
        if (is_open(r->g.l->requests, n, i))
            order[open++] = i;
    }
    qsort_r(order, open, sizeof *order, by_post, r->g.l->requests);
    for (uint32_t i = 0; i < open; i++) {
        struct awaited a = request(r, &r->g.l->requests[order[i]]);
        at[order[i]] = r->e->s->awaited.n;
        *PUSH(&r->e->s->awaited) = a;
    }
    free(order);
}

/* The call C, which waits for the N things A of its own. */
static struct open_call *add_call(struct reading *r, const struct ledger_call *c, struct awaited *a,
                                  size_t n)
{
    uint32_t operation = operation_of(&r->g, c->operation), site = first_frame(r, c->site);
    for (size_t i = 0; i < n; i++) {
        a[i].name = operation;
        a[i].site = site;
    }
    struct open_call *call = situation_call(r->e->s, r->g.h->rank, a, n);
    call->name = operation;
    call->site = site;
    call->since = c->since;
    call->seconds = age_of(r, c->since);
    return call;
}

/* A call that waits for requests: for those of C, or for ALL that are open. */
static void add_completion(struct reading *r, const struct ledger_call *c, const size_t *at,
                           bool all)
{
    enum { MOST = sizeof c->request / sizeof *c->request };
    uint32_t rows = count_of(r->g.l, LEDGER_REQUESTS);
    uint64_t named = all ? 0 : c->n_requests < MOST ? c->n_requests : MOST;
    size_t *part = memory_alloc((rows + MOST + 2) * sizeof *part), n = 0;
    for (uint32_t k = 0; k < rows; k++) {
        bool wanted = all;
        for (uint64_t i = 0; i < named; i++)
            wanted = wanted || r->g.l->requests[k].handle == c->request[i];
        if (wanted && at[k] != JUDGE_NONE)
            part[n++] = at[k];
    }
    bool unknown = !all && (c->n_requests > MOST || !n);
    struct open_call *call = add_call(r, c, &(struct awaited){.what = AWAIT_OTHER}, unknown);
    if (unknown)
        part[n++] = *call->part;
    free(call->part);
    call->part = part;
    call->n = n;
}

static void add_open(struct reading *r, const struct ledger_call *c, const size_t *at)
{
    uint32_t operation = operation_of(&r->g, c->operation);
    const struct profile_operation *o = &r->e->names->operations.at[operation];
    struct awaited a[2] = {{.what = AWAIT_OTHER}};
    size_t n = 1;
    bool send = o->family == FAMILY_SEND;
    if (o->family == FAMILY_COMPLETION && !strncmp(o->name, "MPI_Wait", 8)) {
        bool any = !strcmp(o->name, "MPI_Waitany") || !strcmp(o->name, "MPI_Waitsome");
        add_completion(r, c, at, false);
        r->e->s->calls.at[r->e->s->calls.n - 1].any = any;
        return;
    }
    if (o->family == FAMILY_RECV || o->family == FAMILY_PROBE || o->family == FAMILY_SENDRECV ||
        send)
        a[0] = message(r, send ? AWAIT_SEND : AWAIT_RECEIVE, c->comm_id, c->comm, c->peer, c->tag);
    else if (o->family == FAMILY_COLLECTIVE)
        a[0] = collective(r, operation, c->comm_id, c->comm, c->sequence, c->root, c->bytes);
    else if (o->family == FAMILY_COMM && makes_communicator(o->name))
        a[0] =
            collective(r, operation, c->comm_id, c->comm, JUDGE_NO_NUMBER, -1, JUDGE_UNKNOWN_BYTES);
    if (o->family == FAMILY_SENDRECV) {
        a[n] = message(r, AWAIT_SEND, c->comm_id, c->comm, c->to, c->to_tag);
        a[n++].posted = true;
    }
    bool asks = polls(o->name);
    add_call(r, c, a, n)->polls = asks;
}

/* A rank that asks for ever is outside of MPI most of the time: what it waits for are its open
 * requests. */
static void add_polling(struct reading *r, const struct ledger_call *c, const size_t *at)
{
    add_completion(r, c, at, true);
    struct open_call *call = &r->e->s->calls.at[r->e->s->calls.n - 1];
    call->polls = true;
    call->seconds = c->progress ? age_of(r, c->progress) : -1;
}

static void add_calls(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct situation *s = r->e->s;
    struct evidence_rank *rank = &r->e->rank[h->rank];
    const struct ledger_call *last = NULL;
    size_t *at = memory_alloc((count_of(r->g.l, LEDGER_REQUESTS) + 1) * sizeof *at);
    add_requests(r, at);
    rank->outside = true;
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_CALLS); i++) {
        const struct ledger_call *c = &r->g.l->calls[i];
        if (!c->thread)
            continue;
        last = !last || c->progress > last->progress ? c : last;
        rank->outside = rank->outside && !c->since;
        if (c->since && !strcmp(r->g.l->operations[c->operation].name, "MPI_Finalize"))
            s->state[h->rank] = RANK_FINISHED;
        else if (c->since)
            add_open(r, c, at);
    }
    /* The state of a record that another host writes may be an old one. */
    s->threads[h->rank] = h->threads_at_once || (rank->other_host && rank->state == LEDGER_RUNNING);
    rank->seconds = h->last_ticks ? age_of(r, h->last_ticks) : -1;
    if (last && rank->outside) {
        rank->operation = operation_of(&r->g, last->operation);
        rank->site = first_frame(r, last->site);
        if (polls(r->e->names->operations.at[rank->operation].name) && !h->threads_at_once &&
            rank->seconds >= 0 && rank->seconds < s->settled) {
            s->threads[h->rank] = false;
            add_polling(r, last, at);
        }
    }
    free(at);
}

/* --- messages --- */

static int by_channel(const void *a, const void *b)
{
    const struct message_count *x = a, *y = b;
    return ORDER(x->comm, y->comm) ?: ORDER(x->from, y->from) ?: ORDER(x->to, y->to)
               ?: ORDER(x->tag, y->tag);
}

static void add_messages(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct situation *s = r->e->s;
    s->counted = s->counted && !h->section[LEDGER_MESSAGES].dropped && !h->started_late &&
                 !h->untracked_requests;
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_MESSAGES); i++) {
        const struct ledger_messages *m = &r->g.l->messages[i];
        int32_t peer = (int32_t)m->peer;
        bool known = m->peer < s->n_ranks;
        s->counted = s->counted && known;
        if (known)
            *PUSH(&s->counts) =
                (struct message_count){.comm = comm_in(r, m->comm_id, LEDGER_NO_COMM),
                                       .from = m->received ? peer : h->rank,
                                       .to = m->received ? h->rank : peer,
                                       .tag = m->tag,
                                       .sent = m->received ? 0 : m->n,
                                       .received = m->received ? m->n : 0};
    }
}

/* Both ends of a channel become one row; what has arrived is of no interest. */
static void merge_messages(struct situation *s)
{
    size_t kept = 0;
    if (s->counts.n)
        qsort(s->counts.at, s->counts.n, sizeof *s->counts.at, by_channel);
    for (size_t i = 0, next; i < s->counts.n; i = next) {
        struct message_count sum = s->counts.at[i];
        for (next = i + 1; next < s->counts.n && !by_channel(&sum, &s->counts.at[next]); next++) {
            sum.sent += s->counts.at[next].sent;
            sum.received += s->counts.at[next].received;
        }
        if (sum.sent != sum.received)
            s->counts.at[kept++] = sum;
    }
    s->counts.n = kept;
}

/* --- processes --- */

/* By what /proc says. */
static enum rank_state state_of(int64_t pid)
{
    char text[1024], letter = *input_process((pid_t)pid, text);
    return letter == 'T' || letter == 't' ? RANK_STOPPED
           : letter == 'D'                ? RANK_SYSTEM_CALL
           : letter == 'S'                ? RANK_SLEEPING
                                          : RANK_RUNNING;
}

/* By a signal with which a launcher or a person ends all ranks, whatever they are in. */
static bool was_asked_to_end(const struct evidence_rank *r)
{
    static const int32_t list[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};
    bool found = false;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        found = found || r->state_detail == list[i];
    return found && (r->state == LEDGER_SIGNALLED || r->state == LEDGER_HANDLED);
}

/* Which processes are gone. Where all have ended each was as it is in the records, unless one has
 * ended by itself. */
static void find_gone(struct evidence *e)
{
    bool asked = false;
    for (size_t i = 0; i < e->s->n_ranks; i++) {
        e->live = e->live || e->rank[i].alive;
        asked = asked || was_asked_to_end(&e->rank[i]);
    }
    for (size_t i = 0; i < e->s->n_ranks; i++) {
        const struct evidence_rank *r = &e->rank[i];
        bool in_records = r->state == LEDGER_RUNNING ? r->other_host || !(e->live || asked)
                                                     : was_asked_to_end(r) && !e->live;
        if (e->s->state[i] != RANK_UNSEEN && r->state != LEDGER_FINALIZED && !r->alive &&
            !in_records)
            e->s->state[i] = RANK_GONE;
    }
}

/* --- all of it --- */

enum {
    NAMES = 1u << LEDGER_OPERATIONS | 1u << LEDGER_TEXTS | 1u << LEDGER_MODULES |
            1u << LEDGER_SITES | 1u << LEDGER_COMMS,
    CALLS = NAMES | 1u << LEDGER_CALLS | 1u << LEDGER_REQUESTS | 1u << LEDGER_MESSAGES,
    MEMBERS = NAMES | 1u << LEDGER_INSTANCES
};

static void read_calls(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct evidence_rank *rank = &r->e->rank[h->rank];
    char host[sizeof h->host] = "";
    gethostname(host, sizeof host - 1);
    *rank = (struct evidence_rank){.state = ledger_went_on(h) ? LEDGER_RUNNING : h->state,
                                   .state_detail = h->state_detail,
                                   .pid = h->pid,
                                   .other_host = strncmp(host, h->host, sizeof host) != 0,
                                   .operation = PROFILE_NONE,
                                   .site = PROFILE_NONE,
                                   .seconds = -1};
    rank->alive =
        ledger_is_alive(h) && (rank->state == LEDGER_RUNNING || rank->state == LEDGER_HANDLED ||
                               rank->state == LEDGER_FINALIZED);
    r->now = rank->alive ? clock_now() : rank->state == LEDGER_RUNNING ? -1 : h->pair[1].seconds;
    r->e->s->state[h->rank] = rank->state == LEDGER_FINALIZED ? RANK_FINISHED
                              : rank->alive                   ? state_of(h->pid)
                                                              : RANK_RUNNING;
    if (rank->state != LEDGER_FINALIZED)
        add_calls(r);
    add_messages(r);
}

/* What the record says about its rank in the communicators that calls are on; and collectives that
 * it has left, and that others may be in: they may disagree about them. */
static void read_members(struct reading *r)
{
    struct evidence *e = r->e;
    const struct ledger *l = r->g.l;
    for (uint32_t i = 0; i < e->names->comms.n; i++) {
        struct member_list *c = &e->s->comms.at[i];
        int64_t entered = -1;
        bool several = false, none = false;
        uint32_t rank = UINT32_MAX;
        for (uint32_t k = 1; c->n && k < count_of(l, LEDGER_COMMS); k++) {
            const struct ledger_comm *row = &l->comms[k];
            if (row->id != r->known.at[i])
                continue;
            rank = row->rank;
            several = several || row->created > 1;
            none = none || !row->last;
            if (row->last == e->names->comms.at[i].id)
                entered = row->entered;
        }
        if (rank >= c->n)
            continue;
        c->member[rank] = r->g.h->rank;
        c->entered[rank] = entered >= 0 ? entered : none && !several ? 0 : -1;
    }
    for (uint32_t i = 0, comm = 0; i < count_of(l, LEDGER_INSTANCES); i++) {
        const struct ledger_instance *x = &l->instances[i];
        if (comm >= e->names->comms.n || e->names->comms.at[comm].id != x->comm_id)
            for (comm = 0; comm < e->names->comms.n && e->names->comms.at[comm].id != x->comm_id;)
                comm++;
        if (comm == e->names->comms.n || x->sequence < r->lowest.at[comm])
            continue;
        uint32_t operation = operation_of(&r->g, x->operation);
        struct awaited a =
            collective(r, operation, x->comm_id, x->comm, x->sequence, x->root, x->bytes);
        a.rank = r->g.h->rank;
        a.name = operation;
        a.site = first_frame(r, x->site);
        if (a.what == AWAIT_COLLECTIVE)
            *PUSH(&e->s->left) = a;
    }
}

static void read_each(struct reading *r, struct records *records, uint32_t sections,
                      void (*read)(struct reading *r))
{
    for (size_t i = 0; i < records->list.n; i++) {
        struct ledger l;
        const char *fault =
            ledger_open_part(&l, records->directory, records->list.at[i].name, sections);
        if (fault) {
            if (sections == CALLS)
                records_remark(records, records->list.at[i].name, fault);
            continue;
        }
        r->g = gather_begin(r->e->names, &l);
        if ((size_t)l.header->rank < r->e->s->n_ranks)
            read(r);
        gather_end(&r->g);
        ledger_close(&l);
    }
}

static void find_lowest(struct reading *r)
{
    for (size_t i = 0; i < r->e->s->awaited.n; i++) {
        const struct awaited *a = &r->e->s->awaited.at[i];
        if (a->what == AWAIT_COLLECTIVE && a->sequence < r->lowest.at[a->comm])
            r->lowest.at[a->comm] = a->sequence;
    }
}

/* Ranks of communicators become ranks of MPI_COMM_WORLD. */
static void translate(struct situation *s)
{
    for (size_t i = 0; i < s->awaited.n + s->left.n; i++) {
        struct awaited *a = i < s->awaited.n ? &s->awaited.at[i] : &s->left.at[i - s->awaited.n];
        const struct member_list *c = a->what == AWAIT_OTHER ? NULL : &s->comms.at[a->comm];
        int32_t *rank = a->what == AWAIT_COLLECTIVE ? &a->root : &a->peer;
        if (!c || *rank < 0)
            continue;
        int32_t world = (size_t)*rank < c->n ? c->member[*rank] : -1;
        *rank = world >= 0 ? world : a->what == AWAIT_COLLECTIVE ? -1 : AWAIT_UNKNOWN;
    }
}

static struct evidence *read_all(struct records *records, double settled)
{
    struct evidence *e = memory_alloc(sizeof *e);
    struct reading r = {.e = e};
    size_t size = 0;
    for (size_t i = 0; i < records->list.n; i++)
        if (records->list.at[i].header.size > (int32_t)size)
            size = (size_t)records->list.at[i].header.size;
    e->names = profile_new();
    e->rank = memory_alloc((size + 1) * sizeof *e->rank);
    e->s = situation_new(size);
    e->s->settled = settled;
    e->s->counted = true;
    for (size_t i = 0; i < size; i++)
        e->s->state[i] = RANK_UNSEEN;
    read_each(&r, records, CALLS, read_calls);
    for (size_t i = 0; i < size; i++)
        e->s->counted = e->s->counted && e->s->state[i] != RANK_UNSEEN;
    find_lowest(&r);
    read_each(&r, records, MEMBERS, read_members);
    translate(e->s);
    merge_messages(e->s);
    find_gone(e);
    free(r.known.at);
    free(r.lowest.at);
    return e;
}

static struct evidence *evidence_read(const char *directory, double settled)
{
    struct records records;
    struct evidence *e = NULL;
    if (!records_open(&records, directory))
        return NULL;
    records_find(&records);
    if (records.list.n)
        e = read_all(&records, settled);
    for (size_t i = 0; e && i < records.remarks.n; i++)
        profile_warn(e->names, "%s", records.remarks.at[i]);
    if (!e || !e->s->n_ranks) {
        reason_give("%s: no record rank-*.ledger that can be read%s%s", directory,
                    records.remarks.n ? ": " : "", records.remarks.n ? records.remarks.at[0] : "");
        evidence_free(e);
        e = NULL;
    }
    records_close(&records);
    return e;
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    situation_free(e->s);
    profile_free(e->names);
    free(e->rank);
    free(e);
}

/* A call that is not the same as BEFORE may return. Polls are judged by their progress. */
static void settle(struct situation *s, const struct situation *before)
{
    for (size_t i = 0; i < s->calls.n; i++) {
        bool same = s->calls.at[i].polls;
        for (size_t k = 0; k < before->calls.n && !same; k++)
            same = before->calls.at[k].rank == s->calls.at[i].rank &&
                   before->calls.at[k].since == s->calls.at[i].since;
        if (!same)
            s->calls.at[i].seconds = 0;
    }
}

struct evidence *evidence_now(const char *directory, double settled)
{
    struct evidence *e = evidence_read(directory, settled);
    if (e && e->live) {
        struct evidence *before = e;
        nanosleep(&(struct timespec){0, 150000000}, NULL);
        e = evidence_read(directory, settled);
        if (e)
            settle(e->s, before->s);
        evidence_free(before);
    }
    return e;
}
