#include "measure/pairs/sites.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/crew.h"
#include "measure/pairs/best.h"
#include "measure/pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_LARGEST = 0x7074 };

/* A site's first two ranks, as it is seen by each of them. */
struct place {
    int *group; /* of each rank */
    int n_groups;
    int *first, *second; /* of each group: ranks; second -1 where there is none */
};

/* What stands for all pairs between two sites, or within one, at one size. */
struct sample {
    double trip; /* from the first site's rank to the second's, as all that follows */
    double send, post, pace, sooner, gap, way, doubt;
};

static size_t cell(int n, int i, int j)
{
    return (size_t)i * (size_t)n + (size_t)j;
}

struct pairs_plan pairs_plan_quick(const struct sync_clock *clock, const size_t *sizes, int n_sizes,
                                   double until)
{
    struct pairs_plan plan = pairs_plan_default();
    plan.sizes = sizes;
    plan.n_sizes = n_sizes;
    plan.repeats = 15;
    plan.budget = 2e-3;
    plan.segments = n_sizes > 0 && sizes[n_sizes - 1] >= 2 * best_segments[0];
    plan.until = until;
    plan.clock = clock;
    return plan;
}

static void place_free(struct place *place)
{
    free(place->group);
    free(place->first);
}

/* Rank 0 finds the sites, all hear of them. */
static int place_find(MPI_Comm comm, const struct pairs *p, int rank, int n, struct place *place)
{
    int *found = NULL;
    bool good = rank != 0 || pairs_sites(p, false, &found);
    *place = (struct place){.group = calloc((size_t)n, sizeof *place->group),
                            .first = malloc(2 * (size_t)n * sizeof *place->first)};
    good = good && place->group && place->first;
    if (good && found)
        memcpy(place->group, found, (size_t)n * sizeof *found);
    free(found);
    int error = crew_agree(comm, good);
    if (error != MPI_SUCCESS) {
        place_free(place);
        return error;
    }
    TRY(PMPI_Bcast(place->group, n, MPI_INT, 0, comm));
    place->second = place->first + n;
    for (int v = 0; v < n; v++) {
        int g = place->group[v];
        if (g == place->n_groups) {
            place->first[g] = v;
            place->second[g] = -1;
            place->n_groups++;
        } else if (place->second[g] < 0) {
            place->second[g] = v;
        }
    }
    return MPI_SUCCESS;
}

static struct sample sample_of(const struct pairs_size *s, int n, int i, int j)
{
    size_t k = cell(n, i, j);
    return (struct sample){s->min[k],    s->send[k], s->post[k], s->pace[k],
                           s->sooner[k], s->gap[k],  s->way[k],  s->doubt[k]};
}

/* Within each site: its first rank gets the samples of the way to the second and back. */
static int measure_within(MPI_Comm comm, const struct place *place, int rank,
                          const struct pairs_plan *plan, struct sample *within)
{
    int group = place->group[rank];
    bool part =
        place->second[group] >= 0 && (rank == place->first[group] || rank == place->second[group]);
    MPI_Comm two;
    struct pairs p;
    TRY(PMPI_Comm_split(comm, part ? group : MPI_UNDEFINED, rank, &two));
    if (two == MPI_COMM_NULL)
        return MPI_SUCCESS;
    int error = pairs_measure(two, plan, &p);
    if (error == MPI_SUCCESS && p.n == 2)
        for (int s = 0; s < plan->n_sizes; s++)
            within[s] = sample_of(&p.size[s], 2, 0, 1);
    pairs_free(&p);
    PMPI_Comm_free(&two);
    return error;
}

/* An error that some have is all's. */
static int agree(MPI_Comm comm, int error)
{
    int mine[2] = {error, -error}, all[2];
    TRY(PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm));
    return all[0] > 0 ? all[0] : -all[1];
}

