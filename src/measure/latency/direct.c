/* Measures entries and exits of all ranks on one clock. Operations begin at announced times: all
 * ranks enter together, or one rank enters when the others are already in the operation. */
#include "measure/latency/run.h"
#include "sync/harmonize.h"

#include <stdlib.h>

/* One rank's entry to and exit from one operation, seconds on the common clock. */
struct stamp {
    double entry, exit;
    double late; /* 1: this rank missed the announced time */
};

struct direct {
    struct latency_run *run;
    int last;    /* the rank that enters when the others are inside; -1: all enter together */
    double hold; /* seconds; LAST enters after the others by this plus harmony.slack */
    bool window; /* times count from the first rank's entry, not the last rank's */
    struct harmony own, *start; /* announces the times: latency_case.start if set, else &OWN */
    struct stamp *mine, *all;   /* of a batch: this rank's; on rank 0: all ranks' */

    /* Seconds that each rank waits after an operation before it sends again, since its messages
     * would delay ranks that are still in the operation. Rank 0 computes it from the spread of the
     * exits in the last batch and broadcasts it. */
    double silence;

    /* The following members are used only on rank 0. */
    int dropped;                   /* operations that some rank entered late */
    struct latency_figure *figure; /* by rank: from the last entry to the rank's exit; NULL: none */
    struct samples entries_apart;  /* seconds from first to last entry of each operation */
};

/* Waits until this rank has to enter: until the announced time plus the rank's delay. *LATE: that
 * moment had already passed. */
static int begin(struct direct *d, bool *late)
{
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    run_prepare(r);
    TRY(harmonize(d->start));
    budget_messages(4 * (r->size - 1), r->size);
    double after = d->last < 0 ? c->after : r->rank == d->last ? d->start->slack + d->hold : 0;
    *late = d->start->late;
    /* A delay of at most 5 us may be over before the clock is read: this does not count as late. */
    if (after > 0)
        *late |= !sync_wait(d->start->clock, d->start->begin + after) && after > 5e-6;
    return MPI_SUCCESS;
}

static int take_stamps(struct direct *d, int repetitions)
{
    enum { DOUBLES = sizeof(struct stamp) / sizeof(double) };
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    int n = DOUBLES * repetitions;
    TRY(PMPI_Bcast(&d->silence, 1, MPI_DOUBLE, 0, c->comm));
    for (int k = 0; k < repetitions; k++) {
        bool late;
        TRY(begin(d, &late));
        d->mine[k].late = late;
        d->mine[k].entry = run_global(r, clock_now());
        TRY(run_operation(r));
        d->mine[k].exit = run_global(r, clock_now());
        clock_hold(d->silence);
    }
    return PMPI_Gather(d->mine, n, MPI_DOUBLE, d->all, n, MPI_DOUBLE, 0, c->comm);
}

/* First and last entry and exit of one operation. The exit of a broadcast's root does not count if
 * it enters last, since the latency is that to the other ranks. */
struct seen {
    double first_in, last_in, first_out, last_out;
    bool late;
};

/* Finds struct seen from all ranks' stamps of one operation. The stamp of rank i is OF[i * N]. */
static struct seen see(const struct direct *d, const struct stamp *of, size_t n)
{
    bool broadcast = d->run->c->kind == COLLECTIVE_FROM_ROOT;
    struct seen s = {INFINITY, -INFINITY, INFINITY, -INFINITY, false};
    for (int i = 0; i < d->run->size; i++) {
        const struct stamp *t = &of[(size_t)i * n];
        s.first_in = fmin(s.first_in, t->entry);
        s.last_in = fmax(s.last_in, t->entry);
        s.first_out = fmin(s.first_out, t->exit);
        if (!broadcast || i != d->last)
            s.last_out = fmax(s.last_out, t->exit);
        s.late |= d->last < 0 && t->late > 0;
    }
    if (d->last >= 0)
        s.late = s.last_in > of[(size_t)d->last * n].entry;
    return s;
}

static void evaluate(struct direct *d, const struct batch *b, double *value, int *n)
{
    const struct latency_run *r = d->run;
    struct samples apart = {0};
    for (int i = 0; b->first && d->figure && i < r->size; i++)
        d->figure[i].timed[TIMED_OPERATION].n = 0;
    if (b->first)
        d->entries_apart.n = d->dropped = 0;
    *n = 0;
    for (int k = 0; k < b->repetitions; k++) {
        const struct stamp *of = &d->all[k];
        struct seen s = see(d, of, (size_t)b->repetitions);
        samples_add(&apart, s.last_out - s.first_out);
        d->dropped += s.late;
        if (s.late)
            continue;
        value[(*n)++] = s.last_out - (d->window ? s.first_in : s.last_in) - r->clock_cost;
        samples_add(&d->entries_apart, s.last_in - s.first_in);
        for (int i = 0; d->figure && i < r->size; i++, of += b->repetitions)
            samples_add(&d->figure[i].timed[TIMED_OPERATION], of->exit - s.last_in - r->clock_cost);
    }
    d->silence = 1.25 * stats_median(apart.value, apart.n) + 1e-6;
    samples_free(&apart);
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n)
{
    struct direct *d = arg;
    TRY(take_stamps(d, b->repetitions));
    if (d->run->keeps)
        evaluate(d, b, value, n);
    return MPI_SUCCESS;
}

