#include "tune/tuner.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/try.h"
#include "sync/harmonize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A round measures one block of operations for each candidate: PILOT operations in the first round,
 * then OPERATIONS, or fewer so that by the longest blocks ROUNDS_WANTED fit into the budget.
 * Fewer than ROUNDS_LEAST rounds give no interval. */
enum { PILOT = 2, OPERATIONS = 10, ROUNDS_LEAST = 6, ROUNDS_WANTED = 9, ROUNDS_MAX = 40 };

/* --- the judgement, at rank 0 --- */

/* Fills the times and ratios of OUT. SEEN: the number of blocks of each candidate. */
static void estimate_all(const double *time, int n, struct tuned *out, int seen[ALGORITHMS_MAX])
{
    double times[ROUNDS_MAX], ratios[ROUNDS_MAX];
    for (int k = 0; k < out->n; k++) {
        seen[k] = 0;
        for (int r = 0; r < n; r++) {
            const double *row = &time[r * ALGORITHMS_MAX];
            if (isnan(row[k]) || isnan(row[0]))
                continue;
            times[seen[k]] = row[k];
            ratios[seen[k]++] = row[k] / row[0];
        }
        out->time[k] = stats_estimate(times, (size_t)seen[k], ROUNDS_LEAST);
        out->ratio[k] = stats_estimate(ratios, (size_t)seen[k], ROUNDS_LEAST);
    }
}

bool tuner_judge(const double *time, int n, bool *alive, struct tuned *out)
{
    /* Before there are intervals: drops what takes FAR times as long, after FAR_BLOCKS blocks. */
    enum { FAR = 2, FAR_BLOCKS = 3 };
    /* The least of the library's algorithms: a broadcast of collprof must not exclude them. */
    double least = 1, middle = 1;
    bool open = n < ROUNDS_LEAST;
    int seen[ALGORITHMS_MAX];
    estimate_all(time, n, out, seen);
    out->best = 0;
    for (int k = 1; k < out->n; k++)
        if (alive[k] && !algorithm_is_ours(&out->candidate[k])) {
            least = fmin(least, out->ratio[k].high);
            if (seen[k] >= FAR_BLOCKS)
                middle = fmin(middle, out->ratio[k].value);
        }
    for (int k = 1; k < out->n; k++) {
        const struct estimate *ratio = &out->ratio[k];
        alive[k] = alive[k] && !(ratio->low > least) &&
                   !(seen[k] >= FAR_BLOCKS && ratio->value > FAR * middle);
        if (algorithm_is_ours(&out->candidate[k]))
            continue;
        if (alive[k] && ratio->high < 1 && ratio->value < 1 - TUNED_TIE &&
            (out->best == 0 || ratio->value < out->ratio[out->best].value))
            out->best = k;
    }
    /* Undecided while another candidate may be faster than the best one by more than TUNED_TIE. */
    double most = out->best ? out->ratio[out->best].high : 1;
    for (int k = 1; k < out->n; k++)
        open |= alive[k] && k != out->best && !algorithm_is_ours(&out->candidate[k]) &&
                out->ratio[k].low < most - TUNED_TIE;
    return open;
}

/* --- the measurement --- */

struct state {
    const struct tuning *t;
    struct tuned *out;
    MPI_Comm comm[ALGORITHMS_MAX]; /* of each candidate */
    bool collects;                 /* this is rank 0 */
    /* What rank 0 broadcasts after a round. */
    struct {
        bool alive[ALGORITHMS_MAX];
        int operations; /* of each block in the next round; 0: that was the last one */
    } next;
    struct harmony start;
    /* Of rank 0: results by round; clock_now() at the end; and seconds that an operation takes in
     * the longest block of each candidate, the messages between operations included. */
    double time[ROUNDS_MAX * ALGORITHMS_MAX], end, each[ALGORITHMS_MAX];
};

/* What is left of the budget, on rank 0. */
static double time_left(const struct state *s)
{
    return s->end - clock_now();
}

/* From now on the operation is made by candidate K on its communicator; with K OWN by the library's
 * choice on the case's. False: the library refuses it. */
