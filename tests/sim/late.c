/* An application in which who is late is known: STEPS times work and a first sum, a message around
 * the ring, work and a second sum. Before the second one LATE_RANK works LATE_US more. NOISE_US is
 * the mean of what comes on top of each work, drawn anew for every rank and work.
 *
 * usage: late STEPS WORK_US LATE_RANK LATE_US NOISE_US SEED */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static unsigned short drawn[3];

/* In the simulator time passes in sleep only. */
static void work(double microseconds)
{
#ifdef COLLPROF_SIMULATED
    if (microseconds >= 1)
        usleep((useconds_t)microseconds);
#else
    for (double end = MPI_Wtime() + 1e-6 * microseconds; MPI_Wtime() < end;)
        ;
#endif
}

static double noise(double mean)
{
    return -mean * log(1 - erand48(drawn));
}

static __attribute__((noinline)) double first_sum(double x)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static __attribute__((noinline)) double second_sum(double x)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static __attribute__((noinline)) double around(double x)
{
    double got = 0;
    MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, &got, 1, MPI_DOUBLE,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 7)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int steps = atoi(argv[1]), late_rank = atoi(argv[3]);
    double work_us = atof(argv[2]), late_us = atof(argv[4]), noise_us = atof(argv[5]), x = 1;
    drawn[0] = (unsigned short)rank;
    drawn[1] = (unsigned short)atoi(argv[6]);
    for (int i = 0; i < steps; i++) {
        work(work_us + noise(noise_us));
        x = first_sum(x) / size;
        x = around(x);
        work(work_us + noise(noise_us));
        if (rank == late_rank)
            work(late_us);
        x = second_sum(x) / size;
    }
    if (!rank)
        printf("%g\n", x);
    MPI_Finalize();
    return x != 1;
}
