/* An application under the profiling layer in the simulator, of which the simulated clock tells
 * exactly how long each broadcast took to reach each rank, and how late ranks were.
 *
 *   layer HOW PER_STEP BYTES...
 *
 * A step is PER_STEP broadcasts, each of the next size, from rank 0 and rank 3 in turn (0 alone if
 * PER_STEP is 1), with work before each. HOW rank 2 is late: never, constant, random, alternating,
 * or pipelined: nobody works between, so that whoever is not the root is late for all but the
 * first. With "huge" there are only broadcasts of 300 million doubles, which take no memory. With
 * "steps" there are only steps of a broadcast, an exchange with the neighbours and a reduction, and
 * nothing is printed. Else prints the medians of "took ROOT BYTES I US", return of I minus entry of
 * the root, and of "late ROOT BYTES I US", entry of I minus entry of the root where it was late. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 60, KINDS = 16, LATE_RANK = 2 };

static int rank, size;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static unsigned late_us(const char *how, int step)
{
    unsigned random = (unsigned)step * 2654435761u >> 16;
    if (rank != LATE_RANK)
        return 0;
    return !strcmp(how, "constant")      ? 1000
           : !strcmp(how, "random")      ? random % 3 * 400
           : !strcmp(how, "alternating") ? (unsigned)(step / 2 % 2) * 1000
                                         : 0;
}

/* Whoever is held up in one of these, others wait for in the next. */
static void run_steps(char *buffer, int bytes)
{
    int one = 1, all, next = (rank + 1) % size, before = (rank + size - 1) % size;
    PMPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); /* the first takes longer */
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int step = 0; step < 5 * STEPS; step++) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(buffer, 8, MPI_BYTE, next, 0, buffer, 8, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        usleep(100);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void run_huge(void)
{
    const int count = 300000000;
    void *buffer = SMPI_SHARED_MALLOC(sizeof(double) * (size_t)count);
    for (int step = 0; step < 8; step++) {
        MPI_Bcast(buffer, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    SMPI_SHARED_FREE(buffer);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *how = argv[1];
    int per_step = atoi(argv[2]), sizes = argc - 3, roots = per_step > 1 ? 2 : 1;
    static double took[KINDS][STEPS * 8], late[KINDS][STEPS * 8];
    static int n_took[KINDS], n_late[KINDS];
    char *buffer = calloc(1 << 20, 1);
    if (!strcmp(how, "steps"))
        run_steps(buffer, atoi(argv[3]));
    if (!strcmp(how, "huge"))
        run_huge();
    bool only = !strcmp(how, "steps") || !strcmp(how, "huge");
    for (int step = 0; step < STEPS && !only; step++) {
        PMPI_Barrier(MPI_COMM_WORLD);
        usleep(500); /* what the barrier sent has arrived */
        for (int b = 0; b < per_step; b++) {
            int number = step * per_step + b, bytes = atoi(argv[3 + number % sizes]);
            int root = number / sizes % roots * 3, kind = number % sizes * 2 + (root > 0);
            double mine[2], first[2];
            if (strcmp(how, "pipelined")) {
                /* Work that takes the root longer than all that are in time. */
                PMPI_Barrier(MPI_COMM_WORLD);
                usleep(100 + (rank == root ? 300 : 0) + late_us(how, step) * (rank != root) +
                       300 * (late_us(how, step) > 0));
            }
            mine[0] = MPI_Wtime();
            MPI_Bcast(buffer, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
            mine[1] = MPI_Wtime();
            if (!strcmp(how, "pipelined"))
                continue;
            memcpy(first, mine, sizeof mine);
            PMPI_Bcast(first, 2, MPI_DOUBLE, root, MPI_COMM_WORLD);
            took[kind][n_took[kind]++] = mine[1] - first[0];
            if (rank != root && mine[0] - first[0] > 1e-4)
                late[kind][n_late[kind]++] = mine[0] - first[0];
        }
    }
    for (int k = 0; k < KINDS; k++) {
        double own[2] = {-1, -1}, *all = malloc(2 * sizeof *all * (size_t)size);
        qsort(took[k], (size_t)n_took[k], sizeof(double), compare);
        qsort(late[k], (size_t)n_late[k], sizeof(double), compare);
        if (n_took[k])
            own[0] = took[k][n_took[k] / 2];
        if (n_late[k])
            own[1] = late[k][n_late[k] / 2];
        PMPI_Gather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < size; i++) {
            if (all[2 * i] > 0 && i != k % 2 * 3)
                printf("took %d %s %d %.3f\n", k % 2 * 3, argv[3 + k / 2], i, all[2 * i] * 1e6);
            if (all[2 * i + 1] > 0)
                printf("late %d %s %d %.3f\n", k % 2 * 3, argv[3 + k / 2], i, all[2 * i + 1] * 1e6);
        }
        free(all);
    }
    MPI_Finalize();
    return 0;
}
