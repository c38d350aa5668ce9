/* Programs of which it is known for which rank others wait, though most wait for a rank that only
 * passes the delay on: one situation, named by the argument. Computation is simulated by usleep, T
 * at a time; messages take some 10 us. tests/sim/causes.py knows the answers. */
#include "collprof.h"

#include <mpi.h>
#include <stdbool.h>
#include <unistd.h>

enum { REPEATS = 20, T = 10000, SMALL = 8 };

static int rank, size;
static char out[SMALL], in[SMALL];

static void compute(int microseconds)
{
    usleep((unsigned)microseconds);
}

static void send(int to)
{
    MPI_Send(out, SMALL, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

static void receive(int from)
{
    MPI_Recv(in, SMALL, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 computes longer; rank 1 waits for it, rank 2 for rank 1, rank 3 for rank 2, all for 3. */
static void passed_on(void)
{
    compute(rank ? T : 2 * T);
    if (rank > 0 && rank < 4)
        receive(rank - 1);
    if (rank < 3)
        send(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The sum is late at rank 0 since rank 2 is, and so the answer is at all others. */
static void reduce_and_broadcast(void)
{
    compute(rank == 2 ? 2 * T : T);
    MPI_Reduce(out, in, SMALL, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    MPI_Bcast(in, SMALL, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Who has the token computes: rank 3 for longer. */
static void token(void)
{
    if (rank)
        receive(rank - 1);
    compute(rank == 3 ? 5 * T : T);
    send((rank + 1) % size);
    if (!rank)
        receive(size - 1);
}

static void exchange(int left, int right)
{
    MPI_Sendrecv(out, SMALL, MPI_BYTE, right, 1, in, SMALL, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, SMALL, MPI_BYTE, left, 2, in, SMALL, MPI_BYTE, right, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Rank 2 naps once: a wave of waiting goes round in both directions. */
static void nap(void)
{
    static int step;
    compute(rank == 2 && step++ == REPEATS / 4 ? 6 * T : T);
    exchange((rank + size - 1) % size, (rank + 1) % size);
}

/* Blocks go through all ranks; rank 3 takes longer for each. */
static void sweep(void)
{
    if (rank)
        receive(rank - 1);
    compute(rank == 3 ? 2 * T : T);
    if (rank + 1 < size)
        send(rank + 1);
}

/* Rank 0 hands out tasks; worker 5 takes longer for its own. */
static void workers(void)
{
    for (int i = 1; !rank && i < size; i++)
        send(i);
    for (int i = 1; !rank && i < size; i++)
        receive(MPI_ANY_SOURCE);
    if (rank) {
        receive(0);
        compute(rank == 5 ? 4 * T : T);
        send(0);
    }
}

/* A row of ranks, of which the first is slow in every step: in the end all go at its pace. */
static void far_halo(void)
{
    compute(rank ? T : 2 * T);
    exchange(rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL);
}

/* A cube of 2 x 2 x 2 ranks, of which rank 7, three links away from rank 0, is slow. */
static void halo_3d(void)
{
    compute(rank == 7 ? 2 * T : T);
    for (int d = 1; d < size; d *= 2)
        exchange(rank ^ d, rank ^ d);
}

/* Monte Carlo: the share of rank 6 grows from step to step, until it takes three times as long. */
static void drifting(void)
{
    static int step;
    compute(rank == 6 ? T + 2 * T * step / (REPEATS - 1) : T);
    step++;
    MPI_Allreduce(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

/* Each is late in its turn, and waits for all others. */
static void in_turn(void)
{
    static int turn;
    compute(turn++ % size == rank ? 2 * T : T);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* In the second half rank 5 takes twice as long, in a region of its own. */
static void phase(void)
{
    static int step;
    const bool slow = step++ >= REPEATS / 2;
    for (int i = 0; i < 4; i++) {
        if (slow)
            COLLPROF_REGION_BEGIN("slow");
        compute(slow && rank == 5 ? T / 2 : T / 4);
        MPI_Barrier(MPI_COMM_WORLD);
        if (slow)
            COLLPROF_REGION_END();
    }
}

#define SITUATIONS(f)                                                                              \
    f(passed_on) f(reduce_and_broadcast) f(token) f(nap) f(sweep) f(workers) f(far_halo)           \
        f(halo_3d) f(drifting) f(in_turn) f(phase)

#include "situations.h"