/* Between the sites' first ranks; rank 0 gets P of them, and each one's samples from within. */
static int measure_between(MPI_Comm comm, const struct place *place, int rank,
                           const struct pairs_plan *plan, const struct sample *within,
                           struct pairs *between, struct sample *all_within)
{
    enum { NUMBERS = sizeof(struct sample) / sizeof(double) };
    MPI_Comm firsts;
    bool part = rank == place->first[place->group[rank]];
    int numbers = plan->n_sizes * NUMBERS;
    TRY(PMPI_Comm_split(comm, part ? 0 : MPI_UNDEFINED, rank, &firsts));
    if (firsts == MPI_COMM_NULL)
        return MPI_SUCCESS;
    int error = pairs_measure(firsts, plan, between);
    if (error == MPI_SUCCESS)
        error =
            PMPI_Gather(within, numbers, MPI_DOUBLE, all_within, numbers, MPI_DOUBLE, 0, firsts);
    PMPI_Comm_free(&firsts);
    return error;
}

/* Medians of the tournament between each two sites: what a pair is compared with. */
static double *medians(const struct place *place, const double *m, int n)
{
    int n_groups = place->n_groups;
    double *median = malloc((size_t)n_groups * (size_t)n_groups * sizeof *median);
    double *values = malloc((size_t)n * (size_t)n * sizeof *values);
    for (int a = 0; median && values && a < n_groups; a++) {
        for (int b = 0; b < n_groups; b++) {
            size_t count = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; place->group[i] == a && j < n; j++)
                    if (i != j && place->group[j] == b)
                        values[count++] = m[cell(n, i, j)];
            median[cell(n_groups, a, b)] = count > 0 ? stats_median(values, count) : 0;
        }
    }
    free(values);
    return median;
}

/* One size of all pairs, from those that stand for them. ALL is the tournament's only size. */
static void compose(const struct place *place, const struct pairs_size *all, int n,
                    const double *trip, const double *send, const struct pairs_size *between,
                    const struct sample *within, int n_sizes, int s, struct pairs_size *to)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int a = place->group[i], b = place->group[j];
            size_t k = cell(n, i, j), ab = cell(place->n_groups, a, b);
            if (i == j)
                continue;
            struct sample x =
                a == b ? within[a * n_sizes + s] : sample_of(between, place->n_groups, a, b);
            double other = fmax(0, x.send + all->send[k] - send[ab]);
            /* Noise in the tournament must not make a way shorter than any message takes. */
            double time = fmax(x.trip / 2, x.trip + all->min[k] - trip[ab]);
            to->mean[k] = to->median[k] = to->min[k] = fmax(1e-9, time);
            to->sd[k] = all->sd[k];
            to->send[k] = other;
            to->post[k] = x.post;
            to->pace[k] = x.pace;
            to->sooner[k] = x.sooner;
            to->gap[k] = x.gap;
            to->way[k] = time * x.way / x.trip; /* one way's share is theirs */
            to->doubt[k] = time * x.doubt / x.trip;
        }
    }
}

static int compose_all(const struct place *place, const struct pairs *all,
                       const struct pairs *between, const struct sample *within,
                       const size_t *sizes, int n_sizes, struct pairs *p)
{
    const struct pairs_size *tournament = &all->size[0];
    double *trip = medians(place, tournament->min, all->n);
    double *send = medians(place, tournament->send, all->n);
    bool good = trip && send && pairs_new(p, all->n);
    for (int i = 0; good && i < all->n; i++)
        good = pairs_set_host(p, i, all->host[i]);
    for (int s = 0; good && s < n_sizes; s++) {
        struct pairs_size *to = pairs_add_size(p, sizes[s], tournament->repeats, true);
        good = to != NULL;
        if (good)
            compose(place, tournament, all->n, trip, send,
                    place->n_groups > 1 ? &between->size[s] : NULL, within, n_sizes, s, to);
    }
    memcpy(p->system, all->system, sizeof p->system);
    free(trip);
    free(send);
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The quickest of three round trips between the first and the last rank; on the first. */
static int time_largest(MPI_Comm comm, size_t bytes, int rank, int last, double *trip)
{
    char *buffer = calloc(bytes + 1, 1);
    int good = buffer != NULL, all = 0, other = rank == 0 ? last : 0;
    *trip = INFINITY;
    int error = PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    for (int k = 0; k < 3 && error == MPI_SUCCESS && all && (rank == 0 || rank == last); k++) {
        double start = clock_now();
        for (int turn = 0; turn < 2 && error == MPI_SUCCESS; turn++)
            error = turn == (rank == 0)
                        ? PMPI_Recv(buffer, (int)bytes, MPI_BYTE, other, TAG_LARGEST, comm,
                                    MPI_STATUS_IGNORE)
                        : PMPI_Send(buffer, (int)bytes, MPI_BYTE, other, TAG_LARGEST, comm);
        *trip = fmin(*trip, clock_now() - start);
    }
    free(buffer);
    return error;
}

/* What measuring all sizes of all pairs takes, one at a time: by the times of the smallest and, of
 * one pair, of the largest. */
static double seconds_for_all(const struct pairs *all, const struct pairs_plan *plan,
                              double largest)
{
    const double *trip = all->size[0].min;
    const int n = all->n, others = 60; /* warm-up and bursts */
    double sum = 0, bytes = (double)plan->sizes[plan->n_sizes - 1];
    for (int s = 0; s < plan->n_sizes; s++) {
        double more = fmax(0, largest - trip[cell(n, 0, n - 1)]) * (double)plan->sizes[s] / bytes;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                double one = trip[cell(n, i, j)] + more;
                sum += fmin(plan->repeats * one, fmax(plan->budget, 3 * one)) + others * one;
            }
        }
    }
    return sum;
}

