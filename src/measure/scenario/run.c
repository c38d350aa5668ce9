#include "base/clock.h"
#include "base/try.h"
#include "measure/scenario/scenario.h"
#include "measure/work.h"

#include <math.h>
#include <stdlib.h>

/* One rank's time stamps of a repetition, in seconds, and LATE: 1 if the rank missed the announced
 * start, else 0. All are doubles, so that one MPI_Reduce finds their maxima. */
struct repetition {
    double start, end, arrival, late;
};
enum { STAMPS = sizeof(struct repetition) / sizeof(double) };

/* What one rank needs to repeat its script. */
struct player {
    struct script script;
    struct harmony *start; /* announces common starts to the ranks of its communicator */
    int rank;
    struct scenario_result *result;
    struct repetition *stamps; /* room for two batches: this rank's stamps, all ranks' maxima */
    /* Indexed by action: */
    struct work work[SCENARIO_ACTIONS];
    struct operation_call call[SCENARIO_ACTIONS];
    MPI_Request request[SCENARIO_ACTIONS];
};

/* Prepares the script's operations and computations. Local. False if memory is short. */
static bool prepare(struct player *p)
{
    bool ready = true;
    for (int i = 0; i < p->script.n; i++) {
        const struct action *a = &p->script.action[i];
        struct operation_call *c = &p->call[i];
        p->request[i] = MPI_REQUEST_NULL;
        if (a->kind == ACTION_ISSUE) {
            ready = operation_prepare(c, a->operation, p->start->comm, a->root, a->bytes) && ready;
            c->by = a->by;
            c->own = a->own;
        } else if (a->kind == ACTION_COMP)
            p->work[i] = work_calibrate(a->seconds);
    }
    return ready;
}

static int play(struct player *p, struct repetition *t)
{
    int error = MPI_SUCCESS;
    *t = (struct repetition){.arrival = NAN};
    for (int i = 0; i < p->script.n && error == MPI_SUCCESS; i++) {
        const struct action *a = &p->script.action[i];
        switch (a->kind) {
        case ACTION_START:
            t->start = clock_now();
            break;
        case ACTION_ISSUE:
            if (isnan(t->arrival))
                t->arrival = clock_now();
            error = a->twin ? a->operation->start(&p->call[i], &p->request[i])
                            : operation_run(&p->call[i]);
            break;
        case ACTION_SYNC:
            for (int k = 0; k < i; k++)
                if (p->request[k] != MPI_REQUEST_NULL)
                    PMPI_Wait(&p->request[k], MPI_STATUS_IGNORE);
            break;
        case ACTION_COMP:
            work_do(&p->work[i]);
            break;
        case ACTION_DELAY:
            clock_hold(a->seconds);
            break;
        default:
            t->end = clock_now();
        }
    }
    return error;
}

/* Makes one untimed repetition and checks its data. */
static bool plays_right(struct player *p)
{
    struct repetition ignored;
    bool right = true;
    for (int i = 0; i < p->script.n; i++)
        if (p->script.action[i].kind == ACTION_ISSUE)
            operation_fill_buffers(&p->call[i]);
    if (play(p, &ignored) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < p->script.n; i++)
        if (p->script.action[i].kind == ACTION_ISSUE)
            right = operation_check(&p->call[i]) && right;
    return right;
}

/* On rank 0: stores samples of the repetitions T, whose times are maxima over all ranks; START is
 * negated, so that its maximum is the earliest start. Skips repetitions in which a rank was late.
 * Returns the number of samples. */
static int take_samples(const struct player *p, const struct repetition *t, const struct batch *b,
                        double *value)
{
    struct scenario_result *result = p->result;
    int taken = 0;
    if (b->first)
        result->after_last.n = 0;
    for (int m = 0; m < b->repetitions; m++) {
        if (t[m].late > 0)
            continue;
        value[taken++] = t[m].end + t[m].start;
        samples_add(&result->after_last, t[m].end - t[m].arrival);
    }
    return taken;
}

/* The batch function for series_measure(); ARG is the struct player. Even after an error a rank
 * calls the collective harmonize() for every repetition. */
static int batch_play(void *arg, const struct batch *b, double *value, int *taken)
{
    struct player *p = arg;
    const struct sync_clock *clock = p->start->clock;
    int error = MPI_SUCCESS, n = b->repetitions;
    for (struct repetition *t = p->stamps; t < p->stamps + n; t++) {
        int failed = harmonize(p->start);
        if (error == MPI_SUCCESS)
            error = failed;
        if (error == MPI_SUCCESS)
            error = play(p, t);
        t->start = -sync_global(clock, t->start);
        t->end = sync_global(clock, t->end);
        t->arrival = isnan(t->arrival) ? -INFINITY : sync_global(clock, t->arrival);
        t->late = p->start->late;
    }
    TRY(sync_agree(error, p->start->comm));
    TRY(PMPI_Reduce(p->stamps, p->stamps + n, STAMPS * n, MPI_DOUBLE, MPI_MAX, 0, p->start->comm));
    if (p->rank == 0)
        *taken = take_samples(p, p->stamps + n, b, value);
    return MPI_SUCCESS;
}

static int measure(struct player *p, const struct plan *plan)
{
    struct series s;
    TRY(sync_remeasure(p->start->clock));
    p->start->apart = 0;
    TRY(series_measure(p->start->comm, plan, 0, batch_play, p, &s));
    p->result->completion = s.samples;
    p->result->over_budget = s.over_budget;
    TRY(sync_check(p->start->clock, p->start->comm, -1, &p->result->bound));
    p->result->bound = fmax(p->result->bound, p->start->apart) + clock_cost();
    return MPI_SUCCESS;
}

/* Sets the result's longest computation of all ranks, and whether all ranks' data are right. */
static void agree(struct player *p, bool right)
{
    double mine[2] = {0, right ? 0 : 1}, all[2];
    for (int i = 0; i < p->script.n; i++)
        mine[0] += p->work[i].achieved;
    PMPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, p->start->comm);
    p->result->comp = all[0];
    p->result->correct = all[1] == 0;
}

static void release(struct player *p)
{
    for (int i = 0; i < p->script.n; i++)
        if (p->script.action[i].kind == ACTION_ISSUE)
            operation_release(&p->call[i]);
    free(p->stamps);
}

int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result)
{
    int rank, size, most = plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup;
    *result = (struct scenario_result){0};
    PMPI_Comm_rank(start->comm, &rank);
    PMPI_Comm_size(start->comm, &size);
    struct player p RELEASED(release) = {.start = start,
                                         .rank = rank,
                                         .result = result,
                                         .script = scenario_script(s, rank, size, point),
                                         .stamps = calloc(2 * (size_t)most, sizeof *p.stamps)};
    TRY(sync_all_have(start->comm, prepare(&p) && p.stamps));
    agree(&p, plays_right(&p));
    return measure(&p, plan);
}

void scenario_result_free(struct scenario_result *r)
{
    samples_free(&r->completion);
    samples_free(&r->after_last);
}
