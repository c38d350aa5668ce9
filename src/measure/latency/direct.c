/* Measures entries and exits of all ranks on one clock. Operations begin at announced times: all
 * ranks enter together, or the root enters when the others are already in the operation. */
#include "measure/latency/run.h"
#include "sync/harmonize.h"

#include <stdlib.h>

/* Moments of one operation on one rank, on the common clock. */
struct stamp {
    double entry, exit;
    double late; /* 1: this rank missed the announced time */
};

struct direct {
    struct latency_run *run;
    bool together, window; /* WINDOW: times count from the first entry, not the last */
    struct harmony start;
    struct stamp *mine, *all; /* stamps of a batch; ALL is only on the collector */

    /* Seconds that a rank waits after each operation before it sends again: its messages would
     * delay ranks that are still in the operation. The collector takes it from the spread of the
     * exits in the last batch and broadcasts it. */
    double silence;

    /* The rest is only on the collector. */
    int dropped;                          /* operations that some rank entered late */
    struct samples *exits, entries_apart; /* EXITS: by rank, since the last entry */
};

/* Waits for the announced time. Unless all ranks start together, the root waits longer by the
 * slack. */
static int begin(struct direct *d, bool *late)
{
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    run_prepare(r);
    TRY(harmonize(&d->start));
    budget_messages(4 * (r->size - 1), r->size);
    double after = d->together ? c->after : r->rank == c->root ? d->start.slack : 0;
    *late = d->start.late;
    /* If the delay AFTER is only a few microseconds, reading the clock alone may miss the moment:
     * that does not count as late. */
    if (after > 0)
        *late |= !sync_wait(d->start.clock, d->start.begin + after) && after > 5e-6;
    return MPI_SUCCESS;
}

static int take_stamps(struct direct *d, int repetitions)
{
    enum { DOUBLES = sizeof(struct stamp) / sizeof(double) };
    struct latency_run *r = d->run;
    const struct latency_case *c = r->c;
    int n = DOUBLES * repetitions;
    TRY(PMPI_Bcast(&d->silence, 1, MPI_DOUBLE, c->collector, c->comm));
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

/* First and last entry and exit of one operation. A broadcast's root has no exit that counts. */
struct seen {
    double first_in, last_in, first_out, last_out;
    bool late;
};

/* OF is the stamp of rank 0; the stamp of rank i is OF[i * N]. */
static struct seen see(const struct direct *d, const struct stamp *of, size_t n)
{
    const struct latency_run *r = d->run;
    struct seen s = {INFINITY, -INFINITY, INFINITY, -INFINITY, false};
    for (int i = 0; i < r->size; i++, of += n) {
        s.first_in = fmin(s.first_in, of->entry);
        s.last_in = fmax(s.last_in, of->entry);
        s.first_out = fmin(s.first_out, of->exit);
        if (d->together || i != r->c->root)
            s.last_out = fmax(s.last_out, of->exit);
        s.late |= d->together && of->late > 0;
    }
    of -= n * (size_t)(r->size - r->c->root);
    s.late |= !d->together && s.last_in > of->entry;
    return s;
}

static void evaluate(struct direct *d, const struct batch *b, double *value, int *n)
{
    const struct latency_run *r = d->run;
    struct samples apart = {0};
    for (int i = 0; b->first && i < r->size; i++)
        d->exits[i].n = 0;
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
        for (int i = 0; i < r->size; i++, of += b->repetitions)
            samples_add(&d->exits[i], of->exit - s.last_in - r->clock_cost);
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

/* The result is the largest median of all destinations, comparable with "held". The series has, for
 * each operation, the time until its last exit. */
static void keep_destinations(struct direct *d, struct latency_result *result)
{
    struct latency_run *r = d->run;
    result->value = (struct estimate){NAN, NAN, NAN};
    result->asked = r->size - 1;
    for (r->to = 0; r->to < r->size; r->to++) {
        struct latency_figure *f = run_figure(r);
        struct latency_timed *t = &f->timed[TIMED_OPERATION];
        t->raw = d->exits[r->to];
        d->exits[r->to] = (struct samples){0};
        t->at = samples_estimate(&t->raw);
        if (r->to == r->c->root) {
            f->value = t->at;
            continue;
        }
        result->measured += estimate_known(t->at);
        figure_set_value(r, t->at, stats_summarize(t->raw.value, t->raw.n).mean);
    }
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
    TRY(sync_all_have(c->comm, d->mine && (!r->keeps || (d->all && d->exits))));
    if (c->clock && c->clock->comm == c->comm)
        TRY(sync_remeasure(c->clock));
    TRY(harmonize_open(&d->start, c->clock, c->comm, c->collector));
    d->start.follows = c->clock && c->clock->comm == c->comm;
    d->start.from = d->together ? -1 : c->root;
    return MPI_SUCCESS;
}

static void direct_close(struct direct *d)
{
    for (int i = 0; d->exits && i < d->run->size; i++)
        samples_free(&d->exits[i]);
    free(d->exits);
    free(d->mine);
    free(d->all);
    samples_free(&d->entries_apart);
}

static int measure(struct direct *d, struct latency_result *result)
{
    struct latency_run *r = d->run;
    struct plan plan = run_plan_part(r, 1);
    TRY(direct_open(d));
    TRY(run_series(r, &plan, batch_direct, d, result));
    if (r->keeps && !d->together)
        keep_destinations(d, result);
    result->dropped = d->dropped;
    if (d->entries_apart.n)
        result->entry_spread = stats_median(d->entries_apart.value, d->entries_apart.n);
    if (r->c->clock)
        TRY(sync_check(r->c->clock, r->c->comm, d->start.from, &result->clock_bound));
    result->clock_bound = fmax(result->clock_bound, d->start.apart);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    struct direct d = {.run = r, .together = r->c->together};
    int error = measure(&d, result);
    direct_close(&d);
    return error;
}

static int run_window(struct latency_run *r, struct latency_result *result)
{
    struct direct d = {.run = r, .together = true, .window = true};
    int error = measure(&d, result);
    direct_close(&d);
    return error;
}

const struct latency_method latency_direct = {
    .name = "direct",
    .reality = "the latency to each destination (OL_i), with the accuracy of the common clock",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = KIND_ANY,
    .figures = FIGURES_RANKS,
    .weight = 4,
    .run = run,
};

const struct latency_method latency_repro_window = {
    .name = "repro-window",
    .reality = "ReproMPI's, the call at an announced moment: OL, if all enter at that moment; with "
               "the accuracy of the common clock",
    .value = "median of first entry to last exit",
    .meaning = MEANS_SUITE,
    .kinds = KIND_ANY,
    .weight = 1,
    .run = run_window,
};
