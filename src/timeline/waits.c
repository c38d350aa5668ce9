/* Wait states: what each call waited for, how long, and for which rank. */
#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/array.h"
#include <string.h>

const char *const wait_names[WAIT_STATES] = {
    [WAIT_NONE] = "none",
    [WAIT_LATE_SENDER] = "late sender",
    [WAIT_WRONG_ORDER] = "late sender, wrong order",
    [WAIT_LATE_RECEIVER] = "late receiver",
    [WAIT_N_TO_N] = "wait at n-to-n",
    [WAIT_LATE_ROOT] = "late root",
    [WAIT_EARLY_ROOT] = "early root",
    [WAIT_PREFIX] = "late rank before, in a prefix",
};

/* --- sends: only a send that depends on its receive can have waited for it --- */

enum { CLASSES = 66 };

static unsigned class_of(const struct event *a)
{
    if (a->synchronous)
        return CLASSES - 1;
    return a->bytes ? 64u - (unsigned)__builtin_clzll(a->bytes) : 0;
}

static bool is_send(const struct timeline *t, const struct event *a, size_t i)
{
    return (a->kind == EVENT_SEND || a->kind == EVENT_SENT) && t->partner[i] != TIMELINE_NONE;
}

/* A message size counts as synchronous if no send of it returned before its receive was posted. */
static void find_buffered(const struct timeline *t, const struct event *events, size_t n,
                          int64_t error_ns, bool buffered[CLASSES])
{
    for (size_t i = 0; i < n; i++)
        if (is_send(t, &events[i], i) && !events[i].synchronous &&
            events[i].exit_ns < events[t->partner[i]].posted_ns - error_ns)
            buffered[class_of(&events[i])] = true;
}

/* --- receives in the wrong order --- */

struct order {
    int64_t posted, sent; /* later, SENT becomes the minimum of this and all following ones */
    uint64_t thread;      /* each thread receives in its own order */
};

static uint64_t thread_of(const struct event *a)
{
    return (uint64_t)a->rank << 8 | a->thread;
}

static int by_posting(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return ORDER(x->thread, y->thread) ?: ORDER(x->posted, y->posted);
}

/* The earliest send time among messages whose receive THREAD posted at FROM or later. */
static int64_t earliest_sent(const struct order *list, size_t n, uint64_t thread, int64_t from)
{
    size_t low = 0, high = n;
    struct order wanted = {from, 0, thread};
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by_posting(&list[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && list[low].thread == thread ? list[low].sent : INT64_MAX;
}

static void find_wrong_order(struct timeline *t, const struct event *events, size_t n)
{
    struct order *list = memory_alloc((n + 1) * sizeof *list);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == EVENT_RECEIVED && t->partner[i] != TIMELINE_NONE)
            list[m++] = (struct order){events[i].posted_ns, events[t->partner[i]].entry_ns,
                                       thread_of(&events[i])};
    qsort(list, m, sizeof *list, by_posting);
    for (size_t i = m; i-- > 1;)
        if (list[i - 1].thread == list[i].thread && list[i].sent < list[i - 1].sent)
            list[i - 1].sent = list[i].sent;
    for (size_t i = 0; i < n; i++) {
        const struct event *a = &events[i];
        struct cause *c = &t->cause[i];
        if (c->state == WAIT_LATE_SENDER && a->posted_ns == a->entry_ns &&
            c->enabled_ns > a->entry_ns &&
            earliest_sent(list, m, thread_of(a), a->exit_ns) <
                a->entry_ns + (c->enabled_ns - a->entry_ns) / 2)
            c->state = WAIT_WRONG_ORDER;
    }
    free(list);
}

static void cause_of_messages(struct timeline *t, const struct event *events, size_t n,
                              int64_t error_ns)
{
    bool buffered[CLASSES] = {false};
    find_buffered(t, events, n, error_ns, buffered);
    for (size_t i = 0; i < n; i++) {
        t->cause[i] = (struct cause){INT64_MIN, TIMELINE_NONE, TIMELINE_NONE, WAIT_NONE};
        if (t->partner[i] == TIMELINE_NONE)
            continue;
        const struct event *other = &events[t->partner[i]];
        if (events[i].kind == EVENT_RECEIVED || events[i].kind == EVENT_PROBED)
            t->cause[i] =
                (struct cause){other->entry_ns, other->rank, t->partner[i], WAIT_LATE_SENDER};
        else if (is_send(t, &events[i], i) && !buffered[class_of(&events[i])])
            t->cause[i] =
                (struct cause){other->posted_ns, other->rank, t->partner[i], WAIT_LATE_RECEIVER};
    }
    find_wrong_order(t, events, n);
}

/* --- calls --- */

static int by_call(const void *a, const void *b, void *context)
{
    const struct event *events = context;
    const struct event *x = &events[*(const uint32_t *)a], *y = &events[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->thread, y->thread) ?: ORDER(x->entry_ns, y->entry_ns)
        ?: ORDER(x->exit_ns, y->exit_ns);
}

/* If both halves of a sendrecv wait for the same rank, it counts as late sender. */
static bool is_later(const struct cause *a, const struct cause *b)
{
    return a->enabled_ns != b->enabled_ns ? a->enabled_ns > b->enabled_ns : a->state < b->state;
}

/* The wait of a call is that of the event that became possible last: it ended the call. */
static void wait_of_call(struct timeline *t, const struct event *events, const uint32_t *of,
                         size_t n, int64_t error_ns)
{
    uint32_t last = *of;
    for (size_t i = 1; i < n; i++)
        if (is_later(&t->cause[of[i]], &t->cause[last]))
            last = of[i];
    const struct event *a = &events[last];
    const struct cause *c = &t->cause[last];
    if (a->excluded)
        return;
    t->call_ns += (uint64_t)(a->exit_ns > a->entry_ns ? a->exit_ns - a->entry_ns : 0);
    if (c->enabled_ns == INT64_MIN)
        return;
    int64_t until = c->enabled_ns < a->exit_ns ? c->enabled_ns : a->exit_ns;
    int64_t wait = until - a->entry_ns;
    if (wait > error_ns && wait > 0) {
        t->wait_ns[last] = wait;
        t->wait_sum_ns += (uint64_t)wait;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation) ?: ORDER(x->state, y->state)
        ?: ORDER(x->rank, y->rank);
}

/* One instance in which a rank waited. */
struct late {
    uint32_t site, operation, ordinal, rank;
    uint64_t comm_id;
};

static int by_series(const struct late *x, const struct late *y)
{
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation)
        ?: ORDER(x->comm_id, y->comm_id);
}

