/* Finds the member that each member of a collective operation waits for. */
#include "base/array.h"
#include "timeline/timeline.h"

#include <stdlib.h>

static int by_instance(const void *a, const void *b, void *context)
{
    const struct event *events = context;
    const struct event *x = &events[*(const uint32_t *)a], *y = &events[*(const uint32_t *)b];
    return ORDER(x->comm_id, y->comm_id) ?: ORDER(x->ordinal, y->ordinal) ?: ORDER(x->tag, y->tag);
}

/* On an intercommunicator, members of the root's group pass no root. */
static bool arguments_agree(const struct event *a, const struct event *b)
{
    return a->collective == b->collective && a->first_group_size == b->first_group_size &&
           (a->peer == b->peer ||
            (a->first_group_size && (a->peer == TIMELINE_NONE || b->peer == TIMELINE_NONE)));
}

static bool all_agree(const struct event *events, const uint32_t *member, size_t n)
{
    const struct event *named = &events[*member];
    if (n < 2 || n != named->comm_size || named->first_group_size >= n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct event *a = &events[member[i]];
        if (a->tag != (int32_t)i || !arguments_agree(a, named))
            return false;
        if (named->peer == TIMELINE_NONE)
            named = a;
    }
    return true;
}

struct member_range collective_needs(enum collective_kind kind, size_t i, size_t n,
                                     size_t first_group_size, size_t root)
{
    const struct member_range none = {0, 0}, lower = {0, first_group_size ? first_group_size : n},
                              upper = {first_group_size, n};
    switch (kind) {
    case COLLECTIVE_TO_ROOT:
        if (i != root)
            return none;
        /* fall through */
    case COLLECTIVE_ALL:
        return i < first_group_size ? upper : lower;
    case COLLECTIVE_FROM_ROOT:
        if (root >= n || (first_group_size && (i < first_group_size) == (root < first_group_size)))
            return none;
        return (struct member_range){root, root + 1};
    case COLLECTIVE_PREFIX:
        return (struct member_range){0, i};
    default:
        return none;
    }
}

void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n,
                       size_t first_group_size, size_t root, uint32_t *awaited)
{
    struct member_range before = {0, 0};
    uint32_t last_to_enter = 0; /* of the members that member i - 1 needs */
    for (size_t i = 0; i < n; i++) {
        const struct member_range x = collective_needs(kind, i, n, first_group_size, root);
        size_t k = x.first == before.first && x.end >= before.end ? before.end : x.first;
        last_to_enter = k == x.first ? (uint32_t)k : last_to_enter;
        for (; k < x.end; k++)
            last_to_enter = entered[k] > entered[last_to_enter] ? (uint32_t)k : last_to_enter;
        before = x;
        awaited[i] = x.end > x.first ? last_to_enter : (uint32_t)i;
    }
}

static const uint8_t states[] = {[COLLECTIVE_ALL] = WAIT_N_TO_N,
                                 [COLLECTIVE_FROM_ROOT] = WAIT_LATE_ROOT,
                                 [COLLECTIVE_TO_ROOT] = WAIT_EARLY_ROOT,
                                 [COLLECTIVE_PREFIX] = WAIT_PREFIX};

static void set_causes_of_instance(void *context, const uint32_t *member, size_t n, size_t root)
{
    struct timeline *t = context;
    const struct event *events = t->events;
    FREED int64_t *entered = memory_alloc(n * sizeof *entered);
    FREED uint32_t *awaited = memory_alloc(n * sizeof *awaited);
    for (size_t i = 0; i < n; i++)
        entered[i] = events[member[i]].posted_ns;
    collective_awaits(events[*member].collective, entered, n, events[*member].first_group_size,
                      root, awaited);
    for (size_t i = 0; i < n; i++) {
        const uint32_t event = member[awaited[i]];
        t->cause[member[i]].enabling_event = event;
        if (awaited[i] != i)
            t->cause[member[i]] = (struct cause){entered[awaited[i]], events[event].rank, event,
                                                 states[events[*member].collective]};
    }
}

/* Returns N if there is no root. */
static size_t root_of(const struct event *events, const uint32_t *member, size_t n)
{
    uint32_t peer = TIMELINE_NONE;
    size_t root = 0;
    for (size_t i = 0; i < n && peer == TIMELINE_NONE; i++)
        peer = events[member[i]].peer;
    while (root < n && events[member[root]].rank != peer)
        root++;
    return root;
}

void collectives_visit(const struct event *events, size_t n,
                       void (*visit)(void *context, const uint32_t *member, size_t n, size_t root),
                       void *context)
{
    FREED uint32_t *list = memory_alloc((n + 1) * sizeof *list);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if ((events[i].kind == EVENT_COLLECTIVE || events[i].kind == EVENT_COLLECTED) &&
            events[i].comm_id)
            list[m++] = (uint32_t)i;
    qsort_r(list, m, sizeof *list, by_instance, (void *)events);
    for (size_t i = 0, end; i < m; i = end) {
        const struct event *a = &events[list[i]];
        for (end = i + 1; end < m && events[list[end]].comm_id == a->comm_id &&
                          events[list[end]].ordinal == a->ordinal;)
            end++;
        if (a->collective != COLLECTIVE_NEIGHBOURS && all_agree(events, list + i, end - i))
            visit(context, list + i, end - i, root_of(events, list + i, end - i));
    }
}

void cause_of_collectives(struct timeline *t)
{
    collectives_visit(t->events, t->n, set_causes_of_instance, t);
}
