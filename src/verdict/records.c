#include "verdict/records.h"

#include "base/beside.h"
#include "base/clock.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "symbols/symbols.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- which files --- */

struct found_record {
    struct ledger_header header;
    char name[64];
};

struct found_records {
    int directory;
    ARRAY(struct found_record) list;
};

static void remark(struct evidence *e, const char *name, const char *what)
{
    char line[300];
    snprintf(line, sizeof line, "%s: %s: left out", name, what);
    quote_plain(line);
    *PUSH(&e->remarks) = memory_strdup(line);
}

static void find_records(struct evidence *e, struct found_records *r)
{
    int fd = dup(r->directory);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        struct found_record *record;
        struct ledger_header h;
        if (!ledger_is_name(d->d_name) || strlen(d->d_name) >= sizeof record->name)
            continue;
        const char *fault = ledger_peek(&h, r->directory, d->d_name);
        if (fault) {
            remark(e, d->d_name, fault);
            continue;
        }
        record = PUSH(&r->list);
        record->header = h;
        strcpy(record->name, d->d_name);
    }
    if (dir)
        closedir(dir);
}

/* Those of the run that started last; one without a run's number ended before the ranks agreed. */
static void keep_latest_run(struct found_records *r)
{
    const struct ledger_header *latest = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct ledger_header *h = &r->list.at[i].header;
        if (h->run_id && (!latest || h->started_unix > latest->started_unix))
            latest = h;
    }
    uint64_t run = latest ? latest->run_id : 0;
    for (size_t i = 0; i < r->list.n; i++)
        if (!run || !r->list.at[i].header.run_id || r->list.at[i].header.run_id == run)
            r->list.at[kept++] = r->list.at[i];
    r->list.n = kept;
}

/* --- names --- */

static uint32_t operation_of(struct evidence *e, const struct ledger *l, uint32_t i)
{
    const struct ledger_operation *o = &l->operations[i];
    for (size_t k = 0; k < e->operations.n; k++)
        if (!strncmp(e->operations.at[k].name, o->name, sizeof o->name - 1))
            return (uint32_t)k;
    struct evidence_operation *new = PUSH(&e->operations);
    text_copy_part(new->name, sizeof new->name, o->name, sizeof o->name);
    quote_plain(new->name);
    new->family = o->family;
    return (uint32_t)e->operations.n - 1;
}

static uint32_t site_of(struct evidence *e, const struct ledger *l, uint32_t i)
{
    const struct ledger_site *s = &l->sites[i];
    if (i == LEDGER_NO_SITE || !s->depth || s->frame[0].module == UINT32_MAX)
        return UINT32_MAX;
    const struct ledger_module *m = &l->modules[s->frame[0].module];
    const char *path = ledger_text(l, m->path), *function = ledger_text(l, m->function);
    for (size_t k = 0; k < e->sites.n; k++)
        if (e->sites.at[k].address == s->frame[0].address && !strcmp(e->sites.at[k].path, path) &&
            !strcmp(e->sites.at[k].function, function))
            return (uint32_t)k;
    struct evidence_site *new = PUSH(&e->sites);
    *new = (struct evidence_site){.path = memory_strdup(path),
                                  .function = memory_strdup(function),
                                  .address = s->frame[0].address};
    for (uint32_t b = 0; b < m->build_id_size && b < sizeof m->build_id; b++)
        snprintf(new->build_id + 2 * b, 3, "%02x", m->build_id[b]);
    return (uint32_t)e->sites.n - 1;
}

static const struct symbols_reader *symbols(void)
{
    static const struct symbols_reader *reader;
    char path[4400];
    beside_find(SYMBOLS_MODULE, path, sizeof path);
    void *module = reader ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module)
        reader = dlsym(module, SYMBOLS_READER);
    return reader;
}

static char *name_site(const struct evidence_site *s)
{
    struct symbol found = {.function = NULL};
    bool changed;
    char *text = NULL;
    const struct symbols_reader *reader = *s->function ? NULL : symbols();
    struct symbols *file =
        reader && *s->path == '/' ? reader->open(s->path, s->build_id, false, &changed) : NULL;
    if (file)
        reader->find(file, s->address, 0, &found);
    int n = *s->function     ? asprintf(&text, "at %.80s:%u %.80s", text_base_of(s->path),
                                        (unsigned)s->address, s->function)
            : found.file     ? asprintf(&text, "at %.80s:%u %.80s", text_base_of(found.file),
                                        found.line, found.function ? found.function : "")
            : found.function ? asprintf(&text, "at %.80s+0x%llx", found.function,
                                        (unsigned long long)found.offset)
                             : asprintf(&text, "at %.80s+0x%llx", text_base_of(s->path),
                                        (unsigned long long)s->address);
    if (file)
        reader->close(file);
    if (n < 0)
        memory_out();
    quote_plain(text);
    return text;
}

