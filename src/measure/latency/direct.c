/* Entries and exits of all ranks seen on one clock. */
#include "measure/latency/run.h"
#include "sync/harmonize.h"

#include <stdlib.h>

/* Moments of the common clock. */
struct stamp {
    double entry, exit;
    double late; /* 1: this rank was not there for the start */
};

struct direct {
    struct latency_run *run;
    struct harmony start;     /* of operations that all enter together */
    struct stamp *mine, *all; /* of a batch; ALL is the collector's */
    int repetitions;          /* of the last batch */
    double quickest;          /* the root's: barrier */

    double clocks_apart;           /* two ranks' stamps may be, up to the clocks' last point */
    double clocks_at, clocks_took; /* when that was, and how long, on this rank's clock */

    /* Told by the collector before a batch: */
    double slack; /* the least that the root waits for the others; doubled where it was too short */
    double silence; /* for so long who is out sends nothing, since that would delay what of the
                       operation is still under way: as far as the last batch's exits were apart */

    /* The collector's. */
    int dropped;           /* operations that a rank was late for */
    struct samples *exits; /* by rank, after the root's entry */
    struct samples span, entries_apart;
};

static const double slack_least = 10e-6, slack_most = 0.1;

/* --- the clocks --- */

/* Another point of the clocks. */
static int check_clocks(struct direct *d)
{
    const struct latency_case *c = d->run->c;
    double apart, start = clock_now();
    TRY(sync_check(c->clock, c->comm, &apart));
    d->clocks_at = clock_now();
    d->clocks_took = d->clocks_at - start;
    d->clocks_apart = fmax(d->clocks_apart, apart);
    return MPI_SUCCESS;
}

static bool can_follow(const struct latency_case *c)
{
    return c->clock && c->clock->comm == c->comm && c->clock->domains > 1;
}

/* --- a batch --- */

/* The root enters when the others are inside: after twice the barrier that it has just seen, which
 * holds the others' skew; but a barrier far slower than the quickest was disturbed, and says
 * nothing of what is to come. */
static void wait_for_others(struct direct *d, double barrier)
{
    d->quickest = d->quickest > 0 ? fmin(d->quickest, barrier) : barrier;
    if (d->run->rank == d->run->c->root)
        clock_hold(fmax(d->slack, 2 * fmin(barrier, 4 * d->quickest)));
}

static int begin(struct direct *d, bool *late)
{
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    double start = clock_now(), barrier = 0;
    *late = false;
    if (!c->together) {
        TRY(run_barrier(r));
        barrier = clock_now() - start;
    }
    run_before(r);
    if (!c->together) {
        wait_for_others(d, barrier);
        return MPI_SUCCESS;
    }
    TRY(harmonize(&d->start));
    *late = d->start.late;
    /* Who enters within a few microseconds of the others has passed that moment by reading the
     * clock. */
    if (c->after > 0)
        *late |= !sync_wait(d->start.clock, d->start.begin + c->after) && c->after > 5e-6;
    return MPI_SUCCESS;
}

static int take_stamps(struct direct *d, int repetitions)
{
    enum { DOUBLES = sizeof(struct stamp) / sizeof(double) };
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    int n = DOUBLES * repetitions;
    /* A point takes a fifth of the time at most. */
    double told[] = {d->slack, d->silence,
                     can_follow(c) && clock_now() - d->clocks_at > 4 * d->clocks_took};
    TRY(PMPI_Bcast(told, 3, MPI_DOUBLE, c->collector, c->comm));
    d->slack = told[0];
    d->silence = told[1];
    d->repetitions = repetitions;
    if (told[2] > 0)
        TRY(check_clocks(d));
    for (int k = 0; k < repetitions; k++) {
        bool late;
        TRY(begin(d, &late));
        d->mine[k].late = late;
        d->mine[k].entry = run_global(r, clock_now());
        TRY(run_operation(r));
        d->mine[k].exit = run_global(r, clock_now());
        clock_hold(d->silence);
    }
    return PMPI_Gather(d->mine, n, MPI_DOUBLE, d->all, n, MPI_DOUBLE, c->collector, c->comm);
}

