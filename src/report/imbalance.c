#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Time outside of MPI, by rank, in all segments that end at one call site: that of END, a
 * collective in which every rank waits for the last one. END NULL: in the rest of the run. */
struct segments {
    const struct profile_arrival *end;
    double *outside; /* for each rank of the list, seconds; released by free() */
    size_t n;        /* number of collectives of all ranks */
    size_t longest;  /* index of the rank with the longest time */
    double mean;
    double part[NOISE_PARTS]; /* that rank's excess over the mean, by parts of the run */
};

/* Whether the collective from event I to END includes all ranks and ends a segment of S. */
static bool ends_segment(const struct profile *p, const struct segments *s, const bool *taken,
                         size_t i, size_t end)
{
    const struct profile_instance *e = &p->instances.at[i];
    bool mine = !taken[i] && end - i == p->ranks.n &&
                (!s->end || (e->site == s->end->site && e->operation == s->end->operation));
    for (; mine && i < end; i++) {
        e = &p->instances.at[i];
        mine = e->outside_ns >= 0 && e->rank < p->ranks.n &&
               p->ranks.at[e->rank].rank == (int32_t)e->rank;
    }
    return mine;
}

/* Number of collectives that the sampled one with first event E represents, times 1e-9 (ns to
 * s). */
static double weight(const struct profile *p, const struct profile_instance *e)
{
    return 1e-9 * (double)ledger_represented(e->spared, p->sample_mask);
}

static void find_parts(const struct profile *p, const bool *taken, struct segments *s)
{
    size_t at = 0;
    for (size_t i = 0, end; i < p->instances.n; i = end) {
        const struct profile_instance *e = &p->instances.at[i];
        double excess = 0;
        end = instances_next(p, i);
        if (!ends_segment(p, s, taken, i, end))
            continue;
        for (; e < &p->instances.at[end]; e++)
            excess += (double)e->outside_ns * ((e->rank == s->longest) - 1 / (double)p->ranks.n);
        s->part[at++ * NOISE_PARTS / s->n] += excess * weight(p, &p->instances.at[i]);
    }
}

/* Fills S. If it has no END, the caller has set the times outside of MPI. */
static void measure(const struct profile *p, const bool *taken, struct segments *s)
{
    for (size_t i = 0, end; i < p->instances.n; i = end) {
        end = instances_next(p, i);
        if (!ends_segment(p, s, taken, i, end))
            continue;
        s->n++;
        for (size_t k = i; s->end && k < end; k++)
            s->outside[p->instances.at[k].rank] +=
                weight(p, &p->instances.at[i]) * (double)p->instances.at[k].outside_ns;
    }
    for (size_t i = 0; i < p->ranks.n; i++) {
        s->mean += s->outside[i] / (double)p->ranks.n;
        s->longest = s->outside[i] > s->outside[s->longest] ? i : s->longest;
    }
    if (s->n >= NOISE_PARTS)
        find_parts(p, taken, s);
}

