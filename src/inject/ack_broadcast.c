/* One broadcast of a stream: whether it is acknowledged, and what root and destinations do then. */
#include "inject/ack_inner.h"

#include <math.h>
#include <stdlib.h>

/* Acknowledged broadcasts of a plan; how many more others may have begun at a time than the root.
 */
enum { COUNT_MAX = 32, MORE_OPEN = 64 };
/* Seconds: for an echo, a plan. Who had to go without an echo so often waits for no more. */
static const double ECHO_PATIENCE = 0.001, PLAN_PATIENCE = 1;
enum { UNANSWERED_MAX = 2 };

/* --- what is kept of a broadcast --- */

/* Its index, when every second one has been forgotten. */
static size_t halved(size_t broadcast)
{
    return broadcast % 2 ? ACK_FORGOTTEN : broadcast / 2;
}

/* Room for one more broadcast of an acknowledged stream; every second one is forgotten when there
 * are many. All members do so alike. */
static bool make_room(struct ack_stream *a)
{
    _Static_assert(ACK_FORGOTTEN % 2 == 1, "once forgotten, for ever");
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
        for (struct ack_open *o = a->open; o; o = o->next)
            o->broadcast = halved(o->broadcast);
        for (struct ack_pending *p = a->pending; p; p = p->next)
            p->broadcast = halved(p->broadcast);
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

/* --- plans --- */

/* The root's choice: as many as the share allows by what the last ones cost. Of the first one
 * only the broadcast's own time is known. It begins behind those that others may have begun when
 * they hear of it. */
static struct ack_plan next_plan(const struct ack_stream *a)
{
    double now = clock_now(), period = (now - a->began) / (double)a->calls;
    double cost = a->acknowledged ? fmax(a->waited / (double)a->acknowledged, a->theirs)
                                  : 2 * (a->inside / (double)a->calls) + 1e-5;
    int streams = __atomic_load_n(a->streams, __ATOMIC_RELAXED);
    double share = layer.settings.ack_share / 100 / (streams > 0 ? streams : 1);
    uint32_t count = a->acknowledged ? 2 * a->plan.count : 1;
    uint64_t open = a->most_open < ACK_WORTH ? a->most_open : a->most_open + MORE_OPEN;
    return (struct ack_plan){.first = a->calls + 1 + open,
                             .every = ack_every(cost, period, share)
                                      << (a->thinned < 8 ? a->thinned : 8),
                             .count = count < COUNT_MAX ? count : COUNT_MAX};
}

/* Told before a blocking broadcast: who has left that finds it sent. */
static void tell_plan(struct ack_stream *a)
{
    double start = clock_now();
    struct ack_message m = {.number = a->calls, .plan = next_plan(a)};
    for (int i = 0; i < a->size; i++)
        if (i != a->root)
            ack_send(a, i, ACK_TAG_PLAN, &m);
    a->plan = m.plan;
    a->waited += clock_now() - start;
}

/* A root without memory sends none; who comes to the plan's broadcasts before he hears of them
 * takes no part either. What comes too late is left to the end. */
static void hear_plan(struct ack_open *o)
{
    struct ack_stream *a = o->stream;
    double start = clock_now();
    while (o->plan && !ack_has_come(a, o->plan) && clock_now() - start < PLAN_PATIENCE)
        ack_pause_since(start);
    a->off = !o->plan || !o->plan->done;
    a->hearing = false;
    if (!a->off) {
        a->plan = o->plan->message.plan;
        a->off = ack_number(&a->plan, a->id, 0) < a->calls;
    }
    a->waited += clock_now() - start;
}

static void begin_plan(struct ack_stream *a, struct ack_open *o)
{
    o->kind = ACK_PLANNED;
    a->of_plan = 0;
    if (a->rank == a->root) {
        __atomic_fetch_add(a->streams, a->acknowledged == 0, __ATOMIC_RELAXED);
        tell_plan(a);
    } else {
        o->plan = ack_expect(a, a->root, ACK_TAG_PLAN, o);
        a->hearing = true;
    }
}

/* --- the two sides of an acknowledged broadcast --- */

static void begin_acknowledged(struct ack_stream *a, struct ack_open *o, bool all)
{
    o->kind = ACK_NOW;
    o->broadcast = a->n;
    o->one = ack_destination(a->id, a->size, a->root, a->acknowledged);
    a->stamp[a->n++] = (struct ack_stamp){.exit = NAN};
    a->acknowledged++;
    a->of_plan++;
    ack_sweep(a);
    for (int i = 0; a->rank == a->root && i < a->size; i++)
        if (i != a->root && (all || i == o->one))
            ack_expect(a, i, ACK_TAG_ACK, o);
    if (a->rank != a->root && (all || a->rank == o->one))
        ack_expect(a, a->root, ACK_TAG_ECHO, o);
}

/* A destination that was given up once is not waited for again. */
static bool is_waited_for(const struct ack_stream *a, int i)
{
    for (size_t s = a->n_seen; s-- > 0;)
        if (a->seen[s].from == i)
            return a->seen[s].arrival != ACK_GIVEN_UP;
    return true;
}

static bool is_of(const struct ack_pending *p, const struct ack_open *o, enum ack_tag tag)
{
    return p->tag == tag && p->number == o->number;
}

/* What is there at the first look came before the root had left its broadcast. */
static int first_look(struct ack_stream *a, const struct ack_open *o, bool may_wait)
{
    int left = 0;
    for (struct ack_pending *p = a->pending; p; p = p->next) {
        if (!is_of(p, o, ACK_TAG_ACK))
            continue;
        bool there = ack_has_come(a, p) && is_of(p, o, ACK_TAG_ACK);
        p->waited_for = !there && may_wait && is_waited_for(a, p->from);
        left += p->waited_for;
        if (there)
            ack_echo(a, p, false);
        if (there)
            note_seen(a, p, ACK_EARLY, clock_now() - o->begun);
        else if (may_wait && !p->waited_for)
            note_seen(a, p, ACK_GIVEN_UP, NAN);
    }
    return left;
}

static void await_acks(struct ack_stream *a, const struct ack_open *o, const struct ack_end *end)
{
    double start = clock_now();
    int left = first_look(a, o, end->may_wait);
    while (left > 0 && clock_now() - start < end->patience) {
        for (struct ack_pending *p = a->pending; p; p = p->next) {
            if (!is_of(p, o, ACK_TAG_ACK) || !p->waited_for || !ack_has_come(a, p) ||
                !is_of(p, o, ACK_TAG_ACK))
                continue;
            double now = clock_now();
            ack_echo(a, p, true);
            note_seen(a, p, ACK_SEEN, now - o->begun);
            a->theirs = fmax(a->theirs, p->message.cost);
            p->waited_for = false;
            left--;
        }
        ack_pause_since(start);
    }
    for (struct ack_pending *p = a->pending; left > 0 && p; p = p->next)
        if (is_of(p, o, ACK_TAG_ACK) && p->waited_for)
            note_seen(a, p, ACK_GIVEN_UP, NAN);
}

static struct ack_pending *find_echo(struct ack_stream *a, const struct ack_open *o)
{
    struct ack_pending *p = a->pending;
    while (p && !is_of(p, o, ACK_TAG_ECHO))
        p = p->next;
    return p;
}

static void answer(struct ack_stream *a, const struct ack_open *o, struct ack_stamp *stamp)
{
    struct ack_message m = {.number = o->number, .cost = a->cost};
    double sent = clock_now(), patience = a->unanswered < UNANSWERED_MAX ? ECHO_PATIENCE : 0;
    struct ack_pending *p;
    ack_send(a, a->root, ACK_TAG_ACK, &m);
    stamp->hold = sent - stamp->exit;
    a->unanswered++;
    while ((p = find_echo(a, o)) && !ack_has_come(a, p) && clock_now() - sent < patience)
        ack_pause_since(sent);
    if (p && p->done) {
        a->unanswered = 0;
        if (p->message.prompt)
            stamp->round_trip = clock_now() - sent;
    }
    a->cost = fmax(a->cost, clock_now() - sent);
}

static void complete_acknowledged(struct ack_stream *a, struct ack_open *o,
                                  const struct ack_end *end, bool all)
{
    struct ack_stamp forgotten = {0};
    struct ack_stamp *stamp = o->broadcast == ACK_FORGOTTEN ? &forgotten : &a->stamp[o->broadcast];
    double start = clock_now();
    *stamp = (struct ack_stamp){.begun = o->begun,
                                .left = o->left,
                                .entry = end->entry,
                                .exit = end->exit,
                                .hold = NAN,
                                .round_trip = NAN,
                                .idle = o->idle,
                                .at_once = end->at_once};
    if (a->rank == a->root)
        await_acks(a, o, end);
    else if (all || a->rank == o->one)
        answer(a, o, stamp);
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

bool ack_begin(struct ack_stream *a, struct ack_open *o, uint64_t bytes, bool all)
{
    double entry = clock_now();
    uint64_t open = 0;
    bool planned = a->of_plan < a->plan.count;
    *o = (struct ack_open){.stream = a, .number = a->calls, .broadcast = ACK_FORGOTTEN};
    for (const struct ack_open *other = a->open; other; other = other->next)
        open++;
    a->most_open = open > a->most_open ? open : a->most_open;
    bool now = !a->off && !a->hearing && planned &&
               a->calls == ack_number(&a->plan, a->id, a->of_plan) && make_room(a);
    note_period(a, entry, now);
    if (now)
        begin_acknowledged(a, o, all);
    else if (!a->off && !a->hearing && !planned && a->calls >= ACK_WORTH)
        begin_plan(a, o);
    a->least = bytes < a->least ? bytes : a->least;
    a->most = bytes > a->most ? bytes : a->most;
    a->calls++;
    o->begun = now ? clock_now() : entry;
    a->waited += o->begun - entry;
    return now;
}

void ack_complete(struct ack_open *o, const struct ack_end *end, bool all)
{
    struct ack_stream *a = o->stream;
    a->inside += end->exit - end->entry;
    if (o->kind == ACK_NOW)
        complete_acknowledged(a, o, end, all);
    else if (o->kind == ACK_PLANNED && a->rank != a->root)
        hear_plan(o);
}
