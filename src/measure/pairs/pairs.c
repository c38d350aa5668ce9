#include "measure/pairs/pairs_inner.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most pairs that are re-measured alone: CHECKED of all pairs, OUTLIERS of the slowest. */
enum { CHECKED = 24, OUTLIERS = 8 };

struct pairs_plan pairs_plan_default(void)
{
    static const size_t bytes = 64;
    return (struct pairs_plan){
        .sizes = &bytes, .n_sizes = 1, .repeats = 100, .order = PAIRS_TOURNAMENT};
}

int pairs_rounds(int n)
{
    return n < 2 ? 0 : n % 2 ? n : n - 1;
}

/* The circle method: partners in round r are ranks whose sum is r modulo m (odd: N or N - 1). A
 * rank that would be its own partner is paired with the last rank, or with none if N is odd. */
int pairs_partner(int i, int round, int n)
{
    int m = n % 2 ? n : n - 1;
    if (i == m) /* the last rank: 2 x partner = round modulo m */
        return (int)((long)round * ((m + 1) / 2) % m);
    int other = (round - i % m + m) % m;
    if (other != i)
        return other;
    return n % 2 ? -1 : m;
}

int pair_barrier(struct pairs_run *m)
{
    int over = m->plan->until > 0 && clock_now() > m->plan->until, any = 0;
    if (m->plan->until > 0)
        TRY(PMPI_Allreduce(&over, &any, 1, MPI_INT, MPI_MAX, m->comm));
    return any ? PAIRS_TOO_LONG : PMPI_Barrier(m->comm);
}

/* This rank's part of a round: measures with PEER, or only waits if PEER is negative. */
static int run_round(struct pairs_run *m, int peer)
{
    TRY(pair_barrier(m));
    return peer >= 0 ? pair_measure(m, peer) : MPI_SUCCESS;
}

static int run_tournament(struct pairs_run *m)
{
    for (int r = 0; r < pairs_rounds(m->n); r++)
        TRY(run_round(m, pairs_partner(m->rank, r, m->n)));
    return pair_barrier(m);
}

static int run_one_at_a_time(struct pairs_run *m)
{
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++)
            TRY(run_round(m, m->rank == i ? j : m->rank == j ? i : -1));
    return pair_barrier(m);
}

static int run_paper_size(struct pairs_run *m, int s)
{
    for (int k = -1; k < m->plan->repeats; k++) { /* -1: warm-up */
        for (int i = 0; i < m->n; i++) {
            for (int j = i + 1; j < m->n; j++) {
                TRY(PMPI_Barrier(m->comm));
                if (m->rank != i && m->rank != j)
                    continue;
                int peer = m->rank == i ? j : i;
                TRY(pair_exchange(m, peer, m->plan->sizes[s], pair_samples(m, peer),
                                  k < 0 ? 0 : k));
            }
        }
    }
    for (int peer = 0; peer < m->n; peer++)
        if (peer != m->rank)
            TRY(pair_conclude(m, peer, s, pair_samples(m, peer), m->plan->repeats));
    return MPI_SUCCESS;
}

static int run_paper(struct pairs_run *m)
{
    for (int s = 0; s < m->plan->n_sizes; s++)
        TRY(run_paper_size(m, s));
    return MPI_SUCCESS;
}

static int collect(struct pairs_run *m, struct pairs *p)
{
    for (int s = 0; s < m->plan->n_sizes; s++)
        for (int what = 0; what < PAIRS_AHEAD; what++)
            TRY(PMPI_Gather(pair_row(m, m->row, s, what), m->n, MPI_DOUBLE,
                            m->rank == 0 ? p->size[s].of[what] : NULL, m->n, MPI_DOUBLE, 0,
                            m->comm));
    return MPI_SUCCESS;
}

static int collect_hosts(struct pairs_run *m, struct pairs *p)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    FREED char *all = m->rank == 0 ? malloc((size_t)m->n * sizeof name) : NULL;
    int length;
    TRY(PMPI_Get_processor_name(name, &length));
    for (char *c = name; *c; c++) /* a space would end the column in the log */
        if (*c == ' ' || *c == '\t')
            *c = '_';
    TRY(sync_all_have(m->comm, m->rank != 0 || all));
    TRY(PMPI_Gather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, 0, m->comm));
    for (int i = 0; m->rank == 0 && i < m->n; i++)
        if (!pairs_set_host(p, i, all + (size_t)i * sizeof name))
            return MPI_ERR_NO_MEM;
    if (m->rank == 0)
        snprintf(p->system, sizeof p->system, "%.127s", name);
    return MPI_SUCCESS;
}

