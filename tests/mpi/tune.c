/* For tests/mpi/tune.sh.
 *
 * usage: tune write DIRECTORY LIBRARY OPERATION RANKS BYTES NAME NUMBER SEGMENT
 *        tune show OPERATION BYTES [TIMES]
 *
 * The first form writes the files of src/tune for one algorithm, without MPI. The second one, under
 * a launcher, makes a reduction by an operation of its own, once or TIMES, and prints how often the
 * library called this in the last one, with how many numbers in all, on each rank: that shows which
 * algorithm was used, also in shared memory. Before the TUNE_KILLED-th call from the end every rank
 * is killed. */
#include "base/reason.h"
#include "tune/found.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls, numbers;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned char *from = in;
    unsigned char *to = inout;
    (void)type;
    calls++;
    numbers += *n;
    for (int i = 0; i < *n; i++)
        to[i] = (unsigned char)(to[i] + from[i]);
}

static int save(char **argv)
{
    struct tuned_set set = {0};
    struct tuned *t = PUSH(&set.list);
    *t = (struct tuned){.operation = tuned_operation_find(argv[4]),
                        .ranks = atoi(argv[5]),
                        .bytes = (size_t)atol(argv[6]),
                        .n = 2,
                        .candidate = {{"default", -1, 0}, {"", atoi(argv[8]), atoi(argv[9])}},
                        .time = {{1, 1, 1}, {0.5, 0.5, 0.5}},
                        .ratio = {{1, 1, 1}, {0.5, 0.5, 0.5}}};
    strncpy(t->candidate[1].name, argv[7], sizeof t->candidate[1].name - 1);
    strncpy(set.library, argv[3], sizeof set.library - 1);
    long changed = tuned_set_save(&set, argv[2]);
    reason_print_stored("tune");
    free(set.list.at);
    return changed != 1;
}

int main(int argc, char **argv)
{
    int rank, size;
    if (argc == 10 && !strcmp(argv[1], "write"))
        return save(argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (getenv("TUNE_FOREIGN")) /* not for tuning to set */
        return 1;
    int bytes = atoi(argv[3]), killed = getenv("TUNE_KILLED") ? atoi(getenv("TUNE_KILLED")) : 0;
    unsigned char *send = calloc((size_t)(bytes * size), 1), *recv = calloc((size_t)bytes, 1);
    long mine[2], *all = calloc((size_t)(2 * size), sizeof *all);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    memset(send, rank + 1, (size_t)(bytes * size));
    for (int k = argc > 4 ? atoi(argv[4]) : 1; k > 0; k--) {
        if (k == killed) {
            MPI_Barrier(MPI_COMM_WORLD);
            kill(getpid(), SIGKILL);
        }
        mine[0] = calls;
        mine[1] = numbers;
        memset(recv, 0, (size_t)bytes);
        if (!strcmp(argv[2], "MPI_Allreduce"))
            MPI_Allreduce(send, recv, bytes, MPI_BYTE, op, MPI_COMM_WORLD);
        else
            MPI_Reduce_scatter_block(send, recv, bytes, MPI_BYTE, op, MPI_COMM_WORLD);
        for (int i = 0; i < bytes; i++)
            if (recv[i] != size * (size + 1) / 2)
                return 1;
    }
    mine[0] = calls - mine[0];
    mine[1] = numbers - mine[1];
    MPI_Gather(mine, 2, MPI_LONG, all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%ldx%ld%c", all[2 * i], all[2 * i + 1], i == size - 1 ? '\n' : ' ');
    MPI_Op_free(&op);
    free(send);
    free(recv);
    free(all);
    MPI_Finalize();
    return 0;
}
