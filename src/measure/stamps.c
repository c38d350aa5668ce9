#include "measure/stamps.h"

#include "base/clock.h"
#include "base/try.h"
#include "measure/crew.h"

#include <math.h>
#include <stdlib.h>

static const double slack_most = 0.1;

/* Another point of the clocks. */
static int check_clocks(struct stamps *s)
{
    double apart, start = clock_now();
    TRY(sync_check(s->clock, s->comm, &apart));
    s->measured = clock_now();
    s->took = s->measured - start;
    s->apart = fmax(s->apart, apart);
    return MPI_SUCCESS;
}

static bool can_follow(const struct stamps *s)
{
    return s->clock && s->clock->comm == s->comm && s->clock->domains > 1;
}

int stamps_open(struct stamps *s, const struct plan *plan)
{
    TRY(PMPI_Comm_rank(s->comm, &s->rank));
    TRY(PMPI_Comm_size(s->comm, &s->size));
    bool keeps = s->rank == s->keeper;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    s->mine = malloc((most + 1) * sizeof *s->mine);
    s->all = keeps ? malloc((most + 1) * (size_t)s->size * sizeof *s->all) : NULL;
    TRY(crew_agree(s->comm, s->mine && (s->all || !keeps)));
    if (can_follow(s))
        TRY(check_clocks(s));
    s->apart = 0; /* of what was before */
    return MPI_SUCCESS;
}

void stamps_close(struct stamps *s)
{
    free(s->mine);
    free(s->all);
    s->mine = s->all = NULL;
}

static double stamp_now(const struct stamps *s)
{
    return s->clock ? sync_now(s->clock) : clock_now();
}

/* Between the first exit and the last, in the median operation. */
static double exits_apart(const struct stamps *s)
{
    struct samples apart = {0};
    for (int k = 0; k < s->repetitions; k++) {
        double first = INFINITY, last = -INFINITY;
        for (int i = 0; i < s->size; i++) {
            first = fmin(first, stamp_of(s, i, k)->exit);
            last = fmax(last, stamp_of(s, i, k)->exit);
        }
        samples_add(&apart, last - first);
    }
    double median = apart.n ? stats_median(apart.value, apart.n) : 0;
    samples_free(&apart);
    return median;
}

int stamps_take(struct stamps *s, int repetitions)
{
    enum { DOUBLES = sizeof(struct stamp) / sizeof(double) };
    int n = DOUBLES * repetitions;
    s->repetitions = repetitions;
    double told[2] = {s->silence, can_follow(s) && clock_now() - s->measured > 4 * s->took};
    TRY(PMPI_Bcast(told, 2, MPI_DOUBLE, s->keeper, s->comm));
    s->silence = told[0];
    if (told[1] > 0)
        TRY(check_clocks(s));
    for (int k = 0; k < repetitions; k++) {
        bool late = false;
        TRY(s->start(s, &late));
        s->mine[k].late = late;
        s->mine[k].entry = stamp_now(s);
        TRY(s->operation(s->arg));
        s->mine[k].exit = stamp_now(s);
        clock_hold(s->silence);
    }
    TRY(PMPI_Gather(s->mine, n, MPI_DOUBLE, s->all, n, MPI_DOUBLE, s->keeper, s->comm));
    if (s->rank == s->keeper)
        s->silence = 1.25 * exits_apart(s) + 1e-6;
    return MPI_SUCCESS;
}

void stamps_count(struct stamps *s, bool first, int good, double late)
{
    int dropped = s->repetitions - good;
    s->dropped = (first ? 0 : s->dropped) + dropped;
    if (dropped > 0)
        s->slack = fmin(2 * (s->slack + late), slack_most);
}

int stamps_bound(struct stamps *s, double *bound)
{
    if (s->clock)
        TRY(check_clocks(s));
    *bound = s->apart;
    return MPI_SUCCESS;
}