static bool allocate(struct pairs_run *m, struct pairs *p)
{
    size_t n = (size_t)m->n, repeats = (size_t)m->plan->repeats, largest = 1;
    size_t series = 4 * repeats * (m->plan->order == PAIRS_PAPER ? n : 1);
    for (int s = 0; s < m->plan->n_sizes; s++)
        if (m->plan->sizes[s] > largest)
            largest = m->plan->sizes[s];
    m->buffer = malloc(PAIR_BURST * largest);
    m->row = calloc((size_t)m->plan->n_sizes * PAIRS_QUANTITIES * n, sizeof *m->row);
    m->times = calloc(series, sizeof *m->times);
    bool good = m->buffer && m->row && m->times;
    if (good)
        memset(m->buffer, 1, PAIR_BURST * largest); /* so that pages are touched before timing */
    if (m->rank == 0) {
        good = good && pairs_new(p, m->n);
        for (int s = 0; good && s < m->plan->n_sizes; s++)
            good = pairs_add_size(p, m->plan->sizes[s], m->plan->repeats) != NULL;
    }
    return good;
}

/* A pair's time while other pairs are measured, divided by its time alone: the larger of two
 * ratios, of the round trip and of a burst to PEER, which shows a shared link that single messages
 * do not fill. For the round trip both minimum and median must be longer: noise hardly changes the
 * minimum, a few fast exchanges hardly the median. */
static double slowdown(const struct pairs_run *m, double *among, int s, int peer)
{
    enum { TRIP, LEAST, GAP, N };
    static const enum pairs_quantity what[N] = {PAIRS_MEDIAN, PAIRS_MIN, PAIRS_GAP};
    double before[N], alone[N], more = 2 * (PAIR_BURST - 1);
    for (int k = 0; k < N; k++) {
        before[k] = pair_row(m, among, s, what[k])[peer];
        alone[k] = pair_row(m, m->row, s, what[k])[peer];
    }
    return fmax(fmin(before[TRIP] / alone[TRIP], before[LEAST] / alone[LEAST]),
                (alone[LEAST] + more * before[GAP]) / (alone[LEAST] + more * alone[GAP]));
}

/* Measures PEER while all other pairs wait (PEER < 0: waits); *WORST: the largest slowdown. */
static int measure_alone(struct pairs_run *m, double *among, int peer, double *worst)
{
    TRY(run_round(m, peer));
    for (int s = 0; s < m->plan->n_sizes && peer >= 0; s++)
        *worst = fmax(*worst, slowdown(m, among, s, peer));
    return MPI_SUCCESS;
}

/* The peer, not in DONE, whose round trip is longest compared with this rank's median; *RATIO:
 * how much longer. -1: none is longer by PAIRS_SHARED. */
static int outlier(const struct pairs_run *m, double *among, const bool *done, double *ratio)
{
    FREED double *sorted = malloc((size_t)m->n * sizeof *sorted);
    int found = -1;
    *ratio = PAIRS_SHARED;
    for (int s = 0; sorted && s < m->plan->n_sizes; s++) {
        const double *trip = pair_row(m, among, s, PAIRS_MEDIAN);
        size_t n = 0;
        for (int v = 0; v < m->n; v++)
            if (v != m->rank)
                sorted[n++] = trip[v];
        const double usual = stats_median(sorted, n);
        for (int v = 0; v < m->n; v++)
            if (v != m->rank && !done[v] && trip[v] > *ratio * usual) {
                *ratio = trip[v] / usual;
                found = v;
            }
    }
    return found;
}

/* A pair may be slow only because it shared a path with others, so it is re-measured alone. */
static int check_outliers(struct pairs_run *m, double *among, double *worst)
{
    FREED bool *done = calloc((size_t)m->n, sizeof *done);
    TRY(sync_all_have(m->comm, done != NULL));
    for (int k = 0; k < OUTLIERS; k++) {
        struct {
            double ratio;
            int rank;
        } mine = {.rank = m->rank}, all;
        int pair[2] = {m->rank, outlier(m, among, done, &mine.ratio)};
        TRY(PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, m->comm));
        if (!(all.ratio > PAIRS_SHARED))
            break;
        TRY(PMPI_Bcast(pair, 2, MPI_INT, all.rank, m->comm));
        int peer = m->rank == pair[0] ? pair[1] : m->rank == pair[1] ? pair[0] : -1;
        TRY(measure_alone(m, among, peer, worst));
        if (peer >= 0)
            done[peer] = true;
    }
    return MPI_SUCCESS;
}

