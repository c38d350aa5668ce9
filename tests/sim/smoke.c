/* The bench floor under the simulator: options, the header, and that the clock is the simulated
 * one: a hold lasts exactly what it should, and a message what the platform says. */
#include "base/clock.h"
#include "bench.h"

#include <math.h>

/* Rank 0 sends, rank 1 answers after a hold: both ways, in seconds. */
static double round_trip(const struct bench *b, double hold)
{
    char byte = 0;
    double start = clock_now();
    if (b->rank == 0) {
        MPI_Send(&byte, 1, MPI_CHAR, b->size - 1, 0, b->comm);
        MPI_Recv(&byte, 1, MPI_CHAR, b->size - 1, 0, b->comm, MPI_STATUS_IGNORE);
    } else if (b->rank == b->size - 1) {
        MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, b->comm, MPI_STATUS_IGNORE);
        clock_hold(hold);
        MPI_Send(&byte, 1, MPI_CHAR, 0, 0, b->comm);
    }
    return clock_now() - start;
}

int main(int argc, char **argv)
{
    static const struct column columns[] = {{"hold", "us", COLUMN_REAL, 2, NULL},
                                            {"round_trip", "us", COLUMN_REAL, 2, NULL}};
    static const struct option_program program = {.does = "Times round trips, one with a hold."};
    struct bench b = {0};
    bench_begin(&b, &argc, &argv, MPI_THREAD_SINGLE, &program);
    struct document *d = bench_document(&b, "smoke/1");
    struct table *t = d ? document_table(d, "times", NULL, columns, 2) : NULL;
    round_trip(&b, 0); /* until both are there */
    double bare = round_trip(&b, 0), held = round_trip(&b, 1.23456e-3);
    if (d) {
        table_real(t, 0);
        table_real(t, 1e6 * bare);
        table_real(t, 1234.56);
        table_real(t, 1e6 * held);
    }
    bool right = fabs(held - bare - 1.23456e-3) < 1e-7;
    bench_finish(&b, d, b.rank == 0 && !right ? 3 : 0);
}
