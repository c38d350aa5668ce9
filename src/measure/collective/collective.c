/* A collective seen directly: everybody enters at one announced moment of the common clock. */
#include "measure/collective/run.h"
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

static int check(const struct collective_case *c, int *rank, int *size)
{
    int inter;
    TRY(PMPI_Comm_test_inter(c->comm, &inter));
    TRY(PMPI_Comm_size(c->comm, size));
    TRY(PMPI_Comm_rank(c->comm, rank));
    if (inter || *size < 2)
        return MPI_ERR_COMM;
    if (c->pattern != COLLECTIVE_SYMMETRIC && (c->root < 0 || c->root >= *size))
        return MPI_ERR_ROOT;
    return c->collector < 0 || c->collector >= *size ? MPI_ERR_ARG : MPI_SUCCESS;
}

int collective_agree(const struct collective_run *r, bool have)
{
    int mine = have, all = 0;
    TRY(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, r->c->comm));
    return all ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int collective_start(struct collective_run *r, const struct collective_case *c)
{
    const struct plan *plan = &c->plan;
    *r = (struct collective_run){.c = c, .started = clock_now()};
    TRY(check(c, &r->rank, &r->size));
    r->collects = r->rank == c->collector;
    r->most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup) + 1;
    r->mine = malloc(3 * r->most * sizeof *r->mine);
    r->clock_cost = clock_cost();
    return collective_agree(r, r->mine);
}

void collective_end(struct collective_run *r)
{
    free(r->mine);
}

double collective_part(const struct collective_run *r, double part)
{
    double budget = r->c->plan.budget;
    return budget > 0 ? fmax(part * (budget - (clock_now() - r->started)), 1e-9) : 0;
}

/* One host, one clock: nothing to convert. */
static const struct sync_clock same_clock;

struct direct {
    struct collective_run run;
    const struct sync_clock *clock;
    struct collective_direct *out; /* the collector's */
    struct samples *in_call;       /* the collector's, by rank */
    struct samples span;           /* the collector's */
    double *all;                   /* the collector's: SIZE blocks of a batch's stamps */
    double slack;
};

enum { ENTRY, EXIT, LATE, STAMPS };

static int take_stamps(struct direct *d, int repetitions, double *stamp)
{
    const struct collective_run *r = &d->run;
    for (int k = 0; k < repetitions; k++, stamp += STAMPS) {
        double begin;
        stamp[LATE] = !sync_begin(d->clock, r->c->comm, r->c->collector, d->slack, &begin);
        stamp[ENTRY] = sync_now(d->clock);
        TRY(collective_once(r));
        stamp[EXIT] = sync_now(d->clock);
    }
    return MPI_SUCCESS;
}

static const double *stamps_of(const struct direct *d, int rank, int k, int repetitions)
{
    return d->all + STAMPS * ((size_t)rank * (size_t)repetitions + (size_t)k);
}

/* Operation K of a batch; false if somebody was late for it. */
static bool evaluate(struct direct *d, int k, int repetitions, double *completion)
{
    double first = INFINITY, last_in = -INFINITY, last_out = -INFINITY;
    for (int i = 0; i < d->run.size; i++) {
        const double *stamp = stamps_of(d, i, k, repetitions);
        if (stamp[LATE] > 0)
            return false;
        first = fmin(first, stamp[ENTRY]);
        last_in = fmax(last_in, stamp[ENTRY]);
        last_out = fmax(last_out, stamp[EXIT]);
    }
    for (int i = 0; i < d->run.size; i++) {
        const double *stamp = stamps_of(d, i, k, repetitions);
        samples_add(&d->in_call[i], stamp[EXIT] - stamp[ENTRY] - d->run.clock_cost);
    }
    samples_add(&d->span, last_out - first - d->run.clock_cost);
    *completion = last_out - last_in - d->run.clock_cost;
    return true;
}

static void forget(struct direct *d)
{
    d->out->dropped = 0;
    d->span.n = 0;
    for (int i = 0; i < d->run.size; i++)
        d->in_call[i].n = 0;
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    struct collective_run *r = &d->run;
    int stamps = STAMPS * b->repetitions;
    TRY(take_stamps(d, b->repetitions, r->mine));
    TRY(PMPI_Gather(r->mine, stamps, MPI_DOUBLE, d->all, stamps, MPI_DOUBLE, r->c->collector,
                    r->c->comm));
    if (!r->collects)
        return MPI_SUCCESS;
    if (b->first)
        forget(d);
    double sum = 0;
    for (int k = 0; k < b->repetitions; k++)
        if (evaluate(d, k, b->repetitions, &value[*n]))
            sum += value[(*n)++];
    *loop = sum / *n;
    d->out->dropped += b->repetitions - *n;
    if (*n < b->repetitions)
        d->slack = fmin(2 * d->slack, 0.1);
    return MPI_SUCCESS;
}

static bool direct_allocate(struct direct *d)
{
    struct collective_run *r = &d->run;
    size_t n = (size_t)r->size;
    if (!r->collects)
        return true;
    d->all = malloc(STAMPS * r->most * n * sizeof *d->all);
    d->in_call = calloc(n, sizeof *d->in_call);
    d->out->in_call = calloc(n, sizeof *d->out->in_call);
    return d->all && d->in_call && d->out->in_call;
}

static int direct_measure(struct direct *d)
{
    struct collective_run *r = &d->run;
    double mine = r->c->clock ? sync_bound(r->c->clock, clock_now()) : 0, worst;
    d->slack = fmax(sync_slack(d->clock, r->c->comm, r->c->collector), 5e-6);
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, collective_part(r, 1), 0,
                       batch_direct, d, &d->out->completion));
    TRY(PMPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, r->c->comm));
    d->out->clock_bound = 2 * worst;
    return MPI_SUCCESS;
}

/* The span goes with the completion: the same operations, seen from the first entry. */
static void direct_keep(struct direct *d)
{
    struct collective_direct *out = d->out;
    out->size = d->run.size;
    out->span = out->completion;
    out->span.samples = d->span;
    out->span.summary = stats_summarize(d->span.value, d->span.n);
    out->span.loop_mean = out->span.summary.mean;
    for (int i = 0; i < d->run.size; i++)
        out->in_call[i] =
            d->in_call[i].n ? stats_median(d->in_call[i].value, d->in_call[i].n) : NAN;
}

int collective_measure_direct(const struct collective_case *c, struct collective_direct *out)
{
    struct direct d = {.out = out, .clock = c->clock ? c->clock : &same_clock};
    *out = (struct collective_direct){0};
    int error = collective_start(&d.run, c);
    if (error == MPI_SUCCESS)
        error = collective_agree(&d.run, direct_allocate(&d));
    if (error == MPI_SUCCESS)
        error = direct_measure(&d);
    if (error == MPI_SUCCESS && d.run.collects)
        direct_keep(&d);
    else
        samples_free(&d.span);
    for (int i = 0; d.in_call && i < d.run.size; i++)
        samples_free(&d.in_call[i]);
    free(d.in_call);
    free(d.all);
    collective_end(&d.run);
    if (error != MPI_SUCCESS)
        collective_direct_free(out);
    return error;
}

void collective_direct_free(struct collective_direct *d)
{
    series_free(&d->completion);
    series_free(&d->span);
    free(d->in_call);
    *d = (struct collective_direct){0};
}
