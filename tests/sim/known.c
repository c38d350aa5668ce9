/* An application under the layer in the simulator whose whole profile is known: every scene is a
 * region of its own that all ranks enter at the same moment, work is sleeping for whole
 * milliseconds, and messages are small. known.table says what each call must have got. */
#include "collprof.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A call in tail position would have its scene's caller as its site. */
#pragma GCC optimize("no-optimize-sibling-calls")

enum { RANKS = 4, ROOM = 4096, BYTES = 100 };

static int rank, factor = 1;
static char data[ROOM], other[ROOM];

static void sleep_ms(int ms)
{
    usleep((useconds_t)(factor * ms) * 1000);
}

/* Milliseconds of work of one rank. */
static void work(int who, int ms)
{
    if (rank == who)
        sleep_ms(ms);
}

static void send_at(int ms, int bytes, int tag)
{
    work(0, ms);
    if (rank == 0)
        MPI_Send(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
}

/* The requests of rank 1: N receives of up to ROOM bytes, tags from 0; of one call site for each
 * scene, however it is compiled. */
static __attribute__((noinline)) void post(MPI_Request *request, int n, int gap_ms)
{
    for (int i = 0; i < n; i++) {
        if (i)
            work(1, gap_ms);
        MPI_Irecv(other, BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD, &request[i]);
    }
}

/* --- blocking --- */

static void late_send(void)
{
    static const int late[] = {2, 5, 9};
    for (int i = 0; i < 3; i++) {
        send_at(late[i], BYTES, 0);
        if (rank == 1)
            MPI_Recv(other, ROOM, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void late_receive(void)
{
    work(1, 7);
    if (rank == 0)
        MPI_Ssend(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(other, ROOM, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    work(1, 4);
    if (rank < 2)
        MPI_Sendrecv(data, 300, MPI_BYTE, 1 - rank, 0, other, ROOM, MPI_BYTE, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(void)
{
    send_at(3, BYTES, 0);
    if (rank == 1) {
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(other, ROOM, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* --- requests, in every way of completion --- */

static void wait_late(void)
{
    MPI_Request r;
    send_at(5, 60, 0);
    if (rank == 1) {
        post(&r, 1, 0);
        work(1, 3);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void wait_hidden(void)
{
    MPI_Request r;
    send_at(1, BYTES, 0);
    if (rank == 1) {
        post(&r, 1, 0);
        work(1, 3);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void wait_send(void)
{
    MPI_Request r;
    work(1, 6);
    if (rank == 0) {
        MPI_Issend(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r);
        work(0, 2);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(other, ROOM, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void waitall(void)
{
    MPI_Request r[3];
    if (rank == 0)
        for (int i = 0; i < 3; i++)
            send_at(i ? 5 : 1, BYTES, i);
    if (rank == 1) {
        post(r, 3, 1);
        work(1, 3);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
}

static void waitany(void)
{
    MPI_Request r[2];
    int index;
    send_at(4, 50, 1);
    send_at(5, 90, 0);
    if (rank == 1) {
        post(r, 2, 0);
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    }
}

static void some(bool waits)
{
    MPI_Request r[3];
    MPI_Status status[3];
    int count, index[3];
    memset(status, 0, sizeof status);
    send_at(1, 20, 1);
    send_at(1, 10, 2);
    send_at(6, 40, 0);
    if (rank == 1) {
        post(r, 3, 0);
        for (int left = 3; left; left -= count) {
            if (!waits || left == 3)
                work(1, 5);
            (waits ? MPI_Waitsome : MPI_Testsome)(3, r, &count, index, status);
        }
    }
}

static void waitsome(void)
{
    some(true);
}

static void testsome(void)
{
    some(false);
}

static void test(void)
{
    MPI_Request r;
    int done;
    send_at(4, BYTES, 0);
    if (rank == 1) {
        post(&r, 1, 0);
        do {
            work(1, 3);
            MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        } while (!done);
    }
}

static void testall(void)
{
    MPI_Request r[2];
    int done;
    send_at(4, 70, 0);
    send_at(1, 80, 1);
    if (rank == 1) {
        post(r, 2, 0);
        do {
            work(1, 3);
            MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
        } while (!done);
    }
}

static void testany(void)
{
    MPI_Request r[2];
    int done, index;
    send_at(4, 30, 1);
    send_at(6, 20, 0);
    if (rank == 1) {
        post(r, 2, 0);
        for (int left = 2; left; left -= done) {
            work(1, 3);
            MPI_Testany(2, r, &index, &done, MPI_STATUS_IGNORE);
        }
    }
}

static void freed(void)
{
    MPI_Request r;
    if (rank == 0) {
        MPI_Isend(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
        work(0, 3);
        MPI_Issend(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r); /* its handle, maybe */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(other, ROOM, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void cancelled(void)
{
    MPI_Request r;
    if (rank == 1) {
        post(&r, 1, 0);
        MPI_Cancel(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void persistent(void)
{
    MPI_Request r[2];
    if (rank == 0) {
        MPI_Send_init(data, 25, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r[0]);
        for (int i = 0; i < 2; i++) {
            work(0, 4);
            MPI_Start(&r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        }
        send_at(4, 35, 1);
        MPI_Request_free(&r[0]);
    } else if (rank == 1) {
        MPI_Recv_init(other, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Start(&r[0]);
        work(1, 1);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE); /* at 4 */
        MPI_Recv_init(other, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Startall(2, r);
        work(1, 2);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /* at 12 */
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
    }
}

static void icollectives(void)
{
    MPI_Request r;
    work(0, 5);
    MPI_Ibcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
    if (rank)
        sleep_ms(3);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* --- collectives: who comes late, and who waits --- */

static void bcast(void)
{
    work(0, 6);
    MPI_Bcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void bcast_late_leaf(void)
{
    work(3, 6);
    MPI_Bcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
    work(3, 5);
    MPI_Reduce(data, other, 10, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void barrier(void)
{
    sleep_ms(2 * rank);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
    work(2, 4);
    MPI_Allreduce(data, other, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    work(1, 3);
    MPI_Alltoall(data, 10, MPI_INT, other, 10, MPI_INT, MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Datatype own; /* its size has to be asked for */
    MPI_Type_contiguous(1, MPI_INT, &own);
    MPI_Type_commit(&own);
    work(0, 2);
    MPI_Allgather(data, 3, own, other, 3, own, MPI_COMM_WORLD);
    MPI_Type_free(&own);
}

static void gather(void)
{
    work(1, 8);
    MPI_Gather(data, 7, MPI_INT, other, rank == 2 ? 7 : 0, MPI_INT, 2, MPI_COMM_WORLD);
}

static void scatter(void)
{
    work(3, 5);
    MPI_Scatter(data, 7, MPI_INT, other, 7, MPI_INT, 3, MPI_COMM_WORLD);
}

static void scan(void)
{
    sleep_ms(rank == 0 ? 7 : 2 * rank);
    MPI_Scan(data, other, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Skews of 1, 2, 10, 3; rank 1 late three times, rank 2 once. */
static void many(void)
{
    static const int late[] = {1, 2, 10, 3};
    for (int i = 0; i < 4; i++) {
        work(i == 2 ? 2 : 1, late[i]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* --- one-sided --- */

static void one_sided(void)
{
    MPI_Win window;
    MPI_Win_create(data, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(other, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, window);
    if (rank == 1)
        MPI_Get(other, 40, MPI_BYTE, 0, 0, 40, MPI_BYTE, window);
    work(3, 4);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

#define SCENE(name)                                                                                \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct scene {
    const char *name;
    void (*play)(void);
} scenes[] = {
    SCENE(late_send),  SCENE(late_receive), SCENE(exchange),  SCENE(probe),
    SCENE(wait_late),  SCENE(wait_hidden),  SCENE(wait_send), SCENE(waitall),
    SCENE(waitany),    SCENE(waitsome),     SCENE(test),      SCENE(testall),
    SCENE(testany),    SCENE(testsome),     SCENE(freed),     SCENE(cancelled),
    SCENE(persistent), SCENE(icollectives), SCENE(bcast),     SCENE(bcast_late_leaf),
    SCENE(reduce),     SCENE(barrier),      SCENE(allreduce), SCENE(alltoall),
    SCENE(allgather),  SCENE(gather),       SCENE(scatter),   SCENE(scan),
    SCENE(many),       SCENE(one_sided),
};

/* Every rank goes on at the next tenth of a second. */
static void meet(void)
{
    double now = MPI_Wtime();
    usleep((useconds_t)((ceil((now + 0.01) * 10) / 10 - now) * 1e6 + 0.5));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        factor = atoi(argv[1]); /* all work so many times as long */
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        meet();
        collprof_region_begin(scenes[i].name);
        scenes[i].play();
        collprof_region_end();
    }
    meet();
    MPI_Finalize();
    return 0;
}
