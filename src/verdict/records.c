#include "verdict/records.h"

#include "base/clock.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "profile/records.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    s->counted = s->counted && !h->messages_lost && !h->started_late && !h->untracked_requests;
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_MESSAGES); i++) {
        const struct ledger_messages *m = &r->g.l->messages[i];
        int32_t peer = (int32_t)m->peer;
        bool known = m->peer < s->n_ranks;
        s->counted = s->counted && known;
        if (known)
            *PUSH(&s->counts) =
                (struct message_count){.comm = reading_comm(r, m->comm_id, LEDGER_NO_COMM),
                                       .from = m->received ? peer : h->rank,
                                       .to = m->received ? h->rank : peer,
                                       .tag = m->tag,
                                       .sent = m->received ? 0 : m->n,
                                       .received = m->received ? m->n : 0};
    }
}

/* Merges both ends of a channel into one row; messages that have arrived are dropped. */
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

/* The state according to /proc. */
static enum rank_state state_of(int64_t pid)
{
    char text[1024], letter = *input_process((pid_t)pid, text);
    return letter == 'T' || letter == 't' ? RANK_STOPPED
           : letter == 'D'                ? RANK_SYSTEM_CALL
           : letter == 'S'                ? RANK_SLEEPING
                                          : RANK_RUNNING;
}

/* Whether it got a signal with which a launcher or a person ends all ranks, whatever they are
 * doing. */
static bool was_asked_to_end(const struct evidence_rank *r)
{
    const uint64_t asking = 1u << SIGTERM | 1u << SIGINT | 1u << SIGHUP | 1u << SIGQUIT |
                            1u << SIGXCPU | 1u << SIGUSR1 | 1u << SIGUSR2;
    return (r->state == LEDGER_SIGNALLED || r->state == LEDGER_HANDLED) && r->state_detail > 0 &&
           r->state_detail < 32 && asking >> r->state_detail & 1;
}

/* Whether it is in a call that MPI has refused. By default MPI then ends the process. */
static bool was_refused(const struct situation *s, int32_t rank)
{
    const struct open_call *c = situation_find(s, rank);
    return c && c->parts.n && s->awaited.at[c->parts.at[0]].peer == AWAIT_INVALID;
}

/* Finds processes that ended unexpectedly. If all have ended, states come from the records.
 * Exception: a process that recorded no end, outside of MPI, while others got a signal to end and
 * MPI refused no call. (If it was in a call, it had ignored that signal and was killed with the
 * others.) */
static void find_gone(struct evidence *e)
{
    bool asked = false, refused = false;
    for (int32_t i = 0; i < (int32_t)e->s->n_ranks; i++) {
        e->live = e->live || e->rank[i].alive;
        asked = asked || was_asked_to_end(&e->rank[i]);
        refused = refused || was_refused(e->s, i);
    }
    for (int32_t i = 0; i < (int32_t)e->s->n_ranks; i++) {
        struct evidence_rank *r = &e->rank[i];
        if (!e->live && was_refused(e->s, i))
            r->state = LEDGER_EXITED;
        bool with_all = !e->live && (!asked || refused || situation_find(e->s, i)),
             in_records = r->state == LEDGER_RUNNING ? r->unseen || with_all
                                                     : was_asked_to_end(r) && !e->live;
        enum rank_state known = e->s->state[i];
        if (known != RANK_UNSEEN && known != RANK_FINISHED && !r->alive && !in_records)
            e->s->state[i] = RANK_GONE;
    }
}

enum {
    NAMES = 1u << LEDGER_OPERATIONS | 1u << LEDGER_TEXTS | 1u << LEDGER_MODULES |
            1u << LEDGER_REGIONS | 1u << LEDGER_SITES | 1u << LEDGER_COMMS | 1u << LEDGER_ENTRIES |
            1u << LEDGER_REQUESTS,
    CALLS = NAMES | 1u << LEDGER_CALLS | 1u << LEDGER_MESSAGES,
    MEMBERS = NAMES | 1u << LEDGER_INSTANCES
};

