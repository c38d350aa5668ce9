/* o_i: every other rank has gone ahead while i was held, so that all it receives is there. */
#include "measure/bcast/bcast_inner.h"
#include "measure/ping.h"

#include <math.h>
#include <stdlib.h>

/* Timed at i, kept by the root. */
static int batch_delayed(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    MPI_Comm comm = r->c->comm;
    double *in_call = r->scratch;
    bool mine = r->rank == r->destination;
    TRY(PMPI_Barrier(comm));
    for (int k = -1; k < b->repetitions; k++) {
        if (mine)
            clock_hold(b->hold);
        double start = clock_now();
        TRY(run_operation(r));
        if (mine && k >= 0)
            in_call[k] = clock_now() - start - r->clock_cost;
    }
    *n = b->repetitions;
    return values_to_keeper(comm, r->destination, r->c->root, in_call, value, *n, loop);
}

/* Whose exit from a broadcast is late if the destination comes late, into its row of r->delays on
 * the root: of several, since a rank may have lost its processor in one. */
static int look_who_waits(struct bcast_run *r)
{
    enum { LOOKS = 3 };
    MPI_Comm comm = r->c->comm;
    unsigned char late = 1;
    double took, slowest, start = clock_now();
    TRY(run_operation(r));
    TRY(run_barrier(r));
    took = clock_now() - start;
    TRY(PMPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm));
    for (int k = 0; k < LOOKS; k++) {
        TRY(run_barrier(r));
        start = clock_now();
        if (r->rank == r->destination)
            clock_hold(4 * slowest);
        TRY(run_operation(r));
        late = late && clock_now() - start > 2 * slowest;
    }
    unsigned char *row = r->roots ? &r->delays[(size_t)r->destination * (size_t)r->size] : NULL;
    return PMPI_Gather(&late, 1, MPI_BYTE, row, 1, MPI_BYTE, r->c->root, comm);
}

static int one(struct bcast_run *r, double share)
{
    struct series s;
    struct curve curve;
    TRY(look_who_waits(r));
    TRY(series_settle(r->c->comm, r->c->root, &r->c->plan, share, r->gap, batch_delayed, r, &s,
                      &curve));
    if (!r->roots)
        return MPI_SUCCESS;
    figure_take(r, TIMED_OPERATION, &s);
    run_figure(r)->curve = curve;
    figure_value(r, series_estimate(&s), s.loop_mean);
    return MPI_SUCCESS;
}

/* Two that wait for each other: one of them has sent, and was waiting for its receiver. */
static enum bcast_part part_of(const struct bcast_run *r, const struct bcast_result *result, int i)
{
    size_t n = (size_t)r->size, at = (size_t)i;
    for (size_t j = 0; j < n; j++)
        if (j != at && r->delays[at * n + j] && r->delays[j * n + at])
            return PART_OF_WAY;
    return result->measured < result->asked ? PART_UNKNOWN : PART_OWN;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    size_t n = (size_t)r->size;
    r->delays = r->roots ? calloc(n, n) : NULL;
    int error = crew_agree(r->c->comm, r->delays || !r->roots);
    if (error == MPI_SUCCESS)
        error = run_gap_once(r, run_part(r, 0.1));
    if (error == MPI_SUCCESS)
        error = run_each(r, result, true, one);
    for (int i = 0; error == MPI_SUCCESS && r->roots && i < r->size; i++)
        result->figure[i].part = part_of(r, result, i);
    free(r->delays);
    r->delays = NULL;
    return error;
}

static const char *part_text(const struct bcast_figure *f)
{
    static const char *const texts[] = {
        [PART_OWN] = "its own", [PART_OF_WAY] = "with the way", [PART_UNKNOWN] = "unknown"};
    return isnan(f->value.value) ? NULL : texts[f->part];
}

static const struct bcast_column columns[] = {
    {"overhead", "o_i: the processor's own time", figure_seconds, NULL, NULL},
    {"overhead_is", "of the message's way: its sender waits for the receiver", NULL, part_text,
     NULL},
    {0},
};

const struct bcast_method bcast_overhead = {
    .name = "overhead",
    .summary = "per task i: its entry delayed until everything it waits for is there",
    .reality = "the overhead (o_i): the processor's own part; with the message's way where the row "
               "says so",
    .value = "largest o_i",
    .meaning = BCAST_OVERHEAD,
    /* Not where each waits for each: nobody then finds all there. */
    .others = BCAST_FROM_ROOT | 1u << COLLECTIVE_TO_ROOT | 1u << COLLECTIVE_PREFIX,
    .columns = columns,
    .weight = 4,
    .run = run,
};
