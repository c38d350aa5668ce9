#include "measure/overlap/overlap.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/series.h"
#include "sync/sync.h"

#include <math.h>
#include <string.h>

enum {
    WARMUP = 3,       /* untimed rounds before a cell's rounds */
    BASE_WARMUP = 24, /* untimed rounds before the base round */
    BASE_RUNS = 51,   /* least number of base rounds: many, since every ratio depends on them */
    BATCH = 5         /* runs between two checks of the budget */
};

/* Denis and Trahay, III-D: blocks of 32 bytes at a stride of 64. */
enum { BLOCK = 32, STRIDE = 64 };

static double half_interval(const struct summary *s)
{
    return s->n ? (s->median_high - s->median_low) / 2 : 0;
}

/* Writes to all pages: unwritten pages all map to one page of zeros, which stays in the cache, so
 * that large messages would take only half as long as usual. */
static unsigned char *new_buffer(size_t bytes)
{
    unsigned char *buffer = malloc(bytes);
    return buffer ? memset(buffer, 1, bytes) : NULL;
}

void overlap_close(struct overlap_stage *stage)
{
    free(stage->send);
    free(stage->recv);
    free(stage->latency);
}

/* Contiguous bytes, or the paper's vector: only whole blocks, the remainder is not sent. */
static void set_type(struct overlap_side *s, size_t bytes)
{
    if (s->benchmark->vector && bytes >= BLOCK) {
        PMPI_Type_vector((int)(bytes / BLOCK), BLOCK, STRIDE, MPI_CHAR, &s->type);
        PMPI_Type_commit(&s->type);
        s->count = 1;
    } else {
        s->type = MPI_BYTE;
        s->count = (int)bytes;
    }
}

static void close_side(struct overlap_side *s)
{
    if (s->computing)
        work_threads_stop(s->computing);
    if (s->type != MPI_BYTE)
        PMPI_Type_free(&s->type);
}

/* False on all ranks if any of them cannot start its threads. Call close_side() even then. */
static bool open_side(struct overlap_side *s, const struct overlap_benchmark *b,
                      const struct overlap_stage *stage, size_t bytes, int threads)
{
    *s = (struct overlap_side){
        .benchmark = b, .stage = stage, .first = 1, .clock_cost = clock_cost()};
    set_type(s, bytes);
    s->computing = b->by_threads ? work_threads_start(threads) : NULL;
    return sync_all_have(stage->comm, !b->by_threads || s->computing) == MPI_SUCCESS;
}

/* Times of the runs of a cell, in seconds; only rank 0 has all of them. */
enum { MEASURED, PUBLISHED, LATE, COMM, COMP, N_TIMES };
struct runs {
    struct overlap_side *side;
    const struct work *work; /* computation; NULL: none, so no T_comm and T_comp */
    struct samples of[N_TIMES];
    int n;
};

static void free_runs(struct runs *r)
{
    for (int k = 0; k < N_TIMES; k++)
        samples_free(&r->of[k]);
}

static void work_alone(struct runs *r)
{
    if (r->side->stage->rank == 0)
        samples_add(&r->of[COMP], work_time(r->work));
}

static void one_run(struct runs *r)
{
    if (r->work) {
        work_alone(r);
        samples_add(&r->of[COMM], overlap_play(r->side, NULL).measured);
        work_alone(r);
    }
    struct overlap_round round = overlap_play(r->side, r->work);
    samples_add(&r->of[MEASURED], round.measured);
    samples_add(&r->of[PUBLISHED], round.published);
    samples_add(&r->of[LATE], round.late);
    r->n++;
}

/* Broadcasts rank 0's VALUE and returns it. */
static bool of_rank_0(const struct overlap_side *s, bool value)
{
    int same = value;
    PMPI_Bcast(&same, 1, MPI_INT, 0, s->stage->comm);
    return same;
}

/* Plays rounds until ROUNDS of them cause no page fault, for at most WARM_SECONDS: the first
 * message through a page of the library's shared memory takes three times as long as later
 * messages, and there are hundreds of such pages. */
#define WARM_SECONDS 0.05
static void warm_up(const struct runs *r, int rounds)
{
    double until = clock_now() + WARM_SECONDS;
    for (int cold = 1; cold; cold = cold && of_rank_0(r->side, clock_now() < until)) {
        long before = work_page_faults();
        for (int i = 0; i < rounds; i++)
            overlap_play(r->side, r->work);
        cold = work_page_faults() > before;
        PMPI_Allreduce(MPI_IN_PLACE, &cold, 1, MPI_INT, MPI_MAX, r->side->stage->comm);
    }
}

