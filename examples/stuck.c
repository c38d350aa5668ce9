/* Programs that do not end, or not well, by number, for `collprof where`:
 *
 *   mpiexec -n 4 collprof run --yield ./stuck 3
 *   collprof where        # meanwhile, in another terminal
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static int value[1 << 20]; /* large enough that a send waits for its receive */
enum { LARGE = 1 << 20 };

/* 0 and 1 wait for each other's message; the others wait for them in a collective. */
static void receive_first(void)
{
    if (rank < 2)
        MPI_Recv(value, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < 2)
        MPI_Send(value, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* All send to the next, and none receives. */
static void send_first(void)
{
    MPI_Ssend(value, LARGE, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    MPI_Recv(value, LARGE, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 1 sends another tag than 0 waits for. */
static void other_tag(void)
{
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 sends on another communicator than 0 waits on. */
static void other_communicator(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(value, 1, MPI_INT, 0, 4, copy);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 0 waits for a message of one that is in MPI_Finalize. */
static void partner_finished(void)
{
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The last rank does not enter the barrier. */
static void missing_member(void)
{
    if (rank < size - 1)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 is in another collective. */
static void other_collective(void)
{
    if (rank == 1)
        MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two roots for one reduction: each root waits for the other. */
static void other_root(void)
{
    static int sum[LARGE];
    MPI_Reduce(value, sum, LARGE, MPI_INT, MPI_SUM, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two communicators in crossed order. */
static void crossed(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "copy");
    MPI_Barrier(rank == 1 ? copy : MPI_COMM_WORLD);
    MPI_Barrier(rank == 1 ? MPI_COMM_WORLD : copy);
}

/* 0 waits for several requests, of which one is never sent. */
static void one_request(void)
{
    MPI_Request request[3];
    if (rank == 0) {
        MPI_Irecv(value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(value + 1, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(value + 2, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request[2]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Send(value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 computes for ever. */
static void computes(void)
{
    volatile double x = 1;
    for (double end = MPI_Wtime() + 3600; rank == 1 && MPI_Wtime() < end;)
        x = x * 1.0000001;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 sleeps for ever. */
static void sleeps(void)
{
    if (rank == 1)
        sleep(3600);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 asks for ever for a message that 0 does not send. */
static void polls(void)
{
    MPI_Request request;
    int done = 0;
    if (rank == 1) {
        MPI_Irecv(value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        while (!done) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            usleep(100);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 stops itself. */
static void stops(void)
{
    if (rank == 1)
        kill(getpid(), SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Non-blocking collectives in another order. */
static void crossed_requests(void)
{
    MPI_Request one, two;
    static int sum;
    for (int i = 0; i < 2; i++)
        if ((rank == 1) == i)
            MPI_Ibarrier(MPI_COMM_WORLD, &one);
        else
            MPI_Iallreduce(value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &two);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Wait(&two, MPI_STATUS_IGNORE);
}

/* 0 waits for a message of any rank, while all others wait in a collective. */
static void any_source(void)
{
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All exchange with the next in a ring that 1 does not join. */
static void ring(void)
{
    if (rank != 1)
        MPI_Sendrecv(value, 1, MPI_INT, (rank + 1) % size, 4, value + 1, 1, MPI_INT,
                     (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 asks for ever, without a pause, for the message of the request that it has posted. */
static void tests(void)
{
    MPI_Request request;
    int done = 0;
    if (rank == 1) {
        MPI_Irecv(value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 probes for ever, without a pause. */
static void probes(void)
{
    MPI_Message message;
    int found = 0;
    while (rank == 1 && !found)
        MPI_Improbe(0, 4, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 does not open the file that all others open. */
static void file(void)
{
    MPI_File opened;
    if (rank != 1)
        MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &opened);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 computes while it holds the lock that 2 waits for. */
static void lock(void)
{
    MPI_Win window;
    MPI_Win_create(value, LARGE, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int turn = 1; turn < 3; turn++) {
        if (rank == turn) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Put(value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            MPI_Win_flush(0, window);
        }
        if (turn == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        while (rank == 1 && turn == 1)
            sleep(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 2 goes on after an error, so that 0 waits for a message that was not sent. */
static void error(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 2)
        MPI_Send(value, 1, MPI_INT, size, 4, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 sends to 2 what 0 waits for. */
static void other_receiver(void)
{
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(value, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 0, 1 and 2 wait for each other in different calls. */
static void mixed(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Ssend(value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Irecv(value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* It goes on, slowly. */
static void slow(void)
{
    for (int i = 0; i < 600; i++) {
        usleep(rank == 1 ? 100000 : 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 1 leaves out the second fence. */
static void fence(void)
{
    MPI_Win window;
    MPI_Win_create(value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank != 1)
        MPI_Win_fence(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {{"receive first", receive_first},
             {"send first", send_first},
             {"other tag", other_tag},
             {"other communicator", other_communicator},
             {"partner finished", partner_finished},
             {"missing member", missing_member},
             {"other collective", other_collective},
             {"other root", other_root},
             {"crossed communicators", crossed},
             {"one request of several", one_request},
             {"computes", computes},
             {"sleeps", sleeps},
             {"polls", polls},
             {"stops", stops},
             {"crossed requests", crossed_requests},
             {"any source", any_source},
             {"ring", ring},
             {"slow", slow},
             {"tests", tests},
             {"probes", probes},
             {"file", file},
             {"lock", lock},
             {"error", error},
             {"other receiver", other_receiver},
             {"mixed", mixed},
             {"fence", fence}};
enum { KINDS = sizeof kinds / sizeof *kinds };

int main(int argc, char **argv)
{
    int kind = argc > 1 ? atoi(argv[1]) : 0;
    if (kind < 1 || kind > KINDS) {
        for (int i = 0; i < KINDS; i++)
            printf("%2d  %s\n", i + 1, kinds[i].name);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    kinds[kind - 1].run();
    MPI_Finalize();
    return 0;
}
