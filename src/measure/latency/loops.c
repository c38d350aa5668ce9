/* Methods that time a loop of operations: the paper's figures 2 to 8, and what other benchmark
 * suites do: OSU's micro-benchmarks, the Intel MPI Benchmarks (as their guide describes them),
 * ReproMPI. */
#include "measure/latency/run.h"

#include <stdlib.h>

/* Whose times become samples: the root's, each rank's, the largest or the mean of all ranks. */
enum times { TIMES_OF_ROOT, TIMES_OF_EACH, TIMES_LARGEST, TIMES_MEAN };

/* ROOTS_: a step is one operation, from one root or from each rank in turn. ROUND_: a step is one
 * operation from each rank, in the order that the name says. */
enum roots { ROOTS_ONE, ROOTS_IN_TURN, ROUND_FORWARD, ROUND_BACKWARD, ROUND_RANDOM };

struct looping;

struct loop {
    int (*step)(const struct looping *q, int k); /* makes step K >= 0; K = -1: an untimed step */
    enum times times;
    enum roots roots;
    bool single;       /* one value for a batch: the mean of its steps. Unless SEPARATE is set, the
                          clock is not read between steps: the library buffers messages, so only the
                          mean is the gap */
    bool separate;     /* an untimed barrier precedes each step */
    bool synchronizes; /* a step synchronizes all ranks, so latency_case.before() may precede it */
};

struct looping {
    struct latency_run *run;
    const struct loop *loop;
    struct latency_result *result;
    void *own; /* memory of the step: the order of the roots, a message, or each rank's time */
    unsigned short drawn[3]; /* state of nrand48() */
};

static int operation(const struct looping *q, int k)
{
    const struct latency_run *r = q->run;
    int turn = q->loop->roots == ROOTS_IN_TURN ? k + r->size : 0;
    return run_once(r, (r->c->root + turn) % r->size);
}

static int operation_and_barrier(const struct looping *q, int k)
{
    (void)k;
    TRY(run_once(q->run, q->run->c->root));
    return run_barrier(q->run);
}

static int ring_pass(const struct looping *q, bool receive, bool send)
{
    const struct latency_run *r = q->run;
    int before = (r->rank + r->size - 1) % r->size, after = (r->rank + 1) % r->size;
    int bytes = r->c->ring_bytes;
    if (receive)
        TRY(PMPI_Recv(q->own, bytes, MPI_BYTE, before, TAG_RING, r->c->comm, MPI_STATUS_IGNORE));
    return send ? PMPI_Send(q->own, bytes, MPI_BYTE, after, TAG_RING, r->c->comm) : MPI_SUCCESS;
}

/* The paper's figure 5: a message from task 0 goes round the ring twice and ends at task P-2. */
static int operation_and_ring(const struct looping *q, int k)
{
    const struct latency_run *r = q->run;
    (void)k;
    TRY(run_once(r, r->c->root));
    TRY(ring_pass(q, r->rank > 0, true));
    bool second = r->rank <= r->size - 2;
    return ring_pass(q, second, second && r->rank < r->size - 2);
}

/* The paper's figure 8. The loop in the figure receives P acknowledgements, apparently by mistake:
 * only P-1 ranks send one, and P-1 are received here. */
