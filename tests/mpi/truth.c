/* Held OL_i against the clock that two ranks on one host share, 8 bytes to 1 MiB, and the paper's
 * estimate beside it. Protects that "held" has no bias: for the very operations that it is
 * computed from, exit minus entry is seen directly, so that neither other load nor a change of
 * the processor's clock between two measurements counts. Allowed are 5 % or 100 ns, whichever is
 * more, for the median of several cases; a noisy machine gets several tries.
 *
 * Needs two processors: with fewer the ranks wait for each other's time slice. Status 77 then. */
#include "base/clock.h"
#include "measure/latency/broadcast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 5, TRIES = 4, LARGEST = 1 << 20 };

static double limit(double truth)
{
    return fmax(0.05 * truth, 100e-9);
}

/* One case; on rank 0 sets what was held, and what was seen in the same operations. */
static bool measure(char *buffer, int bytes, double *held, double *seen, double *direct)
{
    const struct latency_method *methods[] = {latency_method_find("held"),
                                              latency_method_find("direct")};
    struct broadcast b = {.bcast = bcast_find("native"),
                          .buffer = buffer,
                          .count = bytes,
                          .type = MPI_BYTE,
                          .comm = MPI_COMM_WORLD};
    struct latency_case c = broadcast_case(&b);
    struct latency_outcome o;
    c.plan = plan_default();
    c.plan.budget = 0.15;
    bool right = latency_measure(&c, methods, 2, &o) == MPI_SUCCESS && o.wrong_ranks == 0;
    if (o.size > 0) {
        const struct latency_figure *f = latency_figure_of(&o, "held", 1);
        *held = f->curve.point[f->curve.n - 1].at.value;
        *seen = f->timed[TIMED_SEEN].at.value;
        *direct = latency_figure_of(&o, "direct", 1)->value.value;
    }
    latency_outcome_free(&o);
    return right;
}

static int try_size(char *buffer, int bytes, int rank)
{
    double bias[CASES], held = 0, seen = 0, direct = 0;
    int good = 1;
    for (int k = 0; k < CASES; k++) {
        good &= measure(buffer, bytes, &held, &seen, &direct);
        bias[k] = (held - seen) / limit(seen);
    }
    double middle = stats_median(bias, CASES);
    good &= fabs(middle) <= 1;
    if (rank == 0)
        printf("%8d bytes: held %9.3f us, seen %9.3f us, direct from a quiet start %9.3f us, "
               "median bias %+6.1f %% of what is allowed%s\n",
               bytes, 1e6 * held, 1e6 * seen, 1e6 * direct, 100 * middle, good ? "" : "  (again)");
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 64, 512, 4096, 32768, 262144, LARGEST};
    int rank, size, failures = 0;
    MPI_Init(&argc, &argv);
    clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        MPI_Finalize();
        return 77;
    }
    char *buffer = malloc(LARGEST);
    memset(buffer, 1, LARGEST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int good = 0;
        for (int k = 0; k < TRIES && !good; k++)
            good = try_size(buffer, sizes[i], rank);
        failures += !good;
    }
    free(buffer);
    MPI_Finalize();
    return failures ? 1 : 0;
}