/* Sets P's slowdown, on all ranks, from pairs measured alone, whose rows are then discarded. */
static int check_alone(struct pairs_run *m, struct pairs *p)
{
    size_t cells = (size_t)m->plan->n_sizes * PAIRS_QUANTITIES * (size_t)m->n;
    int every = (m->n * (m->n - 1) / 2 + CHECKED - 1) / CHECKED;
    double worst = 0;
    FREED double *among = malloc(cells * sizeof *among);
    TRY(sync_all_have(m->comm, among != NULL));
    memcpy(among, m->row, cells * sizeof *among);
    for (int i = 0, k = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++, k++)
            if (k % every == 0)
                TRY(measure_alone(m, among, m->rank == i ? j : m->rank == j ? i : -1, &worst));
    TRY(check_outliers(m, among, &worst));
    memcpy(m->row, among, cells * sizeof *among);
    TRY(pair_barrier(m));
    return PMPI_Allreduce(&worst, &p->slowdown, 1, MPI_DOUBLE, MPI_MAX, m->comm);
}

/* If time is up before all ranks are tested, each counts as having one port; "shared" is 0. */
static int find_ports(struct pairs_run *m, struct pairs *p)
{
    int error = MPI_SUCCESS;
    for (int s = 0; error == MPI_SUCCESS && s < m->plan->n_sizes; s++) {
        double shared;
        error = ports_search(m, s, &shared)
                    ?: PMPI_Reduce(&shared, m->rank == 0 ? &p->size[s].shared : NULL, 1, MPI_DOUBLE,
                                   MPI_MAX, 0, m->comm);
    }
    if (error != PAIRS_TOO_LONG)
        return error;
    for (int s = 0; s < m->plan->n_sizes; s++) {
        for (int v = 0; v < m->n; v++)
            pair_row(m, m->row, s, PAIRS_PORT)[v] = NAN;
        if (m->rank == 0)
            p->size[s].shared = 0;
    }
    return MPI_SUCCESS;
}

/* Runs the tournament; if pairs are faster alone, measures all pairs one at a time instead. */
static int run_checked(struct pairs_run *m, struct pairs *p)
{
    TRY(run_tournament(m));
    if (m->rank == 0)
        p->order = "disjoint pairs at a time";
    p->slowdown = 1;
    if (m->n >= 4) /* with fewer ranks two pairs never run at once */
        TRY(check_alone(m, p));
    if (p->slowdown > PAIRS_SHARED) {
        TRY(run_one_at_a_time(m));
        if (m->rank == 0)
            p->order = "one pair at a time, since pairs share a path or a processor";
    } else if (m->plan->ports) {
        TRY(find_ports(m, p));
    }
    return collect(m, p);
}

static int run(struct pairs_run *m, struct pairs *p)
{
    if (m->plan->order == PAIRS_TOURNAMENT)
        return run_checked(m, p);
    if (m->plan->order == PAIRS_PAPER)
        TRY(run_paper(m));
    else
        TRY(run_one_at_a_time(m));
    if (m->rank == 0)
        p->order = m->plan->order == PAIRS_PAPER
                       ? "one pair at a time, with repetitions as the outer loop"
                       : "one pair at a time";
    return collect(m, p);
}

/* Sets P's drift on rank 0. One more measured offset shows whether the clock's rate has changed: by
 * how far it moves the fitted line, and by how much the line's bound grows. */
static int find_drift(const struct pairs_run *m, struct pairs *p)
{
    struct sync_clock *clock = m->plan->clock;
    const struct sync_clock before = *clock;
    TRY(clock->comm == m->comm ? sync_remeasure(clock) : MPI_SUCCESS);
    const double now = clock_now(),
                 half = 0.5 * (before.line.drift_bound * (now - before.line.to) +
                               fabs(sync_global(clock, now) - sync_global(&before, now)) +
                               fmax(0, clock->line.bound - before.line.bound));
    return PMPI_Gather(&half, 1, MPI_DOUBLE, p->drift, 1, MPI_DOUBLE, 0, m->comm);
}

int pairs_measure(MPI_Comm comm, const struct pairs_plan *plan, struct pairs *p)
{
    struct pairs_run m = {.comm = comm, .plan = plan, .clock_cost = clock_cost()};
    *p = (struct pairs){0};
    TRY(PMPI_Comm_rank(comm, &m.rank));
    TRY(PMPI_Comm_size(comm, &m.n));
    int error = sync_all_have(comm, allocate(&m, p));
    if (error == MPI_SUCCESS)
        error = run(&m, p);
    if (error == MPI_SUCCESS && plan->clock && plan->clock->domains > 1)
        error = find_drift(&m, p);
    if (error == MPI_SUCCESS)
        error = collect_hosts(&m, p);
    if (error == MPI_SUCCESS)
        error = sync_all_have(comm, m.rank > 0 || pairs_find_clocks(p));
    free(m.buffer);
    free(m.row);
    free(m.times);
    if (error != MPI_SUCCESS)
        pairs_free(p);
    return error;
}
