#include "measure/scenario/scenario.h"

#include "base/clock.h"
#include "measure/crew.h"
#include "measure/work.h"

#include <math.h>
#include <stdlib.h>

enum { EMPTY_MAX = 20 }; /* batches without a start in time, before giving up */

/* The time stamps of one repetition, how far the rank was off the moment announced, and whether it
 * was late and lost its processor (0, 1). All doubles, so that one reduction finds the maxima. */
struct stamps {
    double start, end, arrival, off, late, disturbed;
};
enum { STAMPS = sizeof(struct stamps) / sizeof(double) };

/* What one rank needs to play its part again and again. */
struct player {
    const struct script *script;
    MPI_Comm comm;
    double delay[SCENARIO_ACTIONS];
    struct work work[SCENARIO_ACTIONS];
    struct stamps *stamps; /* room for two batches: this rank's and the maxima */
    struct operation_call (*set)[SCENARIO_ACTIONS], *call; /* of buffers; those in use */
    size_t sets, plays;
    bool fresh;
    bool twin[SCENARIO_ACTIONS];
    MPI_Request request[SCENARIO_ACTIONS];
};

static bool prepare_issue(struct player *p, int i, const struct scenario_point *point)
{
    const struct action *a = &p->script->action[i];
    int root = a->root == SWEPT_ROOT ? point->root : a->root;
    size_t bytes = a->bytes == SWEPT_BYTES ? point->bytes : a->bytes;
    p->twin[i] = a->operation ? a->twin : point->twin;
    const struct bcast *by = a->operation ? a->by : point->by;
    bool ready = true;
    for (size_t k = 0; k < p->sets && ready; k++)
        ready = operation_prepare(&p->set[k][i], a->operation ? a->operation : point->operation,
                                  p->comm, root, bytes) &&
                (!by || operation_use_own(&p->set[k][i], by));
    return ready;
}

/* Local. False if memory is short. */
static bool prepare(struct player *p, const struct scenario_point *point)
{
    p->sets = point->rotate > 0 ? (size_t)point->rotate : 1;
    p->fresh = point->fresh;
    p->set = calloc(p->sets, sizeof *p->set);
    bool ready = p->set != NULL;
    for (int i = 0; ready && i < p->script->n; i++) {
        const struct action *a = &p->script->action[i];
        double swept = a->kind == ACTION_COMP ? point->comp : point->delay;
        double seconds = a->seconds < 0 ? swept : a->seconds;
        p->request[i] = MPI_REQUEST_NULL;
        if (a->kind == ACTION_ISSUE)
            ready = prepare_issue(p, i, point) && ready;
        else if (a->kind == ACTION_COMP)
            p->work[i] = work_calibrate(seconds, 0.01);
        else if (a->kind == ACTION_DELAY)
            p->delay[i] = seconds;
    }
    return ready;
}

static void release(struct player *p)
{
    for (size_t k = 0; p->set && k < p->sets; k++)
        for (int i = 0; i < p->script->n; i++)
            if (p->script->action[i].kind == ACTION_ISSUE)
                operation_release(&p->set[k][i]);
    free(p->set);
}

/* The next set of buffers, before it is played: DO_ each issue's. */
static void with_next(struct player *p, void (*do_)(const struct operation_call *))
{
    for (int i = 0; i < p->script->n; i++)
        if (p->script->action[i].kind == ACTION_ISSUE)
            do_(&p->set[p->plays % p->sets][i]);
}

