/* --ack=PERCENT: measures OL_i, the latency of the application's broadcasts to destination i, by
 * acknowledgements (doc/methods.md, section 1; de Supinski and Karonis, section 4).
 *
 * A stream is all broadcasts of one communicator, root and size. PERCENT of a stream's broadcasts
 * are acknowledged, each by one destination, as ack_judge.h chooses. The root answers an
 * acknowledgement with an echo, so i measures the round trip RTL_i. When the communicator is
 * freed, the root gathers the entry and return times of all members and computes OL_i.
 *
 * The measurement must not make the application hang: each wait for a message has a timeout. All
 * messages travel on the internal communicator, and are small enough that any MPI sends them
 * eagerly. */
#include "inject/ack_judge.h"
#include "inject/injection.h"

#include "base/hash.h"
#include "sync/yielding.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

/* STREAMS_MAX: most streams of a communicator. WARMUP: broadcasts of a stream before the first
 * acknowledged one. ACK_KEPT: most acknowledged broadcasts of a stream; it limits the memory and
 * the time that a stream costs. */
enum { STREAMS_MAX = 128, WARMUP = 3, ACK_KEPT = 256 };
/* Timeouts in seconds: ACK: the root's for an acknowledgement; ECHO: a destination's for its echo;
 * DRAIN: of all for the remaining messages when the communicator is freed. After UNANSWERED_MAX
 * successive acknowledgements without an echo a destination polls for an echo without waiting. */
static const double ACK_TIMEOUT = 0.05, ECHO_TIMEOUT = 0.001, DRAIN_TIMEOUT = 1;
enum { UNANSWERED_MAX = 2 };

/* An acknowledgement, or its echo. */
struct ack_message {
    uint64_t number; /* number of the broadcast in its stream */
    bool prompt;     /* of an echo: sent at once, as the root was waiting for the acknowledgement */
};

/* A message that this member awaits: the root an acknowledgement, the destination an echo. */
struct ack_awaited {
    MPI_Request request; /* MPI_REQUEST_NULL: no message is awaited, or it has arrived */
    struct ack_message message;
};

/* A stream: the broadcasts of one size from one root on one communicator. */
struct ack_stream {
    struct ack_stream *next;
    uint64_t id; /* hash of communicator, root and size: equal on all members */
    int root, number;
    uint64_t bytes;
    uint64_t calls; /* number of broadcasts so far: also the number of the next one */

    /* For each of N acknowledged broadcasts: this member's times, the message that it awaits, and
     * at the root how the acknowledgement arrived. */
    size_t n;
    struct ack_stamp stamp[ACK_KEPT];
    struct ack_awaited awaited[ACK_KEPT];
    struct ack_seen seen[ACK_KEPT];

    unsigned unanswered; /* successive acknowledgements whose echo timed out */
};

struct acks {
    struct ack_stream *streams; /* the newest first */
    int n;
};

static struct {
    uint64_t every;                    /* one of this many broadcasts is acknowledged */
    uint64_t broadcasts, acknowledged; /* with this rank as root; how many were acknowledged */
} run;

static bool start(void)
{
    double percent = layer.settings.ack;
    run.every = percent > 0 ? (uint64_t)fmax(1, round(100 / percent)) : 0;
    return percent > 0;
}

static bool wants(const struct collective *c)
{
    return c->is_broadcast && c->bytes > 0;
}

/* The stream of a broadcast, created if new; NULL: too many streams, or no memory. */
static struct ack_stream *stream_of(struct acks *k, uint64_t comm, int root, uint64_t bytes)
{
    uint64_t id = hash_mix(hash_mix(comm, (uint64_t)root), bytes);
    for (struct ack_stream *a = k->streams; a; a = a->next)
        if (a->id == id)
            return a;
    struct ack_stream *a = k->n < STREAMS_MAX ? malloc(sizeof *a) : NULL;
    if (!a) {
        k->n = STREAMS_MAX; /* without memory this member adds no more streams */
        return NULL;
    }
    a->next = k->streams;
    a->id = id;
    a->root = root;
    a->number = k->n++;
    a->bytes = bytes;
    a->calls = a->n = a->unanswered = 0;
    return k->streams = a;
}

/* --- messages --- */

static int tag_of(const struct ack_stream *a, bool is_echo)
{
    return 1001 + 2 * a->number + is_echo; /* larger tags than those of SMPI's collectives */
}

static void send_message(const struct internal_comm *s, const struct ack_stream *a, int to,
                         uint64_t number, bool prompt)
{
    struct ack_message m = {.number = number, .prompt = prompt};
    PMPI_Send(&m, sizeof m, MPI_BYTE, to, tag_of(a, to != a->root), s->comm);
}

