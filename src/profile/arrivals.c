/* Late arrivals at collective operations, and the time that other ranks lose by them. */
#include "profile/model.h"

#include "base/array.h"
#include "base/try.h"
#include "profile/noise.h"

#include <stdlib.h>
#include <string.h>

/* One collective call that all members of the communicator recorded. Times in ns. */
struct instance {
    const struct profile_instance *member; /* by rank in the communicator */
    uint32_t site, operation, comm;
    uint32_t awaited_rank; /* the rank for which the others waited: the root if it sends to all,
                              otherwise the last to enter */
    uint64_t skew, duration, time, wait;
    uint64_t stands_for; /* number of instances that this sampled one represents */
    uint64_t late;       /* set by late_members(): the current member's entry minus ENTRY_NS */
    int64_t entry_ns;    /* entry of the member that entered first */
    bool at_several_sites;
    bool segment_known; /* all ranks are members, and their times outside of MPI are known */
};
struct instances {
    struct instance *at;
    size_t n, room;
};

enum collective_kind arrivals_kind(const struct profile *p, uint32_t operation)
{
    const struct profile_operation *o = &p->operations.at[operation];
    enum collective_kind kind = collective_kind(o->name);
    return o->family == FAMILY_COLLECTIVE && kind != COLLECTIVE_NEIGHBOURS ? kind
                                                                           : COLLECTIVE_OTHER;
}

static uint64_t positive(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Time that E spent in the call before READY, when the awaited rank entered. */
static uint64_t waited(const struct profile_instance *e, int64_t ready)
{
    return positive((e->exit_ns < ready ? e->exit_ns : ready) - e->entry_ns);
}

/* Sum of the times that the N members of an instance waited until the ranks that they needed had
 * entered. Adds each member's time to its collective_wait_ns, too. */
static uint64_t wait_of(struct profile *p, const struct profile_instance *e, size_t n,
                        enum collective_kind kind, uint32_t root)
{
    uint64_t sum = 0;
    FREED int64_t *entered = memory_alloc(n * sizeof *entered);
    FREED uint32_t *awaited = memory_alloc(n * sizeof *awaited);
    for (size_t i = 0; i < n; i++)
        entered[i] = e[i].entry_ns;
    collective_awaits(kind, entered, n, p->comms.at[e->comm].first, root, awaited);
    for (size_t i = 0; i < n; i++) {
        uint64_t ns = awaited[i] == i ? 0 : waited(&e[i], entered[awaited[i]]);
        size_t rank = rank_index(p, e[i].rank);
        if (rank < p->ranks.n)
            p->ranks.at[rank].collective_wait_ns += (int64_t)ns;
        sum += ns;
    }
    return sum;
}

/* Index of the root among the N members; TIMELINE_NONE without a root. In an intercommunicator,
 * members of the other group give the root as its rank in the root's group. */
static uint32_t root_of(const struct profile *p, const struct profile_instance *e, size_t n)
{
    uint32_t first = p->comms.at[e->comm].first;
    for (size_t i = 0; i < n; i++)
        if (e[i].root >= 0)
            return (uint32_t)e[i].root + (i < first ? first : 0);
    return TIMELINE_NONE;
}

/* Evaluates an instance. E: its N members by rank in the communicator; COMM_KIND: comm_kinds(). */
static struct instance instance_of(struct profile *p, const struct profile_instance *e, size_t n,
                                   const uint32_t *comm_kind)
{
    enum collective_kind kind = arrivals_kind(p, e->operation);
    int64_t first = e->entry_ns, last = e->entry_ns, end = e->exit_ns;
    uint32_t root = root_of(p, e, n);
    struct instance result = {.member = e,
                              .site = e->site,
                              .operation = e->operation,
                              .comm = comm_kind[e->comm],
                              .awaited_rank = e->rank,
                              .segment_known = n == p->ranks.n};
    unsigned spared = e->spared;
    for (size_t i = 0; i < n; i++) {
        if (e[i].entry_ns > last) {
            last = e[i].entry_ns;
            result.awaited_rank = e[i].rank;
        }
        if (e[i].entry_ns < first)
            first = e[i].entry_ns;
        if (e[i].exit_ns > end)
            end = e[i].exit_ns;
        if (e[i].spared < spared)
            spared = e[i].spared;
        result.time += positive(e[i].exit_ns - e[i].entry_ns);
        result.at_several_sites = result.at_several_sites || e[i].site != e->site;
        result.segment_known = result.segment_known && e[i].outside_ns >= 0 &&
                               e[i].rank < p->ranks.n &&
                               p->ranks.at[e[i].rank].rank == (int32_t)e[i].rank;
    }
    result.entry_ns = first;
    result.stands_for = ledger_represented(spared, p->sample_mask);
    result.skew = positive(last - first);
    result.wait = wait_of(p, e, n, kind, root);
    if (kind == COLLECTIVE_FROM_ROOT && root < n) {
        result.awaited_rank = e[root].rank;
        last = e[root].entry_ns;
    }
    result.duration = positive(end - last);
    return result;
}

/* Whether all members of the instance were recorded and agree. In an intercommunicator the
 * arguments for the root differ: MPI_ROOT, MPI_PROC_NULL and its rank. */
static bool is_whole(const struct profile *p, const struct profile_instance *e, size_t n)
{
    if (n < 2 || n != p->comms.at[e->comm].size || n <= p->comms.at[e->comm].first)
        return false;
    for (size_t i = 1; i < n; i++)
        if (e[i].operation != e->operation ||
            p->comms.at[e[i].comm].id != p->comms.at[e->comm].id ||
            (e[i].root != e->root && !p->comms.at[e->comm].first))
            return false;
    return true;
}

static int by_row(const struct instance *x, const struct instance *y)
{
    return ORDER(x->operation, y->operation) ?: ORDER(x->site, y->site) ?: ORDER(x->comm, y->comm);
}

COMPARISON(by_time, struct instance, by_row(x, y) ?: ORDER(x->entry_ns, y->entry_ns))

COMPARISON(by_number, uint64_t, ORDER(*x, *y))

/* The median of a member of struct instance, the uint64_t at OFFSET, weighted by STANDS_FOR. */
static uint64_t median_of(const struct instance *at, size_t n, size_t offset)
{
    struct {
        uint64_t value, stands_for;
    } *seen = memory_alloc(n * sizeof *seen);
    uint64_t all = 0, below = 0;
    size_t middle = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(&seen[i].value, (const char *)&at[i] + offset, sizeof seen[i].value);
        all += seen[i].stands_for = at[i].stands_for;
    }
    qsort(seen, n, sizeof *seen, by_number); /* by_number() compares VALUE */
    while (below + seen[middle].stands_for <= all / 2)
        below += seen[middle++].stands_for;
    const uint64_t median = seen[middle].value;
    free(seen);
    return median;
}

