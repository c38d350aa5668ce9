/* Acknowledgements injected into the application: OL_i of its own broadcasts (doc/methods.md,
 * section 1; de Supinski and Karonis, section 4).
 *
 * Of each stream (communicator, root, size) --ack percent of the broadcasts are acknowledged, each
 * by one destination, in an order drawn for each round. All members compute both from the number
 * of the broadcast, without a message. The root echoes at once, so that the acknowledger measures
 * RTL_i of just this acknowledgement. At the end of the run the root of a stream gets all members'
 * entries and returns and judges (ack_judge.h).
 *
 * The application must not hang for this, whatever it does: no rank waits longer than a stated time
 * for a message that has not been sent yet. All messages are smaller than what any MPI sends
 * without waiting for the receiver, and travel on the layer's own communicator of all ranks. */
#include "inject/ack_judge.h"
#include "inject/injection.h"

#include "base/format.h"
#include "base/hash.h"
#include "document/json.h"
#include "sync/yielding.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* STREAMS_MAX: streams of a communicator. WARMUP: broadcasts of a stream before the first
 * acknowledged one. */
enum { STREAMS_MAX = 128, WARMUP = 3 };
/* Timeouts in seconds: of a root for an acknowledgement, of an acknowledger for the echo, and of
 * all ranks at the end for pending messages. After UNANSWERED_MAX acknowledgements without an echo
 * a member stops waiting for echoes. */
static const double ACK_TIMEOUT = 0.05, ECHO_TIMEOUT = 0.001, DRAIN_TIMEOUT = 1;
enum { UNANSWERED_MAX = 2 };

/* ACK_KEPT: most acknowledged broadcasts of a stream. It bounds both the memory and the time that a
 * run spends on a stream. */
enum { ACK_KEPT = 256 };

struct ack_pending;

/* A stream: the broadcasts of one size from one root on one communicator. */
struct ack_stream {
    struct ack_stream *next;
    uint64_t id; /* equal on all members */
    char name[MPI_MAX_OBJECT_NAME + 40];
    uint32_t comm; /* index in the ledger */
    int root, rank, size;
    int *world; /* ranks of the members on the layer's communicator */
    uint64_t bytes;
    uint64_t calls; /* number of broadcasts so far, so the number of the next one */

    /* For each acknowledged broadcast: this member's stamp, and at the root the acknowledgement. */
    struct ack_stamp *stamp;
    struct ack_seen *seen;
    size_t n;

    struct ack_pending *pending;
    unsigned unanswered; /* consecutive acknowledgements without an echo */
};

/* An acknowledgement, or its echo. */
struct ack_message {
    uint64_t number; /* of the broadcast in its stream */
    bool prompt;     /* in an echo: the root was already waiting for the acknowledgement */
};

/* First tag for our messages on the layer's communicator; SMPI's collectives use lower tags. */
enum { ACK_TAG_FIRST = 1001 };

static struct {
    uint64_t every;          /* on average one of this many broadcasts is acknowledged */
    uint64_t broadcasts;     /* made by this rank as root in streams without any acknowledgement */
    struct ack_stream *gone; /* streams of freed communicators, ordered by id */
} run;

/* The streams of one communicator. */
struct acks {
    struct ack_stream *streams;
    int n;
};

/* An awaited message: an acknowledgement at the root, or its echo. */
struct ack_pending {
    struct ack_pending *next;
    MPI_Request request;
    struct ack_message message;
    int from; /* rank in the stream's communicator */
    bool done;
};

/* The acknowledged broadcast in progress. */
struct ack_current {
    size_t k; /* index of its stamp */
    int one;  /* the member that acknowledges it */
    struct ack_pending
        *awaited; /* the acknowledgement or its echo; NULL if none or without memory */
    double entry; /* clock_now() */
};

static bool start(void)
{
    double percent = layer.settings.ack;
    run.every = percent > 0 ? (uint64_t)fmax(1, round(100 / percent)) : 0;
    return percent > 0 && layer.comm != MPI_COMM_NULL;
}

/* --- streams --- */

static void stream_free(struct ack_stream *a)
{
    free(a->world);
    free(a->stamp);
    free(a->seen);
    free(a);
}

static struct ack_stream *stream_new(const struct internal_comm *s, uint64_t id, int root,
                                     uint64_t bytes)
{
    const int *ranks = internal_comm_ranks(s);
    size_t room = (size_t)s->size * sizeof *ranks;
    struct ack_stream *a = ranks ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    *a = (struct ack_stream){.id = id,
                             .comm = s->of->index,
                             .root = root,
                             .rank = s->rank,
                             .size = s->size,
                             .world = malloc(room),
                             .bytes = bytes,
                             .stamp = malloc(ACK_KEPT * sizeof *a->stamp),
                             .seen = malloc(ACK_KEPT * sizeof *a->seen)};
    if (!a->world || !a->stamp || !a->seen) {
        stream_free(a);
        return NULL;
    }
    memcpy(a->world, ranks, room);
    snprintf(a->name, sizeof a->name, "%s", s->name);
    return a;
}

