/* The overhead o_i, the processor time of the call on rank i: the rank enters so late that all
 * messages that it receives have arrived. */
#include "measure/latency/run.h"

#include <stdlib.h>

/* Element [I, J] of the matrix on rank 0: 1 if J leaves late when I enters late, else 0. */
static unsigned char *delay_of(const struct latency_run *r, int i, int j)
{
    unsigned char *delays = r->own;
    return &delays[(size_t)i * (size_t)r->size + (size_t)j];
}

/* A batch of operations that rank TO enters late, by the hold. Values: TO's times in the call. */
static int batch_delayed(void *arg, const struct batch *b, double *value, int *n)
{
    struct latency_run *r = arg;
    bool mine = r->rank == r->to;
    TRY(PMPI_Barrier(r->c->comm));
    for (int k = -1; k < b->repetitions; k++) {
        if (mine)
            clock_hold(b->hold);
        double start = clock_now();
        TRY(run_operation(r));
        if (mine && k >= 0)
            r->scratch[k] = clock_now() - start - r->clock_cost;
    }
    *n = b->repetitions;
    return values_to_rank_0(r, r->to, r->scratch, value, *n);
}

/* Finds the ranks that leave late because rank TO enters late: in all of three operations, since in
 * one of them a rank may have been late only because it was not scheduled. */
static int find_who_waits(struct latency_run *r)
{
    enum { ROUNDS = 3 };
    MPI_Comm comm = r->c->comm;
    unsigned char late = 1;
    double took, slowest, start = clock_now();
    TRY(run_operation(r));
    TRY(run_barrier(r));
    took = clock_now() - start;
    TRY(PMPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm));
    for (int k = 0; k < ROUNDS; k++) {
        TRY(run_barrier(r));
        start = clock_now();
        if (r->rank == r->to)
            clock_hold(4 * slowest);
        TRY(run_operation(r));
        late = late && clock_now() - start > 2 * slowest;
    }
    unsigned char *row = r->keeps ? delay_of(r, r->to, 0) : NULL;
    return PMPI_Gather(&late, 1, MPI_BYTE, row, 1, MPI_BYTE, 0, comm);
}

static int one(struct latency_run *r, struct plan plan)
{
    struct series s;
    struct curve curve;
    TRY(find_who_waits(r));
    TRY(series_settle(r->c->comm, &plan, r->gap, batch_delayed, r, &s, &curve));
    if (!r->keeps)
        return MPI_SUCCESS;
    figure_take(r, TIMED_OPERATION, &s);
    run_figure(r)->curve = curve;
    figure_set_value(r, samples_estimate(&s.samples), s.loop_mean);
    return MPI_SUCCESS;
}

/* Whether the time of rank I may contain a rendezvous: if I and J each wait for the other, one of
 * them is a sender that waits for its receiver. Unless all ranks were measured, that is unknown. */
static bool may_have_message(const struct latency_run *r, const struct latency_result *result,
                             int i)
{
    for (int j = 0; j < r->size; j++)
        if (j != i && *delay_of(r, i, j) && *delay_of(r, j, i))
            return true;
    return result->measured < result->asked;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    size_t n = (size_t)r->size;
    FREED unsigned char *delays = r->keeps ? calloc(n, n) : NULL;
    r->own = delays;
    TRY(sync_all_have(r->c->comm, delays || !r->keeps));
    TRY(run_gap_once(r, 0.1));
    TRY(run_pairs(r, true, one));
    for (int i = 0; r->keeps && i < r->size; i++)
        result->figure[i].has_message = may_have_message(r, result, i);
    return MPI_SUCCESS;
}

const struct latency_method latency_overhead = {
    .name = "overhead",
    .value = "largest o_i",
    .meaning = MEANS_OVERHEAD,
    /* Not for operations in which every rank waits for every other: even when the last rank enters,
     * messages to it have not arrived, since others send them only after they received its own. */
    .kinds = KIND_FROM_ROOT | 1u << COLLECTIVE_TO_ROOT | 1u << COLLECTIVE_PREFIX,
    .figures = FIGURES_RANKS,
    .weight = 4,
    .run = run,
};
