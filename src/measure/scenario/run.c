#include "base/clock.h"
#include "base/try.h"
#include "measure/scenario/scenario.h"
#include "measure/series.h"
#include "measure/work.h"

#include <math.h>
#include <stdlib.h>

/* The time stamps of one repetition, and whether the rank was late and was preempted (0, 1). All
 * doubles, so that one reduction finds the maxima. */
struct repetition {
    double start, end, arrival, late, preempted;
};
enum { STAMPS = sizeof(struct repetition) / sizeof(double) };

/* What one rank needs to play its part again and again. */
struct player {
    const enum action *actions;
    const struct scenario_point *point;
    struct harmony *start;
    MPI_Comm comm;
    int rank;
    struct scenario_result *result;
    struct repetition *stamps; /* room for two batches: this rank's and the maxima */
    struct work work;          /* of ACTION_COMP */
    struct operation_call call;
    MPI_Request request;
};

/* Local. False if memory is short. */
static bool prepare(struct player *p)
{
    const struct scenario_point *point = p->point;
    p->request = MPI_REQUEST_NULL;
    for (const enum action *a = p->actions; *a != ACTION_STOP; a++)
        if (*a == ACTION_COMP)
            p->work = work_calibrate(point->comp, 0.01);
    return operation_prepare(&p->call, point->operation, p->comm, point->root, point->bytes) &&
           (!point->by || operation_use_own(&p->call, point->by));
}

static int play(struct player *p, struct repetition *t)
{
    int error = MPI_SUCCESS;
    *t = (struct repetition){.arrival = NAN};
    for (const enum action *a = p->actions; *a != ACTION_STOP && error == MPI_SUCCESS; a++) {
        switch (*a) {
        case ACTION_START:
            t->start = clock_now();
            break;
        case ACTION_DELAY:
            clock_hold(p->point->delay);
            break;
        case ACTION_ISSUE:
            t->arrival = clock_now();
            error =
                p->point->twin ? operation_start(&p->call, &p->request) : operation_run(&p->call);
            break;
        case ACTION_COMP:
            work_do(&p->work);
            break;
        default:
            if (p->request != MPI_REQUEST_NULL)
                error = PMPI_Wait(&p->request, MPI_STATUS_IGNORE);
        }
    }
    t->end = clock_now();
    return error;
}

/* Whether the data is right, by one more repetition, which is not timed. */
static bool plays_right(struct player *p)
{
    struct repetition ignored;
    operation_fill(&p->call);
    return play(p, &ignored) == MPI_SUCCESS && operation_check(&p->call);
}

/* On rank 0, from the maxima over all ranks of T, with -start. Returns how many of B's repetitions
 * count. */
static int take_samples(const struct player *p, const struct repetition *t, const struct batch *b,
                        double *value)
{
    struct scenario_result *result = p->result;
    int taken = 0;
    if (b->first)
        result->after_last.n = result->preempted = result->dropped = 0;
    for (int m = 0; m < b->repetitions; m++) {
        if (t[m].late > 0) {
            result->dropped++;
            continue;
        }
        value[taken++] = t[m].end + t[m].start;
        result->preempted += t[m].preempted > 0;
        samples_add(&result->after_last, t[m].end - t[m].arrival);
    }
    return taken;
}

/* For series_measure(); ARG is the struct player. A rank whose part fails still takes part in every
 * start. */
static int batch_play(void *arg, const struct batch *b, double *value, int *taken)
{
    struct player *p = arg;
    const struct sync_clock *clock = p->start->clock;
    int error = MPI_SUCCESS, n = b->repetitions;
    for (int m = 0; m < n; m++) {
        struct repetition *t = &p->stamps[m];
        int failed = harmonize(p->start);
        if (error == MPI_SUCCESS)
            error = failed;
        long before = work_interruptions();
        if (error == MPI_SUCCESS)
            error = play(p, t);
        t->start = -sync_global(clock, t->start);
        t->end = sync_global(clock, t->end);
        t->arrival = isnan(t->arrival) ? -INFINITY : sync_global(clock, t->arrival);
        t->late = p->start->late;
        t->preempted = work_interruptions() != before;
    }
    TRY(sync_agree(error, p->comm));
    TRY(PMPI_Reduce(p->stamps, p->stamps + n, STAMPS * n, MPI_DOUBLE, MPI_MAX, 0, p->comm));
    if (p->rank == 0)
        *taken = take_samples(p, p->stamps + n, b, value);
    return MPI_SUCCESS;
}

static int measure(struct player *p, const struct plan *plan)
{
    struct series s;
    TRY(sync_again(p->start->clock));
    TRY(series_measure(p->comm, 0, plan, 0, batch_play, p, &s));
    p->result->completion = s.samples;
    p->result->over_budget = s.over_budget;
    TRY(sync_check(p->start->clock, p->comm, &p->result->bound));
    p->result->bound += clock_cost();
    return MPI_SUCCESS;
}

/* The longest computation of all ranks, and whether all are as long as they should be. */
static void agree(struct player *p, bool right)
{
    struct scenario_result *result = p->result;
    bool computes = p->work.wanted > 0;
    double mine[3] = {computes ? p->work.achieved : 0, computes && !p->work.within, !right}, all[3];
    PMPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, p->comm);
    result->comp = all[0];
    result->comp_within = all[1] == 0;
    result->correct = all[2] == 0;
}

static void release(struct player *p)
{
    operation_release(&p->call);
    free(p->stamps);
    free(p);
}

int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result)
{
    int rank, most = plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup;
    struct player *p = calloc(1, sizeof *p);
    *result = (struct scenario_result){0};
    PMPI_Comm_rank(start->comm, &rank);
    if (p)
        *p = (struct player){.start = start,
                             .comm = start->comm,
                             .rank = rank,
                             .result = result,
                             .point = point,
                             .actions = rank == point->delayed ? s->delayed : s->others,
                             .stamps = calloc(2 * (size_t)most, sizeof *p->stamps)};
    int error = sync_all_have(start->comm, p && prepare(p) && p->stamps);
    if (error == MPI_SUCCESS) {
        agree(p, plays_right(p));
        error = measure(p, plan);
    }
    if (p)
        release(p);
    return error;
}

void scenario_result_free(struct scenario_result *r)
{
    samples_free(&r->completion);
    samples_free(&r->after_last);
}