static int by_order(const void *a, const void *b)
{
    const struct late *x = a, *y = b;
    return by_series(x, y) ?: ORDER(x->ordinal, y->ordinal);
}

/* Sets followed and in_turn: whether the late ranks of NxN collectives at one call site alternate
 * in a fixed order. T->waits must be sorted by call site. */
static void find_turns(struct timeline *t, const struct event *events, size_t n)
{
    struct late *late = memory_alloc((n + 1) * sizeof *late);
    size_t m = 0, ranks = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t rank = t->cause[i].rank;
        if (!t->wait_ns[i] || t->cause[i].state != WAIT_N_TO_N)
            continue;
        late[m++] = (struct late){events[i].site, events[i].operation, events[i].ordinal, rank,
                                  events[i].comm_id};
        ranks = rank >= ranks ? rank + (size_t)1 : ranks;
    }
    qsort(late, m, sizeof *late, by_order);
    uint32_t *next = memory_alloc((ranks + 1) * sizeof *next); /* plus one: by rank, the late rank
                                                                  that followed it */
    for (size_t i = 1; i < m; i++) {
        const struct late *before = &late[i - 1];
        if (by_series(before, &late[i])) {
            memset(next, 0, ranks * sizeof *next);
            continue;
        }
        if (before->ordinal == late[i].ordinal)
            continue;
        struct wait wanted = {
            before->site, before->operation, WAIT_N_TO_N, before->rank, 0, 0, 0, 0};
        struct wait *row = bsearch(&wanted, t->waits, t->n_waits, sizeof *row, by_place);
        if (row && next[before->rank]) {
            row->followed++;
            row->in_turn += next[before->rank] == late[i].rank + 1;
        }
        next[before->rank] = late[i].rank + 1;
    }
    free(late);
    free(next);
}

static int longest_first(const void *a, const void *b)
{
    return ORDER(((const struct wait *)b)->wait_ns, ((const struct wait *)a)->wait_ns)
               ?: by_place(a, b);
}

size_t timeline_call_end(const struct timeline *t, const struct event *events, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && !by_call(&t->order[i], &t->order[end], (void *)events))
        end++;
    return end;
}

static void sum_up(struct timeline *t, const struct event *events, size_t n)
{
    size_t m = 0, kept = 0;
    for (size_t i = 0; i < n; i++)
        m += t->wait_ns[i] > 0;
    struct wait *w = t->waits = memory_alloc((m + 1) * sizeof *w);
    m = 0;
    for (size_t i = 0; i < n; i++)
        if (t->wait_ns[i] > 0)
            w[m++] = (struct wait){.site = events[i].site,
                                   .operation = events[i].operation,
                                   .state = t->cause[i].state,
                                   .rank = t->cause[i].rank,
                                   .calls = 1,
                                   .wait_ns = (uint64_t)t->wait_ns[i]};
    qsort(w, m, sizeof *w, by_place);
    for (size_t i = 0; i < m; i++) {
        if (kept && !by_place(&w[kept - 1], &w[i])) {
            w[kept - 1].calls++;
            w[kept - 1].wait_ns += w[i].wait_ns;
        } else {
            w[kept++] = w[i];
        }
    }
    t->n_waits = kept;
    find_turns(t, events, n);
    qsort(w, kept, sizeof *w, longest_first);
}

void timeline_find(struct timeline *t, const struct event *events, size_t n, int64_t error_ns)
{
    *t = (struct timeline){.partner = memory_alloc((n + 1) * sizeof *t->partner),
                           .order = memory_alloc((n + 1) * sizeof *t->order),
                           .cause = memory_alloc((n + 1) * sizeof *t->cause),
                           .wait_ns = memory_alloc((n + 1) * sizeof *t->wait_ns)};
    match_messages(t, events, n, error_ns);
    cause_of_messages(t, events, n, error_ns);
    cause_of_collectives(t, events, n);
    for (size_t i = 0; i < n; i++)
        t->order[i] = (uint32_t)i;
    qsort_r(t->order, n, sizeof *t->order, by_call, (void *)events);
    for (size_t i = 0, end; i < n; i = end) {
        end = timeline_call_end(t, events, n, i);
        wait_of_call(t, events, t->order + i, end - i, error_ns);
    }
    sum_up(t, events, n);
}

void timeline_free(struct timeline *t)
{
    free(t->partner);
    free(t->order);
    free(t->cause);
    free(t->wait_ns);
    free(t->waits);
    *t = (struct timeline){0};
}
