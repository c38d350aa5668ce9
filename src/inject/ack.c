/* Acknowledgements injected into the application: OL_i of its own broadcasts (doc/methods.md,
 * section 1; de Supinski and Karonis, section 4).
 *
 * Of each stream (communicator, root, size) some broadcasts are acknowledged, as many as
 * --ack-share allows, by one destination in a random order or by all. The root has posted the
 * receive before; E_i is the time from its entry to the acknowledgement. It echoes at once, so that
 * the acknowledger sees RTL_i as the acknowledgement really travelled. Every member notes its entry
 * and return. At the end of the run the root of a stream gets these from all and judges
 * (ack_judge.h):
 *
 *     OL_i = E_i - hold_i - RTL_i/2, where hold_i is from i's return to its sending
 *
 * The application must not hang for this, whatever it does: no rank waits longer than a stated time
 * for a message that has not been sent yet. All messages are smaller than what any MPI sends
 * without waiting for the receiver, and travel on the layer's own communicator of all ranks. */
#include "inject/ack.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* STREAMS_MAX: of a communicator, each with its own size; then one for each power of 2, up to
 * STREAMS_ALL. WORTH: broadcasts of a stream before the first is acknowledged. COUNT_MAX:
 * acknowledged broadcasts of a plan. */
enum { STREAMS_MAX = 64, STREAMS_ALL = 512, WORTH = 3, COUNT_MAX = 32, SPACING = 10 };
/* Seconds that a root waits for acknowledgements, an acknowledger for its echo, a member for the
 * root's plan, and all at the end for what is on its way. After UNANSWERED_MAX acknowledgements
 * without an echo a member waits for no more. */
static const double ACK_TIMEOUT = 0.05, ECHO_TIMEOUT = 0.001, PLAN_TIMEOUT = 1, DRAIN_TIMEOUT = 1;
enum { UNANSWERED_MAX = 2 };

static struct {
    bool all;                /* every destination, every time */
    int streams;             /* of this root, being acknowledged: they share --ack-share */
    double began;            /* clock_now() */
    uint64_t broadcasts;     /* of this rank as root, in streams without an acknowledgement */
    struct ack_stream *gone; /* of communicators that were freed; by id */
} run;

/* What is kept for a communicator. */
struct acks {
    struct ack_stream *streams;
    int n;
};

struct ack_message {
    uint64_t number;      /* of the broadcast in its stream */
    struct ack_plan plan; /* of a plan */
    double cost;          /* of an acknowledgement: the seconds that one takes its sender */
    bool prompt;          /* of an echo: the root was waiting */
};

/* An awaited message: a plan, an acknowledgement at the root, its echo. */
struct ack_pending {
    struct ack_pending *next;
    MPI_Request request;
    struct ack_message message;
    int from; /* in the stream's communicator */
    enum ack_tag tag;
    uint64_t number;  /* of the broadcast */
    size_t broadcast; /* index of its stamp */
    bool waited_for, done;
};

/* The broadcast that is under way. */
struct ack_current {
    enum { PLAIN, PLANNED, ACKNOWLEDGED } kind;
    uint64_t number;
    size_t broadcast; /* index of its stamp */
    int one;          /* who acknowledges it */
    struct ack_pending *plan;
    double entry, exit; /* clock_now() */
    double idle;        /* seconds from the last return from MPI to the entry */
};

static bool start(void)
{
    run.all = !strcmp(layer.settings.ack, "all");
    run.began = clock_now();
    return *layer.settings.ack && layer.comm != MPI_COMM_NULL;
}

/* --- streams --- */

static bool find_world_ranks(const struct internal_comm *s, int *world)
{
    int *own = malloc((size_t)s->size * sizeof *own);
    MPI_Group group = MPI_GROUP_NULL, of_layer = MPI_GROUP_NULL;
    bool good = own && PMPI_Comm_group(s->of->handle, &group) == MPI_SUCCESS &&
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
    return good;
}