/* How all pairs are measured in AFFORDABLE seconds: 0, not at all. Of those that are measured at
 * the same time only some are looked at alone, too: where it takes little of the time, all are. */
static int order_for_all(const struct pairs *all, double alone, double affordable)
{
    if (10 * alone <= affordable)
        return PAIRS_ONE_AT_A_TIME;
    bool shared = all->slowdown > PAIRS_SHARED;
    return alone / (shared ? 1 : all->n / 2) <= affordable ? PAIRS_TOURNAMENT : 0;
}

int pairs_measure_by_sites(MPI_Comm comm, const struct sync_clock *clock, const size_t *sizes,
                           int n_sizes, double most, double affordable, struct pairs *p)
{
    double until = most > 0 ? clock_now() + most : 0;
    int rank, n;
    struct pairs all, between = {0};
    struct place place;
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Comm_size(comm, &n));
    struct pairs_plan first = pairs_plan_quick(clock, sizes, 1, until),
                      every = pairs_plan_quick(clock, sizes, n_sizes, until);
    *p = (struct pairs){0};
    TRY(pairs_measure(comm, &first, &all));
    double largest = INFINITY;
    int error = n > 1 && affordable > 0
                    ? time_largest(comm, sizes[n_sizes - 1], rank, n - 1, &largest)
                    : MPI_SUCCESS;
    int order = PAIRS_TOURNAMENT;
    if (rank == 0 && n > 1)
        order = order_for_all(&all, seconds_for_all(&all, &every, largest), affordable);
    if (error == MPI_SUCCESS)
        error = PMPI_Bcast(&order, 1, MPI_INT, 0, comm);
    if (error == MPI_SUCCESS && order) {
        pairs_free(&all);
        every.order = order;
        return pairs_measure(comm, &every, p);
    }
    if (error == MPI_SUCCESS)
        error = place_find(comm, &all, rank, n, &place);
    if (error != MPI_SUCCESS) {
        pairs_free(&all);
        return error;
    }
    struct sample *within = calloc((size_t)n_sizes, sizeof *within);
    struct sample *all_within =
        calloc((size_t)n_sizes * (size_t)place.n_groups, sizeof *all_within);
    error = crew_agree(comm, within && all_within);
    if (error == MPI_SUCCESS)
        error = agree(comm, measure_within(comm, &place, rank, &every, within));
    if (error == MPI_SUCCESS) {
        error = measure_between(comm, &place, rank, &every, within, &between, all_within);
        if (error == MPI_SUCCESS && rank == 0)
            error = compose_all(&place, &all, &between, all_within, sizes, n_sizes, p);
        error = agree(comm, error);
    }
    free(within);
    free(all_within);
    place_free(&place);
    pairs_free(&between);
    pairs_free(&all);
    if (error != MPI_SUCCESS)
        pairs_free(p);
    return error;
}