enum { OWN = -1 };
static bool use(const struct state *s, int k, bool strict)
{
    const struct tuning *t = s->t;
    const struct algorithm *a = k > 0 ? &s->out->candidate[k] : NULL;
    const struct bcast *tree = a && algorithm_is_ours(a) ? bcasts[-2 - a->number] : NULL;
    *t->comm = k == OWN ? t->c.comm : s->comm[k];
    if (t->run)
        *t->run = k == OWN || tree ? NULL : t->library->run;
    if (t->tree)
        *t->tree = tree;
    return t->library->choose(t->operation, tree ? NULL : a, strict);
}

/* Whether all ranks make the operation by candidate K without an error and with right data, and, if
 * it is not the library's choice, so fast that its blocks fit into the budget, at least the second
 * time. */
static int is_right(struct state *s, int k, bool *right)
{
    const struct latency_case *c = &s->t->c;
    const double most = k > 0 ? s->t->budget / (ROUNDS_LEAST * PILOT) : INFINITY;
    double mine[2], worst[2]; /* an error, seconds */
    int wrong = 0, tries = 0;
    do {
        bool good = use(s, k, true);
        double start = clock_now();
        good &= c->run(c->arg, c->root) == MPI_SUCCESS; /* even if refused: others make it */
        mine[0] = !good;
        mine[1] = clock_now() - start;
        use(s, OWN, false);
        TRY(PMPI_Allreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, c->comm));
    } while (++tries < 2 && worst[0] == 0 && worst[1] > most);
    const bool fails = worst[0] > 0 || worst[1] > most;
    s->each[k] += worst[1];
    if (!fails && c->check) {
        use(s, k, false);
        int error = c->check(c->arg, &wrong);
        use(s, OWN, false);
        TRY(error);
    }
    *right = !fails && wrong == 0;
    return MPI_SUCCESS;
}

/* Makes candidate K's communicator, and tests whether the candidate is possible. LONGEST: seconds
 * that this took for another one, on rank 0. */
static int open_one(struct state *s, int k, double longest)
{
    int good = use(s, k, false) && (!s->collects || time_left(s) > longest), all = 0;
    use(s, OWN, false); /* ranks that refuse it agree on that with the others */
    TRY(PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, s->t->c.comm));
    if (!all)
        return MPI_SUCCESS;
    use(s, k, false);
    bool made = PMPI_Comm_dup(s->t->c.comm, &s->comm[k]) == MPI_SUCCESS;
    use(s, OWN, false);
    if (!made)
        s->comm[k] = MPI_COMM_NULL;
    if (sync_all_have(s->t->c.comm, made) != MPI_SUCCESS)
        return MPI_SUCCESS;
    return is_right(s, k, &s->next.alive[k]);
}

/* A first estimate of EACH: a block has about four messages of the start for each operation. */
static int harmony_open(struct state *s)
{
    const double start = clock_now();
    TRY(harmonize_open(&s->start, s->t->c.clock, s->t->c.comm));
    for (int k = 0; k < s->out->n; k++)
        s->each[k] = 4 * (clock_now() - start - s->start.took) / HARMONY_TRIES;
    return MPI_SUCCESS;
}

static int open_all(struct state *s)
{
    double longest = -INFINITY;
    for (int k = 0; k < s->out->n; k++) {
        const double start = clock_now();
        TRY(open_one(s, k, longest));
        longest = fmax(longest, clock_now() - start);
        if (!s->next.alive[0])
            return MPI_ERR_OTHER;
    }
    return MPI_SUCCESS;
}

static int measure_block(struct state *s, int k, double *time)
{
    struct latency_outcome outcome;
    struct latency_case c = s->t->c;
    c.check = NULL;
    c.together = true;
    c.plan = plan_default();
    c.plan.stop = STOP_FIXED;
    c.plan.repetitions = s->next.operations;
    c.plan.warmup = 1;
    c.start = &s->start;
    use(s, k, false);
    int error = latency_measure_direct(&c, &outcome);
    use(s, OWN, false);
    if (!error && s->collects)
        *time = outcome.result[0].value.value;
    latency_outcome_free(&outcome);
    return error;
}

/* Each round begins with another candidate, so that none is always the first. Each block begins
 * with an operation of warm-up. */