/* Sets A's COST_...: the rank for which others waited longest in N instances, and how long.
 * FIRST_NS to LAST_NS, first to last entry of all collectives, is the time divided into parts. */
static void find_cost(struct profile_arrival *a, const struct instance *at, size_t n,
                      uint32_t n_ranks, int64_t first_ns, int64_t last_ns)
{
    double *cost = memory_alloc((n_ranks + 1) * sizeof *cost), part[NOISE_PARTS] = {0};
    for (size_t i = 0; i < n; i++)
        if (at[i].awaited_rank < n_ranks)
            cost[at[i].awaited_rank] += (double)at[i].wait * (double)at[i].stands_for;
    for (uint32_t r = 0; r < n_ranks; r++)
        if (cost[r] > cost[a->cost_rank])
            a->cost_rank = r;
    a->cost_ns = whole_count(cost[a->cost_rank]);
    for (size_t i = 0; i < n; i++) {
        double when = (double)(at[i].entry_ns - first_ns) / (double)(last_ns - first_ns + 1);
        if (at[i].awaited_rank == a->cost_rank && when >= 0 && when < 1)
            part[(int)(NOISE_PARTS * when)] += (double)at[i].wait * (double)at[i].stands_for;
    }
    a->cost_low_ns = n < NOISE_PARTS ? -1 : (int64_t)noise_least(part);
    free(cost);
}

/* For each of SIZE members the median, over N instances, of its entry minus the first entry. */
static json_t *late_members(struct instance *at, size_t n, uint32_t size)
{
    json_t *list = json_array();
    for (uint32_t r = 0; r < size; r++) {
        for (size_t i = 0; i < n; i++)
            at[i].late = positive(at[i].member[r].entry_ns - at[i].entry_ns);
        const uint64_t late = median_of(at, n, offsetof(struct instance, late));
        json_push(list, json_integer((json_int_t)late));
    }
    return list;
}

/* Sets A's OUTSIDE: each rank's time outside of MPI before the N instances, by groups of these. */
static void find_segments(struct profile_arrival *a, const struct instance *at, size_t n,
                          size_t n_ranks)
{
    size_t known = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        known += at[i].segment_known;
    const size_t parts = known < NOISE_PARTS ? 1 : NOISE_PARTS;
    FREED double *sum = memory_alloc((n_ranks * parts + 1) * sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; at[i].segment_known && r < n_ranks; r++)
            sum[at[i].member[r].rank * parts + k * parts / known] +=
                (double)at[i].member[r].outside_ns * (double)at[i].stands_for;
        k += at[i].segment_known;
    }
    a->outside = known ? json_array() : NULL;
    for (size_t r = 0; known && r < n_ranks; r++) {
        json_t *list = json_array();
        for (size_t i = 0; i < parts; i++)
            json_push(list, json_integer(within_far(sum[r * parts + i])));
        json_push(a->outside, list);
    }
}