static void read_calls(struct reading *r)
{
    const struct ledger_header *h = r->g.h;
    struct evidence_rank *rank = &r->e->rank[h->rank];
    struct profile_host on = {.ranks = 1};
    const struct host_summary *told = NULL;
    const struct host_rank *seen = NULL;
    char host[sizeof h->host] = "";
    gethostname(host, sizeof host - 1);
    text_copy_part(on.name, sizeof on.name, h->host, sizeof h->host);
    quote_plain(on.name);
    *rank = (struct evidence_rank){.state = ledger_went_on(h) ? LEDGER_RUNNING : h->state,
                                   .state_detail = h->state_detail,
                                   .pid = h->pid,
                                   .other_host = strncmp(host, h->host, sizeof host) != 0,
                                   .host = profile_add_host(r->e->names, &on),
                                   .operation = PROFILE_NONE,
                                   .failed = PROFILE_NONE,
                                   .seconds = -1};
    if (rank->other_host && rank->state == LEDGER_RUNNING) {
        told = hosts_find(r->hosts, h->host);
        seen = told ? hosts_rank(told, h->rank) : NULL;
        rank->unseen = !told;
        rank->moving = told && told->moving;
    }
    rank->alive = seen || (ledger_is_alive(h) &&
                           (rank->state == LEDGER_RUNNING || rank->state == LEDGER_HANDLED ||
                            rank->state == LEDGER_FINALIZED));
    r->now = seen                            ? told->now
             : rank->alive                   ? clock_now()
             : rank->state == LEDGER_RUNNING ? -1
                                             : h->pair[1].seconds;
    r->e->s->state[h->rank] = rank->state == LEDGER_FINALIZED ? RANK_FINISHED
                              : seen                          ? seen->state
                              : rank->alive                   ? state_of(h->pid)
                                                              : RANK_RUNNING;
    if (rank->state != LEDGER_FINALIZED && !rank->moving)
        reading_add_calls(r);
    add_messages(r);
}

/* How many collectives the rank has entered on communicator I; -1: unknown. A row of the record may
 * represent several communicators of the same members: its count is that of the last one. */
static int64_t entered_in(const struct reading *r, uint32_t i, uint32_t *rank)
{
    const struct member_list *c = &r->e->s->comms.at[i];
    int64_t entered = -1;
    bool several = false, none = false;
    uint32_t n = count_of(r->g.l, LEDGER_REQUESTS);
    for (uint32_t k = 0; k < n && !c->operation; k++) {
        const struct ledger_request *q = &r->g.l->requests[k];
        if (q->posted && q->comm_id == r->e->names->comms.at[i].id && reading_is_persistent(r, q))
            entered = (int64_t)(q->sequence + 1);
    }
    for (uint32_t k = 1; c->n && k < count_of(r->g.l, LEDGER_COMMS); k++) {
        const struct ledger_comm *row = &r->g.l->comms[k];
        if (row->id != c->group)
            continue;
        *rank = row->rank;
        several = several || row->created > 1;
        none = none || !row->last;
        bool same = row->last == c->id || (c->world && row->flags & LEDGER_COMM_WORLD);
        if (c->operation)
            entered = same ? reading_calls(r, c->operation, k) : entered;
        else if (row->last == r->e->names->comms.at[i].id)
            entered = row->entered;
    }
    return entered < 0 && none && !several && !c->operation ? 0 : entered;
}

/* Reads the rank's position in the communicators of open calls, and the collectives that it has
 * left but others may still be in, since they may disagree about them. */
static void read_members(struct reading *r)
{
    struct situation *s = r->e->s;
    for (uint32_t i = 0; i < s->comms.n; i++) {
        uint32_t rank = UINT32_MAX;
        int64_t entered = entered_in(r, i, &rank);
        if (rank >= s->comms.at[i].n)
            continue;
        s->comms.at[i].member[rank] = r->g.h->rank;
        s->comms.at[i].entered[rank] = entered;
    }
    for (uint32_t i = 0; i < count_of(r->g.l, LEDGER_INSTANCES); i++) {
        const struct ledger_instance *x = &r->g.l->instances[i];
        struct ledger_call c = {.comm_id = x->comm_id, .comm = x->comm, .bytes = x->bytes};
        uint32_t comm = reading_find_comm(r->e->names, x->comm_id);
        if (comm == s->comms.n || x->sequence < s->comms.at[comm].lowest)
            continue;
        c.operation = x->operation;
        c.site = x->site;
        c.sequence = x->sequence;
        c.root = x->root;
        struct awaited a = reading_awaited(r, &c, false);
        if (a.what == AWAIT_COLLECTIVE)
            *PUSH(&s->left) = a;
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

/* Translates ranks of communicators to ranks of MPI_COMM_WORLD. */
static void translate(struct situation *s)
{
    for (size_t i = 0; i < s->awaited.n + s->left.n; i++) {
        struct awaited *a = i < s->awaited.n ? &s->awaited.at[i] : &s->left.at[i - s->awaited.n];
        const struct member_list *c = a->what > AWAIT_COLLECTIVE ? NULL : &s->comms.at[a->comm];
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
    struct host_summaries hosts = hosts_read(records->directory);
    struct reading r = {.e = e, .hosts = &hosts};
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
    read_each(&r, records, MEMBERS, read_members);
    translate(e->s);
    merge_messages(e->s);
    find_gone(e);
    hosts_free(&hosts);
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

/* Calls that differ from BEFORE have made progress and may return. Polls are judged by their
 * successes. */
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
