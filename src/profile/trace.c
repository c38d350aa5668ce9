/* Evaluates the traces of all ranks: wait states, their causes, predictions, and the transport. */
#include "base/hash.h"
#include "profile/model.h"

#include <stdlib.h>

/* The share of the run that is in recorded windows. */
static double covered(const struct profile_trace *t)
{
    if (!t->time_mask)
        return 1;
    int64_t width = 1ll << __builtin_ctzll(t->time_mask), kept = 0;
    for (int64_t from = t->first_ns; from < t->last_ns;) {
        int64_t to = (from / width + 1) * width;
        to = to < t->last_ns ? to : t->last_ns;
        kept += (uint64_t)from & t->time_mask ? 0 : to - from;
        from = to;
    }
    return (double)kept / (double)(t->last_ns - t->first_ns);
}

static uint64_t hash_of(const struct net *e)
{
    return hash_mix(hash_mix(HASH_START, e->rank), e->transfer);
}

/* Sets the counts of a row for the start E of a transfer. END: its completion, or NULL. */
static void add_start(struct net_row *row, const struct net *e, const struct net *end)
{
    row->sends = e->kind == TRANSPORT_SEND;
    row->receives = e->kind == TRANSPORT_RECEIVE;
    end = e->completed_at_start ? e : end;
    if (!end)
        return;
    row->outside = end->call_entry_ns == NET_NO_CALL;
    row->same_call = !row->outside && end->call_entry_ns == e->call_entry_ns;
    row->other_call = !row->outside && !row->same_call;
}

static void find_below(struct profile *p, const struct net_traffic *traffic)
{
    struct index completions = {0};
    for (EACH(const struct net, e, p->nets))
        if (e->kind == TRANSPORT_COMPLETED)
            lookup_add(&completions, hash_of(e), (size_t)(e - p->nets.at));
    for (EACH(const struct net, e, p->nets)) {
        struct net_row row = {.site = e->site, .operation = e->operation};
        const uint32_t end = lookup_find(&completions, hash_of(e));
        if (e->kind == TRANSPORT_COMPLETED || e->kind == TRANSPORT_POLL)
            continue;
        if (e->kind < TRANSPORT_STARTS)
            add_start(&row, e, end == UINT32_MAX ? NULL : &p->nets.at[end]);
        else
            row.moved_bytes = e->bytes;
        profile_add(p, TABLE_BELOW, &row);
    }
    free(completions.table);
    table_sort(p, TABLE_BELOW);
    p->trace.below = net_sends_seen(traffic, p->events.at, p->events.n);
}

struct algorithm_search {
    struct profile *p;
    const struct net_traffic *traffic;
    ARRAY(struct traffic) seen; /* messages of each member of a collective */
};

/* Adds the algorithm of one collective, found by the numbers of messages of its N members. Ignores
 * a collective in progress at the end of a window, as its last messages were not recorded. */
static void add_algorithm(void *context, const uint32_t *member, size_t n, size_t root)
{
    struct algorithm_search *s = context;
    const struct event *one = &s->p->events.at[*member];
    double sends = 0;
    if (one->kind != EVENT_COLLECTIVE || one->first_group_size)
        return;
    struct profile_algorithm row = {
        .operation = one->operation, .ranks = (uint32_t)n, .bytes = one->bytes, .calls = 1};
    s->seen.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct event *a = &s->p->events.at[member[i]];
        if (net_is_cut_off(a, s->p->trace.time_mask))
            return;
        *PUSH(&s->seen) = net_traffic_at(s->traffic, a->rank, a->entry_ns);
        sends += s->seen.at[i].sends;
    }
    row.silent = sends == 0;
    if (!row.silent)
        algorithm_find(s->p->operations.at[row.operation].name, n, root < n ? root : 0, row.bytes,
                       s->seen.at, row.name);
    profile_add(s->p, TABLE_ALGORITHMS, &row);
}

/* Adds which algorithms the collectives used, or why their messages do not show it. */
static void find_algorithms(struct profile *p, const struct net_traffic *traffic)
{
    struct algorithm_search s = {p, traffic, {0}};
    if (p->trace.network != LEDGER_NETWORK_ON)
        return;
    collectives_visit(p->events.at, p->events.n, add_algorithm, &s);
    free(s.seen.at);
    for (EACH(const struct profile_algorithm, a, p->algorithms)) {
        const char *why = *a->name    ? ""
                          : a->silent ? "no message recorded: shared memory, or unknown transport"
                                      : "its messages fit no known algorithm";
        profile_add_finding(p, "algorithms",
                            json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "operation",
                                      p->operations.at[a->operation].name, "ranks",
                                      (json_int_t)a->ranks, "bytes", (json_int_t)a->bytes, "calls",
                                      (json_int_t)a->calls, "algorithm",
                                      *a->name ? a->name : "unknown", "remark", why));
    }
}