static bool has_come(struct ack_awaited *w)
{
    int flag = 0;
    return PMPI_Test(&w->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

/* Waits up to TIMEOUT seconds for message W; false if it did not arrive. */
static bool await(struct ack_awaited *w, double timeout)
{
    double begin = clock_now(), waited = 0;
    bool come;
    while (!(come = has_come(w)) && (waited = clock_now() - begin) < timeout)
        if (waited > 5e-5)
            sched_yield();
    return come;
}

/* Waits until UNTIL (clock_now()) for messages that had timed out. The root also echoes late
 * acknowledgements: otherwise their senders would take the next echo for the missing one. */
static void receive_late(const struct internal_comm *s, struct ack_stream *a, double until)
{
    for (size_t k = 0; k < a->n; k++) {
        struct ack_awaited *w = &a->awaited[k];
        if (w->request != MPI_REQUEST_NULL && await(w, until - clock_now()) && s->rank == a->root)
            send_message(s, a, a->seen[k].from, w->message.number, false);
    }
}

/* --- the two sides of an acknowledged broadcast --- */

/* Whether the root waits for I to acknowledge broadcast K: not if its last wait for I timed out. */
static bool is_waited_for(const struct ack_stream *a, size_t k, int i)
{
    while (k-- > 0)
        if (a->seen[k].from == i)
            return a->seen[k].arrival != ACK_GIVEN_UP;
    return true;
}

/* The root's side: awaits the acknowledgement of broadcast K and echoes it. */
static void await_ack(const struct internal_comm *s, struct ack_stream *a, size_t k)
{
    int from = a->seen[k].from;
    bool early = has_come(&a->awaited[k]);
    if (!early && !await(&a->awaited[k], is_waited_for(a, k, from) ? ACK_TIMEOUT : 0))
        return;
    a->seen[k].arrival = early ? ACK_EARLY : ACK_SEEN;
    a->seen[k].after = clock_now() - a->stamp[k].entry;
    send_message(s, a, from, a->calls, !early);
}

static void acknowledge(const struct internal_comm *s, struct ack_stream *a, size_t k)
{
    double sent = clock_now(), timeout = a->unanswered < UNANSWERED_MAX ? ECHO_TIMEOUT : 0;
    send_message(s, a, a->root, a->calls, false);
    a->stamp[k].hold = sent - a->stamp[k].exit;
    bool answered = await(&a->awaited[k], timeout);
    if (answered && a->awaited[k].message.prompt)
        a->stamp[k].round_trip = clock_now() - sent;
    a->unanswered = answered ? 0 : a->unanswered + 1;
}

/* --- the broadcast --- */

static int acknowledged_broadcast(struct ack_stream *a, const struct collective *c)
{
    const struct internal_comm *s = c->on;
    double idle = (double)ticks_to_ns(c->call->entry - thread.left) * 1e-9;
    receive_late(s, a, 0);
    size_t k = a->n++;
    int one = ack_destination(a->id, s->size, a->root, k);
    int from = s->rank == a->root ? one : a->root;
    struct ack_awaited *w = &a->awaited[k];
    w->request = MPI_REQUEST_NULL;
    bool awaits = (s->rank == a->root || s->rank == one) &&
                  !PMPI_Irecv(&w->message, sizeof w->message, MPI_BYTE, from,
                              tag_of(a, from == a->root), s->comm, &w->request);
    a->seen[k] = (struct ack_seen){one, ACK_GIVEN_UP, NAN};
    a->stamp[k] =
        (struct ack_stamp){.entry = clock_now(), .hold = NAN, .round_trip = NAN, .idle = idle};
    int rc = injection_pass(&ack_injection, c);
    a->stamp[k].exit = clock_now();
    /* Excludes calls from timing until after the next collective: one member will be late for
     * it. */
    call_exclude(s->of->id, 2);
    if (awaits && s->rank == a->root)
        await_ack(s, a, k);
    else if (awaits)
        acknowledge(s, a, k);
    return rc;
}

static int instead(const struct collective *c)
{
    struct internal_comm *s = c->on;
    struct acks *k = s->comm == MPI_COMM_NULL ? NULL : s->kept[ack_injection.index];
    struct ack_stream *a = k && c->bytes > 0 ? stream_of(k, s->of->id, c->root, c->bytes) : NULL;
    if (!a)
        return injection_pass(&ack_injection, c);
    bool chosen = /* equal on all members: computed from A's calls alone */
        a->calls >= WARMUP && a->n < ACK_KEPT && ack_is_chosen(a->id, a->calls, run.every);
    int rc = chosen ? acknowledged_broadcast(a, c) : injection_pass(&ack_injection, c);
    a->calls++;
    return rc;
}

/* --- when the communicator is freed --- */

static json_t *describe(const struct internal_comm *s, const struct ack_stream *a,
                        const struct ack_verdict *verdict)
{
    json_t *rows = json_array();
    for (int i = 0; i < s->size; i++)
        if (i != a->root)
            json_array_append_new(rows, ack_finding(&verdict[i], i));
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:o}", "operation", "MPI_Bcast",
                     "communicator", s->name, "ranks", s->size, "root", a->root, "bytes",
                     (json_int_t)a->bytes, "broadcasts", (json_int_t)a->calls, "asked",
                     (json_int_t)a->n, "destinations", rows);
}

