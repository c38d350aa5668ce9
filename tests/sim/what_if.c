/* A program drawn by a seed, and the same program changed, so that predictions can be compared with
 * what the change brings. Usage: what_if SEED plain|balanced|faster [RUN [SLOW PERCENT]]. In each
 * of STEPS steps ranks compute for different times, and communicate in one of several ways; then
 * all compute for the same time, and communicate again. Computation is simulated by usleep. RUN:
 * which noise lengthens it, up to 3 %; every other step has smaller messages. SLOW: the rank that
 * computes for PERCENT longer. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 24, MOST_BYTES = 1 << 18, FASTER_PERCENT = 30 };

static int rank, size, bytes, slow, percent;
static unsigned seed, run;
static const char *variant;
static char *out, *in;

/* From 0 to 999, the same on all ranks. */
static unsigned drawn(unsigned a, unsigned b)
{
    unsigned long long x = seed * 0x9e3779b97f4a7c15ull + a * 0xff51afd7ed558ccdull + b;
    for (int i = 0; i < 3; i++)
        x = (x ^ x >> 31) * 0xc4ceb9fe1a85ec53ull;
    return (unsigned)((x ^ x >> 29) % 1000);
}

/* Microseconds that rank R computes in step S: some ranks longer in all steps, and each in some. */
static unsigned work(unsigned r, unsigned s)
{
    return 1000 + (drawn(1, r) < 300 ? drawn(2, r) : 0) + drawn(r + 10, s) * drawn(3, 0) / 2000;
}

static void spend(double us, unsigned step)
{
    if (run)
        us *= 1 + drawn(1000 * run + (unsigned)rank, step) * 3e-5;
    usleep((unsigned)(rank == slow ? us * (100 + percent) / 100 : us));
}

static void compute(unsigned first, unsigned step)
{
    unsigned long long own = work((unsigned)rank, step), sum = 0;
    for (unsigned r = first; r < (unsigned)size; r++)
        sum += work(r, step);
    if (!strcmp(variant, "balanced"))
        own = sum / ((unsigned)size - first);
    else if (!strcmp(variant, "faster"))
        own = own * (100 - FASTER_PERCENT) / 100;
    spend((double)own, step);
}

static int neighbour(int by)
{
    return rank + by < 0 || rank + by >= size ? MPI_PROC_NULL : rank + by;
}

static void exchange(int by)
{
    MPI_Sendrecv(out, bytes, MPI_BYTE, neighbour(by), 1, in, bytes, MPI_BYTE, neighbour(-by), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A grid of ranks, two in a row. */
static void halo(void)
{
    const int to[] = {rank ^ 1, neighbour(2), neighbour(-2)};
    MPI_Request request[6];
    for (int i = 0; i < 3; i++)
        MPI_Irecv(in + i * MOST_BYTES, bytes, MPI_BYTE, to[i], 2, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < 3; i++)
        MPI_Isend(out, bytes, MPI_BYTE, to[i], 2, MPI_COMM_WORLD, &request[3 + i]);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
}

static void tasks(unsigned step)
{
    if (rank) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(1, step);
        MPI_Send(out, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
        return;
    }
    for (int r = 1; r < size; r++)
        MPI_Send(out, bytes, MPI_BYTE, r, 3, MPI_COMM_WORLD);
    for (int r = 1; r < size; r++)
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pipeline(unsigned step)
{
    MPI_Recv(in, bytes, MPI_BYTE, neighbour(-1), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(0, step);
    MPI_Send(out, bytes, MPI_BYTE, neighbour(1), 5, MPI_COMM_WORLD);
}

static void communicate(unsigned kind)
{
    switch (kind) {
    case 0:
        MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    case 1:
        exchange(1);
        exchange(-1);
        break;
    case 2:
        halo();
        break;
    case 3:
        MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        break;
    case 4:
        MPI_Alltoall(out, bytes / size, MPI_BYTE, in, bytes / size, MPI_BYTE, MPI_COMM_WORLD);
        break;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    seed = (unsigned)atoi(argv[1]);
    variant = argv[2];
    run = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    slow = argc > 5 ? atoi(argv[4]) : -1;
    percent = argc > 5 ? atoi(argv[5]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(3, MOST_BYTES);
    in = calloc(3, MOST_BYTES);
    const int most = 64 << drawn(4, 0) % 12;
    MPI_Barrier(MPI_COMM_WORLD); /* what is before it is setup */
    for (unsigned s = 0; s < STEPS; s++) {
        bytes = run && s % 2 ? most / 16 : most;
        switch (seed % 7) {
        case 5:
            tasks(s);
            break;
        case 6:
            pipeline(s);
            break;
        default:
            compute(0, s);
            communicate(seed % 7);
        }
        spend(500, s + STEPS);
        communicate(seed / 7 % 6);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
