#include "profile/model.h"

#include "base/array.h"

#include <stdlib.h>

static int compare_events(const void *a, const void *b)
{
    const struct profile_event *x = a, *y = b;
    return ORDER(x->comm_id, y->comm_id) ?: ORDER(x->sequence, y->sequence)
        ?: ORDER(x->comm_rank, y->comm_rank) /* arrivals.c looks at them in this order */
        ?: ORDER(x->rank, y->rank) ?: ORDER(x->entry_ns, y->entry_ns);
}

void events_sort(struct profile *p)
{
    if (p->events.n)
        qsort(p->events.at, p->events.n, sizeof *p->events.at, compare_events);
}

size_t events_next(const struct profile *p, size_t i)
{
    size_t next = i + 1;
    while (next < p->events.n && p->events.at[next].comm_id == p->events.at[i].comm_id &&
           p->events.at[next].sequence == p->events.at[i].sequence)
        next++;
    return next;
}

int64_t events_origin(const struct profile *p)
{
    int64_t start = INT64_MAX;
    for (size_t i = 0; i < p->events.n; i++)
        start = p->events.at[i].entry_ns < start ? p->events.at[i].entry_ns : start;
    return start;
}

bool event_is_sampled(const struct profile_event *e, uint32_t mask)
{
    return ledger_is_sampled(e->comm_id, e->sequence, e->spared, mask);
}

static void keep_sampled(struct profile *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->events.n; i++)
        if (event_is_sampled(&p->events.at[i], p->sample_mask))
            p->events.at[kept++] = p->events.at[i];
    p->events.n = kept;
}

void events_limit(struct profile *p, uint32_t limit)
{
    /* Ranks sample by masks of their own: what the widest of them leaves is what all have. */
    keep_sampled(p);
    while (p->events.n > limit && p->sample_mask != UINT32_MAX) {
        p->sample_mask = p->sample_mask << 1 | 1;
        keep_sampled(p);
    }
    if (p->events.n > limit) { /* more communicators than room, one instance of each */
        events_sort(p);
        p->events_dropped += p->events.n - limit;
        p->events.n = limit;
    }
}