/* NULL if there are too many streams, or no memory. A member without memory never answers. */
static struct ack_stream *stream_of(struct internal_comm *s, int root, uint64_t bytes)
{
    struct acks **kept = (struct acks **)&s->kept[ack_injection.index];
    if (!*kept && !(*kept = calloc(1, sizeof **kept)))
        return NULL;
    struct acks *k = *kept;
    uint64_t id = hash_mix(hash_mix(s->of->id, (uint64_t)root), bytes);
    for (struct ack_stream *a = k->streams; a; a = a->next)
        if (a->id == id)
            return a;
    struct ack_stream *a = k->n < STREAMS_MAX ? stream_new(s, id, root, bytes) : NULL;
    if (a) {
        a->next = k->streams;
        k->streams = a;
        k->n++;
    }
    return a;
}

/* --- messages --- */

/* Different streams have different tags if MPI_TAG_UB allows it; it is at least 32767. */
static int tag_of(const struct ack_stream *a, bool is_echo)
{
    int *most, known = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
    uint64_t streams = (uint64_t)((known ? *most : 32767) - ACK_TAG_FIRST) / 2;
    return ACK_TAG_FIRST + 2 * (int)(a->id % streams) + is_echo;
}

/* NULL without memory. */
static struct ack_pending *expect(struct ack_stream *a, int from)
{
    struct ack_pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->from = from;
    if (PMPI_Irecv(&p->message, sizeof p->message, MPI_BYTE, a->world[from],
                   tag_of(a, from == a->root), layer.comm, &p->request)) {
        free(p);
        return NULL;
    }
    p->next = a->pending;
    return a->pending = p;
}

static void send_message(const struct ack_stream *a, int to, uint64_t number, bool prompt)
{
    struct ack_message m = {.number = number, .prompt = prompt};
    PMPI_Send(&m, sizeof m, MPI_BYTE, a->world[to], tag_of(a, to != a->root), layer.comm);
}

