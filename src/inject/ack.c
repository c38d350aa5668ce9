/* Acknowledgements injected into the application: OL_i of its own broadcasts (doc/methods.md,
 * section 1; de Supinski and Karonis, section 4).
 *
 * Of each stream (root, size) a few broadcasts are acknowledged, as many as --ack-share allows, by
 * one destination in its own random order, or by all. The root has posted the receive before; E_i
 * is the time from its entry to the acknowledgement. It echoes at once, so that the acknowledger
 * sees RTL_i as the acknowledgement really travelled. Every member notes its entry and return.
 * When the run ends, the root of a stream gets these from all and judges (ack_judge.h):
 *
 *     OL_i = E_i - hold_i - RTL_i/2, where hold_i is from i's return to its sending
 *
 * The application must not hang for this, whatever it does: nobody waits for a message that has
 * not been sent already, for longer than a stated time. All messages are smaller than what any MPI
 * sends without waiting for the receiver, and travel on the layer's own communicator of all ranks,
 * so no context is used up and no communicator made. */
#include "inject/ack.h"

#include "inject/list.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH = 3,         /* broadcasts of a stream before the first is acknowledged */
    STREAMS_MAX = 64,  /* of a communicator, each with its own size; then one for each power of 2 */
    STREAMS_ALL = 512, /* then none */
    COUNT_MAX = 32     /* acknowledged broadcasts of a plan */
};
/* Seconds: for an acknowledgement, its echo, a plan, and at the end for all that is left. */
static const double PATIENCE = 0.05, ECHO_PATIENCE = 0.001, PLAN_PATIENCE = 1, DRAIN_PATIENCE = 1;

static struct {
    bool all;    /* every destination, every time */
    int streams; /* of this root, being acknowledged: they share what --ack-share allows */
    double began;
    struct ack_stream *gone; /* of communicators that were freed; by id */
} run;

/* What is kept for a communicator. */
struct acks {
    struct ack_stream *streams;
    int n;
};

static bool start(void)
{
    run.all = !strcmp(layer.settings.ack, "all");
    run.began = clock_now();
    return *layer.settings.ack && layer.comm != MPI_COMM_NULL;
}

/* --- streams --- */

static struct ack_stream *stream_new(const struct shadow *s, uint64_t id, int root, uint64_t bytes)
{
    struct ack_stream *a = calloc(1, sizeof *a);
    int *world = malloc((size_t)s->size * sizeof *world),
        *own = malloc((size_t)s->size * sizeof *own);
    MPI_Group group = MPI_GROUP_NULL, of_layer = MPI_GROUP_NULL;
    bool good = a && world && own && PMPI_Comm_group(s->of->handle, &group) == MPI_SUCCESS &&
                PMPI_Comm_group(layer.comm, &of_layer) == MPI_SUCCESS;
    for (int i = 0; good && i < s->size; i++)
        own[i] = i;
    good = good && PMPI_Group_translate_ranks(group, s->size, own, of_layer, world) == MPI_SUCCESS;
    for (int i = 0; good && i < s->size; i++)
        good = world[i] >= 0;
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (of_layer != MPI_GROUP_NULL)
        PMPI_Group_free(&of_layer);
    free(own);
    if (!good) {
        free(a);
        free(world);
        return NULL;
    }
    *a = (struct ack_stream){.id = id,
                             .root = root,
                             .rank = s->rank,
                             .size = s->size,
                             .world = world,
                             .least = bytes,
                             .most = bytes,
                             .began = clock_now(),
                             .plan = {WORTH, 0, 0}};
    snprintf(a->name, sizeof a->name, "%s", s->name);
    return a;
}

/* NULL: there are too many, or no memory. A member without memory is one that never answers. */
static struct ack_stream *stream_of(struct shadow *s, int root, uint64_t bytes)
{
    struct acks **kept = (struct acks **)&s->kept[ack_injection.index];
    if (!*kept && !(*kept = calloc(1, sizeof **kept)))
        return NULL;
    struct acks *k = *kept;
    uint64_t base = ack_mix(ack_mix(s->of->id, (uint64_t)root), 0);
    uint64_t id = ack_mix(base, bytes), pooled = ack_mix(base, ~(uint64_t)size_class_of(bytes));
    for (struct ack_stream *a = k->streams; a; a = a->next)
        if (a->id == id || (k->n >= STREAMS_MAX && a->id == pooled))
            return a;
    if (k->n >= STREAMS_ALL)
        return NULL;
    struct ack_stream *a = stream_new(s, k->n >= STREAMS_MAX ? pooled : id, root, bytes);
    if (a) {
        a->next = k->streams;
        k->streams = a;
    }
    k->n++;
    return a;
}

