/* The interval between operations back to back: at every rank (g_j), and at the root alone, which
 * is what many benchmarks report as a broadcast's time (figures 2 and 3 of the paper). */
#include "measure/latency/run.h"

#include <stdlib.h>

/* A batch gives a single value: what a clock reading between two operations sees is the library's
 * buffering, only the mean over many is the gap. */
static int batch_root(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct latency_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    double start = clock_now();
    for (int k = 0; k < b->repetitions; k++)
        TRY(run_operation(r));
    double mine = (clock_now() - start - r->clock_cost) / b->repetitions;
    return run_one_value(r, mine, value, n, loop);
}

struct gaps {
    struct latency_run *run;
    double *last;        /* the collector's, by rank */
    struct samples *all; /* the same */
};

/* VALUE is the largest g_j. */
static int batch_ranks(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct gaps *g = arg;
    struct latency_run *r = g->run;
    double mine;
    TRY(crew_gap(r->c->comm, run_operation, r, b->repetitions, r->clock_cost, &mine));
    TRY(PMPI_Gather(&mine, 1, MPI_DOUBLE, g->last, 1, MPI_DOUBLE, r->c->collector, r->c->comm));
    if (!r->keeps)
        return MPI_SUCCESS;
    value[0] = 0;
    for (int j = 0; j < r->size; j++) {
        if (b->first)
            g->all[j].n = 0;
        samples_add(&g->all[j], g->last[j]);
        value[0] = fmax(value[0], g->last[j]);
    }
    *loop = value[0];
    *n = 1;
    return MPI_SUCCESS;
}

/* The largest in the quietest batch. A short row may be through before its first operation has
 * arrived: then the batch, which ends when all have, is a better measure, with its barriers. */
static void keep_gap(struct latency_run *r, const struct series *s)
{
    bool is_gap = s->summary.min > 0.1 * s->per_operation;
    r->gap = fmax(is_gap ? s->summary.min : s->per_operation, gap_least);
}

static void keep_ranks(struct gaps *g, struct latency_result *result)
{
    struct latency_run *r = g->run;
    for (int j = 0; j < r->size; j++) {
        struct latency_figure *f = &result->figure[j];
        f->value = samples_estimate(&g->all[j]);
        f->timed[TIMED_OPERATION] = (struct latency_timed){f->value, g->all[j]};
        g->all[j] = (struct samples){0};
        if (result->slowest < 0 || f->value.value > result->figure[result->slowest].value.value)
            result->slowest = j;
    }
    result->asked = r->size;
    result->measured = result->series.samples.n ? r->size : 0;
}

/* RESULT has room for each rank's figure, or its method has none. */
static int measure(struct latency_run *r, double share, struct latency_result *result)
{
    size_t size = (size_t)r->size;
    struct gaps g = {.run = r};
    if (r->keeps) {
        g.last = malloc(size * sizeof *g.last);
        g.all = calloc(size, sizeof *g.all);
    }
    double share_before = r->share, started_before = r->started;
    r->share = share;
    r->started = budget_now();
    int error = crew_agree(r->c->comm, !r->keeps || (g.last && g.all));
    if (error == MPI_SUCCESS)
        error = run_series(r, batch_ranks, &g, result);
    r->share = share_before;
    r->started = started_before;
    if (error == MPI_SUCCESS && r->keeps) {
        keep_gap(r, &result->series);
        if (result->figure)
            keep_ranks(&g, result);
    }
    for (size_t j = 0; g.all && j < size; j++)
        samples_free(&g.all[j]);
    free(g.all);
    free(g.last);
    return error;
}

int run_gap_once(struct latency_run *r, double share)
{
    struct latency_result forgotten = {0};
    int known = r->gap > 0;
    TRY(PMPI_Bcast(&known, 1, MPI_INT, r->c->collector, r->c->comm));
    if (!known)
        TRY(measure(r, share, &forgotten));
    series_free(&forgotten.series);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    return measure(r, run_part(r, 1), result);
}

static const struct latency_column columns[] = {
    {"gap", "g_i: between successive broadcasts there", figure_seconds, NULL, NULL},
    {0},
};

const struct latency_method latency_gap = {
    .name = "gap",
    .summary = "every task times M back-to-back broadcasts",
    .reality = "the gap (g_j): the interval between broadcasts at rank j or at who feeds it",
    .value = "largest g_j",
    .meaning = MEANS_GAP,
    .kinds = KIND_ANY,
    .figures = FIGURES_RANKS,
    .columns = columns,
    .weight = 1,
    .run = run,
};

const struct latency_method latency_send_latency = {
    .name = "send-latency",
    .summary = "the root times M back-to-back broadcasts",
    .reality = "the gap at the root (g_0): no latency",
    .value = "loop / M",
    .meaning = MEANS_GAP,
    .kinds = KIND_ANY,
    .weight = 1,
    .batch = batch_root,
};