static bool has_come(struct ack_pending *p)
{
    int flag = 0;
    if (!p->done && PMPI_Test(&p->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        p->done = flag;
    return p->done;
}

/* Whether P has arrived; waits for up to TIMEOUT seconds. */
static bool await(struct ack_pending *p, double timeout)
{
    double begin = clock_now(), waited = 0;
    while (!has_come(p) && (waited = clock_now() - begin) < timeout)
        if (waited > 5e-5)
            sched_yield();
    return p->done;
}

/* Frees messages that have arrived. Echoes a late acknowledgement, since its sender waits. */
static void sweep(struct ack_stream *a)
{
    struct ack_pending **at = &a->pending;
    while (*at) {
        struct ack_pending *p = *at;
        bool was_done = p->done;
        if (!has_come(p)) {
            at = &p->next;
            continue;
        }
        if (a->rank == a->root && !was_done)
            send_message(a, p->from, p->message.number, false);
        *at = p->next;
        free(p);
    }
}

/* At the end of the run: receives pending messages for up to a second and cancels the rest. All
 * ranks call it first as roots, then as destinations. */
static void drain(struct ack_stream *a, bool as_root)
{
    double begin = clock_now();
    if (as_root != (a->rank == a->root))
        return;
    do {
        sweep(a);
        sched_yield();
    } while (a->pending && clock_now() - begin < DRAIN_TIMEOUT);
    while (a->pending) {
        struct ack_pending *p = a->pending;
        a->pending = p->next;
        PMPI_Cancel(&p->request);
        PMPI_Request_free(&p->request); /* MPI may still write to it, so it is never freed */
    }
}

/* --- the two sides of an acknowledged broadcast --- */

/* The root does not wait for a destination whose last acknowledgement timed out. */
static bool is_waited_for(const struct ack_stream *a, size_t k, int i)
{
    while (k-- > 0)
        if (a->seen[k].from == i)
            return a->seen[k].arrival != ACK_GIVEN_UP;
    return true;
}

/* An acknowledgement that is already there arrived before the root left its broadcast. */
static void await_ack(const struct ack_stream *a, const struct ack_current *b, uint64_t number)
{
    struct ack_pending *p = b->awaited;
    struct ack_seen *seen = &a->seen[b->k];
    *seen = (struct ack_seen){b->one, ACK_GIVEN_UP, NAN};
    if (!p)
        return;
    bool early = has_come(p);
    if (!early && !await(p, is_waited_for(a, b->k, b->one) ? ACK_TIMEOUT : 0))
        return;
    *seen = (struct ack_seen){b->one, early ? ACK_EARLY : ACK_SEEN, clock_now() - b->entry};
    send_message(a, b->one, number, !early);
}

static void acknowledge(struct ack_stream *a, const struct ack_current *b, uint64_t number)
{
    struct ack_pending *p = b->awaited;
    struct ack_stamp *stamp = &a->stamp[b->k];
    double sent = clock_now(), timeout = a->unanswered < UNANSWERED_MAX ? ECHO_TIMEOUT : 0;
    send_message(a, a->root, number, false);
    stamp->hold = sent - stamp->exit;
    bool answered = p && await(p, timeout);
    if (answered && p->message.prompt)
        stamp->round_trip = clock_now() - sent;
    a->unanswered = answered ? 0 : a->unanswered + 1;
}

/* --- the broadcast --- */

static void begin(struct ack_stream *a, struct ack_current *b)
{
    sweep(a);
    b->k = a->n++;
    b->one = ack_destination(a->id, a->size, a->root, b->k);
    if (a->rank == a->root || a->rank == b->one)
        b->awaited = expect(a, a->rank == a->root ? b->one : a->root);
    b->entry = clock_now();
}

static int acknowledged_broadcast(struct ack_stream *a, const struct collective *c)
{
    struct ack_current b = {0};
    double idle = (double)ticks_to_ns(c->call->entry - thread.left) * 1e-9;
    uint64_t number = a->calls;
    begin(a, &b);
    int rc = injection_pass(&ack_injection, c);
    a->stamp[b.k] = (struct ack_stamp){
        .entry = b.entry, .exit = clock_now(), .hold = NAN, .round_trip = NAN, .idle = idle};
    /* The acknowledgement makes some member late for its next collective. */
    call_exclude(c->on->of->id, 2);
    if (a->rank == a->root)
        await_ack(a, &b, number);
    else if (a->rank == b.one)
        acknowledge(a, &b, number);
    return rc;
}

static int instead(const struct collective *c)
{
    struct ack_stream *a = NULL;
    if (c->bytes > 0 && c->on->of->id)
        a = stream_of(c->on, c->root, c->bytes);
    if (!a) {
        if (c->bytes > 0)
            injection_untreated(&ack_injection);
        return injection_pass(&ack_injection, c);
    }
    bool chosen = /* all members choose alike */
        a->calls >= WARMUP && a->n < ACK_KEPT && ack_is_chosen(a->id, a->calls, run.every);
    int rc = chosen ? acknowledged_broadcast(a, c) : injection_pass(&ack_injection, c);
    a->calls++;
    return rc;
}

/* Streams are judged at the end of the run, when all ranks are in MPI_Finalize. */
static void close_comm(struct internal_comm *s, bool all)
{
    (void)all;
    struct acks *k = s->kept[ack_injection.index];
    while (k && k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        if (!a->n) {
            __atomic_fetch_add(&run.broadcasts, a->rank == a->root ? a->calls : 0,
                               __ATOMIC_RELAXED);
            stream_free(a);
            continue;
        }
        pthread_mutex_lock(&layer.lock);
        struct ack_stream **at = &run.gone;
        while (*at && (*at)->id < a->id)
            at = &(*at)->next;
        a->next = *at;
        *at = a;
        pthread_mutex_unlock(&layer.lock);
    }
    free(k);
}

static json_t *describe(const struct ack_stream *a, const struct ack_verdict *verdict)
{
    json_t *rows = json_array();
    for (int i = 0; i < a->size; i++)
        if (i != a->root)
            json_array_append_new(rows, ack_finding(&verdict[i], i, a->n));
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:o}", "operation", "MPI_Bcast",
                     "communicator", a->name, "ranks", a->size, "root", a->root, "bytes",
                     (json_int_t)a->bytes, "broadcasts", (json_int_t)a->calls, "asked",
                     (json_int_t)a->n, "destinations", rows);
}

/* The lowest id of a stream that any rank still has; A is the first of this rank. *ROOT: rank of
 * its root, or -1. UINT64_MAX if no rank has a stream. */
static uint64_t next_stream(const struct ack_stream *a, int *root)
{
    uint64_t mine = a ? a->id : UINT64_MAX, next = UINT64_MAX, after = 0;
    allreduce_yielding(&mine, &next, 1, MPI_MIN, layer.comm);
    mine = a && a->id == next && a->rank == a->root ? (uint64_t)layer.rank + 1 : 0;
    allreduce_yielding(&mine, &after, 1, MPI_MAX, layer.comm);
    *root = (int)after - 1;
    return next;
}

