/* A collective seen directly: everybody enters at one announced moment of the common clock. */
#include "measure/collective/collective_inner.h"
#include "measure/stamps.h"
#include "sync/harmonize.h"

#include <math.h>
#include <stdlib.h>

int collective_start(struct collective_run *r, const struct collective_case *c)
{
    const struct plan *plan = &c->plan;
    *r = (struct collective_run){.c = c, .started = clock_now()};
    bool rooted = c->pattern == COLLECTIVE_TO_ROOT || c->pattern == COLLECTIVE_FROM_ROOT;
    TRY(crew_check(c->comm, rooted ? c->root : 0, c->collector, &r->rank, &r->size));
    r->collects = r->rank == c->collector;
    r->most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup) + 1;
    r->mine = malloc(3 * r->most * sizeof *r->mine);
    r->clock_cost = clock_cost();
    return crew_agree(c->comm, r->mine != NULL);
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

struct direct {
    struct collective_run run;
    struct stamps stamps;
    struct harmony start;
    struct collective_direct *out; /* the collector's */
    struct samples span, apart;    /* the collector's */
};

static const double right_after = 5e-6;

static int start_together(struct stamps *s, bool *late)
{
    struct direct *d = s->arg;
    collective_before(&d->run);
    TRY(harmonize(&d->start));
    *late = d->start.late;
    /* Who enters right after the others has passed that moment by reading the clock. */
    if (d->run.c->after > 0)
        *late |= !sync_wait(d->start.clock, d->start.begin + d->run.c->after) &&
                 d->run.c->after > right_after;
    return MPI_SUCCESS;
}

static int operation(void *arg)
{
    const struct direct *d = arg;
    return collective_once(&d->run);
}

/* Operation K of a batch; false if somebody was late for it. */
static bool evaluate(struct direct *d, int k, double *completion)
{
    const struct stamps *s = &d->stamps;
    double first = INFINITY, last_in = -INFINITY, last_out = -INFINITY;
    for (int i = 0; i < s->size; i++) {
        const struct stamp *stamp = stamp_of(s, i, k);
        if (stamp->late > 0)
            return false;
        first = fmin(first, stamp->entry);
        last_in = fmax(last_in, stamp->entry);
        last_out = fmax(last_out, stamp->exit);
    }
    samples_add(&d->span, last_out - first - d->run.clock_cost);
    samples_add(&d->apart, last_in - first);
    *completion = last_out - last_in - d->run.clock_cost;
    return true;
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    TRY(stamps_take(&d->stamps, b->repetitions));
    if (!d->run.collects)
        return MPI_SUCCESS;
    if (b->first)
        d->span.n = d->apart.n = 0;
    double sum = 0;
    for (int k = 0; k < b->repetitions; k++)
        if (evaluate(d, k, &value[*n]))
            sum += value[(*n)++];
    *loop = sum / *n;
    stamps_count(&d->stamps, b->first, *n, 0);
    return MPI_SUCCESS;
}

static int measure(struct direct *d)
{
    struct collective_run *r = &d->run;
    struct stamps *s = &d->stamps;
    *s = (struct stamps){.comm = r->c->comm,
                         .keeper = r->c->collector,
                         .clock = r->c->clock,
                         .start = start_together,
                         .operation = operation,
                         .arg = d};
    TRY(stamps_open(s, &r->c->plan));
    TRY(harmony_open(&d->start, s->clock, s->comm, s->keeper));
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, collective_part(r, 1), 0,
                       batch_direct, d, &d->out->completion));
    return stamps_bound(s, &d->out->clock_bound);
}

/* The span goes with the completion: the same operations, seen from the first entry. */
static void keep(struct direct *d)
{
    struct collective_direct *out = d->out;
    out->size = d->run.size;
    out->dropped = d->stamps.dropped;
    out->span = out->completion;
    out->span.samples = d->span;
    out->span.summary = stats_summarize(d->span.value, d->span.n);
    out->span.loop_mean = out->span.summary.mean;
    out->apart = d->apart.n ? stats_median(d->apart.value, d->apart.n) : NAN;
}

int collective_measure_direct(const struct collective_case *c, struct collective_direct *out)
{
    struct direct d = {.out = out};
    *out = (struct collective_direct){0};
    int error = collective_start(&d.run, c);
    if (error == MPI_SUCCESS)
        error = measure(&d);
    if (error == MPI_SUCCESS && d.run.collects)
        keep(&d);
    else
        samples_free(&d.span);
    samples_free(&d.apart);
    stamps_close(&d.stamps);
    collective_end(&d.run);
    if (error != MPI_SUCCESS)
        collective_direct_free(out);
    return error;
}

void collective_direct_free(struct collective_direct *d)
{
    series_free(&d->completion);
    series_free(&d->span);
    *d = (struct collective_direct){0};
}