/* Subtracts the segments of S from REST, the time of the rest of the run. */
static void take(const struct profile *p, bool *taken, const struct segments *s, double *rest)
{
    for (size_t i = 0, end; i < p->instances.n; i = end) {
        end = instances_next(p, i);
        taken[i] = taken[i] || ends_segment(p, s, taken, i, end);
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        rest[i] = fmax(0, rest[i] - s->outside[i]);
}

/* Upper bound of the delay that the longest rank causes: the others wait no longer than they are in
 * collectives and in messages. */
static double cost_of(const struct profile *p, const struct segments *s)
{
    double excess = s->outside[s->longest] - s->mean, wait = s->end ? (double)s->end->wait_ns : 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        wait +=
            !s->end || p->ranks.at[i].message_ns < 0 ? INFINITY : (double)p->ranks.at[i].message_ns;
    return fmin(excess, 1e-9 * wait / (double)p->ranks.n);
}

/* The lower end of the 95 % interval of COST; NaN if unknown: the parts of the run contain only the
 * excess before collectives, and that has to be at least half of all. */
static double low_of(const struct segments *s, double cost)
{
    double sum = 0;
    for (size_t i = 0; i < NOISE_PARTS; i++)
        sum += s->part[i];
    if (s->n < NOISE_PARTS || sum <= (s->outside[s->longest] - s->mean) / 2)
        return NAN;
    return cost * fmin(1, noise_least(s->part) / sum);
}

static bool is_slow(const struct profile *p, const bool *slow, uint32_t rank)
{
    const size_t i = rank_index(p, rank);
    return i < p->ranks.n && slow[i];
}

/* The call in which other ranks wait longest for the slow ranks. If only other ranks call it, all
 * of their time counts, otherwise the excess over the least time. NULL if none reaches a tenth of
 * COST, in seconds per rank. Where all ranks call it and one that is not slow has the least time,
 * that rank waits elsewhere or the others wait for it, too: such a call is the last choice. */
static const struct profile_group *longest_wait(const struct profile *p, const bool *slow,
                                                double cost)
{
    const struct profile_group *found[2] = {NULL};
    double most[2] = {1e8 * cost * (double)p->ranks.n, 1e8 * cost * (double)p->ranks.n};
    for (EACH(const struct profile_group, g, p->groups)) {
        const struct spread *s = &g->spread;
        const bool first = is_slow(p, slow, s->best), last = !first && s->ranks == p->ranks.n;
        double waited = (double)s->sum - (first || last ? (double)s->ranks * (double)s->min : 0);
        if ((g->site == PROFILE_NONE && p->stack_depth) || !s->ranks ||
            p->operations.at[g->operation].family == FAMILY_LIFECYCLE ||
            (!first && is_slow(p, slow, s->worst)))
            continue;
        if (waited > most[last]) {
            most[last] = waited;
            found[last] = g;
        }
    }
    return found[0] ? found[0] : found[1];
}

/* Usually the collective that ends the segments, unless most of the waiting is in messages before
 * it. */
static void add_site(const struct profile *p, struct imbalance *b,
                     const struct profile_arrival *end, double cost)
{
    bool here = end && 1e-9 * (double)end->wait_ns / (double)p->ranks.n >= cost / 2;
    const struct profile_group *g = here ? NULL : longest_wait(p, b->slow, cost);
    if ((!end && !g) || cost <= b->at.cost)
        return;
    b->at.operation = g ? g->operation : end->operation;
    b->at.site = g ? g->site : end->site;
    b->at.cost = cost;
    b->at.own = !g || g->spread.ranks == p->ranks.n || is_slow(p, b->slow, g->spread.best);
}

static void add(struct imbalances *list, const struct profile *p, const struct segments *s,
                double cost, double low, double doubt)
{
    bool *slow = memory_alloc(p->ranks.n * sizeof *slow);
    double sum[2] = {0};
    size_t n = 0, i = 0;
    for (size_t r = 0; r < p->ranks.n; r++) {
        slow[r] = s->outside[r] >= (s->mean + s->outside[s->longest]) / 2;
        sum[slow[r]] += s->outside[r];
        n += slow[r];
    }
    while (i < list->n && memcmp(list->at[i].slow, slow, p->ranks.n * sizeof *slow) != 0)
        i++;
    bool is_new = i == list->n;
    struct imbalance *b = is_new ? PUSH(list) : &list->at[i];
    if (is_new)
        *b = (struct imbalance){.slow = slow, .n_slow = n};
    else
        free(slow);
    b->cost += cost;
    b->low += noise_at_least(cost, low, doubt);
    b->slow_time += sum[1] / (double)n;
    b->others += sum[0] / (double)(p->ranks.n - n);
    list->cost += cost;
    add_site(p, b, s->end, cost);
}

struct imbalances imbalances_find(const struct view *v)
{
    const struct profile *p = v->p;
    struct imbalances list = {0};
    if (!v->where.known || p->ranks.n < 2)
        return list;
    bool *taken = memory_alloc((p->instances.n + 1) * sizeof *taken);
    double *rest = memory_alloc(p->ranks.n * sizeof *rest);
    for (size_t i = 0; i < p->ranks.n; i++)
        rest[i] = rank_outside(&p->ranks.at[i]);
    for (size_t i = 0; i <= p->arrivals.n; i++) {
        struct segments s = {.end = i < p->arrivals.n ? &p->arrivals.at[i] : NULL, .outside = rest};
        if (s.end && (p->comms.at[s.end->comm].size != p->ranks.n ||
                      arrivals_kind(p, s.end->operation) != COLLECTIVE_ALL))
            continue;
        if (s.end)
            s.outside = memory_alloc(p->ranks.n * sizeof *s.outside);
        measure(p, taken, &s);
        double cost = cost_of(p, &s), low = low_of(&s, cost),
               doubt = noise_doubt(p, p->ranks.at[s.longest].rank, false, s.mean);
        if (noise_matters(cost, low, doubt, v->where.run)) {
            add(&list, p, &s, cost, low, doubt);
            take(p, taken, &s, rest);
        } else if (noise_matters(cost, low, 0, v->where.run)) {
            list.doubtful = true;
        }
        if (s.end)
            free(s.outside);
    }
    free(rest);
    free(taken);
    return list;
}

void imbalances_free(struct imbalances *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i].slow);
    free(list->at);
    *list = (struct imbalances){0};
}

struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank)
{
    for (size_t i = 0; i < list->n; i++)
        if (!list->at[i].reported && is_slow(p, list->at[i].slow, rank))
            return &list->at[i];
    return NULL;
}
