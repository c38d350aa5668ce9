#include "sync/harmonize.h"

#include "base/clock.h"
#include "base/try.h"

#include <math.h>

static const double slack_least = 5e-6, slack_most = 0.1;

static struct sync_clock same_clock = {.domains = 1};

static int measure_again(struct harmony *h)
{
    double apart, start = clock_now();
    TRY(sync_check(h->clock, h->comm, h->from, &apart));
    h->apart = fmax(h->apart, apart);
    h->measured = clock_now();
    h->took = h->measured - start;
    return MPI_SUCCESS;
}

/* The slack, from announcement to start, begins as twice the slowest announcement and may shrink to
 * twice the fastest: on a busy machine the slowest may have waited for a processor. */
int harmonize_open(struct harmony *h, struct sync_clock *clock, MPI_Comm comm)
{
    double mine[2] = {INFINITY, 0}, all[2]; /* fastest, slowest */
    clock = clock ? clock : &same_clock;
    *h = (struct harmony){.clock = clock, .comm = comm, .follows = clock->comm == comm, .from = -1};
    if (h->follows)
        TRY(measure_again(h));
    h->apart = 0; /* only differences of the clocks from now on matter */
    for (int i = 0; i < HARMONY_TRIES; i++) {
        TRY(PMPI_Barrier(comm));
        double announced = sync_now(clock);
        TRY(PMPI_Bcast(&announced, 1, MPI_DOUBLE, 0, comm));
        const double took = sync_now(clock) - announced;
        mine[0] = fmin(mine[0], took);
        mine[1] = fmax(mine[1], took);
    }
    TRY(PMPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, comm));
    h->least = fmax(2 * (all[0] + clock->worst_bound), slack_least);
    h->slack = fmax(2 * (all[1] + clock->worst_bound), slack_least);
    return MPI_SUCCESS;
}

/* Spends up to a fifth of the time on re-measuring the clock: its error bound grows in between. */
static bool is_due(const struct harmony *h)
{
    return h->follows && clock_now() - h->measured > 4 * h->took;
}

int harmonize(struct harmony *h)
{
    int mine[2] = {h->late, is_due(h)}, all[2];
    /* Waits for all ranks: the announced moment must not pass before the last one has arrived. */
    TRY(PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, h->comm));
    if (all[1])
        TRY(measure_again(h));
    h->slack = all[0] ? fmin(2 * h->slack, slack_most) : fmax(0.98 * h->slack, h->least);
    h->begin = sync_now(h->clock) + h->slack;
    TRY(PMPI_Bcast(&h->begin, 1, MPI_DOUBLE, 0, h->comm));
    h->late = !sync_wait(h->clock, h->begin);
    return MPI_SUCCESS;
}
