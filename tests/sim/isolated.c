/* What the methods are held against: one operation, alone in a network that has been silent for a
 * second, on the simulator's one clock. Who is out waits a second before it sends anything else:
 * its messages would delay those of the operation that are still under way.
 *
 * usage: isolated ALGORITHM BYTES ROOT
 *        isolated OPERATION BYTES[,BYTES...] ROOT
 *
 * Prints microseconds: of five broadcasts by ALGORITHM, every rank inside before the root, the last
 * exit minus the root's entry; of OPERATION by the library the last exit where all enter at one
 * moment, and the longest from the entry of one, long after all others', to the exit of another
 * that needs it, if there is one size. */
#include "base/clock.h"
#include "measure/collective/operation.h"
#include "sync/sync.h"
#include "trees/bcast.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BROADCASTS = 5 };

static int rank, size;

static double last_exit(const struct bcast *b, void *buffer, int bytes, int root)
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

static void broadcasts(const struct bcast *b, int bytes, int root)
{
    char *buffer = calloc((size_t)bytes + 1, 1);
    double last[BROADCASTS];
    for (int k = 0; k < BROADCASTS; k++)
        last[k] = last_exit(b, buffer, bytes, root);
    for (int k = 0; k < BROADCASTS && rank == 0; k++)
        printf("%.9f\n", 1e6 * last[k]);
    free(buffer);
}

/* From the entry of LATE, all ranks for -1, to the exit of the last that needs it. */
static double operation_alone(const struct operation_call *c, int late)
{
    bool fan_in = c->operation->kind == COLLECTIVE_TO_ROOT;
    double start = MPI_Wtime(), last;
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    start += rank == late ? 2 : 1;
    clock_hold(start - MPI_Wtime());
    double entry = clock_now();
    operation_run(c);
    double exit = clock_now();
    clock_hold(1);
    if (late >= 0)
        MPI_Bcast(&entry, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    exit -= entry;
    if (late >= 0 && fan_in && rank != c->root)
        exit = 0;
    MPI_Allreduce(&exit, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - clock_cost();
}

static void operation(const struct operation *o, size_t bytes, int root, bool pairs)
{
    struct operation_call call;
    double slowest = 0;
    if (!operation_prepare(&call, o, MPI_COMM_WORLD, root, bytes))
        MPI_Abort(MPI_COMM_WORLD, 2);
    double together = operation_alone(&call, -1);
    for (int late = 0; pairs && late < size; late++)
        if (o->kind != COLLECTIVE_FROM_ROOT || late == root)
            slowest = fmax(slowest, operation_alone(&call, late));
    if (rank == 0)
        printf("%.9f\n%.9f\n", 1e6 * together, 1e6 * slowest);
    operation_release(&call);
}

int main(int argc, char **argv)
{
    bool twin;
    MPI_Init(&argc, &argv);
    local_clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct bcast *b = argc == 4 ? bcast_find(argv[1]) : NULL;
    const struct operation *o = argc == 4 ? operation_find(argv[1], &twin) : NULL;
    if (b)
        broadcasts(b, atoi(argv[2]), atoi(argv[3]));
    else if (o)
        for (char *end = argv[2]; *end; end += *end == ',')
            operation(o, strtoul(end, &end, 10), atoi(argv[3]), !strchr(argv[2], ','));
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
