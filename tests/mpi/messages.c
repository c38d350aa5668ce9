/* An application whose messages take every way that there is, for tests/mpi/trace.sh: 4 ranks.
 * Prints how many messages were sent. With an argument: messages whose order nobody
 * knows, or (switched) messages before, while and after MPI_Pcontrol had switched recording off. */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 10, THREADS = 4 };

static int rank, size, out = 1, in;

/* Between the two groups of an intercommunicator: even ranks send, odd ones receive. */
static int between_groups(void)
{
    MPI_Comm half, inter;
    int place;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &place);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    for (int i = 0; i < TIMES; i++)
        if (rank % 2 == 0)
            MPI_Send(&out, 1, MPI_INT, place, 2, inter);
        else
            MPI_Recv(&in, 1, MPI_INT, place, 2, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return TIMES * size / 2;
}

/* Taken out by a probe, received by a call of either kind. */
static int probed(void)
{
    MPI_Message message;
    MPI_Request request;
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0)
            MPI_Send(&out, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        if (rank != 1)
            continue;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        if (i % 2) {
            MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Imrecv(&in, 1, MPI_INT, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    return TIMES;
}

static int persistent(void)
{
    MPI_Request request[2];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Recv_init(&in, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Ssend_init(&out, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < TIMES; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    return TIMES * size;
}

static void *exchange(void *argument)
{
    int tag = *(int *)argument, mine = 0;
    for (int i = 0; i < TIMES; i++)
        MPI_Sendrecv(&tag, 1, MPI_INT, rank ^ 1, tag, &mine, 1, MPI_INT, rank ^ 1, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static int threads(void)
{
    pthread_t thread[THREADS];
    int tag[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tag[i] = 10 + i;
        pthread_create(&thread[i], NULL, exchange, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return TIMES * THREADS * size;
}

static void *send_nine(void *argument)
{
    (void)argument;
    for (int i = 0; i < TIMES; i++)
        MPI_Send(&out, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    return NULL;
}

/* Two threads send on one channel: nobody can tell whose message was first. */
static int without_order(void)
{
    pthread_t thread;
    if (rank == 0) {
        pthread_create(&thread, NULL, send_nine, NULL);
        send_nine(NULL);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 2 * TIMES && rank == 1; i++)
        MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 2 * TIMES;
}

static int switched(void)
{
    for (int on = 1; on <= 3; on++) {
        MPI_Pcontrol(on % 2);
        for (int i = 0; i < TIMES; i++)
            if (rank == 0)
                MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            else
                MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return TIMES;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool ordered = argc == 1;
    int messages = ordered ? between_groups() + probed() + persistent() : 0;
    if (!ordered && !strcmp(argv[1], "switched"))
        messages = switched();
    else if (provided == MPI_THREAD_MULTIPLE)
        messages += ordered ? threads() : without_order();
    if (rank == 0)
        printf("%d\n", messages);
    MPI_Finalize();
    return 0;
}
