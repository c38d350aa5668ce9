/* Programs whose waits are known: one situation, named by the argument, REPEATS times. Computation
 * is simulated by usleep, T at a time; messages take some 10 us. tests/sim/waits.py knows what the
 * layer must say of each. */
#include <mpi.h>
#include <unistd.h>

enum { REPEATS = 20, T = 10000, SMALL = 8, LARGE = 4 << 20 };

static int rank, size;
static char out[LARGE], in[LARGE];

static void compute(int who, int microseconds)
{
    if (rank == who)
        usleep((unsigned)microseconds);
}

static void send(int from, int to, int bytes, int tag)
{
    if (rank == from)
        MPI_Send(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive(int at, int from, int tag)
{
    if (rank == at)
        MPI_Recv(in, SMALL, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender(void)
{
    compute(0, T);
    send(0, 1, SMALL, 1);
    receive(1, 0, 1);
}

static void late_receiver(void)
{
    compute(1, T);
    if (rank == 0)
        MPI_Ssend(out, SMALL, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    receive(1, 0, 1);
}

/* The sender waits for the receive to be posted, not for the call that completes it. */
static void late_post(void)
{
    MPI_Request request;
    compute(1, T);
    if (rank == 0)
        MPI_Isend(out, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    if (rank == 1)
        MPI_Irecv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    compute(1, 2 * T);
    if (rank < 2)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A message that is too large to be kept for its receiver. */
static void big_message(void)
{
    compute(1, T);
    send(0, 1, LARGE, 1);
    if (rank == 1)
        MPI_Recv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_root(void)
{
    compute(2 % size, T);
    MPI_Bcast(out, SMALL, MPI_BYTE, 2 % size, MPI_COMM_WORLD);
}

static void early_root(void)
{
    compute(3 % size, T);
    MPI_Reduce(out, in, SMALL, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
}

static void n_to_n(void)
{
    compute(1, T);
    MPI_Allreduce(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void diffuse_procedure(void)
{
    static int turn;
    compute(turn++ % size, T);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void prefix(void)
{
    compute(1, T);
    MPI_Scan(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void non_blocking_collective(void)
{
    MPI_Request request;
    compute(1, T);
    MPI_Iallreduce(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The others wait until rank 1 has begun, not until it completes. */
static void collective_begun_late(void)
{
    MPI_Request request;
    compute(1, T);
    MPI_Iallreduce(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
    compute(1, 2 * T);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The message of rank 2 is the last. */
static void waitall(void)
{
    MPI_Request request[3];
    for (int i = 1; i < 4 && rank == 0; i++)
        MPI_Irecv(in + i * SMALL, SMALL, MPI_BYTE, i, 1, MPI_COMM_WORLD, &request[i - 1]);
    compute(1, T);
    compute(2, 3 * T);
    compute(3, 2 * T);
    for (int i = 1; i < 4; i++)
        send(i, 0, SMALL, 1);
    if (rank == 0)
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wildcards(void)
{
    compute(1, T);
    compute(2, 3 * T);
    compute(3, 2 * T);
    for (int i = 1; i < 4; i++) {
        send(i, 0, SMALL, i);
        receive(0, MPI_ANY_SOURCE, MPI_ANY_TAG);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Receives behind an open wildcard: the messages have different sizes, so that a wrong place in
 * the order would contradict them. One that is cancelled takes no place. */
static void behind_a_wildcard(void)
{
    MPI_Request request[4], cancelled;
    if (rank == 0) {
        MPI_Irecv(in, 400, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(in + 400, 400, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request[1]);
        MPI_Irecv(in + 1600, 400, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &cancelled);
        MPI_Irecv(in + 800, 400, MPI_BYTE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request[2]);
        MPI_Irecv(in + 1200, 400, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request[3]);
        MPI_Cancel(&cancelled);
        MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
    }
    compute(1, T);
    for (int i = 0; i < 4; i++)
        send(1, 0, 100 + i, 5);
    for (int i = 3; i >= 0 && rank == 0; i--)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The message of rank 2 lies ready while that of rank 1 is waited for. */
static void wrong_order(void)
{
    compute(0, T / 10);
    compute(1, T + T / 10);
    send(2, 0, SMALL, 1);
    send(1, 0, SMALL, 1);
    receive(0, 1, 1);
    receive(0, 2, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void both_ways(void)
{
    compute(1, T);
    if (rank < 2)
        MPI_Sendrecv(out, SMALL, MPI_BYTE, 1 - rank, 1, in, SMALL, MPI_BYTE, 1 - rank, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    static MPI_Request request = MPI_REQUEST_NULL;
    static int times;
    if (rank == 0 && !times)
        MPI_Send_init(out, SMALL, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    if (rank == 1 && !times)
        MPI_Recv_init(in, SMALL, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    compute(0, T);
    if (rank < 2) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (++times == REPEATS && rank < 2)
        MPI_Request_free(&request);
}

static void probe(void)
{
    compute(0, T);
    send(0, 1, SMALL, 1);
    if (rank == 1)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive(1, 0, 1);
}

/* One rank serves all others, one after the other. */
static void intensive_server(void)
{
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Status status;
        MPI_Recv(in, SMALL, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        usleep(T);
        send(0, status.MPI_SOURCE, SMALL, 2);
    }
    if (rank) {
        send(rank, 0, SMALL, 1);
        receive(rank, 0, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A binomial tree, as MPICH's: a rank's parent is without its lowest bit, and it sends to the
 * farthest child first. */
static void binomial(void)
{
    int bit = 1;
    compute(0, T);
    while (bit < size && !(rank & bit))
        bit <<= 1;
    if (rank)
        receive(rank, rank - bit, 1);
    while (bit >>= 1)
        if (rank + bit < size)
            send(rank, rank + bit, SMALL, 1);
}

/* Any rank may be late; waits.py draws the same numbers. */
static void random_barrier(void)
{
    static unsigned drawn = 1;
    drawn = drawn * 1103515245 + 12345;
    compute((int)(drawn >> 16 & 3), T);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One by one, and nothing comes back. */
static void small_messages(void)
{
    for (int i = 0; i < 100; i++) {
        send(0, 1, SMALL, 1);
        receive(1, 0, 1);
    }
}

/* The same there and back is what a program may have to do. */
static void there_and_back(void)
{
    for (int i = 0; i < 100; i++) {
        send(0, 1, SMALL, 1);
        receive(1, 0, 1);
        send(1, 0, SMALL, 1);
        receive(0, 1, 1);
    }
}

/* All compute alike and exchange with their neighbours. */
static void healthy(void)
{
    MPI_Request request[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    usleep(T);
    MPI_Irecv(in, SMALL, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(in + SMALL, SMALL, MPI_BYTE, right, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(out, SMALL, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(out, SMALL, MPI_BYTE, left, 2, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Allreduce(out, in, SMALL, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

#define SITUATIONS(f)                                                                              \
    f(late_sender) f(late_receiver) f(late_post) f(big_message) f(late_root) f(early_root)         \
        f(n_to_n) f(diffuse_procedure) f(prefix) f(non_blocking_collective)                        \
            f(collective_begun_late) f(waitall) f(wildcards) f(behind_a_wildcard) f(wrong_order)   \
                f(both_ways) f(persistent) f(probe) f(intensive_server) f(binomial)                \
                    f(random_barrier) f(small_messages) f(there_and_back) f(healthy)

#include "situations.h"
