#include "base/try.h"
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Time of a rank outside of MPI, seconds: in all, and by consecutive parts of the run, if known. */
struct outside {
    double all, part[NOISE_PARTS];
};

/* All segments that end at one call site, seconds. */
struct segments {
    const struct profile_arrival *end; /* the collective there; NULL: the rest of the run */
    const struct outside *outside;     /* by index in p->ranks */
    size_t longest;                    /* index of the rank with the longest time */
    double mean, excess;               /* mean time of the ranks; LONGEST's time minus MEAN */
    double part[NOISE_PARTS], sum;     /* EXCESS by parts of the run, as far as known; their sum */
    double once; /* if one part has over half of it, and 0.1 s (more than a pause of a healthy
                    machine): that part, a single delay, s; otherwise 0 */
};

/* Reads N ranks' times outside of MPI before the collectives of A. False if they are unknown. */
static bool read_outside(const struct profile_arrival *a, struct outside *to, size_t n)
{
    memset(to, 0, n * sizeof *to);
    for (size_t r = 0; r < n; r++) {
        const json_t *list = json_array_get(a->outside, r);
        const size_t parts = json_array_size(list);
        for (size_t i = 0; i < parts; i++) {
            const double time = 1e-9 * (double)json_integer_value(json_array_get(list, i));
            to[r].all += time;
            if (parts == NOISE_PARTS)
                to[r].part[i] = time;
        }
    }
    return json_array_size(a->outside) == n;
}

/* Adds FROM to the times TO of N ranks or, with SIGN -1, subtracts FROM. */
static void add_outside(struct outside *to, double sign, const struct outside *from, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        to[r].all = fmax(0, to[r].all + sign * from[r].all);
        for (size_t i = 0; i < NOISE_PARTS; i++)
            to[r].part[i] += sign * from[r].part[i];
    }
}

static void measure(struct segments *s, size_t n)
{
    double sizes = 0, most = 0;
    for (size_t r = 0; r < n; r++) {
        s->mean += s->outside[r].all / (double)n;
        s->longest = s->outside[r].all > s->outside[s->longest].all ? r : s->longest;
    }
    s->excess = s->outside[s->longest].all - s->mean;
    for (size_t i = 0; i < NOISE_PARTS; i++) {
        s->part[i] = s->outside[s->longest].part[i];
        for (size_t r = 0; r < n; r++)
            s->part[i] -= s->outside[r].part[i] / (double)n;
        s->sum += s->part[i];
        sizes += fabs(s->part[i]);
        most = fmax(most, s->part[i]);
    }
    s->once = most >= 0.1 && 2 * most > fmax(sizes, s->excess) ? most : 0;
}

/* Seconds per rank that others wait for the rank with the longest time: its excess, but at most
 * their waiting in the collectives plus their time in message calls. */
static double cost_of(const struct profile *p, const struct segments *s)
{
    double wait = s->end ? (double)s->end->wait_ns : 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        wait +=
            !s->end || p->ranks.at[i].message_ns < 0 ? INFINITY : (double)p->ranks.at[i].message_ns;
    return fmin(s->excess, 1e-9 * wait / (double)p->ranks.n);
}

/* The lower end of the 95 % interval of COST, from the parts of the excess; NaN if less than half
 * of the excess is known by parts, and for a single delay, which has no variation. */
static double low_of(const struct segments *s, double cost)
{
    if (s->sum <= s->excess / 2 || s->once > 0)
        return NAN;
    return cost * fmin(1, noise_least(s->part) / s->sum);
}

static bool is_slow(const struct profile *p, const bool *slow, uint32_t rank)
{
    const size_t i = rank_index(p, rank);
    return i < p->ranks.n && slow[i];
}

/* The call in which other ranks wait longest for the slow ranks; NULL if the waiting is below a
 * tenth of COST, seconds per rank, in every call. The waiting in a call is the time of all ranks
 * beyond that of the rank with the least time, or all time if no slow rank calls it. The last
 * choice is a call of all ranks in which a rank that is not slow has the least time: others wait
 * for that rank, too. */
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

/* Sets the call of B: the collective that ends the segments, or that of longest_wait() if less than
 * half of COST is waiting in that collective. */
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
        slow[r] = s->outside[r].all >= s->mean + s->excess / 2;
        sum[slow[r]] += s->outside[r].all;
        n += slow[r];
    }
    while (i < list->n && memcmp(list->at[i].slow, slow, p->ranks.n * sizeof *slow) != 0)
        i++;
    if (i == list->n)
        *PUSH(list) = (struct imbalance){
            .slow = slow, .n_slow = n, .once = true, .at = {PROFILE_NONE, PROFILE_NONE}};
    else
        free(slow);
    struct imbalance *b = &list->at[i];
    b->once = b->once && s->once > 0;
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
    FREED struct outside *own = memory_alloc(p->ranks.n * sizeof *own);
    FREED struct outside *rest = memory_alloc(p->ranks.n * sizeof *rest);
    for (size_t i = 0; i < p->arrivals.n; i++)
        if (read_outside(&p->arrivals.at[i], own, p->ranks.n))
            add_outside(rest, 1, own, p->ranks.n);
    for (size_t i = 0; i < p->ranks.n; i++)
        rest[i].all = rank_outside(&p->ranks.at[i]);
    for (size_t i = 0; i <= p->arrivals.n; i++) {
        struct segments s = {.end = i < p->arrivals.n ? &p->arrivals.at[i] : NULL};
        if (s.end && (arrivals_kind(p, s.end->operation) != COLLECTIVE_ALL ||
                      !read_outside(s.end, own, p->ranks.n)))
            continue;
        s.outside = s.end ? own : rest;
        measure(&s, p->ranks.n);
        /* Of many calls only some are sampled, and one outlier stands for thousands: the rank's own
         * time, which is complete, must show the delay, too. */
        if (rank_outside(&p->ranks.at[s.longest]) - v->where.mean < s.once / 2)
            s.once = 0;
        double cost = cost_of(p, &s), low = low_of(&s, cost),
               doubt = noise_doubt(p, p->ranks.at[s.longest].rank, false, s.mean),
               polled = doubt + 1e-9 * (double)p->ranks.at[s.longest].polled_ns;
        if (noise_matters(cost, low, polled, v->where.run)) {
            add(&list, p, &s, cost, low, polled);
            if (s.end)
                add_outside(rest, -1, own, p->ranks.n);
        } else if (noise_matters(cost, low, doubt, v->where.run)) {
            list.polls = true;
        } else if (noise_matters(cost, low, 0, v->where.run)) {
            list.doubtful = true;
        }
    }
    return list;
}

void imbalances_free(struct imbalances *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i].slow);
    free(list->at);
}

struct imbalance *imbalance_of_rank(const struct imbalances *list, const struct profile *p,
                                    uint32_t rank)
{
    for (size_t i = 0; i < list->n; i++)
        if (!list->at[i].reported && is_slow(p, list->at[i].slow, rank))
            return &list->at[i];
    return NULL;
}