static int operation_and_acks(const struct looping *q, int k)
{
    const struct latency_run *r = q->run;
    double ack = 0;
    MPI_Comm comm = r->c->comm;
    (void)k;
    TRY(run_once(r, r->c->root));
    if (r->rank != r->c->root)
        return PMPI_Send(&ack, 1, MPI_DOUBLE, r->c->root, TAG_ACK, comm);
    for (int i = 1; i < r->size; i++)
        TRY(PMPI_Recv(&ack, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ACK, comm, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

/* Fills OWN with the roots of a round; unless the order is random, it begins with the case's root.
 * All ranks draw the same order without a message, since POSIX defines the numbers of nrand48(). */
static void roots_order(struct looping *q)
{
    const struct latency_run *r = q->run;
    int *root = q->own, step = q->loop->roots == ROUND_BACKWARD ? r->size - 1 : 1;
    for (int k = 0; k < r->size; k++)
        root[k] = (int)((r->c->root + (long)k * step) % r->size);
    for (int i = r->size - 1; q->loop->roots == ROUND_RANDOM && i > 0; i--) {
        int j = (int)(nrand48(q->drawn) % (i + 1)), t = root[i];
        root[i] = root[j];
        root[j] = t;
    }
}

/* One broadcast from every root (the paper's figure 6). Step -1 is only an untimed broadcast from
 * the last root, so that the first timed round follows that root, as all later rounds do. */
static int a_round(const struct looping *q, int k)
{
    const int *root = q->own;
    for (int j = k < 0 ? q->run->size - 1 : 0; j < q->run->size; j++)
        TRY(run_once(q->run, root[j]));
    return MPI_SUCCESS;
}

static int run_steps(const struct looping *q, int repetitions, double *time)
{
    const struct loop *l = q->loop;
    const struct latency_run *r = q->run;
    int operations = l->roots >= ROUND_FORWARD ? r->size : 1;
    double sum = 0;
    if (l->synchronizes)
        run_prepare(r);
    TRY(l->step(q, -1));
    double now = clock_now(), last = l->synchronizes ? run_next(r, now) : now;
    for (int k = 0; k < repetitions; k++) {
        if (l->separate) {
            TRY(run_barrier(r));
            last = clock_now();
        }
        TRY(l->step(q, k));
        if (l->single && !l->separate && k + 1 < repetitions)
            continue;
        now = clock_now();
        time[k] = (now - last - r->clock_cost) / operations;
        sum += time[k];
        last = l->synchronizes ? run_next(r, now) : now;
    }
    if (l->single)
        time[0] = sum / repetitions;
    return MPI_SUCCESS;
}

/* On rank 0: adds each rank's time to its figure's samples. Returns the largest time. */
static double take_each(const struct looping *q, bool first)
{
    const double *time = q->own;
    double largest = 0;
    for (int j = 0; j < q->run->size; j++) {
        struct samples *of =
            q->result->figure ? &q->result->figure[j].timed[TIMED_OPERATION] : NULL;
        if (of && first)
            of->n = 0;
        if (of)
            samples_add(of, time[j]);
        largest = fmax(largest, time[j]);
    }
    return largest;
}

static int collect(const struct looping *q, const struct batch *b, double *value, int n)
{
    const struct latency_run *r = q->run;
    MPI_Comm comm = r->c->comm;
    bool mean = q->loop->times == TIMES_MEAN;
    if (q->loop->times == TIMES_OF_ROOT)
        return values_to_rank_0(r, r->c->root, r->scratch, value, n);
    if (q->loop->times == TIMES_OF_EACH) {
        TRY(PMPI_Gather(r->scratch, 1, MPI_DOUBLE, q->own, 1, MPI_DOUBLE, 0, comm));
        if (r->keeps)
            value[0] = take_each(q, b->first);
        return MPI_SUCCESS;
    }
    TRY(PMPI_Reduce(r->scratch, value, n, MPI_DOUBLE, mean ? MPI_SUM : MPI_MAX, 0, comm));
    for (int k = 0; r->keeps && mean && k < n; k++)
        value[k] /= r->size;
    return MPI_SUCCESS;
}

/* The batch function of all loops. With ROOTS_IN_TURN, result->measured is the number of ranks that
 * were root: fewer than all in a short batch. */
static int batch_loop(void *arg, const struct batch *b, double *value, int *n)
{
    struct looping *q = arg;
    const struct latency_run *r = q->run;
    struct latency_result *result = q->result;
    if (q->loop->roots == ROOTS_IN_TURN) {
        result->asked = r->size;
        if (b->first || b->repetitions < result->measured)
            result->measured = b->repetitions < r->size ? b->repetitions : r->size;
    }
    if (q->loop->roots >= ROUND_FORWARD)
        roots_order(q);
    TRY(PMPI_Barrier(r->c->comm));
    TRY(run_steps(q, b->repetitions, r->scratch));
    *n = q->loop->single ? 1 : b->repetitions;
    return collect(q, b, value, *n);
}

/* Least gap in seconds: a coarse clock may measure 0, but the first hold must be positive. */
static const double gap_least = 1e-7;

/* Sets r->gap to the largest g_j of all ranks, in the batch where this largest is smallest. In a
 * short loop the root may be done before its first message arrives, and g_j is too small: then the
 * duration of the batch per operation is used. */
static void keep_gap(struct latency_run *r, const struct series *s)
{
    double least = stats_summarize(s->samples.value, s->samples.n).min;
    r->gap = fmax(least > 0.1 * s->per_operation ? least : s->per_operation, gap_least);
}

static int measure(struct latency_run *r, const struct loop *loop, const struct plan *plan,
                   struct latency_result *result)
{
    size_t room = (size_t)r->size * sizeof(double) + (size_t)r->c->ring_bytes;
    FREED void *own = calloc(room, 1);
    struct looping q = {.run = r, .loop = loop, .result = result, .own = own};
    TRY(sync_all_have(r->c->comm, own != NULL));
    TRY(run_series(r, plan, batch_loop, &q, result));
    if (r->keeps && loop->times == TIMES_OF_EACH) {
        keep_gap(r, &result->series);
        if (result->figure)
            figures_of_ranks(r, -1);
    }
    return MPI_SUCCESS;
}

static int run_loop(struct latency_run *r, struct latency_result *result)
{
    struct plan plan = run_plan_part(r, 1);
    return measure(r, result->method->loop, &plan, result);
}

#define LOOP(SYMBOL, NAME, VALUE, MEANING, KINDS, MORE, ...)                                       \
    const struct latency_method latency_##SYMBOL = {.name = NAME,                                  \
                                                    .value = VALUE,                                \
                                                    .meaning = MEANING,                            \
                                                    .kinds = KINDS,                                \
                                                    .weight = 1,                                   \
                                                    .run = run_loop,                               \
                                                    .loop = &(const struct loop){__VA_ARGS__},     \
                                                    MORE}

LOOP(send_latency, "send-latency", "loop / M", MEANS_GAP, KIND_ANY, , .step = operation,
     .single = true);
LOOP(gap, "gap", "largest g_j", MEANS_GAP, KIND_ANY, .figures = FIGURES_RANKS, .step = operation,
     .times = TIMES_OF_EACH, .single = true);
LOOP(rounds, "rounds", "a round / P", MEANS_LOWER_BOUND, 0, .skipped = true, .step = a_round,
     .roots = ROUND_FORWARD);
LOOP(rounds_backward, "rounds-backward", "a round / P", MEANS_LOWER_BOUND, 0, .skipped = true,
     .step = a_round, .roots = ROUND_BACKWARD);
LOOP(rounds_random, "rounds-random", "a round / P", MEANS_LOWER_BOUND, 0, .skipped = true,
     .step = a_round, .roots = ROUND_RANDOM);
LOOP(barrier, "barrier", "one call and a barrier", MEANS_UPPER_BOUND, KIND_ANY, ,
     .step = operation_and_barrier, .synchronizes = true);
LOOP(ring_barrier, "ring-barrier", "one call and a barrier", MEANS_UPPER_BOUND, KIND_ANY, ,
     .step = operation_and_ring, .synchronizes = true);
LOOP(acknowledge, "acknowledge", "one call and P-1 acknowledgements", MEANS_UPPER_BOUND,
     KIND_FROM_ROOT, , .step = operation_and_acks, .synchronizes = true);
LOOP(osu, "osu", "mean over the ranks of their time in the call", MEANS_SUITE, KIND_ANY, ,
     .step = operation, .times = TIMES_MEAN, .single = true, .separate = true);
LOOP(osu_max, "osu-max", "longest of the ranks' mean times in the call", MEANS_SUITE, KIND_ANY, ,
     .step = operation, .times = TIMES_LARGEST, .single = true, .separate = true);
LOOP(imb, "imb", "time of the whole loop divided by its M operations, mean over the ranks",
     MEANS_SUITE, 0, , .step = operation, .times = TIMES_MEAN, .roots = ROOTS_IN_TURN,
     .single = true);
LOOP(imb_max, "imb-max",
     "time of the whole loop divided by its M operations, maximum over the ranks", MEANS_SUITE, 0, ,
     .step = operation, .times = TIMES_LARGEST, .roots = ROOTS_IN_TURN, .single = true);
LOOP(repro_barrier, "repro-barrier", "median of the longest time in the call of any rank",
     MEANS_SUITE, KIND_ANY, , .step = operation, .times = TIMES_LARGEST, .separate = true);

int run_gap_once(struct latency_run *r, double part)
{
    struct latency_result forgotten = {0};
    struct plan plan = run_plan_part(r, part);
    int known = r->gap > 0;
    plan.budget_most = 0;
    TRY(PMPI_Bcast(&known, 1, MPI_INT, 0, r->c->comm));
    if (!known)
        TRY(measure(r, latency_gap.loop, &plan, &forgotten));
    series_free(&forgotten.series);
    return MPI_SUCCESS;
}