const char *evidence_site(struct evidence *e, uint32_t site)
{
    if (site >= e->sites.n)
        return "";
    struct evidence_site *s = &e->sites.at[site];
    if (!s->text)
        s->text = name_site(s);
    return s->text;
}

/* --- communicators --- */

/* The position of a communicator in the situation. ROW: what a rank's record has of it; NULL:
 * nothing is known but its identity. */
static uint32_t comm_of(struct evidence *e, uint64_t id, const struct ledger_comm *row)
{
    size_t i = 0;
    while (i < e->comm_ids.n && e->comm_ids.at[i] != id)
        i++;
    if (i == e->comm_ids.n) {
        *PUSH(&e->comm_ids) = id;
        *PUSH(&e->comm_names) = NULL;
        PUSH(&e->s->comms)->label = (uint32_t)i;
    }
    struct member_list *c = &e->s->comms.at[i];
    if (row && !c->n && row->size <= (uint32_t)e->size) {
        char name[sizeof row->name];
        c->n = row->size;
        c->member = memory_alloc((c->n + 1) * sizeof *c->member);
        c->entered = memory_alloc((c->n + 1) * sizeof *c->entered);
        for (size_t m = 0; m < c->n; m++) {
            c->member[m] = row->flags & LEDGER_COMM_WORLD ? (int32_t)m : -1;
            c->entered[m] = -1;
        }
        text_copy_part(name, sizeof name, row->name, sizeof row->name);
        quote_plain(name);
        if (*name && row->created == 1) /* others share the row and its name */
            e->comm_names.at[i] = memory_strdup(name);
        else if (asprintf(&e->comm_names.at[i], "a communicator of %u ranks", row->size) < 0)
            memory_out();
    }
    return (uint32_t)i;
}

/* What L says about the members of the communicators that calls are on, found by KNOWN, the
 * identities of their members. */
static void add_members(struct evidence *e, const struct ledger *l, const uint64_t *known)
{
    uint32_t n = l->header->section[LEDGER_COMMS].count;
    for (size_t i = 0; i < e->s->comms.n; i++) {
        struct member_list *c = &e->s->comms.at[i];
        int64_t entered = -1;
        bool several = false, none = false;
        uint32_t rank = UINT32_MAX;
        for (uint32_t k = 1; c->n && k < n; k++) {
            const struct ledger_comm *row = &l->comms[k];
            if (row->id != known[i])
                continue;
            rank = row->rank;
            several = several || row->created > 1;
            none = none || !row->last;
            if (row->last == e->comm_ids.at[i])
                entered = row->entered;
        }
        if (rank >= c->n)
            continue;
        c->member[rank] = l->header->rank;
        c->entered[rank] = entered >= 0 ? entered : none && !several ? 0 : -1;
    }
}

/* --- one rank's open calls --- */

struct reading {
    struct evidence *e;
    const struct ledger *l;
    const struct ledger_header *h;
    double now;            /* of this host's clock, or when the process ended; negative: unknown */
    ARRAY(uint64_t) known; /* by position of a communicator: what its members are called */
};

static double rate_of(const struct ledger_header *h)
{
    double seconds = h->pair[1].seconds - h->pair[0].seconds;
    return seconds < 1e-3 || h->pair[1].ticks <= h->pair[0].ticks
               ? h->ticks_per_second
               : (double)(h->pair[1].ticks - h->pair[0].ticks) / seconds;
}

/* Seconds from TICKS to now; negative: unknown. */
static double age_of(const struct reading *r, uint64_t ticks)
{
    double rate = rate_of(r->h);
    if (r->now < 0 || rate <= 0)
        return -1;
    double age =
        r->now - r->h->pair[0].seconds - (double)(int64_t)(ticks - r->h->pair[0].ticks) / rate;
    return age > 0 ? age : 0;
}