/* One operation: the extremes of all ranks, and of a broadcast's destinations. */
struct seen {
    double first_in, last_in, first_out, last_out;
    double late; /* seconds that the last rank entered behind the root; or 1 */
};

static struct seen see(const struct direct *d, int k)
{
    const struct latency_run *r = d->run;
    struct seen s = {INFINITY, -INFINITY, INFINITY, -INFINITY, 0};
    for (int i = 0; i < r->size; i++) {
        const struct stamp *stamp = &d->all[(size_t)i * (size_t)d->repetitions + (size_t)k];
        s.first_in = fmin(s.first_in, stamp->entry);
        s.last_in = fmax(s.last_in, stamp->entry);
        s.first_out = fmin(s.first_out, stamp->exit);
        if (r->c->together || i != r->c->root)
            s.last_out = fmax(s.last_out, stamp->exit);
        s.late = fmax(s.late, stamp->late);
    }
    size_t root = (size_t)r->c->root * (size_t)d->repetitions + (size_t)k;
    if (!r->c->together)
        s.late = s.last_in - d->all[root].entry;
    return s;
}

/* From the last entry to the last exit; that of a broadcast's destinations is the root's. */
static double keep_operation(struct direct *d, int k, const struct seen *s)
{
    const struct latency_run *r = d->run;
    samples_add(&d->span, s->last_out - s->first_in - r->clock_cost);
    samples_add(&d->entries_apart, s->last_in - s->first_in);
    for (int i = 0; i < r->size; i++)
        samples_add(&d->exits[i], d->all[(size_t)i * (size_t)d->repetitions + (size_t)k].exit -
                                      s->last_in - r->clock_cost);
    return s->last_out - s->last_in - r->clock_cost;
}

static void evaluate(struct direct *d, const struct batch *b, double *value, int *n, double *loop)
{
    struct samples late = {0}, apart = {0};
    double sum = 0;
    if (b->first) {
        d->span.n = d->entries_apart.n = 0;
        d->dropped = 0;
    }
    for (int i = 0; b->first && i < d->run->size; i++)
        d->exits[i].n = 0;
    *n = 0;
    for (int k = 0; k < b->repetitions; k++) {
        struct seen s = see(d, k);
        samples_add(&late, s.late);
        samples_add(&apart, s.last_out - s.first_out);
        if (s.late <= 0)
            sum += value[(*n)++] = keep_operation(d, k, &s);
    }
    *loop = sum / *n;
    d->silence = 1.25 * stats_median(apart.value, apart.n) + 1e-6;
    d->dropped += b->repetitions - *n;
    if (*n < b->repetitions)
        d->slack = fmin(2 * (d->slack + stats_median(late.value, late.n)), slack_most);
    samples_free(&late);
    samples_free(&apart);
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    TRY(take_stamps(d, b->repetitions));
    if (d->run->keeps)
        evaluate(d, b, value, n, loop);
    return MPI_SUCCESS;
}

/* --- the result --- */

/* How often which destination was the last to leave. */
static void keep_last(const struct direct *d, struct latency_result *result)
{
    const struct latency_run *r = d->run;
    size_t n = d->exits[0].n;
    for (int i = 0; i < r->size; i++) {
        n = d->exits[i].n < n ? d->exits[i].n : n; /* where memory was short */
        result->figure[i].last = 0;
    }
    for (size_t k = 0; k < n; k++) {
        int last = r->c->root == 0;
        for (int i = 0; i < r->size; i++)
            if (i != r->c->root && d->exits[i].value[k] > d->exits[last].value[k])
                last = i;
        result->figure[last].last += 100 / (double)n;
    }
}

