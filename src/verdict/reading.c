#include "base/clock.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "document/json.h"
#include "profile/gather.h"
#include "profile/records.h"
#include "verdict/hosts.h"
#include "verdict/situation.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One rank's record, and the situation to which it is added. */
struct reading {
    struct situation *s;
    const struct hosts *hosts;
    struct gather g; /* into S->names */
    double now;      /* clock_now(), or the time when the process ended; negative if unknown */
    size_t first;    /* index of its first row in S->awaited */
};

/* A call site is represented by its innermost frame. */
static uint32_t first_frame(struct reading *r, uint32_t i)
{
    const struct ledger_site *from = &r->g.l->sites[i];
    struct profile_site site = {.depth = 1};
    if (i == LEDGER_NO_SITE || !from->depth)
        return PROFILE_NONE;
    site.frame[0].module = module_of(&r->g, from->frame[0].module);
    site.frame[0].address = from->frame[0].address;
    return profile_add_site(r->s->names, &site);
}

/* The index in S->comms of the communicator ID; S->comms.n if none. */
static uint32_t find_comm(const struct situation *s, uint64_t id)
{
    uint32_t i = 0;
    while (i < s->comms.n && s->comms.at[i].id != id)
        i++;
    return i;
}

/* As find_comm(), but adds it if it is new. ROW: its communicator in the record. */
static uint32_t add_comm(struct reading *r, uint64_t id, uint32_t row)
{
    const struct ledger_comm *from = &r->g.l->comms[row];
    const uint32_t i = find_comm(r->s, id);
    if (i < r->s->comms.n)
        return i;
    struct profile_comm *name = PUSH(&r->s->names->comms);
    struct member_list *c = PUSH(&r->s->comms);
    *name = (struct profile_comm){.id = id};
    *c = (struct member_list){.id = id, .group = from->id, .lowest = UINT64_MAX};
    if (from->size > r->s->n_ranks)
        return i;
    c->n = name->size = from->size;
    if (from->created == 1) { /* other communicators share the row and its name */
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

/* Whether all members must enter before one can leave, or at least before it can know the result.
 */
static bool is_collective(const struct profile_operation *o)
{
    return o->family == FAMILY_COLLECTIVE || o->family == FAMILY_ICOLLECTIVE ||
           (o->family == FAMILY_COMM &&
            !text_has_word("MPI_Comm_create_group MPI_Comm_free MPI_Comm_disconnect", o->name));
}

/* Whether a call may need any rank: the record has no communicator of windows and files. Of the
 * group of MPI_Comm_create_group it has nothing, and most ranks may be no members. */
static bool may_need_all(const char *name)
{
    const bool alone = (strstr(name, "read") || strstr(name, "write") || strstr(name, "_get_") ||
                        text_has_word("MPI_File_delete MPI_File_seek", name)) &&
                       !strstr(name, "_all") && !strstr(name, "_ordered");
    return !strncmp(name, "MPI_Win_", 8) || (!strncmp(name, "MPI_File_", 9) && !alone) ||
           text_has_word("MPI_Finalize MPI_Comm_disconnect", name);
}

/* Whether an open call of NAME may have been passed MPI_IN_PLACE instead of the number of bytes. */
static bool may_be_in_place(const char *name)
{
    return strstr(name, "ather") || strstr(name, "Alltoall") || strstr(name, "MPI_Scatter");
}

/* What call C waits for; for MPI_Sendrecv its receive, or (SENDS) its send. The peer is the rank in
 * the communicator until all records are read, then the world rank. In an intercommunicator, ranks
 * of the second group are counted after those of the first. */
static struct awaited awaited(struct reading *r, const struct ledger_call *c, bool sends)
{
    const uint32_t operation = operation_of(&r->g, c->operation);
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

static int by_post(const void *a, const void *b)
{
    return ORDER(((const struct awaited *)a)->posted, ((const struct awaited *)b)->posted);
}

static bool is_open(const struct ledger_request *q, uint32_t n, uint32_t i)
{
    bool open = q[i].posted && q[i].active;
    for (uint32_t k = 0; k < n && open; k++) /* of several with one handle all are complete */
        open = k == i || !q[k].posted || !q[k].active || q[k].handle != q[i].handle;
    return open;
}

/* Requests that are open, in the order in which they were posted; each is compared with all others.
 */
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
        struct awaited a = awaited(r,
                                   &(struct ledger_call){.comm_id = q[i].comm_id,
                                                         .comm = q[i].comm,
                                                         .bytes = q[i].bytes,
                                                         .operation = q[i].operation,
                                                         .site = q[i].site,
                                                         .sequence = q[i].sequence,
                                                         .peer = q[i].peer,
                                                         .tag = q[i].tag,
                                                         .root = q[i].root},
                                   false);
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

/* In s; 0: none has returned. */
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

/* Adds the call C of a thread, or its last one if that polls. A polling rank waits for all its open
 * requests and for what it probes; the time counts since its last success. */
static void add_call(struct reading *r, const struct ledger_call *c)
{
    /* They only start an operation, and wait for nobody. */
    const uint32_t starting = 1u << FAMILY_ICOLLECTIVE | 1u << FAMILY_ISEND | 1u << FAMILY_IRECV |
                              1u << FAMILY_INIT_REQUEST;
    struct situation *s = r->s;
    struct awaited own[2];
    const uint32_t operation = operation_of(&r->g, c->operation);
    const struct profile_operation *o = &s->names->operations.at[operation];
    const size_t requests = s->awaited.n;
    const bool polling = profile_operation_polls(o->name),
               waits = o->family == FAMILY_COMPLETION && !strncmp(o->name, "MPI_Wait", 8);
    size_t n = o->family == FAMILY_PROBE || !(polling || waits);
    own[0] = awaited(r, c, false);
    if (1u << o->family & starting && own[0].peer != AWAIT_INVALID)
        own[0].what = AWAIT_OTHER;
    if (o->family == FAMILY_SENDRECV) {
        own[n] = awaited(r, c, true);
        own[n++].posted = true;
    }
    struct open_call *call = situation_call(s, r->g.h->rank, own, n);
    call->since = c->since;
    /* How long processes take to end is unknown. */
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

/* Adds MPI_Init, in which nothing is recorded yet. */
static void add_init(struct reading *r)
{
    struct awaited a = {.what = AWAIT_INIT, .site = PROFILE_NONE};
    a.name = profile_add_operation(r->s->names, "MPI_Init", FAMILY_LIFECYCLE);
    struct open_call *call = situation_call(r->s, r->g.h->rank, &a, 1);
    r->s->rank[r->g.h->rank].operation = a.name;
    call->since = 1;
    call->longest = INFINITY; /* how long processes take to start is unknown */
    call->seconds = r->now < 0 ? -1 : r->now - r->g.h->pair[0].seconds;
}

/* Notes the first call that returned an error. */
static void add_failed(struct reading *r, struct rank_view *rank)
{
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_ENTRIES); i++) {
        const struct ledger_entry *e = &r->g.l->entries[i];
        if (e->errors && rank->failed == PROFILE_NONE) {
            rank->failed = operation_of(&r->g, e->operation);
            rank->failed_site = first_frame(r, e->site);
        }
    }
}

static void add_calls(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct situation *s = r->s;
    struct rank_view *rank = &s->rank[h->rank];
    const struct ledger_call *last = NULL, *open = NULL;
    if (!count_of(r->g.l, LEDGER_OPERATIONS)) {
        add_init(r);
        return;
    }
    add_failed(r, rank);
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
    /* A record written by another host may be out of date. */
    rank->threads = h->threads_at_once || rank->unseen;
    rank->seconds = h->last_ticks ? age_of(r, h->last_ticks) : -1;
    last = open ? open : last;
    if (!last)
        return;
    rank->operation = operation_of(&r->g, last->operation);
    rank->site = first_frame(r, last->site);
    if (!open && profile_operation_polls(s->names->operations.at[rank->operation].name) &&
        !h->threads_at_once && rank->seconds >= 0 && rank->seconds < s->settled) {
        rank->threads = false;
        add_call(r, last);
    }
}

/* Finds what was sent and not received, after all ranks were read. */
static void find_messages(struct situation *s)
{
    for (size_t i = 0; i < s->n_ranks; i++)
        s->counted = s->counted && s->rank[i].state != RANK_UNSEEN;
    for (size_t i = 0; i < s->names->balances.n; i++) {
        const struct profile_balance *b = &s->names->balances.at[i];
        const bool known = b->from < s->n_ranks && b->to < s->n_ranks;
        if (b->operation != PROFILE_NONE) /* requests */
            continue;
        s->counted = s->counted && known;
        if (known && b->sent > b->received)
            *PUSH(&s->sent) = (struct message_count){.comm = find_comm(s, b->comm_id),
                                                     .from = (int32_t)b->from,
                                                     .to = (int32_t)b->to,
                                                     .tag = b->tag,
                                                     .n = b->sent - b->received};
    }
}

/* What this host sees of its rank with the header H. */
static struct host_rank look(const struct ledger_header *h)
{
    char text[1024], letter = *input_process((pid_t)h->pid, text);
    return (struct host_rank){.now = clock_now(),
                              .state = letter == 'T' || letter == 't' ? RANK_STOPPED
                                       : letter == 'D'                ? RANK_SYSTEM_CALL
                                       : letter == 'S'                ? RANK_SLEEPING
                                                                      : RANK_RUNNING};
}

/* Whether it got a signal with which a launcher or a person ends all ranks, whatever they are
 * doing. */
static bool was_asked_to_end(const struct rank_view *r)
{
    const uint64_t asking = 1u << SIGTERM | 1u << SIGINT | 1u << SIGHUP | 1u << SIGQUIT |
                            1u << SIGXCPU | 1u << SIGUSR1 | 1u << SIGUSR2;
    return r->ended == LEDGER_SIGNALLED && r->detail > 0 && r->detail < 32 &&
           asking >> r->detail & 1;
}

/* Whether it is in a call that MPI has refused. By default MPI then ends the process. */
static bool was_refused(const struct situation *s, int32_t rank)
{
    const struct open_call *c = &s->rank[rank].call;
    return c->parts.n && s->awaited.at[c->parts.at[0]].peer == AWAIT_INVALID;
}

/* Finds processes that ended unexpectedly. If all have ended, states come from the records. Of one
 * that recorded no end, while others got a signal to end, it is then unknown whether it was killed
 * first: a busy process may be killed before it handles that signal. */
static void find_gone(struct situation *s)
{
    bool asked = false;
    for (size_t i = 0; i < s->n_ranks; i++) {
        s->live = s->live || s->rank[i].alive;
        s->unseen = s->unseen || s->rank[i].unseen;
        asked = asked || was_asked_to_end(&s->rank[i]);
    }
    for (int32_t i = 0; i < (int32_t)s->n_ranks; i++) {
        struct rank_view *r = &s->rank[i];
        if (!s->live && was_refused(s, i))
            r->ended = LEDGER_EXITED;
        const bool silent = r->ended == LEDGER_RUNNING,
                   in_records =
                       (silent && r->unseen) || (!s->live && (silent || was_asked_to_end(r)));
        if (r->state != RANK_UNSEEN && r->state != RANK_FINISHED && !r->alive && !in_records)
            r->state = RANK_GONE;
        r->killed = silent && r->outside && !s->live && !r->unseen && asked;
    }
}

enum {
    NAMES = 1u << LEDGER_OPERATIONS | 1u << LEDGER_TEXTS | 1u << LEDGER_MODULES |
            1u << LEDGER_REGIONS | 1u << LEDGER_SITES | 1u << LEDGER_COMMS | 1u << LEDGER_ENTRIES |
            1u << LEDGER_REQUESTS,
    CALLS = NAMES | 1u << LEDGER_CALLS | 1u << LEDGER_MESSAGES,
    MEMBERS = NAMES | 1u << LEDGER_INSTANCES
};

/* What the record says of the process, and what this host or its own one sees of it. */
static void read_process(struct reading *r, struct rank_view *rank)
{
    const struct ledger_header *h = r->g.h;
    const struct host_rank own = look(h), *seen = NULL;
    const bool ended = h->state != LEDGER_RUNNING, finished = h->state == LEDGER_FINALIZED;
    char here[sizeof h->host] = "";
    gethostname(here, sizeof here - 1);
    rank->ended = h->state;
    rank->detail = h->state_detail;
    rank->pid = h->pid;
    rank->other_host = strncmp(here, h->host, sizeof here) != 0;
    if (ledger_is_alive(h) && (!ended || finished)) {
        seen = &own;
    } else if (rank->other_host && !ended) {
        const struct host_rank *any = hosts_find(r->hosts, h->host, -1);
        seen = hosts_find(r->hosts, h->host, h->rank);
        rank->unseen = !any;
        rank->moving = any && any->moving;
    }
    if (rank->unseen) {
        struct profile_host on = {.ranks = 1};
        text_copy_part(on.name, sizeof on.name, h->host, sizeof h->host);
        quote_plain(on.name);
        profile_add_host(r->s->names, &on);
    }
    rank->alive = seen;
    r->now = seen ? seen->now : ended ? h->pair[1].seconds : -1;
    rank->state = finished ? RANK_FINISHED : seen ? seen->state : RANK_RUNNING;
}

static void read_calls(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct rank_view *rank = &r->s->rank[h->rank];
    read_process(r, rank);
    if (rank->ended != LEDGER_FINALIZED && !rank->moving)
        add_calls(r);
    r->s->counted =
        r->s->counted && !h->messages_lost && !h->started_late && !h->untracked_requests;
    gather_balances(&r->g);
}

/* How many collectives the rank has entered on the communicator C; -1: unknown. A row of the record
 * may represent several communicators of the same members: its count is that of the last one. */
static int64_t entered_in(const struct reading *r, const struct member_list *c, uint32_t *rank)
{
    int64_t entered = -1;
    bool several = false, none = false;
    for (uint32_t k = 1; c->n && k < count_of(r->g.l, LEDGER_COMMS); k++) {
        const struct ledger_comm *row = &r->g.l->comms[k];
        if (row->id != c->group)
            continue;
        *rank = row->rank;
        several = several || row->created > 1;
        none = none || !row->last;
        if (row->last == c->id)
            entered = (int64_t)row->entered;
    }
    return entered < 0 && none && !several ? 0 : entered;
}

/* Reads the rank's position in the communicators of open calls, and the collectives that it has
 * left but others may still be in, since they may disagree about them. */
static void read_members(struct reading *r)
{
    struct situation *s = r->s;
    for (uint32_t i = 0; i < s->comms.n; i++) {
        uint32_t rank = UINT32_MAX;
        int64_t entered = entered_in(r, &s->comms.at[i], &rank);
        if (rank >= s->comms.at[i].n)
            continue;
        s->comms.at[i].member[rank] = r->g.h->rank;
        s->comms.at[i].entered[rank] = entered;
    }
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_INSTANCES); i++) {
        const struct ledger_instance *x = &r->g.l->instances[i];
        uint32_t comm = find_comm(s, x->comm_id);
        if (comm == s->comms.n || x->sequence < s->comms.at[comm].lowest)
            continue;
        struct awaited a = awaited(r,
                                   &(struct ledger_call){.comm_id = x->comm_id,
                                                         .comm = x->comm,
                                                         .bytes = x->bytes,
                                                         .operation = x->operation,
                                                         .site = x->site,
                                                         .sequence = x->sequence,
                                                         .root = x->root},
                                   false);
        a.left = true;
        if (a.what == AWAIT_COLLECTIVE)
            *PUSH(&s->awaited) = a;
    }
}