static uint32_t comm_in(struct reading *r, uint64_t id, uint32_t row)
{
    uint32_t i = comm_of(r->e, id, row == LEDGER_NO_COMM ? NULL : &r->l->comms[row]);
    while (r->known.n <= i)
        PUSH(&r->known);
    if (row != LEDGER_NO_COMM)
        r->known.at[i] = r->l->comms[row].id;
    return i;
}

/* --- what kind of call --- */

static bool is_named(const char *name, const char *const *list)
{
    size_t n = strlen(name);
    n -= text_ends_with(name, "_c") ? 2 : 0;
    for (; *list; list++)
        if (strlen(*list) == n && !strncmp(name, *list, n))
            return true;
    return false;
}

static bool polls(const char *name)
{
    static const char *const list[] = {
        "MPI_Test",   "MPI_Testall", "MPI_Testany",  "MPI_Testsome",
        "MPI_Iprobe", "MPI_Improbe", "MPI_Parrived", "MPI_Request_get_status",
        NULL};
    return is_named(name, list);
}

/* These all members leave only after all have entered. */
static bool makes_communicator(const char *name)
{
    static const char *const list[] = {"MPI_Comm_dup",
                                       "MPI_Comm_dup_with_info",
                                       "MPI_Comm_create",
                                       "MPI_Comm_split",
                                       "MPI_Comm_split_type",
                                       "MPI_Cart_create",
                                       "MPI_Graph_create",
                                       "MPI_Dist_graph_create_adjacent",
                                       "MPI_Dist_graph_create",
                                       "MPI_Cart_sub",
                                       NULL};
    return is_named(name, list);
}

/* A member of the communicator that messages go to, as a rank of MPI_COMM_WORLD. Its rank there
 * becomes known with the records of all: until then it is kept as it is. */
static int32_t peer_of(const struct ledger_comm *row, int32_t peer)
{
    if (peer < 0)
        return peer == INT32_MIN ? AWAIT_UNKNOWN : AWAIT_ANY;
    bool other_group = row && row->flags & LEDGER_COMM_INTER && row->rank < row->first;
    return peer + (other_group ? (int32_t)row->first : 0);
}

static struct awaited message(struct reading *r, enum awaited_what what, uint64_t id, uint32_t row,
                              int32_t peer, int32_t tag)
{
    if (!id || row == LEDGER_NO_COMM || peer == INT32_MIN)
        return (struct awaited){.what = AWAIT_OTHER};
    return (struct awaited){.what = what,
                            .comm = comm_in(r, id, row),
                            .peer = peer_of(&r->l->comms[row], peer),
                            .tag = tag < 0 ? AWAIT_ANY : tag};
}

static struct awaited collective(struct reading *r, uint32_t operation, uint64_t id, uint32_t row,
                                 uint32_t sequence, int32_t root, uint64_t bytes)
{
    if (!id || row == LEDGER_NO_COMM)
        return (struct awaited){.what = AWAIT_OTHER};
    struct awaited a = awaited_collective(r->e->operations.at[operation].name,
                                          r->l->comms[row].flags & LEDGER_COMM_INTER, root, bytes);
    a.comm = comm_in(r, id, row);
    a.sequence = sequence;
    return a;
}

static struct awaited request(struct reading *r, const struct ledger_request *q)
{
    struct evidence *e = r->e;
    uint32_t operation = operation_of(e, r->l, q->operation);
    uint32_t family = e->operations.at[operation].family;
    const char *name = e->operations.at[operation].name;
    bool receive = strstr(name, "ecv") != NULL, send = !receive && strstr(name, "end");
    struct awaited a = {.what = AWAIT_OTHER};
    if (family == FAMILY_ICOLLECTIVE)
        a = collective(r, operation, q->comm_id, q->comm, q->sequence, q->root, q->bytes);
    else if ((receive && !strstr(name, "send")) || send)
        a = message(r, send ? AWAIT_SEND : AWAIT_RECEIVE, q->comm_id, q->comm, q->peer, q->tag);
    a.posted = true;
    a.name = operation;
    a.site = site_of(e, r->l, q->site);
    a.rank = r->h->rank;
    return a;
}

/* Requests that are open, in the order in which they were posted; AT[i]: the position in the
 * situation of the i-th row, or JUDGE_NONE. */