static struct ack_stream *stream_new(const struct internal_comm *s, uint64_t id, int root,
                                     uint64_t bytes)
{
    struct ack_stream *a = calloc(1, sizeof *a);
    int *world = malloc((size_t)s->size * sizeof *world);
    if (!a || !world || !find_world_ranks(s, world)) {
        free(a);
        free(world);
        return NULL;
    }
    *a = (struct ack_stream){.id = id,
                             .comm = s->of->index,
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

/* NULL: there are too many, or no memory. A member without memory never answers. */
static struct ack_stream *stream_of(struct internal_comm *s, int root, uint64_t bytes)
{
    struct acks **kept = (struct acks **)&s->kept[ack_injection.index];
    if (!*kept && !(*kept = calloc(1, sizeof **kept)))
        return NULL;
    struct acks *k = *kept;
    uint64_t base = ack_mix(s->of->id, (uint64_t)root);
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

void ack_stream_free(struct ack_stream *a)
{
    free(a->world);
    free(a->stamp);
    free(a->seen);
    free(a);
}

/* --- messages --- */

int ack_tag(const struct ack_stream *a, enum ack_tag tag)
{
    int *most, known = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
    uint64_t streams = (uint64_t)((known ? *most : 32767) - ACK_TAG_FIRST) / ACK_TAGS;
    return ACK_TAG_FIRST + ACK_TAGS * (int)(a->id % streams) + (int)tag;
}

/* NULL without memory. */
static struct ack_pending *expect(struct ack_stream *a, int from, enum ack_tag tag,
                                  const struct ack_current *b)
{
    struct ack_pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->from = from;
    p->tag = tag;
    p->number = b->number;
    p->broadcast = b->broadcast;
    if (PMPI_Irecv(&p->message, sizeof p->message, MPI_BYTE, a->world[from], ack_tag(a, tag),
                   layer.comm, &p->request)) {
        free(p);
        return NULL;
    }
    p->next = a->pending;
    return a->pending = p;
}

static void send_message(const struct ack_stream *a, int to, enum ack_tag tag,
                         const struct ack_message *m)
{
    PMPI_Send(m, sizeof *m, MPI_BYTE, a->world[to], ack_tag(a, tag), layer.comm);
}

static void echo(const struct ack_stream *a, const struct ack_pending *p, bool prompt)
{
    struct ack_message m = {.number = p->message.number, .prompt = prompt};
    send_message(a, p->from, ACK_TAG_ECHO, &m);
}

static bool has_come(struct ack_pending *p)
{
    int flag = 0;
    if (!p->done && PMPI_Test(&p->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        p->done = flag;
    return p->done;
}

static void pause_since(double start)
{
    if (clock_now() - start > 5e-5)
        sched_yield();
}

/* Forgets what has come. A late acknowledgement is answered, since its sender takes an echo. */
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
        if (p->tag == ACK_TAG_ACK && !was_done)
            echo(a, p, false);
        *at = p->next;
        free(p);
    }
}

void ack_drain(struct ack_stream *a, bool as_root)
{
    double begin = clock_now();
    if (as_root != (a->rank == a->root))
        return;
    do {
        sweep(a);
        pause_since(begin);
    } while (a->pending && clock_now() - begin < DRAIN_TIMEOUT);
    while (a->pending) {
        struct ack_pending *p = a->pending;
        a->pending = p->next;
        PMPI_Cancel(&p->request);
        PMPI_Request_free(&p->request); /* MPI may still be writing to it: it stays */
    }
}

/* --- what is kept of a broadcast --- */

/* Room for one more acknowledged broadcast: when there are many, every second one is dropped. All
 * members do so alike. */
static bool make_room(struct ack_stream *a)
{
    if (a->n == ACK_KEPT_MAX) {
        size_t kept = 0;
        for (size_t k = 0; k < ACK_KEPT_MAX / 2; k++)
            a->stamp[k] = a->stamp[2 * k];
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

static void note_period(struct ack_stream *a, double entry, bool delayed)
{
    struct ack_periods *p = a->last_delayed ? &a->delayed : &a->plain;
    if (a->calls)
        p->value[p->n++ % ACK_PERIODS] = entry - a->last_entry;
    a->last_entry = entry;
    a->last_delayed = delayed;
}

/* --- plans --- */

/* The root's choice: as many acknowledgements as the share allows by the cost of the last ones, and
 * at most one of SPACING unless the share is 100 % or more: the calls after one are excluded from
 * the profile. Of the first one only the broadcast's own time is known. */
static struct ack_plan next_plan(const struct ack_stream *a)
{
    double period = (clock_now() - a->began) / (double)a->calls;
    double cost = a->acknowledged ? fmax(a->waited / (double)a->acknowledged, a->theirs)
                                  : 2 * (a->inside / (double)a->calls) + 1e-5;
    int streams = __atomic_load_n(&run.streams, __ATOMIC_RELAXED);
    double share = layer.settings.ack_share / 100 / (streams > 0 ? streams : 1);
    uint32_t count = a->acknowledged ? 2 * a->plan.count : 1;
    uint32_t every = ack_every(cost, period, share);
    if (every < SPACING && layer.settings.ack_share < 100)
        every = SPACING;
    return (struct ack_plan){.first = a->calls + 1,
                             .every = every << (a->thinned < 8 ? a->thinned : 8),
                             .count = count < COUNT_MAX ? count : COUNT_MAX};
}

/* Sent before the broadcast: who has left that finds the plan sent. */
static void send_plan(struct ack_stream *a)
{
    struct ack_message m = {.number = a->calls, .plan = next_plan(a)};
    for (int i = 0; i < a->size; i++)
        if (i != a->root)
            send_message(a, i, ACK_TAG_PLAN, &m);
    a->plan = m.plan;
}

static void begin_plan(struct ack_stream *a, struct ack_current *b)
{
    b->kind = PLANNED;
    a->of_plan = 0;
    if (a->rank == a->root) {
        __atomic_fetch_add(&run.streams, a->acknowledged == 0, __ATOMIC_RELAXED);
        send_plan(a);
    } else {
        b->plan = expect(a, a->root, ACK_TAG_PLAN, b);
    }
}

/* A root without memory sends no plan. What comes too late is left to the end. */
static void receive_plan(struct ack_stream *a, const struct ack_current *b)
{
    double begin = clock_now();
    while (b->plan && !has_come(b->plan) && clock_now() - begin < PLAN_TIMEOUT)
        pause_since(begin);
    a->off = !b->plan || !b->plan->done;
    if (!a->off)
        a->plan = b->plan->message.plan;
}

/* --- the two sides of an acknowledged broadcast --- */

static void begin_acknowledged(struct ack_stream *a, struct ack_current *b)
{
    b->kind = ACKNOWLEDGED;
    b->broadcast = a->n;
    b->one = ack_destination(a->id, a->size, a->root, a->acknowledged);
    a->stamp[a->n++] = (struct ack_stamp){.exit = NAN};
    a->acknowledged++;
    a->of_plan++;
    sweep(a);
    for (int i = 0; a->rank == a->root && i < a->size; i++)
        if (i != a->root && (run.all || i == b->one))
            expect(a, i, ACK_TAG_ACK, b);
    if (a->rank != a->root && (run.all || a->rank == b->one))
        expect(a, a->root, ACK_TAG_ECHO, b);
}

/* A destination that was given up once is not waited for again. */
static bool is_waited_for(const struct ack_stream *a, int i)
{
    for (size_t s = a->n_seen; s-- > 0;)
        if (a->seen[s].from == i)
            return a->seen[s].arrival != ACK_GIVEN_UP;
    return true;
}

static bool is_ack_of(const struct ack_pending *p, const struct ack_current *b)
{
    return p->tag == ACK_TAG_ACK && p->number == b->number;
}

/* What is there at the first poll came before the root left its broadcast. Returns how many
 * acknowledgements are waited for. */
static int poll_first(struct ack_stream *a, const struct ack_current *b)
{
    int left = 0;
    for (struct ack_pending *p = a->pending; p; p = p->next) {
        if (!is_ack_of(p, b))
            continue;
        bool there = has_come(p);
        p->waited_for = !there && is_waited_for(a, p->from);
        left += p->waited_for;
        if (there)
            echo(a, p, false);
        if (there)
            note_seen(a, p, ACK_EARLY, clock_now() - b->entry);
        else if (!p->waited_for)
            note_seen(a, p, ACK_GIVEN_UP, NAN);
    }
    return left;
}

static void await_acks(struct ack_stream *a, const struct ack_current *b)
{
    double begin = clock_now();
    int left = poll_first(a, b);
    while (left > 0 && clock_now() - begin < ACK_TIMEOUT) {
        for (struct ack_pending *p = a->pending; p; p = p->next) {
            if (!is_ack_of(p, b) || !p->waited_for || !has_come(p))
                continue;
            double now = clock_now();
            echo(a, p, true);
            note_seen(a, p, ACK_SEEN, now - b->entry);
            a->theirs = fmax(a->theirs, p->message.cost);
            p->waited_for = false;
            left--;
        }
        pause_since(begin);
    }
    for (struct ack_pending *p = a->pending; left > 0 && p; p = p->next)
        if (is_ack_of(p, b) && p->waited_for)
            note_seen(a, p, ACK_GIVEN_UP, NAN);
}

static void acknowledge(struct ack_stream *a, const struct ack_current *b, struct ack_stamp *stamp)
{
    struct ack_message m = {.number = b->number, .cost = a->cost};
    struct ack_pending *p = a->pending;
    while (p && (p->tag != ACK_TAG_ECHO || p->number != b->number))
        p = p->next;
    double sent = clock_now(), timeout = a->unanswered < UNANSWERED_MAX ? ECHO_TIMEOUT : 0;
    send_message(a, a->root, ACK_TAG_ACK, &m);
    stamp->hold = sent - stamp->exit;
    while (p && !has_come(p) && clock_now() - sent < timeout)
        pause_since(sent);
    if (p && p->done && p->message.prompt)
        stamp->round_trip = clock_now() - sent;
    a->unanswered = p && p->done ? 0 : a->unanswered + 1;
    a->cost = fmax(a->cost, clock_now() - sent);
}

/* --- the broadcast --- */

/* True if the next broadcast of A is acknowledged or planned in: decided alike by all members. */
static bool begin(struct ack_stream *a, struct ack_current *b, uint64_t bytes)
{
    double entry = clock_now();
    bool planned = a->of_plan < a->plan.count;
    bool now =
        !a->off && planned && a->calls == ack_number(&a->plan, a->id, a->of_plan) && make_room(a);
    b->number = a->calls;
    note_period(a, entry, now);
    if (now)
        begin_acknowledged(a, b);
    else if (!a->off && !planned && a->calls >= WORTH)
        begin_plan(a, b);
    a->least = bytes < a->least ? bytes : a->least;
    a->most = bytes > a->most ? bytes : a->most;
    a->calls++;
    b->entry = b->kind == PLAIN ? entry : clock_now();
    a->waited += b->entry - entry;
    return b->kind != PLAIN;
}

static void complete(struct ack_stream *a, const struct ack_current *b)
{
    double begin = clock_now();
    a->inside += b->exit - b->entry;
    if (b->kind == ACKNOWLEDGED) {
        struct ack_stamp *stamp = &a->stamp[b->broadcast];
        *stamp = (struct ack_stamp){
            .entry = b->entry, .exit = b->exit, .hold = NAN, .round_trip = NAN, .idle = b->idle};
        if (a->rank == a->root)
            await_acks(a, b);
        else if (run.all || a->rank == b->one)
            acknowledge(a, b, stamp);
    } else if (a->rank != a->root) {
        receive_plan(a, b);
    }
    a->waited += clock_now() - begin;
}

static int instead(const struct collective *c)
{
    struct ack_stream *a = NULL;
    struct ack_current b = {.idle = (double)ticks_to_ns(c->call->entry - thread.left) * 1e-9};
    if (c->bytes == 0)
        return injection_pass(&ack_injection, c);
    if (!c->on->of->id || !(a = stream_of(c->on, c->root, c->bytes))) {
        injection_untreated(&ack_injection);
        return injection_pass(&ack_injection, c);
    }
    bool any = begin(a, &b, c->bytes);
    int rc = injection_pass(&ack_injection, c);
    if (!any) {
        a->inside += (double)ticks_to_ns(c->call->exit - c->call->entry) * 1e-9;
        return rc;
    }
    b.exit = clock_now();
    /* By a plan some member is late to this collective, by an acknowledgement to the next, too. */
    call_keep_apart(c->on->of->id, b.kind == ACKNOWLEDGED ? 2 : 1);
    complete(a, &b);
    return rc;
}

/* --- the end --- */

/* Streams are judged at the end of the run, when all ranks meet. */
static void close_comm(struct internal_comm *s, bool all)
{
    (void)all;
    struct acks *k = s->kept[ack_injection.index];
    while (k && k->streams) {
        struct ack_stream *a = k->streams;
        k->streams = a->next;
        if (!a->n && !a->pending) {
            __atomic_fetch_add(&run.broadcasts, a->rank == a->root ? a->calls : 0,
                               __ATOMIC_RELAXED);
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
    ack_report(run.gone, run.broadcasts, clock_now() - run.began);
    run.gone = NULL;
}

struct injection ack_injection = {
    .name = "ack", .start = start, .instead = instead, .close = close_comm, .finish = finish};