/* Makes MOST runs, fewer if rank 0's BUDGET (seconds) is spent, but at least BATCH. */
static void all_runs(struct runs *r, int warmup, int most, double budget)
{
    double until = clock_now() + (budget > 0 ? budget : INFINITY);
    warm_up(r, warmup);
    while (r->n < most && (r->n == 0 || of_rank_0(r->side, clock_now() < until)))
        for (int i = 0; i < BATCH && r->n < most; i++)
            one_run(r);
}

/* --- the results of a cell --- */

/* The time of a round of B between ranks 0 and TO, from at most MOST runs. */
static struct summary base_time(const struct overlap_benchmark *b,
                                const struct overlap_stage *stage, size_t bytes, int to, int most)
{
    struct overlap_side s RELEASED(close_side) = {.type = MPI_BYTE};
    struct runs r RELEASED(free_runs) = {.side = &s};
    if (!open_side(&s, b, stage, bytes, 0))
        return samples_summary(&r.of[MEASURED]);
    s.first = to;
    all_runs(&r, BASE_WARMUP, most, stage->budget);
    return samples_summary(&r.of[MEASURED]);
}

struct overlap_base overlap_base_measure(struct overlap_stage *stage, size_t bytes)
{
    struct overlap_base base = {.bytes = bytes};
    int most = stage->runs > BASE_RUNS ? stage->runs : BASE_RUNS;
    for (int k = 0; k < N_BASES; k++)
        base.time[k] = k == BASE_VECTOR && bytes < BLOCK
                           ? NAN
                           : base_time(&overlap_bases[k], stage, bytes, 1, most).median;
    return base;
}

bool overlap_open(struct overlap_stage *stage)
{
    size_t room = 2 * stage->largest + STRIDE;
    PMPI_Comm_rank(stage->comm, &stage->rank);
    PMPI_Comm_size(stage->comm, &stage->size);
    stage->send = new_buffer(room);
    stage->recv = new_buffer(room);
    stage->latency = calloc((size_t)stage->size, sizeof *stage->latency);
    if (sync_all_have(stage->comm, stage->send && stage->recv && stage->latency) != MPI_SUCCESS) {
        overlap_close(stage);
        return false;
    }
    for (int to = 1; to < stage->size && to <= OVERLAP_MESSAGES; to++) {
        const struct overlap_benchmark *b = &overlap_bases[BASE_CONTIGUOUS];
        /* The lower of two medians: at first both ranks may be scheduled on one processor. */
        struct summary s = base_time(b, stage, 0, to, BASE_RUNS),
                       again = base_time(b, stage, 0, to, BASE_RUNS);
        if (again.median < s.median)
            s = again;
        stage->latency[to] = s.median;
        if (to == 1)
            stage->latency_error = half_interval(&s);
    }
    return true;
}

/* Computes CELL's results. Computation before the message could start cannot overlap, so its
 * seconds (LATE, below) do not count as computation. */
static void judge(const struct runs *r, const struct overlap_stage *stage,
                  const struct overlap_base *base, struct overlap_cell *cell)
{
    const struct overlap_benchmark *b = r->side->benchmark;
    struct summary m = samples_summary(&r->of[MEASURED]), comm = samples_summary(&r->of[COMM]),
                   comp = samples_summary(&r->of[COMP]);
    double late = samples_summary(&r->of[LATE]).median;
    cell->runs = r->n;
    cell->t_measured = m.median;
    cell->published = samples_summary(&r->of[PUBLISHED]).median;
    if (b->by_threads) {
        cell->t_comm = base->time[b->base];
        cell->ratio = m.median / cell->t_comm;
        cell->error = half_interval(&m) / cell->t_comm;
        return;
    }
    if (comm.median <= 0) /* the latency subtracted was too large: measured while CPUs were busy */
        return;
    cell->t_comm = comm.median;
    cell->t_comp = comp.median;
    cell->ratio = overlap_ratio(m.median, comm.median, comp.median - late);
    if (b->base != BASE_NONE)
        cell->published_ratio = overlap_ratio(cell->published, base->time[b->base], comp.median);
    double shorter = fmin(comm.median, comp.median - late);
    double known = hypot(half_interval(&comm), half_interval(&comp));
    known = hypot(known, late > 0 ? stage->latency_error : 0);
    cell->error = shorter > 0 ? hypot(half_interval(&m), known) / shorter : NAN;
}

bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage,
                     const struct overlap_base *base, const struct work *work, int threads,
                     struct overlap_cell *cell)
{
    struct overlap_side s RELEASED(close_side) = {.type = MPI_BYTE};
    struct runs r RELEASED(free_runs) = {.side = &s, .work = work};
    *cell = (struct overlap_cell){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (!open_side(&s, b, stage, base->bytes, threads))
        return false;
    all_runs(&r, WARMUP, stage->runs, stage->budget);
    if (stage->rank == 0)
        judge(&r, stage, base, cell);
    return true;
}