static void read_each(struct reading *r, struct records *records, uint32_t sections,
                      void (*read)(struct reading *r))
{
    for (size_t i = 0; i < records->list.n; i++) {
        struct ledger l;
        const char *fault = ledger_open(&l, records->directory, records->list.at[i].name, sections);
        if (fault) {
            if (sections == CALLS)
                records_remark(records, records->list.at[i].name, fault);
            continue;
        }
        r->g = gather_begin(r->s->names, &l);
        if ((size_t)l.header->rank < r->s->n_ranks)
            read(r);
        gather_end(&r->g);
        ledger_close(&l);
    }
}

/* Translates ranks of communicators to ranks of MPI_COMM_WORLD. */
static void translate(struct situation *s)
{
    for (size_t i = 0; i < s->awaited.n; i++) {
        struct awaited *a = &s->awaited.at[i];
        const struct member_list *c = a->what > AWAIT_COLLECTIVE ? NULL : &s->comms.at[a->comm];
        int32_t *rank = a->what == AWAIT_COLLECTIVE ? &a->root : &a->peer;
        if (!c || *rank < 0)
            continue;
        int32_t world = (size_t)*rank < c->n ? c->member[*rank] : -1;
        *rank = world >= 0 ? world : a->what == AWAIT_COLLECTIVE ? -1 : AWAIT_UNKNOWN;
    }
}