static void add_requests(struct reading *r, size_t *at)
{
    uint32_t n = r->l->header->section[LEDGER_REQUESTS].count;
    const struct ledger_request *q = r->l->requests;
    bool *done = memory_alloc(n + 1);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = JUDGE_NONE;
        done[i] = !q[i].posted || !q[i].active;
        for (uint32_t k = 0; k < n && !done[i]; k++) /* of several with one handle all are done */
            done[i] = k != i && q[k].posted && q[k].active && q[k].handle == q[i].handle;
    }
    for (;;) {
        uint32_t next = n;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && (next == n || q[i].posted < q[next].posted))
                next = i;
        if (next == n)
            break;
        done[next] = true;
        at[next] = r->e->s->awaited.n;
        struct awaited a = request(r, &q[next]);
        *PUSH(&r->e->s->awaited) = a;
    }
    free(done);
}

static struct open_call *add_call(struct reading *r, const struct ledger_call *c,
                                  const struct awaited *a, size_t n)
{
    struct awaited own[2];
    uint32_t operation = operation_of(r->e, r->l, c->operation),
             site = site_of(r->e, r->l, c->site);
    for (size_t i = 0; i < n; i++) {
        own[i] = a[i];
        own[i].name = operation;
        own[i].site = site;
    }
    struct open_call *call = situation_call(r->e->s, r->h->rank, own, n);
    call->name = operation;
    call->site = site;
    call->seconds = age_of(r, c->since);
    *PUSH(&r->e->since) = c->since;
    return call;
}

/* A call that completes requests waits for what is open of them. */
static void add_completion(struct reading *r, const struct ledger_call *c, const size_t *at,
                           bool any)
{
    enum { MOST = sizeof c->request / sizeof *c->request };
    struct awaited other = {.what = AWAIT_OTHER};
    size_t part[MOST], n = 0;
    for (uint64_t i = 0; i < c->n_requests && i < MOST; i++)
        for (uint32_t k = 0; k < r->l->header->section[LEDGER_REQUESTS].count; k++)
            if (at[k] != JUDGE_NONE && r->l->requests[k].handle == c->request[i])
                part[n++] = at[k], k = UINT32_MAX - 1;
    bool unknown = c->n_requests > MOST || !n;
    struct open_call *call = add_call(r, c, &other, unknown);
    size_t *all = realloc(call->part, (n + 2) * sizeof *all);
    if (!all)
        memory_out();
    memcpy(&all[call->n], part, n * sizeof *part);
    call->part = all;
    call->n += n;
    call->any = any;
}

static void add_open(struct reading *r, const struct ledger_call *c, const size_t *at)
{
    uint32_t operation = operation_of(r->e, r->l, c->operation);
    const char *name = r->e->operations.at[operation].name;
    struct awaited a[2] = {{.what = AWAIT_OTHER}};
    size_t n = 1;
    switch (r->e->operations.at[operation].family) {
    case FAMILY_RECV:
    case FAMILY_PROBE:
        a[0] = message(r, AWAIT_RECEIVE, c->comm_id, c->comm, c->peer, c->tag);
        break;
    case FAMILY_SEND:
        a[0] = message(r, AWAIT_SEND, c->comm_id, c->comm, c->peer, c->tag);
        break;
    case FAMILY_SENDRECV:
        a[0] = message(r, AWAIT_RECEIVE, c->comm_id, c->comm, c->peer, c->tag);
        a[1] = message(r, AWAIT_SEND, c->comm_id, c->comm, c->to, c->to_tag);
        a[1].posted = true;
        n = 2;
        break;
    case FAMILY_COLLECTIVE:
        a[0] = collective(r, operation, c->comm_id, c->comm, c->sequence, c->root, c->bytes);
        break;
    case FAMILY_COMM:
        if (makes_communicator(name))
            a[0] = collective(r, operation, c->comm_id, c->comm, JUDGE_NO_NUMBER, -1,
                              JUDGE_UNKNOWN_BYTES);
        break;
    case FAMILY_COMPLETION:
        if (!strncmp(name, "MPI_Wait", 8)) {
            add_completion(r, c, at, !strcmp(name, "MPI_Waitany") || !strcmp(name, "MPI_Waitsome"));
            return;
        }
        break;
    default:
        break;
    }
    add_call(r, c, a, n)->polls = polls(name);
}

