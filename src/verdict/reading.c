#include "base/clock.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "document/json.h"
#include "profile/gather.h"
#include "verdict/hosts.h"
#include "verdict/open_calls.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Finds the messages that were sent and not received, after all records were read. */
static void find_messages(struct situation *s)
{
    for (size_t i = 0; i < s->n_ranks; i++)
        s->counted = s->counted && s->rank[i].state != RANK_UNSEEN;
    for (EACH(const struct profile_balance, b, s->names->balances)) {
        const bool known = b->from < s->n_ranks && b->to < s->n_ranks;
        if (b->operation != PROFILE_NONE) /* this row counts requests, not messages */
            continue;
        s->counted = s->counted && known;
        if (known && b->sent > b->received)
            *PUSH(&s->sent) = (struct message_count){.comm = situation_find_comm(s, b->comm_id),
                                                     .from = (int32_t)b->from,
                                                     .to = (int32_t)b->to,
                                                     .tag = b->tag,
                                                     .n = b->sent - b->received};
    }
}

/* State of a process of this host, with the record H, from /proc. */
static struct host_rank look(const struct ledger_header *h)
{
    char text[1024], letter = *input_process((pid_t)h->pid, text);
    return (struct host_rank){.now = clock_now(),
                              .state = letter == 'T' || letter == 't' ? RANK_STOPPED
                                       : letter == 'D'                ? RANK_SYSTEM_CALL
                                       : letter == 'S'                ? RANK_SLEEPING
                                                                      : RANK_RUNNING};
}

/* Whether R got a signal by which a launcher or a user ends all ranks: then R is not at fault. */
static bool was_asked_to_end(const struct rank_view *r)
{
    const uint64_t asking = 1u << SIGTERM | 1u << SIGINT | 1u << SIGHUP | 1u << SIGQUIT |
                            1u << SIGXCPU | 1u << SIGUSR1 | 1u << SIGUSR2;
    return r->ended == LEDGER_SIGNALLED && r->detail > 0 && r->detail < 32 &&
           asking >> r->detail & 1;
}

/* Whether MPI refused RANK's call: its peer is invalid. By default MPI then ends the process. */
static bool was_refused(const struct situation *s, int32_t rank)
{
    const struct open_call *c = &s->rank[rank].call;
    return c->parts.n && s->awaited.at[c->parts.at[0]].peer == AWAIT_INVALID;
}

/* Sets the state of processes that ended unexpectedly. If all have ended, states come from the
 * records. A rank whose record has no end may have been killed before the others or with them. */
static void find_gone(struct situation *s)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        s->live = s->live || s->rank[i].alive;
        s->unseen = s->unseen || s->rank[i].unseen;
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
        r->killed = silent && r->outside && !s->live && !r->unseen;
    }
}

enum {
    NAMES = 1u << LEDGER_OPERATIONS | 1u << LEDGER_TEXTS | 1u << LEDGER_MODULES |
            1u << LEDGER_REGIONS | 1u << LEDGER_SITES | 1u << LEDGER_COMMS | 1u << LEDGER_ENTRIES |
            1u << LEDGER_REQUESTS,
    CALLS = NAMES | 1u << LEDGER_CALLS | 1u << LEDGER_MESSAGES,
    MEMBERS = NAMES | 1u << LEDGER_INSTANCES
};

/* Sets the state of R's process by its record, by /proc on this host, or by its host's watchdog. */
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
        open_calls_add(r);
    r->s->counted =
        r->s->counted && !h->messages_lost && !h->started_late && !h->untracked_requests;
    gather_balances(&r->g);
}

/* How many collectives R's rank has entered on C; -1: unknown. *RANK: its rank in C. A row of the
 * record may represent several communicators with the same members; the row's count is for the
 * communicator that had the latest collective. */
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

/* Reads R's rank in the communicators of open calls, and the collectives that R's rank has left but
 * others may still be in: their calls may mismatch. */
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
        uint32_t comm = situation_find_comm(s, x->comm_id);
        if (comm == s->comms.n || x->sequence < s->comms.at[comm].lowest)
            continue;
        struct awaited a = open_calls_awaited(r, &(struct ledger_call){CALL_OF(x)}, false);
        a.left = true;
        if (a.what == AWAIT_COLLECTIVE)
            *PUSH(&s->awaited) = a;
    }
}

