/* g_j: back-to-back broadcasts, the loop timed at every rank. */
#include "measure/bcast/bcast_inner.h"

#include <math.h>
#include <stdlib.h>

struct gaps {
    struct bcast_run *run;
    /* The root's, SIZE of each. */
    double *last;
    struct samples *all;
};

/* VALUE is the largest g_j. */
static int batch_gap(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct gaps *g = arg;
    struct bcast_run *r = g->run;
    double mine;
    TRY(crew_gap(r->c->comm, run_operation, r, b->repetitions, r->clock_cost, &mine));
    TRY(PMPI_Gather(&mine, 1, MPI_DOUBLE, g->last, 1, MPI_DOUBLE, r->c->root, r->c->comm));
    if (!r->roots)
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

/* The figures of RESULT, if there is one, take over the samples. */
static void gaps_keep(struct gaps *g, struct bcast_result *result)
{
    struct bcast_run *r = g->run;
    for (int j = 0; j < r->size; j++) {
        struct summary s = stats_summarize(g->all[j].value, g->all[j].n);
        r->gap = fmax(fmax(r->gap, s.min), gap_least);
        if (!result)
            continue;
        struct bcast_figure *f = &result->figure[j];
        f->value = samples_estimate(&g->all[j]);
        f->timed[TIMED_OPERATION] = (struct bcast_timed){f->value, g->all[j]};
        g->all[j] = (struct samples){0};
        if (result->slowest < 0 || s.median > result->figure[result->slowest].value.value)
            result->slowest = j;
    }
}

static int gaps_measure(struct bcast_run *r, double share, struct series *s,
                        struct bcast_result *result)
{
    size_t size = (size_t)r->size;
    struct gaps g = {.run = r};
    if (r->roots) {
        g.last = malloc(size * sizeof *g.last);
        g.all = calloc(size, sizeof *g.all);
    }
    int error = crew_agree(r->c->comm, !r->roots || (g.last && g.all));
    if (error == MPI_SUCCESS)
        error = series_measure(r->c->comm, r->c->root, &r->c->plan, share, 0, batch_gap, &g, s);
    if (error == MPI_SUCCESS && r->roots)
        gaps_keep(&g, result);
    for (size_t j = 0; g.all && j < size; j++)
        samples_free(&g.all[j]);
    free(g.all);
    free(g.last);
    return error;
}

int run_gap_once(struct bcast_run *r, double share)
{
    struct series s;
    int known = r->gap > 0;
    TRY(PMPI_Bcast(&known, 1, MPI_INT, r->c->root, r->c->comm));
    if (known)
        return MPI_SUCCESS;
    TRY(gaps_measure(r, share, &s, NULL));
    series_free(&s);
    return MPI_SUCCESS;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(gaps_measure(r, run_part(r, 1), &s, result));
    result_from_series(result, &s);
    result->asked = r->size;
    result->measured = result->series.samples.n ? r->size : 0;
    return MPI_SUCCESS;
}

static const struct bcast_column columns[] = {
    {"gap", "g_i: between successive broadcasts there", figure_seconds, NULL, NULL},
    {0},
};

const struct bcast_method bcast_gap = {
    .name = "gap",
    .summary = "every task times M back-to-back broadcasts",
    .reality = "the gap (g_j): the interval between broadcasts at rank j or at who feeds it",
    .value = "largest g_j",
    .meaning = BCAST_GAP,
    .others = BCAST_ANY_KIND,
    .columns = columns,
    .weight = 1,
    .run = run,
};
