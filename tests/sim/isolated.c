/* What the methods are held against: one broadcast, alone in a network that has been silent for a
 * second, every rank inside before the root; the last exit minus the root's entry, on the
 * simulator's one clock. Who is out waits a second before it sends anything else: its messages
 * would delay those of the broadcast that are still under way.
 *
 * usage: isolated ALGORITHM BYTES ROOT */
#include "base/clock.h"
#include "sync/local_clock.h"
#include "trees/bcast.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BROADCASTS = 5 };

static double last_exit(const struct bcast *b, void *buffer, int bytes, int root, int rank)
{
    MPI_Barrier(MPI_COMM_WORLD);
    clock_hold(rank == root ? 2 : 1);
    double reading = clock_now(), last = 0;
    double entry = clock_now();
    reading = entry - reading; /* of which the one at the entry lies inside */
    b->run(buffer, bytes, MPI_BYTE, root, MPI_COMM_WORLD, b->arg);
    double exit = rank == root ? 0 : clock_now();
    clock_hold(1);
    MPI_Bcast(&entry, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    exit -= entry + reading;
    MPI_Allreduce(&exit, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    local_clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct bcast *b = argc == 4 ? bcast_find(argv[1]) : NULL;
    int bytes = b ? atoi(argv[2]) : 0;
    char *buffer = calloc((size_t)bytes + 1, 1);
    if (!b || !buffer)
        MPI_Abort(MPI_COMM_WORLD, 2);
    double last[BROADCASTS];
    for (int k = 0; k < BROADCASTS; k++)
        last[k] = last_exit(b, buffer, bytes, atoi(argv[3]), rank);
    for (int k = 0; k < BROADCASTS && rank == 0; k++)
        printf("%.9f\n", 1e6 * last[k]);
    free(buffer);
    MPI_Finalize();
    return 0;
}