static void read_each(struct reading *r, const glob_t *records, uint32_t sections,
                      void (*read)(struct reading *r))
{
    for (size_t i = 0; i < records->gl_pathc; i++) {
        struct ledger l;
        const char *fault = ledger_open(&l, records->gl_pathv[i], sections);
        if (fault) {
            if (sections == CALLS) /* in the second pass, the record may just have been removed */
                records_ignore(r->s->names, records->gl_pathv[i], fault);
            continue;
        }
        r->g = gather_begin(r->s->names, &l);
        if ((size_t)l.header->rank < r->s->n_ranks)
            read(r);
        gather_end(&r->g);
        ledger_close(&l);
    }
}

/* Translates peers and roots of all calls to ranks of MPI_COMM_WORLD. */
static void translate(struct situation *s)
{
    for (EACH(struct awaited, a, s->awaited)) {
        const struct member_list *c = a->what > AWAIT_COLLECTIVE ? NULL : &s->comms.at[a->comm];
        int32_t *rank = a->what == AWAIT_COLLECTIVE ? &a->root : &a->peer;
        if (!c || *rank < 0)
            continue;
        int32_t world = (size_t)*rank < c->n ? c->member[*rank] : -1;
        *rank = world >= 0 ? world : a->what == AWAIT_COLLECTIVE ? -1 : AWAIT_UNKNOWN;
    }
}

/* A situation of all ranks that RECORDS name, without calls. */
static struct situation *situation_of(const glob_t *records, double settled)
{
    int32_t size = 0;
    struct ledger_header h;
    for (size_t i = 0; i < records->gl_pathc; i++)
        if (!ledger_peek(&h, records->gl_pathv[i]) && h.size > size)
            size = h.size;
    struct situation *s = situation_new((size_t)size);
    s->names = profile_new();
    s->settled = settled;
    s->counted = true;
    for (size_t i = 0; i < s->n_ranks; i++)
        s->rank[i] = (struct rank_view){
            .state = RANK_UNSEEN, .operation = PROFILE_NONE, .site = PROFILE_NONE, .seconds = -1};
    return s;
}

static struct situation *read_once(const char *directory, double settled)
{
    glob_t records;
    if (!records_find(&records, directory))
        return NULL;
    struct situation *s = situation_of(&records, settled);
    struct hosts hosts = hosts_read(directory);
    struct reading r = {.s = s, .hosts = &hosts};
    read_each(&r, &records, CALLS, read_calls);
    find_messages(s);
    read_each(&r, &records, MEMBERS, read_members);
    translate(s);
    find_gone(s);
    if (!s->n_ranks) {
        if (profile_exists(directory))
            reason_give("%s: the run has ended, and all ranks have reached MPI_Finalize: use: "
                        "collprof report %s",
                        directory, directory);
        else
            reason_give("%s: no record that can be read (rank-*.ledger)%s%s", directory,
                        s->names->warnings.n ? ": " : "",
                        s->names->warnings.n ? s->names->warnings.at[0].text : "");
        situation_free(s);
        s = NULL;
    }
    free(hosts.list.at);
    globfree(&records);
    return s;
}

/* Calls of S that were not open in BEFORE have moved: sets their time to 0. Polls keep the time
 * since their last success. */
static void settle(struct situation *s, const struct situation *before)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct open_call *c = &s->rank[i].call;
        if (!c->polls && (i >= before->n_ranks || c->since != before->rank[i].call.since))
            c->seconds = 0;
    }
}

/* The watchdog's verdict in DIRECTORY; NULL: none, or it is damaged. */
static json_t *kept_read(const char *directory)
{
    char path[4400], why[256];
    snprintf(path, sizeof path, "%s/" VERDICT_FILE, directory);
    json_t *kept = json_file_load(path, why, sizeof why);
    json_make_printable(kept);
    if (json_is_array(json_object_get(kept, "groups")) && *json_text_at(kept, "kind") &&
        *json_text_at(kept, "text"))
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