/* --- messages --- */

struct message {
    uint64_t stream, number; /* of the broadcast in its stream */
    struct ack_plan plan;    /* of a plan */
    bool prompt;             /* of an echo: the root was waiting */
};

/* Every MPI has tags to 32767. */
int ack_tag(const struct ack_stream *a, enum ack_tag tag)
{
    return 1000 + ACK_TAGS * (int)(a->id % 7900) + (int)tag;
}

/* A message that is awaited: of an acknowledgement at the root, of its echo at the destination. */
struct ack_pending {
    struct ack_pending *next;
    MPI_Request request;
    struct message message;
    int from;         /* in the stream's communicator */
    size_t broadcast; /* index */
    bool waited_for, done;
};

static struct ack_pending *expect(struct ack_stream *a, int from, enum ack_tag tag)
{
    struct ack_pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->from = from;
    p->broadcast = a->n;
    if (PMPI_Irecv(&p->message, sizeof p->message, MPI_BYTE, a->world[from], ack_tag(a, tag),
                   layer.comm, &p->request)) {
        free(p);
        return NULL;
    }
    p->next = a->pending;
    return a->pending = p;
}

static void send(const struct ack_stream *a, int to, enum ack_tag tag, const struct message *m)
{
    PMPI_Send(m, sizeof *m, MPI_BYTE, a->world[to], ack_tag(a, tag), layer.comm);
}

static bool has_come(struct ack_pending *p)
{
    int flag = 0;
    if (!p->done && PMPI_Test(&p->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag)
        p->done = true;
    return p->done;
}

static void echo(const struct ack_stream *a, const struct ack_pending *p, bool prompt)
{
    struct message m = {.stream = a->id, .number = p->message.number, .prompt = prompt};
    send(a, p->from, ACK_TAG_ECHO, &m);
}

/* Forgets what has come. A late acknowledgement is answered, since its sender will take one. */
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
            echo(a, p, false);
        *at = p->next;
        free(p);
    }
}

/* Waiting gives the processor away after a while. */
static void pause_since(double start)
{
    if (clock_now() - start > 5e-5)
        sched_yield();
}

/* --- what is kept of a broadcast --- */

/* Room for one more broadcast of an acknowledged stream; every second one is forgotten when there
 * are many. All members do so alike. */
static bool make_room(struct ack_stream *a)
{
    if (a->n == ACK_KEPT_MAX) {
        for (size_t k = 0; k < ACK_KEPT_MAX / 2; k++)
            a->stamp[k] = a->stamp[2 * k];
        size_t kept = 0;
        for (size_t s = 0; s < a->n_seen; s++) {
            if (a->seen[s].broadcast % 2)
                continue;
            a->seen[kept] = a->seen[s];
            a->seen[kept++].broadcast /= 2;
        }
        a->n_seen = kept;
        a->n = ACK_KEPT_MAX / 2;
        a->thinned++;
    }
    if (!a->stamp)
        a->stamp = malloc(ACK_KEPT_MAX * sizeof *a->stamp);
    return a->stamp != NULL;
}

static void note_seen(struct ack_stream *a, const struct ack_pending *p, enum ack_arrival arrival,
                      double after)
{
    if (a->n_seen == a->seen_room) {
        size_t room = a->seen_room ? 2 * a->seen_room : 64;
        struct ack_seen *more = realloc(a->seen, room * sizeof *more);
        if (!more)
            return;
        a->seen = more;
        a->seen_room = room;
    }
    a->seen[a->n_seen++] = (struct ack_seen){p->broadcast, p->from, arrival, after};
    a->given_up += arrival == ACK_GIVEN_UP;
}

/* --- the two sides of an acknowledged broadcast --- */