static int measure_round(struct state *s, int round)
{
    double *row = &s->time[round * ALGORITHMS_MAX];
    for (int i = 0; i < ALGORITHMS_MAX; i++)
        row[i] = NAN;
    for (int i = 0; i < s->out->n; i++) {
        const int k = (i + round) % s->out->n;
        if (!s->next.alive[k])
            continue;
        const double start = clock_now();
        TRY(measure_block(s, k, &row[k]));
        const double each = (clock_now() - start) / (s->next.operations + 1);
        s->each[k] = round ? fmax(s->each[k], each) : each;
    }
    return MPI_SUCCESS;
}

/* The operations of a block in the round after N rounds; 0: there is no time for a round. */
static int operations_next(const struct state *s, int n)
{
    double one = 0;
    for (int k = 0; k < s->out->n; k++)
        one += s->next.alive[k] ? s->each[k] : 0;
    const double fit = time_left(s) / fmax(ROUNDS_WANTED - n, 1) / one - 1;
    return time_left(s) < 2 * one ? 0 : (int)fmax(1, fmin(fit, n ? OPERATIONS : PILOT));
}

/* If there is no time for a round, only the library's choice is measured. */
static int measure_rounds(struct state *s)
{
    bool more = true;
    if (operations_next(s, 0) == 0)
        memset(s->next.alive + 1, false, sizeof s->next.alive - sizeof *s->next.alive);
    for (int round = 0;; round++) {
        s->next.operations = more && round < ROUNDS_MAX ? operations_next(s, round) : 0;
        TRY(PMPI_Bcast(&s->next, sizeof s->next, MPI_BYTE, 0, s->t->c.comm));
        if (s->next.operations == 0)
            return MPI_SUCCESS;
        TRY(measure_round(s, round));
        more = tuner_judge(s->time, round + 1, s->next.alive, s->out);
    }
}

static void list_trees(struct tuned *out)
{
    for (size_t i = 0; i < n_bcasts && out->n < ALGORITHMS_MAX; i++) {
        if (!bcasts[i]->run || !bcasts[i]->build)
            continue; /* it needs latencies, or is slow and only for comparisons */
        struct algorithm *a = &out->candidate[out->n++];
        snprintf(a->name, sizeof a->name, ALGORITHM_OURS "%s", bcasts[i]->name);
        a->number = -2 - (int)i;
    }
}

void tuner_list(const struct tuning *t, int ranks, struct tuned *out)
{
    *out = (struct tuned){.operation = t->operation, .ranks = ranks, .bytes = t->bytes};
    text_copy(out->candidate[0].name, sizeof out->candidate->name, "default");
    out->candidate[0].number = -1;
    out->n = 1 + t->library->list(t->operation, t->bytes, out->candidate + 1, ALGORITHMS_MAX - 1);
    if (t->tree && !strcmp(t->operation->stem, "bcast"))
        list_trees(out);
    for (int k = 0; k < ALGORITHMS_MAX; k++)
        out->time[k] = out->ratio[k] = ESTIMATE_UNKNOWN;
}

int tuner_measure(const struct tuning *t, struct tuned *out)
{
    int rank, size;
    TRY(PMPI_Comm_rank(t->c.comm, &rank));
    TRY(PMPI_Comm_size(t->c.comm, &size));
    tuner_list(t, size, out);
    /* Settings of the library may differ between hosts. */
    const uint64_t hash =
        hash_bytes(HASH_START, out->candidate, (size_t)out->n * sizeof *out->candidate);
    uint64_t mine[] = {hash, ~hash}, least[2];
    TRY(PMPI_Allreduce(mine, least, 2, MPI_UINT64_T, MPI_MIN, t->c.comm));
    if (least[0] != ~least[1])
        out->n = 1;
    if (out->n == 1)
        return MPI_SUCCESS;
    struct state *s = calloc(1, sizeof *s);
    int error = sync_all_have(t->c.comm, s != NULL);
    if (s) {
        s->t = t;
        s->out = out;
        s->collects = rank == 0;
        s->end = clock_now() + t->budget;
        for (int k = 0; k < ALGORITHMS_MAX; k++)
            s->comm[k] = MPI_COMM_NULL;
    }
    error = error ?: harmony_open(s) ?: open_all(s) ?: measure_rounds(s);
    for (int k = 0; s && k < out->n; k++)
        if (s->comm[k] != MPI_COMM_NULL)
            PMPI_Comm_free(&s->comm[k]);
    free(s);
    return error;
}