/* An empty situation of all ranks that RECORDS know. */
static struct situation *situation_of(const struct records *records, double settled)
{
    int32_t size = 0;
    for (size_t i = 0; i < records->list.n; i++)
        if (records->list.at[i].header.size > size)
            size = records->list.at[i].header.size;
    struct situation *s = situation_new((size_t)size);
    s->names = profile_new();
    s->settled = settled;
    s->counted = true;
    for (size_t i = 0; i < s->n_ranks; i++)
        s->rank[i] = (struct rank_view){.state = RANK_UNSEEN,
                                        .operation = PROFILE_NONE,
                                        .site = PROFILE_NONE,
                                        .failed = PROFILE_NONE,
                                        .seconds = -1};
    return s;
}

static struct situation *read_once(const char *directory, double settled)
{
    struct records records;
    if (!records_open(&records, directory))
        return NULL;
    struct situation *s = situation_of(&records, settled);
    struct hosts hosts = hosts_read(directory);
    struct reading r = {.s = s, .hosts = &hosts};
    read_each(&r, &records, CALLS, read_calls);
    find_messages(s);
    read_each(&r, &records, MEMBERS, read_members);
    translate(s);
    find_gone(s);
    for (size_t i = 0; i < records.remarks.n; i++)
        profile_warn(s->names, "%s", records.remarks.at[i]);
    if (!s->n_ranks) {
        if (!faccessat(records.directory, "profile.json", F_OK, 0))
            reason_give("%s: the run has ended, and all ranks have reached MPI_Finalize: use: "
                        "collprof report %s",
                        directory, directory);
        else
            reason_give("%s: no record rank-*.ledger that can be read%s%s", directory,
                        records.remarks.n ? ": " : "",
                        records.remarks.n ? records.remarks.at[0] : "");
        situation_free(s);
        s = NULL;
    }
    free(hosts.list.at);
    records_close(&records);
    return s;
}