/* A destination that was given up once is not waited for again. */
static bool is_waited_for(const struct ack_stream *a, int i)
{
    for (size_t s = a->n_seen; s-- > 0;)
        if (a->seen[s].from == i)
            return a->seen[s].arrival != ACK_GIVEN_UP;
    return true;
}

/* FIRST: the newest of the N acknowledgements expected. What is there at the first look came
 * before the root had left its broadcast. */
static void await_acks(struct ack_stream *a, struct ack_pending *first, int n, double entry)
{
    double start = clock_now();
    struct ack_pending *p = first;
    int left = 0;
    for (int i = 0; i < n; i++, p = p->next) {
        p->waited_for = !has_come(p) && is_waited_for(a, p->from);
        left += p->waited_for;
        if (p->done)
            echo(a, p, false);
        if (!p->waited_for)
            note_seen(a, p, p->done ? ACK_EARLY : ACK_GIVEN_UP, clock_now() - entry);
    }
    while (left > 0 && clock_now() - start < PATIENCE) {
        p = first;
        for (int i = 0; i < n; i++, p = p->next) {
            if (!p->waited_for || !has_come(p))
                continue;
            double now = clock_now();
            echo(a, p, true);
            note_seen(a, p, ACK_SEEN, now - entry);
            p->waited_for = false;
            left--;
        }
        pause_since(start);
    }
    p = first;
    for (int i = 0; left > 0 && i < n; i++, p = p->next)
        if (p->waited_for)
            note_seen(a, p, ACK_GIVEN_UP, NAN);
    a->waited += clock_now() - start;
}

static int as_root(const struct collective *c, struct ack_stream *a, int one)
{
    int n = 0;
    sweep(a);
    for (int i = 0; i < a->size; i++)
        if (i != a->root && (run.all || i == one))
            n += expect(a, i, ACK_TAG_ACK) != NULL;
    double entry = clock_now();
    int rc = injection_pass(&ack_injection, c);
    double exit = clock_now();
    a->stamp[a->n] = (struct ack_stamp){entry, exit, NAN, NAN};
    await_acks(a, a->pending, n, entry);
    return rc;
}

static int as_destination(const struct collective *c, struct ack_stream *a)
{
    sweep(a);
    struct ack_pending *p = expect(a, a->root, ACK_TAG_ECHO);
    double entry = clock_now();
    int rc = injection_pass(&ack_injection, c);
    double exit = clock_now();
    struct message m = {.stream = a->id, .number = a->calls};
    double sent = clock_now();
    send(a, a->root, ACK_TAG_ACK, &m);
    double round_trip = NAN;
    while (p && clock_now() - sent < ECHO_PATIENCE) {
        if (has_come(p)) {
            if (p->message.prompt)
                round_trip = clock_now() - sent;
            break;
        }
        pause_since(sent);
    }
    a->stamp[a->n] = (struct ack_stamp){entry, exit, sent - exit, round_trip};
    a->waited += clock_now() - exit;
    return rc;
}

static int as_other(const struct collective *c, struct ack_stream *a)
{
    double entry = clock_now();
    int rc = injection_pass(&ack_injection, c);
    a->stamp[a->n] = (struct ack_stamp){entry, clock_now(), NAN, NAN};
    return rc;
}

/* --- plans --- */

/* The root's choice: as many as the share allows by what the last ones cost. Of the first one
 * only the broadcast's own time is known. */
static struct ack_plan next_plan(struct ack_stream *a)
{
    double now = clock_now(), period = (now - a->began) / (double)a->calls;
    double cost = a->acknowledged ? a->waited / (double)a->acknowledged
                                  : 2 * (a->inside / (double)a->calls) + 1e-5;
    double share = layer.settings.ack_share / 100 / (run.streams > 0 ? run.streams : 1);
    uint32_t count = a->acknowledged ? 2 * a->plan.count : 1;
    return (struct ack_plan){.first = a->calls + 1,
                             .every = ack_every(cost, period, share)
                                      << (a->thinned < 8 ? a->thinned : 8),
                             .count = count < COUNT_MAX ? count : COUNT_MAX};
}

/* Told before the broadcast: who has left the broadcast finds it sent. */
static void tell_plan(struct ack_stream *a)
{
    double start = clock_now();
    struct message m = {.stream = a->id, .number = a->calls, .plan = next_plan(a)};
    for (int i = 0; i < a->size; i++)
        if (i != a->root)
            send(a, i, ACK_TAG_PLAN, &m);
    a->plan = m.plan;
    a->waited += clock_now() - start;
}