/* The figure is the largest of the destinations' medians, to be compared with "held". What one
 * operation took, to its own last exit, is in the series. */
static void keep_destinations(struct direct *d, struct latency_result *result)
{
    struct latency_run *r = d->run;
    keep_last(d, result);
    result->value = (struct estimate){NAN, NAN, NAN};
    result->asked = r->size - 1;
    for (r->to = 0; r->to < r->size; r->to++) {
        struct latency_timed *t = &run_figure(r)->timed[TIMED_OPERATION];
        double loop = result->loop_mean;
        t->raw = d->exits[r->to];
        d->exits[r->to] = (struct samples){0};
        t->at = samples_estimate(&t->raw);
        result->measured += r->to != r->c->root && estimate_known(t->at);
        if (r->to != r->c->root)
            figure_value(r, t->at, loop);
        else
            run_figure(r)->value = t->at;
    }
}

static void keep(struct direct *d, struct latency_result *result)
{
    if (!d->run->c->together)
        keep_destinations(d, result);
    result->dropped = d->dropped;
    result->span = d->span;
    d->span = (struct samples){0};
    if (d->entries_apart.n)
        result->apart = stats_median(d->entries_apart.value, d->entries_apart.n);
}

static int direct_open(struct direct *d)
{
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    const struct plan *plan = &c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    size_t size = (size_t)r->size;
    d->mine = malloc((most + 1) * sizeof *d->mine);
    d->all = r->keeps ? malloc((most + 1) * size * sizeof *d->all) : NULL;
    d->exits = r->keeps ? calloc(size, sizeof *d->exits) : NULL;
    TRY(crew_agree(c->comm, d->mine && (!r->keeps || (d->all && d->exits))));
    if (can_follow(c))
        TRY(check_clocks(d));
    d->clocks_apart = 0; /* of what was before */
    return c->together ? harmony_open(&d->start, c->clock, c->comm, c->collector) : MPI_SUCCESS;
}

static void direct_close(struct direct *d)
{
    for (int i = 0; d->exits && i < d->run->size; i++)
        samples_free(&d->exits[i]);
    free(d->exits);
    free(d->mine);
    free(d->all);
    samples_free(&d->span);
    samples_free(&d->entries_apart);
}

static int run(struct latency_run *r, struct latency_result *result)
{
    struct direct d = {.run = r, .slack = slack_least};
    int error = direct_open(&d);
    if (error == MPI_SUCCESS)
        error = run_series(r, batch_direct, &d, result);
    if (error == MPI_SUCCESS && r->keeps)
        keep(&d, result);
    if (error == MPI_SUCCESS && r->c->clock)
        error = check_clocks(&d);
    result->clock_bound = d.clocks_apart;
    direct_close(&d);
    return error;
}

/* Eight operations, each with a barrier, the wait after it, and the silence; a point of the clocks
 * before them, and one after. */
static double least(const struct latency_run *r, int k)
{
    enum { OPERATIONS = 8 };
    double one = pilot_time(&r->pilot, k);
    double messages = budget_of_messages(r->size - 1, r->size);
    return OPERATIONS * (3 * r->pilot.barrier + 2.25 * one + messages) + 2 * r->pilot.clocks;
}

static double last_of(const struct latency_figure *f)
{
    return f->last;
}

static const struct latency_column columns[] = {
    {"direct", "exit - entry of the root, on one clock", figure_seconds, NULL, NULL},
    {"last", "of the operations of direct, those in which it left last", last_of, NULL, "%"},
    {0},
};

const struct latency_method latency_direct = {
    .name = "direct",
    .summary = "exit of i minus entry of the root, on one clock, from a quiet start",
    .reality = "the latency to each destination (OL_i), as exact as the clocks agree",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = KIND_ANY,
    .figures = FIGURES_RANKS,
    .columns = columns,
    .weight = 4,
    .least = least,
    .run = run,
};