/* Calls that differ from BEFORE have made progress and may return. Polls are judged by their
 * successes. */
static void settle(struct situation *s, const struct situation *before)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct open_call *c = &s->rank[i].call;
        if (!c->polls && (i >= before->n_ranks || c->since != before->rank[i].call.since))
            c->seconds = 0;
    }
}

/* The verdict for which a watchdog ended the run; NULL if there is none, or if it is damaged. */
static json_t *kept_read(const char *directory)
{
    char path[4400], why[256];
    size_t i;
    const json_t *group;
    snprintf(path, sizeof path, "%s/" VERDICT_FILE, directory);
    json_t *kept = json_file_load(path, why, sizeof why);
    bool good = *json_text_at(kept, "kind") && *json_text_at(kept, "text") &&
                json_is_array(json_object_get(kept, "groups")) &&
                json_is_array(json_object_get(kept, "notes"));
    json_array_foreach(json_object_get(kept, "groups"), i, group) good =
        good && json_is_string(json_object_get(group, "text"));
    json_make_printable(kept);
    if (good)
        return kept;
    json_decref(kept);
    return NULL;
}

struct situation *situation_read(const char *directory, double settled)
{
    struct situation *s = read_once(directory, settled);
    if (s && s->live) {
        struct situation *before = s;
        nanosleep(&(struct timespec){0, 150000000}, NULL);
        s = read_once(directory, settled);
        if (s)
            settle(s, before);
        situation_free(before);
    }
    if (s && !s->live)
        s->kept = kept_read(directory);
    return s;
}