/* Collective. Whether all members have the same streams, each with as many acknowledged broadcasts.
 * False if a member had no memory, or if members gave a broadcast different sizes. */
static bool agree(const struct internal_comm *s, const struct acks *k)
{
    uint64_t mine[2] = {HASH_START}, all[2];
    for (const struct ack_stream *a = k->streams; a; a = a->next)
        mine[0] = hash_mix(hash_mix(mine[0], a->id), a->n);
    mine[1] = ~mine[0];
    return !allreduce_yielding(mine, all, 2, MPI_MIN, s->comm) && all[0] == ~all[1];
}

/* Collective. Gathers the times of all members at A's root, which reports A's latencies. */
static void judge(const struct internal_comm *s, struct ack_stream *a)
{
    enum { DOUBLES = sizeof(struct ack_stamp) / sizeof(double) };
    const struct sync_clock *clock = injection_clock();
    size_t members = s->rank == a->root ? (size_t)s->size : 0;
    struct ack_stamp *stamp = malloc((members * a->n + 1) * sizeof *stamp);
    struct ack_verdict *verdict = calloc(members + 1, sizeof *verdict);
    int n = (int)a->n * DOUBLES;
    for (size_t k = 0; k < a->n; k++) { /* convert to the common clock */
        a->stamp[k].entry = sync_global(clock, a->stamp[k].entry);
        a->stamp[k].exit = sync_global(clock, a->stamp[k].exit);
    }
    double bound = clock->domains > 1 ? 2 * clock->worst_bound : 0;
    if (!sync_all_have(s->comm, stamp && verdict) &&
        !PMPI_Gather(a->stamp, n, MPI_DOUBLE, stamp, n, MPI_DOUBLE, a->root, s->comm) && members &&
        ack_judge(stamp, a->n, s->size, a->root, a->seen, bound, verdict))
        injection_found(&ack_injection, s->of->index, describe(s, a, verdict));
    free(stamp);
    free(verdict);
}

/* Frees A unless a receive into it is pending: then MPI may still write to it, so it is leaked. */
static void stream_free(struct ack_stream *a)
{
    bool free_it = true;
    for (size_t k = 0; k < a->n; k++)
        if (a->awaited[k].request != MPI_REQUEST_NULL) {
            PMPI_Cancel(&a->awaited[k].request);
            PMPI_Request_free(&a->awaited[k].request);
            free_it = false;
        }
    if (free_it)
        free(a);
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct acks *k = s->kept[ack_injection.index];
    if (!k)
        return;
    bool judged = all && agree(s, k);
    double until = all ? clock_now() + DRAIN_TIMEOUT : 0;
    for (int as_root = 1; as_root >= 0; as_root--) /* roots first: destinations wait for echoes */
        for (struct ack_stream *a = k->streams; a; a = a->next)
            if (as_root == (s->rank == a->root))
                receive_late(s, a, until);
    if (!judged && k->streams && s->rank == 0)
        injection_warn("ack: broadcast latencies on %.100s are unknown: its members %s", s->name,
                       all ? "ran out of memory or disagree about the size of a broadcast"
                           : "did not free it together");
    while (k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        if (s->rank == a->root) {
            __atomic_fetch_add(&run.broadcasts, a->calls, __ATOMIC_RELAXED);
            __atomic_fetch_add(&run.acknowledged, a->n, __ATOMIC_RELAXED);
        }
        if (judged && a->n)
            judge(s, a);
        stream_free(a);
    }
    free(k);
}

static void finish(void)
{
    uint64_t mine[2] = {run.acknowledged, run.broadcasts}, all[2] = {0, 0};
    allreduce_yielding(mine, all, 2, MPI_SUM, layer.comm);
    if (layer.rank == 0)
        injection_warn(
            "ack: %llu of %llu broadcasts were acknowledged: %g %% of those after the first three "
            "of each size, root and communicator",
            (unsigned long long)all[0], (unsigned long long)all[1], layer.settings.ack);
}

INJECTION(ack, "ack", struct acks, .instead = instead, .finish = finish);