/* A call that had not returned is assumed to last until the end of the run. */
static void end_open_calls(struct profile *p)
{
    for (EACH(struct event, a, p->events))
        if (a->exit_ns == INT64_MAX)
            a->exit_ns = a->entry_ns > p->trace.last_ns ? a->entry_ns : p->trace.last_ns;
}

static struct causes_run run_of(const struct profile *p)
{
    const struct profile_rank *last = p->ranks.at;
    for (size_t i = 1; i < p->ranks.n; i++)
        last = p->ranks.at[i].end_ns > last->end_ns ? &p->ranks.at[i] : last;
    return (struct causes_run){.first_ns = p->trace.first_ns,
                               .last_ns = p->trace.last_ns,
                               .time_mask = p->trace.time_mask,
                               .last_rank = p->ranks.n ? (uint32_t)last->rank : CAUSES_NONE,
                               .error_ns = p->trace.error_ns};
}

static void find_predictions(struct profile *p, struct event_graph *g)
{
    struct prediction best[WHAT_IF_BEST];
    p->trace.replay = *what_if_check(g);
    size_t n = what_if_best(g, p->causes.at, p->causes.n, best);
    for (size_t i = 0; i < n; i++)
        *PUSH(&p->predictions) = best[i];
}

static void find_causes(struct profile *p, const struct event_graph *g)
{
    struct causes found;
    causes_find(&found, g);
    p->trace.path_ns = found.path_ns;
    if (!causes_add_up(found.rows, found.n, p->trace.wait_ns, found.path_ns))
        profile_warn(p, "the costs of the causes do not add up to the waits, or the critical path "
                        "not to the run: do not rely on either, and report this as a fault of "
                        "collprof");
    for (size_t i = 0; i < found.n; i++)
        *PUSH(&p->causes) = found.rows[i];
    free(found.rows);
}

static void find_from_graph(struct profile *p, const struct timeline *t)
{
    const struct causes_run run = run_of(p);
    struct event_graph *g = event_graph_open(t, &run);
    find_causes(p, g);
    find_predictions(p, g);
    event_graph_close(g);
}

COMPARISON(longest_first, struct wait,
           ORDER(y->wait_ns, x->wait_ns) ?: ORDER(x->site, y->site)
               ?: ORDER(x->operation, y->operation) ?: ORDER(x->state, y->state)
               ?: ORDER(x->rank, y->rank))

static void add_waits(struct profile *p, const struct timeline *t)
{
    for (size_t i = 0; i < p->events.n; i++) {
        const struct event *a = &p->events.at[i];
        const struct wait w = {.site = a->site,
                               .operation = a->operation,
                               .state = t->cause[i].wait_state,
                               .rank = t->cause[i].enabling_rank,
                               .calls = 1,
                               .wait_ns = (uint64_t)t->wait_ns[i]};
        if (!w.wait_ns)
            continue;
        profile_add(p, TABLE_WAITS, &w);
        if (w.state < WAIT_N_TO_N && a->rank < p->ranks.n &&
            p->ranks.at[a->rank].rank == (int32_t)a->rank)
            p->ranks.at[a->rank].message_wait_ns += w.wait_ns;
    }
    if (p->waits.n)
        qsort(p->waits.at, p->waits.n, sizeof *p->waits.at, longest_first);
}

void trace_find(struct profile *p)
{
    struct timeline found;
    p->causes.n = p->predictions.n = 0;
    end_open_calls(p);
    if (!p->trace.on || (p->hosts.n > 1 && !p->synchronized))
        return; /* without a common clock waits are unknown */
    double error = p->hosts.n > 1 ? 2e9 * p->clock_bound : 0;
    timeline_find(&found, p->events.at, p->events.n, within_far(error));
    p->trace.calls_ns = found.calls_ns;
    p->trace.wait_ns = found.wait_sum_ns;
    p->trace.sends = found.numbered_sends;
    p->trace.receives = found.numbered_receives;
    p->trace.matched = found.matched_messages;
    p->trace.contradictions = found.contradictions;
    p->trace.unnumbered = found.unnumbered;
    p->trace.error_ns = error;
    p->trace.covered = covered(&p->trace);
    add_waits(p, &found);
    find_from_graph(p, &found);
    struct net_traffic traffic = net_traffic_of(p->nets.at, p->nets.n);
    find_below(p, &traffic);
    find_algorithms(p, &traffic);
    net_traffic_free(&traffic);
    timeline_free(&found);
}

struct event_graph *trace_graph(const struct profile *p, struct timeline *t)
{
    const struct causes_run run = run_of(p);
    timeline_find(t, p->events.at, p->events.n, within_far(p->trace.error_ns));
    return event_graph_open(t, &run);
}