/* A root without memory sends none. What comes too late is left to the end. */
static void hear_plan(struct ack_stream *a)
{
    double start = clock_now();
    struct ack_pending *p = expect(a, a->root, ACK_TAG_PLAN);
    while (p && !has_come(p) && clock_now() - start < PLAN_PATIENCE)
        pause_since(start);
    a->off = !p || !p->done;
    if (!a->off)
        a->plan = p->message.plan;
    a->waited += clock_now() - start;
}

/* --- the broadcast --- */

static void note_period(struct ack_stream *a, double entry, bool disturbed)
{
    struct ack_periods *p = a->last_disturbed ? &a->disturbed : &a->plain;
    if (a->calls)
        p->value[p->n++ % ACK_PERIODS] = entry - a->last_entry;
    a->last_entry = entry;
    a->last_disturbed = disturbed;
}

static int acknowledged(const struct collective *c, struct ack_stream *a)
{
    int one = ack_destination(a->id, a->size, a->root, a->acknowledged);
    int rc = a->rank == a->root          ? as_root(c, a, one)
             : run.all || a->rank == one ? as_destination(c, a)
                                         : as_other(c, a);
    a->acknowledged++;
    a->of_plan++;
    a->n++;
    /* The root comes late to the next one. */
    c->on->of->disturbed = c->on->of->sequence + 1;
    return rc;
}

static int with_plan(const struct collective *c, struct ack_stream *a)
{
    bool root = a->rank == a->root;
    if (root) {
        run.streams += a->acknowledged == 0;
        tell_plan(a);
    }
    int rc = injection_pass(&ack_injection, c);
    if (!root)
        hear_plan(a);
    a->of_plan = 0;
    c->on->of->disturbed = c->on->of->sequence;
    return rc;
}

static int instead(const struct collective *c)
{
    struct ack_stream *a = NULL;
    if (c->bytes == 0)
        return injection_pass(&ack_injection, c);
    if (!c->on->of->id || !(a = stream_of(c->on, c->root, c->bytes))) {
        injection_untreated(&ack_injection);
        return injection_pass(&ack_injection, c);
    }
    double entry = clock_now();
    int rc;
    bool planned = a->of_plan < a->plan.count;
    bool now =
        !a->off && planned && a->calls == ack_number(&a->plan, a->id, a->of_plan) && make_room(a);
    note_period(a, entry, now);
    if (now)
        rc = acknowledged(c, a);
    else if (!a->off && !planned && a->calls >= WORTH)
        rc = with_plan(c, a);
    else
        rc = injection_pass(&ack_injection, c);
    a->inside += (double)ticks_to_ns(c->call->exit - c->call->entry) * 1e-9;
    a->least = c->bytes < a->least ? c->bytes : a->least;
    a->most = c->bytes > a->most ? c->bytes : a->most;
    a->calls++;
    return rc;
}

/* --- the end --- */

void ack_drain(struct ack_stream *a, bool as_root)
{
    double start = clock_now();
    if (as_root != (a->rank == a->root))
        return;
    do {
        sweep(a);
        pause_since(start);
    } while (a->pending && clock_now() - start < DRAIN_PATIENCE);
    while (a->pending) {
        struct ack_pending *p = a->pending;
        a->pending = p->next;
        PMPI_Cancel(&p->request);
        PMPI_Request_free(&p->request);
        /* The library may still be writing there: it stays. */
    }
}

void ack_stream_free(struct ack_stream *a)
{
    free(a->world);
    free(a->stamp);
    free(a->seen);
    free(a);
}

/* What has been acknowledged is judged at the end of the run, when all ranks meet. */
static void close_shadow(struct shadow *s)
{
    struct acks *k = s->kept[ack_injection.index];
    while (k && k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        if (!a->n && !a->pending) {
            ack_stream_free(a);
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

static void finish(void)
{
    ack_finish(run.gone, clock_now() - run.began);
    run.gone = NULL;
}

struct injection ack_injection = {
    .name = "ack", .start = start, .instead = instead, .close = close_shadow, .finish = finish};
