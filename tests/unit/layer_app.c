/* An application whose calls are known, in scenes; linked with the layer. */
#include "collprof.h"

#include <mpi.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1000 };
static int rank, size;
static char data[BYTES], other[BYTES];

/* Work of one rank, or of all (-1). */
static void work(int who, double ms)
{
    if (who == rank || who < 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e6 * ms)}, NULL);
}

static void blocking(void)
{
    int sum;
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    work(0, 5);
    if (rank == 0)
        MPI_Send(data, 300, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(other, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(data, 4, MPI_BYTE, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    MPI_Sendrecv(data, 10, MPI_BYTE, (rank + 1) % size, 4, other, 20, MPI_BYTE,
                 (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(2, 7);
    MPI_Bcast(data, 200, MPI_BYTE, 2, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) {
        work(3, 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void requests(void)
{
    MPI_Request request[3];
    int done = 0, left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < 5; i++) {
        MPI_Irecv(other, BYTES, MPI_BYTE, left, 3, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(data, 100, MPI_BYTE, right, 3, MPI_COMM_WORLD, &request[1]);
        work(-1, 1);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Irecv(other, BYTES, MPI_BYTE, left, 4, MPI_COMM_WORLD, &request[0]);
    MPI_Issend(data, 50, MPI_BYTE, right, 4, MPI_COMM_WORLD, &request[1]);
    while (!done)
        MPI_Test(&request[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    work(1, 3);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Isend(data, 1, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm half, copy;
    MPI_Request request;
    int sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Bcast(data, 10, MPI_BYTE, 0, copy);
        work(1, 2);
        MPI_Ibarrier(copy, &request);
        MPI_Comm_free(&copy);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_free(&half);
}

static void errors(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Send(data, 30, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
        MPI_Send(data, 30, MPI_BYTE, 2, 4, MPI_COMM_WORLD);
        MPI_Bcast(data, 8, MPI_BYTE, size, MPI_COMM_WORLD); /* no member's: it is refused */
    }
    if (rank == 1)
        MPI_Recv(other, 20, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) {
        MPI_Irecv(other, 20, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Fifty broadcasts; rank 3 is late for each. */
static void broadcasts(void)
{
    for (int i = 0; i < 50; i++) {
        work(3, 1);
        MPI_Bcast(data, 400, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 0 sends after 2 ms what rank 1 probes for; receives are cancelled, waited for in turn and
 * freed. */
static void probes(void)
{
    MPI_Request request[2];
    MPI_Status status;
    int found = 0, left = (rank + size - 1) % size, right = (rank + 1) % size;
    collprof_region_begin("probing");
    work(0, 2);
    if (rank == 0)
        MPI_Send(data, 70, MPI_BYTE, 1, 8, MPI_COMM_WORLD);
    for (; rank == 1 && !found; work(1, 0.004))
        MPI_Iprobe(0, 8, MPI_COMM_WORLD, &found, &status);
    if (rank == 1)
        MPI_Recv(other, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status);
    collprof_region_end();
    MPI_Irecv(other, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &request[0]);
    MPI_Cancel(&request[0]);
    MPI_Wait(&request[0], &status);
    MPI_Irecv(other, BYTES, MPI_BYTE, left, 12, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(other, BYTES, MPI_BYTE, right, 13, MPI_COMM_WORLD, &request[1]);
    MPI_Send(data, 20, MPI_BYTE, right, 12, MPI_COMM_WORLD);
    work(-1, 1);
    MPI_Send(data, 30, MPI_BYTE, left, 13, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Waitany(2, request, &found, &status);
    MPI_Isend(data, 40, MPI_BYTE, right, 14, MPI_COMM_WORLD, &request[0]);
    MPI_Request_free(&request[0]);
    MPI_Recv(other, BYTES, MPI_BYTE, left, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 is late for what is done in an inner region; who has left that is in the outer one. */
static void regions(void)
{
    collprof_region_begin("outer");
    for (int i = 0; i < 3; i++) {
        collprof_region_begin("inner");
        work(1, 4);
        MPI_Barrier(MPI_COMM_WORLD);
        collprof_region_end();
        work(-1, 1);
        MPI_Gather(&rank, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    collprof_region_end();
    collprof_region_begin("open");
    work(0, 2);
}

/* This thread's processor time, as samples are taken: clock() also has that of other ranks. */
static long thread_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static __attribute__((noinline)) void spin(int who, int ms)
{
    for (long end = thread_ms() + ms; who == rank && thread_ms() < end;)
        for (volatile int n = 0; n < 100000;)
            n++;
}

static void samples(void)
{
    for (int i = 0; i < 4; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        spin(1, 60);
        MPI_Gather(&rank, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
        spin(2, 30);
    }
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    ++*(int *)value;
    MPI_Barrier(MPI_COMM_SELF);
    return MPI_SUCCESS;
}

/* A callback calls MPI within MPI_Comm_free; a call after it counts again. */
static void callbacks(void)
{
    MPI_Comm copy;
    int key, deleted = 0;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        PMPI_Comm_set_attr(copy, key, &deleted);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < deleted; i++)
        MPI_Gather(&rank, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Communicators that live for twelve calls, and then one for a second. */
static void lives(void)
{
    MPI_Comm copy;
    for (int i = 0; i < 41; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (int k = i < 40 ? 12 : 500; k > 0; k--) {
            work(-1, i < 40 ? 0 : 2);
            MPI_Barrier(copy);
        }
        MPI_Comm_free(&copy);
    }
}

static void steps(void)
{
    for (int i = 0; i < 300; i++, work(-1, 10))
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } scenes[] = {
        {"blocking", blocking},     {"requests", requests}, {"communicators", communicators},
        {"errors", errors},         {"probes", probes},     {"callbacks", callbacks},
        {"broadcasts", broadcasts}, {"regions", regions},   {"samples", samples},
        {"lives", lives},           {"steps", steps}};
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (!strcmp(argv[1], scenes[i].name))
            scenes[i].play();
    MPI_Finalize();
    return 0;
}
