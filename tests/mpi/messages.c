/* An application whose messages take every way that there is, for tests/mpi/trace.sh: 4 ranks.
 * Prints how many messages were sent. "kinds"; or messages whose order is unknown (unordered),
 * before, while and after MPI_Pcontrol had switched recording off (switched), of ranks that wait
 * for another group and for a root (late) or for a rank that is killed (killed), behind some that
 * were too long (cut), and behind a receive that was cancelled and freed (dropped). */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef MPICH_VERSION
enum { ALL_END = 1 }; /* Open MPI 4.1.4 stays in an MPI_Waitall one of whose messages is too long */
#else
enum { ALL_END = 0 };
#endif
enum { TIMES = 10, THREADS = 4 };

static int rank, size, out = 1, in;
static bool several; /* threads may call MPI */

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

/* Rank 3 is late to what the two groups do together; others of its group wait for nobody. */
static void groups(void)
{
    MPI_Comm half, inter;
    int odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 1, &inter);
    for (int i = 0; i < 3 * TIMES; i++) {
        usleep(rank == 3 ? 10000 : 0);
        if (i % 3 == 0)
            MPI_Barrier(inter);
        else if (i % 3 == 1)
            MPI_Bcast(&in, 1, MPI_INT, !odd ? 1 : rank == 3 ? MPI_ROOT : MPI_PROC_NULL, inter);
        else
            MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM,
                       odd         ? 0
                       : rank == 0 ? MPI_ROOT
                                   : MPI_PROC_NULL,
                       inter);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* What is easily taken for something else: messages received in another order than sent, of size 0,
 * to oneself, with the same tag on two communicators, to nobody, and in one buffer both ways. */
static int mistakable(void)
{
    MPI_Comm other;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < TIMES; i++) {
        for (int tag = 4; rank == 0 && tag < 7; tag++)
            MPI_Send(&out, tag % 2, MPI_INT, 1, tag, tag % 2 ? other : MPI_COMM_WORLD);
        for (int tag = 6; rank == 1 && tag > 3; tag--)
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, tag, tag % 2 ? other : MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Irecv(&in, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&in, 1, MPI_INT, (rank + 1) % size, 8, (rank + size - 1) % size, 8,
                             other, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&other);
    return TIMES * (3 + 2 * size);
}

/* Two that are made once, from roots 1 and 2; rank 0 starts them in the other order. Root 2 is
 * late.
 */
static void made_once(void)
{
#if MPI_VERSION >= 4
    MPI_Request request[2];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Bcast_init(&in, 1, MPI_INT, i + 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[i]);
    for (int i = 0; i < TIMES; i++) {
        MPI_Start(&request[rank == 0]);
        usleep(rank == 2 ? 10000 : 0);
        MPI_Start(&request[rank != 0]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
#endif
}

/* Rank 0 is killed while the other one waits for it. */
static int killed(void)
{
    for (int i = 0; i < TIMES; i++)
        if (rank == 0)
            MPI_Send(&out, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(&in, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, 0, TIMES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(200000);
    return kill(getpid(), SIGKILL);
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
    if (!several)
        return 0;
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

/* Messages that are too long for their receives have been taken all the same; tests that find
 * nothing are no events. */
static int cut(void)
{
    int longer[2] = {0}, done = 0;
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) {
            MPI_Send(longer, 2, MPI_INT, 1, 9, MPI_COMM_WORLD);
            MPI_Send(longer, 2, MPI_INT, 1, 9, MPI_COMM_WORLD);
            usleep(1000);
            MPI_Send(&out, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(&in, 1, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&in, 1, MPI_INT, 0, i % 2 ? 9 : MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        if (i % 3 || !ALL_END)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        MPI_Irecv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        for (done = 0; !done;)
            MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return 3 * TIMES;
}

/* More than a trace has room for. */
static int many(void)
{
    for (int i = 0; i < 100000; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    return 0;
}

static int dropped(void)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; i++)
        if (rank == 0)
            MPI_Send(&out, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
        else
            MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return TIMES;
}

static int kinds(void)
{
    return between_groups() + probed() + persistent() + mistakable() + (several ? threads() : 0);
}

static int late(void)
{
    groups();
    made_once();
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    several = provided == MPI_THREAD_MULTIPLE;
    static const struct {
        const char *name;
        int (*play)(void);
    } scenes[] = {{"kinds", kinds},       {"unordered", without_order},
                  {"switched", switched}, {"killed", killed},
                  {"cut", cut},           {"many", many},
                  {"dropped", dropped},   {"late", late}};
    int messages = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (!strcmp(argv[1], scenes[i].name))
            messages = scenes[i].play();
    if (rank == 0)
        printf("%d\n", messages);
    MPI_Finalize();
    return 0;
}