/* The sums of N instances, each weighted by STANDS_FOR. */
static struct profile_arrival sum_up(struct instance *at, size_t n, uint32_t size)
{
    struct profile_arrival a = {
        .site = at->site, .operation = at->operation, .comm = at->comm, .instances = n};
    for (size_t i = 0; i < n; i++) {
        a.population += at[i].stands_for;
        a.time_ns += at[i].time * at[i].stands_for;
        a.wait_ns += at[i].wait * at[i].stands_for;
    }
    a.skew_median_ns = median_of(at, n, offsetof(struct instance, skew));
    a.duration_median_ns = median_of(at, n, offsetof(struct instance, duration));
    a.late = late_members(at, n, size);
    return a;
}

/* The times of A are estimates from sampled instances. Reduces these times to that of all calls,
 * which was counted exactly: at the call site, or (SEVERAL: ranks call from several) at all sites.
 * KIND: from comm_kinds(). */
static void limit(const struct profile *p, struct profile_arrival *a, const uint32_t *kind,
                  bool several)
{
    uint64_t time = 0;
    for (EACH(const struct profile_entry, e, p->entries)) {
        const bool full = e->comm == PROFILE_NONE; /* unknown communicator: may be A's calls */
        if (e->operation == a->operation &&
            (full || ((several || e->site == a->site) && kind[e->comm] == a->comm)))
            time += e->time_ns;
    }
    if (!time || a->time_ns <= time)
        return;
    const double factor = (double)time / (double)a->time_ns;
    a->time_ns = time;
    a->wait_ns = whole_count((double)a->wait_ns * factor);
    a->cost_ns = whole_count((double)a->cost_ns * factor);
    if (a->cost_low_ns > 0)
        a->cost_low_ns = within_far((double)a->cost_low_ns * factor);
}

/* Whether all collectives of all ranks were recorded: otherwise no sum of waits is known. */
static bool all_recorded(const struct profile *p)
{
    bool all = !p->sample_mask;
    for (size_t i = 0; i < p->ranks.n; i++)
        all = all && !p->ranks.at[i].dropped[LEDGER_INSTANCES] &&
              p->ranks.at[i].state == LEDGER_FINALIZED;
    return all;
}

/* All instances that are whole (is_whole()), sorted by their row of p->arrivals, then by time. */
static struct instances instances_of(struct profile *p, const uint32_t *kind)
{
    struct instances list = {0};
    for (size_t i = 0, end; i < p->instances.n; i = end) {
        const struct profile_instance *e = &p->instances.at[i];
        end = instances_next(p, i);
        if (is_whole(p, e, end - i))
            *PUSH(&list) = instance_of(p, e, end - i, kind);
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_time);
    return list;
}

void arrivals_find(struct profile *p)
{
    FREED uint32_t *kind = comm_kinds(p);
    bool comparable = p->hosts.n < 2 || p->synchronized;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    table_clear(p, TABLE_ARRIVALS);
    for (size_t i = 0; i < p->ranks.n; i++)
        p->ranks.at[i].collective_wait_ns = 0;
    /* One more than the largest rank: ranks without a record leave gaps. */
    const uint32_t n_ranks = p->ranks.n ? (uint32_t)p->ranks.at[p->ranks.n - 1].rank + 1 : 0;
    struct instances list = {0};
    if (comparable)
        list = instances_of(p, kind);
    for (size_t i = 0; i < list.n; i++) {
        first_ns = list.at[i].entry_ns < first_ns ? list.at[i].entry_ns : first_ns;
        last_ns = list.at[i].entry_ns > last_ns ? list.at[i].entry_ns : last_ns;
    }
    for (size_t i = 0, end; i < list.n; i = end) {
        struct instance *a = &list.at[i];
        bool several = a->at_several_sites;
        for (end = i + 1; end < list.n && !by_row(a, &list.at[end]); end++)
            several = several || list.at[end].at_several_sites;
        struct profile_arrival *row = PUSH(&p->arrivals);
        *row = sum_up(a, end - i, p->comms.at[a->comm].size);
        find_cost(row, a, end - i, n_ranks, first_ns, last_ns);
        find_segments(row, a, end - i, p->ranks.n);
        if (p->sample_mask && p->operations.at[a->operation].family == FAMILY_COLLECTIVE)
            limit(p, row, kind, several);
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        if (!comparable || !all_recorded(p))
            p->ranks.at[i].collective_wait_ns = -1;
    free(list.at);
}