/* In the order of issue, from the one asked for. */
static void sync_issued(struct player *p, int at, int issued)
{
    if (issued != ISSUED_ALL) {
        PMPI_Wait(&p->request[issued], MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < at; i++)
        if (p->request[i] != MPI_REQUEST_NULL)
            PMPI_Wait(&p->request[i], MPI_STATUS_IGNORE);
}

static int issue(struct player *p, int i, struct stamps *t)
{
    if (isnan(t->arrival))
        t->arrival = clock_now();
    return p->twin[i] ? operation_start(&p->call[i], &p->request[i]) : operation_run(&p->call[i]);
}

static int play(struct player *p, struct stamps *t)
{
    *t = (struct stamps){.arrival = NAN};
    p->call = p->set[p->plays++ % p->sets];
    for (int i = 0; i < p->script->n; i++) {
        const struct action *a = &p->script->action[i];
        int error = MPI_SUCCESS;
        switch (a->kind) {
        case ACTION_START:
            t->start = clock_now();
            break;
        case ACTION_ISSUE:
            error = issue(p, i, t);
            break;
        case ACTION_SYNC:
            sync_issued(p, i, a->issued);
            break;
        case ACTION_COMP:
            work_do(&p->work[i]);
            break;
        case ACTION_DELAY:
            clock_hold(p->delay[i]);
            break;
        case ACTION_STOP:
            t->end = clock_now();
            break;
        }
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

/* Whether the data is right, by one more repetition with each set that nobody times. */
static bool plays_right(struct player *p)
{
    struct stamps t;
    bool right = true;
    for (size_t k = 0; k < p->sets; k++) {
        with_next(p, operation_fill);
        if (play(p, &t) != MPI_SUCCESS)
            return false;
        for (int i = 0; i < p->script->n; i++)
            if (p->script->action[i].kind == ACTION_ISSUE)
                right = operation_check(&p->call[i]) && right;
    }
    return right;
}

/* On rank 0, from the maxima over all ranks of these, with -start. Returns
 * how many of the N repetitions count. */
static int take_samples(const struct stamps *t, int n, struct tally *tally,
                        struct scenario_result *result)
{
    double sum = 0;
    int taken = 0;
    for (int m = 0; m < n; m++) {
        if (t[m].late > 0) {
            result->dropped++;
            continue;
        }
        double completion = t[m].end + t[m].start;
        tally_sample(tally, completion);
        result->disturbed += t[m].disturbed > 0;
        samples_add(&result->after_last, t[m].end - t[m].arrival);
        samples_add(&result->apart, t[m].off);
        sum += completion;
        taken++;
    }
    if (taken)
        tally_batch(tally, sum / taken);
    return taken;
}

/* A rank whose part fails still meets the others at every start. */
static int play_batch(struct player *p, struct harmony *start, int n)
{
    const struct sync_clock *clock = start->clock;
    int error = MPI_SUCCESS;
    for (int m = 0; m < n; m++) {
        struct stamps *t = &p->stamps[m];
        if (p->fresh)
            with_next(p, operation_refresh);
        int failed = harmonize(start);
        if (error == MPI_SUCCESS)
            error = failed;
        long before = work_interruptions();
        if (error == MPI_SUCCESS)
            error = play(p, t);
        t->start = -sync_global(clock, t->start);
        t->end = sync_global(clock, t->end);
        t->arrival = isnan(t->arrival) ? -INFINITY : sync_global(clock, t->arrival);
        t->off = start->off;
        t->late = start->late;
        t->disturbed = work_interruptions() != before;
    }
    error = sync_agree(error, p->comm);
    if (error != MPI_SUCCESS)
        return error;
    return PMPI_Reduce(p->stamps, p->stamps + n, STAMPS * n, MPI_DOUBLE, MPI_MAX, 0, p->comm);
}

static int measure(struct player *p, struct harmony *start, const struct plan *plan,
                   struct scenario_result *result)
{
    int n = plan->repetitions, rank, error = MPI_SUCCESS, more = 1, empty = 0;
    struct stamps ignored;
    struct tally tally;
    PMPI_Comm_rank(p->comm, &rank);
    for (int i = 0; i < plan->warmup && error == MPI_SUCCESS; i++)
        error = play(p, &ignored);
    error = sync_agree(error, p->comm);
    tally_start(&tally, plan);
    while (more && error == MPI_SUCCESS) {
        error = play_batch(p, start, n);
        if (rank == 0 && error == MPI_SUCCESS) {
            int taken = take_samples(p->stamps + n, n, &tally, result);
            empty += taken == 0;
            more = tally_go_on(&tally) && empty < EMPTY_MAX;
            if (tally.samples.n == 0) /* the paper's rule has thrown the attempt away */
                result->after_last.n = result->apart.n = result->disturbed = 0;
        }
        if (error == MPI_SUCCESS)
            error = PMPI_Bcast(&more, 1, MPI_INT, 0, p->comm);
    }
    result->completion = tally.samples;
    tally.samples = (struct samples){0};
    result->over_budget = tally.over_budget;
    tally_free(&tally);
    return error;
}

/* The longest computation of all ranks, and whether all are as long as they should be. */
static void agree(struct player *p, bool right, struct scenario_result *result)
{
    double mine[3] = {0, 0, right ? 0 : 1}, all[3];
    for (int i = 0; i < p->script->n; i++) {
        if (p->script->action[i].kind != ACTION_COMP)
            continue;
        mine[0] += p->work[i].achieved;
        mine[1] = fmax(mine[1], p->work[i].within ? 0 : 1);
    }
    PMPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, p->comm);
    result->comp = all[0];
    result->comp_within = all[1] == 0;
    result->correct = all[2] == 0;
}

int scenario_run(const struct scenario *s, const struct scenario_point *point,
                 struct harmony *start, const struct plan *plan, struct scenario_result *result)
{
    MPI_Comm comm = start->comm;
    int rank, size;
    *result = (struct scenario_result){0};
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    struct player *p = calloc(1, sizeof *p);
    bool ready = false;
    if (p) {
        p->comm = comm;
        p->script = scenario_script(s, rank, size, point);
        p->stamps = calloc(2 * (size_t)plan->repetitions, sizeof *p->stamps);
        ready = prepare(p, point) && p->stamps;
    }
    int error = crew_agree(comm, ready);
    if (error == MPI_SUCCESS) {
        agree(p, plays_right(p), result);
        error = sync_again(start->clock);
        if (error == MPI_SUCCESS)
            error = measure(p, start, plan, result);
        if (error == MPI_SUCCESS)
            error = sync_check(start->clock, comm, &result->bound);
        result->bound += clock_cost();
    }
    if (p) {
        release(p);
        free(p->stamps);
        free(p);
    }
    return error;
}

void scenario_result_free(struct scenario_result *r)
{
    samples_free(&r->completion);
    samples_free(&r->after_last);
    samples_free(&r->apart);
}
