#include "timeline/network.h"

#include "base/array.h"

#include <stdlib.h>

/* Sorts by number; a completion follows its start. */
static int by_number(const void *a, const void *b)
{
    const struct net *x = *(const struct net *const *)a, *y = *(const struct net *const *)b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->number, y->number) ?: ORDER(x->kind, y->kind);
}

static int by_call(const void *a, const void *b)
{
    const struct net *x = *(const struct net *const *)a, *y = *(const struct net *const *)b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->call_ns, y->call_ns) ?: ORDER(x->kind, y->kind);
}

/* NEXT: the event that follows E by number, or NULL. */
static struct net_row row_of_start(const struct net *e, const struct net *next)
{
    struct net_row row = {.site = e->site,
                          .operation = e->operation,
                          .sends = e->kind == TRANSPORT_SEND,
                          .receives = e->kind == TRANSPORT_RECEIVE};
    const struct net *end = e->at_once ? e : next;
    if (!end || (end != e && (end->kind != TRANSPORT_COMPLETED || end->rank != e->rank ||
                              end->number != e->number)))
        return row;
    row.outside = end->call_ns == NET_NO_CALL;
    row.same_call = !row.outside && end->call_ns == e->call_ns;
    row.other_call = !row.outside && !row.same_call;
    return row;
}

/* LIST: M events sorted by number. */
static void find_rows(struct net_found *f, const struct net *const *list, size_t m)
{
    f->rows = memory_alloc((m + 1) * sizeof *f->rows);
    for (size_t i = 0; i < m; i++) {
        const struct net *e = list[i];
        if (e->kind < TRANSPORT_STARTS)
            f->rows[f->n_rows++] = row_of_start(e, i + 1 < m ? list[i + 1] : NULL);
        else if (e->kind != TRANSPORT_COMPLETED && e->kind != TRANSPORT_POLL)
            f->rows[f->n_rows++] = (struct net_row){
                .site = e->site, .operation = e->operation, .moved_bytes = e->bytes};
    }
}

void net_find(struct net_found *f, const struct event *events, size_t n, const struct net *net,
              size_t m)
{
    const struct net **list = memory_alloc((m + 1) * sizeof *list);
    *f = (struct net_found){0};
    for (size_t i = 0; i < m; i++)
        list[i] = &net[i];
    qsort(list, m, sizeof *list, by_number);
    find_rows(f, list, m);
    qsort(list, m, sizeof *list, by_call);
    for (size_t i = 0; i < n; i++) {
        const struct net wanted = {
            .rank = events[i].rank, .call_ns = events[i].entry_ns, .kind = TRANSPORT_SEND};
        if ((events[i].kind == EVENT_SEND || events[i].kind == EVENT_POST) &&
            event_is_numbered(&events[i]))
            f->sends +=
                bsearch(&(const struct net *){&wanted}, list, m, sizeof *list, by_call) != 0;
    }
    free(list);
}

void net_free(struct net_found *f)
{
    free(f->rows);
    *f = (struct net_found){0};
}