/* A rank that asks for ever is outside of MPI most of the time: what it waits for are its open
 * requests. */
static void add_polling(struct reading *r, const struct ledger_call *c, const size_t *at)
{
    uint32_t n = r->l->header->section[LEDGER_REQUESTS].count;
    struct open_call *call = add_call(r, c, NULL, 0);
    free(call->part);
    call->part = memory_alloc((n + 1) * sizeof *call->part);
    for (uint32_t k = 0; k < n; k++)
        if (at[k] != JUDGE_NONE)
            call->part[call->n++] = at[k];
    call->polls = true;
    call->seconds = c->progress ? age_of(r, c->progress) : -1;
}

static void add_calls(struct reading *r)
{
    const struct ledger_header *h = r->h;
    struct evidence_rank *rank = &r->e->ranks.at[h->rank];
    const struct ledger_call *last = NULL;
    size_t *at = memory_alloc((h->section[LEDGER_REQUESTS].count + 1) * sizeof *at);
    bool open = false;
    add_requests(r, at);
    for (uint32_t i = 0; i < h->section[LEDGER_CALLS].count; i++) {
        const struct ledger_call *c = &r->l->calls[i];
        if (!c->thread)
            continue;
        last = !last || c->progress > last->progress ? c : last;
        r->e->s->threads[h->rank] = r->e->s->threads[h->rank] || (!c->since && h->threads_at_once);
        if (!c->since)
            continue;
        open = true;
        if (!strcmp(r->l->operations[c->operation].name, "MPI_Finalize"))
            r->e->s->state[h->rank] = RANK_FINISHED;
        else
            add_open(r, c, at);
    }
    rank->operation = rank->site = UINT32_MAX;
    rank->moved = h->last_ticks;
    /* The state of a record that another host writes may be an old one. */
    if (rank->other_host && rank->state == LEDGER_RUNNING)
        r->e->s->threads[h->rank] = true;
    rank->outside = !open;
    rank->seconds = h->last_ticks ? age_of(r, h->last_ticks) : -1;
    if (last && !open) {
        rank->operation = operation_of(r->e, r->l, last->operation);
        rank->site = site_of(r->e, r->l, last->site);
        if (polls(r->e->operations.at[rank->operation].name) && !h->threads_at_once &&
            rank->seconds >= 0 && rank->seconds < r->e->s->settled) {
            r->e->s->threads[h->rank] = false;
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
    const struct ledger_table *t = &r->h->section[LEDGER_MESSAGES];
    struct situation *s = r->e->s;
    s->counted = s->counted && !t->dropped && !r->h->started_late && !r->h->untracked_requests;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct ledger_messages *m = &r->l->messages[i];
        int32_t peer = (int32_t)m->peer, own = r->h->rank;
        if (m->peer >= (uint32_t)r->e->size) {
            s->counted = false;
            continue;
        }
        *PUSH(&s->counts) = (struct message_count){.comm = comm_in(r, m->comm_id, LEDGER_NO_COMM),
                                                   .from = m->received ? peer : own,
                                                   .to = m->received ? own : peer,
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

/* The letter by which /proc says what a process is doing; 0: unknown. */
static char process_state(int64_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *f = fopen(path, "re");
    if (f && !fgets(text, sizeof text, f))
        *text = '\0';
    if (f)
        fclose(f);
    const char *end = strrchr(text, ')');
    return end && end[1] ? end[2] : 0;
}

static enum rank_state state_of(char letter)
{
    return letter == 'T' || letter == 't' ? RANK_STOPPED
           : letter == 'D'                ? RANK_SYSTEM_CALL
           : letter == 'S'                ? RANK_SLEEPING
                                          : RANK_RUNNING;
}

/* By these a launcher or a person ends all ranks, whatever they are in. */
static bool is_request_to_end(int32_t signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT ||
           signal == SIGXCPU || signal == SIGUSR1 || signal == SIGUSR2;
}

/* How each process is or was. Where all have ended it was as it is in the records, unless one has
 * ended by itself. */
static void find_states(struct evidence *e)
{
    bool asked = false;
    for (size_t i = 0; i < e->ranks.n; i++) {
        const struct evidence_rank *r = &e->ranks.at[i];
        e->live = e->live || r->alive;
        asked = asked || ((r->state == LEDGER_SIGNALLED || r->state == LEDGER_HANDLED) &&
                          is_request_to_end(r->state_detail));
    }
    for (size_t i = 0; i < e->ranks.n; i++) {
        const struct evidence_rank *r = &e->ranks.at[i];
        bool signalled = r->state == LEDGER_SIGNALLED || r->state == LEDGER_HANDLED;
        enum rank_state *state = &e->s->state[i];
        if (!r->seen)
            *state = RANK_UNSEEN;
        else if (r->state == LEDGER_FINALIZED)
            *state = RANK_FINISHED;
        else if (r->alive && *state != RANK_FINISHED)
            *state = state_of(process_state(r->pid));
        else if (r->state == LEDGER_EXITED || r->state == LEDGER_ABORTED ||
                 (signalled && (e->live || !is_request_to_end(r->state_detail))) ||
                 (r->state == LEDGER_RUNNING && !r->alive && !r->other_host && (e->live || asked)))
            *state = RANK_GONE;
    }
}

/* --- all of it --- */

static void read_record(struct reading *r, const struct found_records *records, size_t i)
{
    enum {
        WANTED = 1u << LEDGER_OPERATIONS | 1u << LEDGER_TEXTS | 1u << LEDGER_MODULES |
                 1u << LEDGER_SITES | 1u << LEDGER_COMMS | 1u << LEDGER_CALLS |
                 1u << LEDGER_REQUESTS | 1u << LEDGER_MESSAGES
    };
    struct ledger l;
    char host[64] = "";
    const char *fault = ledger_open_part(&l, records->directory, records->list.at[i].name, WANTED);
    const struct ledger_header *h = l.header;
    if (!fault && (h->rank < 0 || h->rank >= r->e->size)) {
        ledger_close(&l);
        fault = "a rank that the run does not have";
    }
    if (fault) {
        remark(r->e, records->list.at[i].name, fault);
        return;
    }
    struct evidence_rank *rank = &r->e->ranks.at[h->rank];
    gethostname(host, sizeof host - 1);
    rank->seen = true;
    text_copy_part(rank->host, sizeof rank->host, h->host, sizeof h->host);
    quote_plain(rank->host);
    rank->pid = h->pid;
    rank->state = ledger_went_on(h) ? LEDGER_RUNNING : h->state;
    rank->state_detail = h->state_detail;
    rank->other_host = strncmp(host, h->host, sizeof host) != 0;
    rank->alive =
        ledger_is_alive(h) && (rank->state == LEDGER_RUNNING || rank->state == LEDGER_HANDLED ||
                               rank->state == LEDGER_FINALIZED);
    r->l = &l;
    r->h = h;
    r->now = rank->state != LEDGER_RUNNING && !rank->alive ? h->pair[1].seconds
             : rank->alive                                 ? clock_now()
                                                           : -1;
    if (rank->state != LEDGER_FINALIZED)
        add_calls(r);
    add_messages(r);
    ledger_close(&l);
}

static int by_number(const void *a, const void *b)
{
    const struct awaited *x = a, *y = b;
    return ORDER(x->comm, y->comm) ?: ORDER(x->sequence, y->sequence);
}

/* The numbers of collectives that are open on some rank. For free(). */
static struct awaited *open_numbers(const struct situation *s, size_t *n)
{
    struct awaited *list = memory_alloc((s->awaited.n + 1) * sizeof *list);
    *n = 0;
    for (size_t i = 0; i < s->awaited.n; i++)
        if (s->awaited.at[i].what == AWAIT_COLLECTIVE)
            list[(*n)++] = s->awaited.at[i];
    qsort(list, *n, sizeof *list, by_number);
    return list;
}

/* What this rank has left of what others are in: they may disagree about it. */
static void add_left(struct reading *r, const struct awaited *open, size_t n)
{
    for (uint32_t i = 0; n && i < r->h->section[LEDGER_INSTANCES].count; i++) {
        const struct ledger_instance *x = &r->l->instances[i];
        struct awaited key = {.sequence = x->sequence};
        while (key.comm < r->e->comm_ids.n && r->e->comm_ids.at[key.comm] != x->comm_id)
            key.comm++;
        if (!bsearch(&key, open, n, sizeof *open, by_number))
            continue;
        uint32_t operation = operation_of(r->e, r->l, x->operation);
        struct awaited a =
            collective(r, operation, x->comm_id, x->comm, x->sequence, x->root, x->bytes);
        a.rank = r->h->rank;
        a.name = operation;
        a.site = site_of(r->e, r->l, x->site);
        if (a.what == AWAIT_COLLECTIVE)
            *PUSH(&r->e->s->left) = a;
    }
}

/* Again, now that it is known which communicators matter. */
static void read_members(struct reading *r, const struct found_records *records)
{
    enum {
        WANTED = 1u << LEDGER_OPERATIONS | 1u << LEDGER_COMMS | 1u << LEDGER_SITES |
                 1u << LEDGER_MODULES | 1u << LEDGER_TEXTS | 1u << LEDGER_INSTANCES
    };
    size_t n;
    struct awaited *open = open_numbers(r->e->s, &n);
    while (r->known.n < r->e->s->comms.n)
        PUSH(&r->known);
    for (size_t i = 0; i < records->list.n; i++) {
        struct ledger l;
        if (ledger_open_part(&l, records->directory, records->list.at[i].name, WANTED))
            continue;
        r->l = &l;
        r->h = l.header;
        if (l.header->rank >= 0 && l.header->rank < r->e->size) {
            add_members(r->e, &l, r->known.at);
            add_left(r, open, n);
        }
        ledger_close(&l);
    }
    free(open);
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

static struct evidence *read_all(const struct found_records *records, struct evidence *e,
                                 double settled)
{
    struct reading r = {.e = e};
    for (size_t i = 0; i < records->list.n; i++)
        if (records->list.at[i].header.size > e->size)
            e->size = records->list.at[i].header.size;
    e->s = situation_new((size_t)e->size);
    e->s->settled = settled;
    e->s->counted = true;
    for (int32_t i = 0; i < e->size; i++)
        PUSH(&e->ranks);
    for (size_t i = 0; i < records->list.n; i++)
        read_record(&r, records, i);
    for (int32_t i = 0; i < e->size; i++)
        e->s->counted = e->s->counted && e->ranks.at[i].seen;
    read_members(&r, records);
    translate(e->s);
    merge_messages(e->s);
    find_states(e);
    free(r.known.at);
    return e;
}

struct evidence *evidence_read(const char *directory, double settled)
{
    struct found_records records = {.directory =
                                        open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (records.directory < 0) {
        reason_give("%s: %s: use the directory that `collprof run -o` wrote", directory,
                    strerror(errno));
        return NULL;
    }
    struct evidence *e = memory_alloc(sizeof *e);
    find_records(e, &records);
    keep_latest_run(&records);
    read_all(&records, e, settled);
    if (!records.list.n || !e->size) {
        reason_give("%s: no record rank-*.ledger that can be read%s%s", directory,
                    e->remarks.n ? ": " : "", e->remarks.n ? e->remarks.at[0] : "");
        evidence_free(e);
        e = NULL;
    }
    free(records.list.at);
    close(records.directory);
    return e;
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->sites.n; i++) {
        free(e->sites.at[i].path);
        free(e->sites.at[i].function);
        free(e->sites.at[i].text);
    }
    for (size_t i = 0; i < e->comm_names.n; i++)
        free(e->comm_names.at[i]);
    for (size_t i = 0; i < e->remarks.n; i++)
        free(e->remarks.at[i]);
    situation_free(e->s);
    free(e->operations.at);
    free(e->sites.at);
    free(e->ranks.at);
    free(e->comm_ids.at);
    free(e->comm_names.at);
    free(e->since.at);
    free(e->remarks.at);
    free(e);
}

void evidence_settle(struct evidence *e, const struct evidence *before)
{
    for (size_t i = 0; i < e->s->calls.n; i++) {
        struct open_call *c = &e->s->calls.at[i];
        bool same = c->polls; /* these are judged by their progress */
        for (size_t k = 0; k < before->s->calls.n && !same; k++)
            same = before->s->calls.at[k].rank == c->rank && before->since.at[k] == e->since.at[i];
        if (!same)
            c->seconds = 0;
    }
}

struct evidence *evidence_now(const char *directory, double settled)
{
    struct evidence *before = evidence_read(directory, settled), *e;
    if (!before || !before->live)
        return before;
    nanosleep(&(struct timespec){0, 150000000}, NULL);
    e = evidence_read(directory, settled);
    if (e)
        evidence_settle(e, before);
    evidence_free(before);
    return e;
}