static int direct_open(struct direct *d)
{
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    const struct plan *plan = &c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    d->mine = malloc((most + 1) * sizeof *d->mine);
    d->all = r->keeps ? malloc((most + 1) * (size_t)r->size * sizeof *d->all) : NULL;
    TRY(sync_all_have(c->comm, d->mine && (!r->keeps || d->all)));
    d->start = c->start ? c->start : &d->own;
    if (!c->start)
        TRY(harmonize_open(&d->own, c->clock, c->comm));
    d->start->from = d->last;
    d->start->slack = d->start->least; /* noise of an earlier measurement may have increased it */
    return MPI_SUCCESS;
}

static void direct_close(struct direct *d)
{
    free(d->mine);
    free(d->all);
    samples_free(&d->entries_apart);
}

/* *BOUND: error bound of the common clock during the whole measurement D, seconds. */
static int find_bound(struct direct *d, double *bound)
{
    const struct latency_case *c = d->run->c;
    if (c->clock && !c->start)
        TRY(sync_check(c->clock, c->comm, d->start->from, bound));
    *bound = fmax(*bound, d->start->apart);
    return MPI_SUCCESS;
}

extern const struct latency_method latency_repro_window;

static int run(struct latency_run *r, struct latency_result *result)
{
    const bool window = result->method == &latency_repro_window;
    const bool together = window || r->c->together;
    struct direct d RELEASED(direct_close) = {.run = r,
                                              .last = together ? -1 : r->c->root,
                                              .window = window,
                                              .figure = together ? NULL : result->figure};
    struct plan plan = run_plan_part(r, 1);
    TRY(direct_open(&d));
    TRY(run_series(r, &plan, batch_direct, &d, result));
    /* The result is the largest of the destinations' medians, as by "held". The series alone would
     * give the median time to the last exit, which is larger if that is not always the same rank.
     */
    if (d.figure)
        figures_of_ranks(r, r->c->root);
    result->dropped = d.dropped;
    if (d.entries_apart.n)
        result->entry_spread = stats_median(d.entries_apart.value, d.entries_apart.n);
    return find_bound(&d, &result->clock_bound);
}

/* --- the pilot measurement of all pairs --- */

enum { PILOT_ROUNDS = 3 };

/* On rank 0: stores the time from the entry of rank d->last to each rank's exit. */
static void pilot_take(const struct direct *d)
{
    struct latency_run *r = d->run;
    struct pilot *p = &r->pilot;
    for (int to = 0; to < r->size; to++) {
        double time = d->all[to].exit - d->all[d->last].entry - r->clock_cost;
        int pair = run_index(r, d->last, to);
        if (!run_couples(r, d->last, to, r->c->together))
            continue;
        p->least[pair] = fmin(p->least[pair], time);
        p->most[pair] = fmax(p->most[pair], time);
    }
}

/* Makes one operation that is not stored, then PILOT_ROUNDS operations for each source, in which
 * the source enters last. Limit: a third of plan->budget; for the first round a third of
 * budget_most; none for the first operation, without which nothing is known of the pairs. */
static int pilot_rounds(struct direct *d)
{
    struct latency_run *r = d->run;
    const struct plan *plan = &r->c->plan;
    bool one = r->c->kind == COLLECTIVE_FROM_ROOT;
    int sources = one ? 1 : r->size, n;
    double ignored, start = 0, most = fmax(plan->budget, plan->budget_most);
    for (int k = -1; k < PILOT_ROUNDS * sources; k++) {
        start = k < 1 ? budget_now() : start;
        int go = k < 1 || budget_now() < start + (k < sources ? most : plan->budget) / 3;
        TRY(PMPI_Bcast(&go, 1, MPI_INT, 0, r->c->comm));
        if (!go)
            break;
        d->last = one ? r->c->root : (r->c->root + 1 + k) % sources;
        TRY(batch_direct(d, &(struct batch){.repetitions = 1, .first = true}, &ignored, &n));
        if (r->keeps && k >= 0)
            pilot_take(d);
    }
    return MPI_SUCCESS;
}

int run_pilot(struct latency_run *r)
{
    struct direct d RELEASED(direct_close) = {.run = r, .last = -1, .hold = 2 * r->gap};
    struct pilot *p = &r->pilot;
    bool rooted = r->c->kind == COLLECTIVE_FROM_ROOT || r->c->kind == COLLECTIVE_TO_ROOT;
    p->n = rooted ? r->size : r->size * r->size;
    p->least = r->keeps ? malloc(2 * (size_t)p->n * sizeof *p->least) : NULL;
    TRY(sync_all_have(r->c->comm, !r->keeps || p->least));
    p->most = r->keeps ? p->least + p->n : NULL;
    for (int k = 0; r->keeps && k < 2 * p->n; k++)
        p->least[k] = NAN;
    TRY(PMPI_Bcast(&d.hold, 1, MPI_DOUBLE, 0, r->c->comm));
    TRY(direct_open(&d));
    TRY(pilot_rounds(&d));
    d.start->from = -1;
    return find_bound(&d, &p->error);
}

/* --- the methods --- */

const struct latency_method latency_direct = {
    .name = "direct",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = KIND_ANY,
    .figures = FIGURES_RANKS,
    .weight = 4,
    .run = run,
};

const struct latency_method latency_repro_window = {
    .name = "repro-window",
    .value = "median time from first entry to last exit",
    .meaning = MEANS_SUITE,
    .kinds = KIND_ANY,
    .weight = 1,
    .run = run,
};