/* Gathers at ROOT the stamps of all members of A, as ack_judge() takes them. NULL on the other
 * ranks, and at ROOT if there is no memory or a member's record does not match. A is NULL on ranks
 * without a record. COUNT, AT: an int for each rank. */
static struct ack_stamp *gather(const struct ack_stream *a, int root, int *count, int *at)
{
    enum { DOUBLES = sizeof(struct ack_stamp) / sizeof(double) };
    int mine = a ? (int)a->n * DOUBLES : 0, good = true;
    struct ack_stamp *all = NULL;
    PMPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, root, layer.comm);
    if (layer.rank == root) {
        all = malloc((size_t)a->size * a->n * sizeof *all);
        good = all != NULL;
        for (int j = 0; j < a->size; j++) {
            good = good && count[a->world[j]] == mine;
            at[a->world[j]] = j * mine;
        }
    }
    PMPI_Bcast(&good, 1, MPI_INT, root, layer.comm);
    if (good && !PMPI_Gatherv(a ? a->stamp : NULL, mine, MPI_DOUBLE, all, count, at, MPI_DOUBLE,
                              root, layer.comm))
        return all;
    free(all);
    return NULL;
}

static void judge(const struct ack_stream *a, const struct ack_stamp *stamp)
{
    struct ack_verdict *verdict = calloc((size_t)a->size, sizeof *verdict);
    double bound = injection_clock()->domains > 1 ? 2 * injection_clock()->worst_bound : 0;
    if (stamp && verdict && ack_judge(stamp, a->n, a->size, a->root, a->seen, bound, verdict))
        injection_found(&ack_injection, a->comm, describe(a, verdict));
    else
        snprintf(ack_injection.remark, sizeof ack_injection.remark,
                 "ack: a stream of broadcasts is not judged: a member had no memory for its "
                 "record");
    free(verdict);
}

/* Collective over all ranks. Judges and frees all STREAMS; if one rank has no memory, does neither.
 */
static void judge_all(struct ack_stream *streams)
{
    int root = -1, *count = calloc(2 * (size_t)layer.size, sizeof *count);
    uint64_t good = count != NULL, all = 0, id;
    allreduce_yielding(&good, &all, 1, MPI_MIN, layer.comm);
    while (all && (id = next_stream(streams, &root)) != UINT64_MAX) {
        struct ack_stream *a = streams && streams->id == id ? streams : NULL;
        struct ack_stamp *stamp = NULL;
        for (size_t k = 0; a && k < a->n; k++) { /* convert to the common clock */
            a->stamp[k].entry = sync_global(injection_clock(), a->stamp[k].entry);
            a->stamp[k].exit = sync_global(injection_clock(), a->stamp[k].exit);
        }
        if (root >= 0)
            stamp = gather(a, root, count, count + layer.size);
        if (layer.rank == root)
            judge(a, stamp);
        free(stamp);
        if (a) {
            streams = a->next;
            stream_free(a);
        }
    }
    free(count);
}

/* BROADCASTS: how many this rank made as root in streams without an acknowledgement. */
static void remark_share(const struct ack_stream *streams, uint64_t broadcasts)
{
    uint64_t mine[2] = {0, broadcasts},
             all[2] = {0, 0}; /* acknowledged broadcasts; all broadcasts */
    for (const struct ack_stream *a = streams; a; a = a->next) {
        mine[0] += a->rank == a->root ? a->n : 0;
        mine[1] += a->rank == a->root ? a->calls : 0;
    }
    PMPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, layer.comm);
    if (layer.rank != 0 || *ack_injection.remark)
        return;
    snprintf(ack_injection.remark, sizeof ack_injection.remark,
             "ack: %llu of %llu broadcasts were acknowledged, about one of %.0f of one size from "
             "one root after the first three",
             (unsigned long long)all[0], (unsigned long long)all[1], 100 / layer.settings.ack);
}

/* Receives acknowledgements that no stream expects, because UCX warns of unreceived messages. */
static void take_rest(void)
{
    int flag = 0;
    MPI_Status status;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, layer.comm, &flag, &status) && flag &&
           status.MPI_TAG >= ACK_TAG_FIRST) {
        struct ack_message rest;
        PMPI_Recv(&rest, sizeof rest, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, layer.comm,
                  MPI_STATUS_IGNORE);
    }
}

static void finish(void)
{
    MPI_Request all_here;
    for (int as_root = 1; as_root >= 0; as_root--)
        for (struct ack_stream *a = run.gone; a; a = a->next)
            drain(a, as_root);
    wait_yielding(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
    take_rest();
    remark_share(run.gone, run.broadcasts);
    judge_all(run.gone);
    wait_yielding(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
}

struct injection ack_injection = {
    .name = "ack", .start = start, .instead = instead, .close = close_comm, .finish = finish};
