/* An application under the layer's benchmark mode in the simulator: an allreduce in place and a
 * reduce, with an operation of its own and a type of its own with a hole. Prints "took OPERATION
 * US": last return minus last entry, of calls that all ranks enter at one moment.
 *
 *   reduction US COMMUTES    microseconds that the operation takes; 1: it commutes, 0: it does not
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct value {
    int number;
    char unused[12];
    double sum;
};

static unsigned cost_us;

static void slowly(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        ((struct value *)inout)[i].number += ((struct value *)in)[i].number;
        ((struct value *)inout)[i].sum += ((struct value *)in)[i].sum;
    }
    usleep(cost_us);
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    struct value v[3], w[3];
    MPI_Op op;
    MPI_Datatype packed, type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int length[2] = {1, 1};
    MPI_Aint at[2] = {offsetof(struct value, number), offsetof(struct value, sum)};
    MPI_Datatype part[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, length, at, part, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct value), &type);
    MPI_Type_commit(&type);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    cost_us = (unsigned)atoi(argv[1]);
    MPI_Op_create(slowly, atoi(argv[2]), &op);
    for (int which = 0; which < 2; which++) {
        double took = 0, last;
        for (int repeat = 0; repeat < 3; repeat++) {
            for (int i = 0; i < 3; i++)
                v[i] = (struct value){.number = rank + i, .sum = rank};
            PMPI_Barrier(MPI_COMM_WORLD);
            /* Only the second and third call are looked at: benchmark mode measures at the first.
             */
            double start = MPI_Wtime(), begin;
            PMPI_Allreduce(&start, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            begin += 1e-3;
            usleep((unsigned)((begin - MPI_Wtime()) * 1e6));
            if (which == 0)
                MPI_Allreduce(MPI_IN_PLACE, v, 3, type, op, MPI_COMM_WORLD);
            else
                MPI_Reduce(v, w, 3, type, op, 1, MPI_COMM_WORLD);
            took = MPI_Wtime() - begin;
            const struct value *got = which == 0 ? v : w;
            for (int i = 0; i < 3 && (which == 0 || rank == 1); i++)
                wrong |= got[i].number != size * (size - 1) / 2 + size * i ||
                         got[i].sum != size * (size - 1) / 2;
        }
        if (which == 1 && rank != 1)
            took = 0;
        PMPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("took %s %.3f\n", which == 0 ? "MPI_Allreduce" : "MPI_Reduce", last * 1e6);
    }
    int any;
    PMPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
