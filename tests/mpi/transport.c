/* Messages of which is known how the transport takes them: eager or rendezvous by their size, and a
 * receiver that computes between post and wait, or does not.
 *
 *   transport N SMALL LARGE SECONDS
 *
 * N messages of each size, from rank 0 to rank 1, of four kinds, each at a call site of its own. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int rank, n;
static double seconds;
static char *data;

/* MPI_Wtime() need not be the same clock on all ranks. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double length)
{
    for (double end = now() + length; now() < end;)
        ;
}

/* The token makes sure that the receive is posted before the send starts; the receiver computes
 * from then on, or waits at once. */
#define EXCHANGE(name)                                                                             \
    static void name(int size, double length)                                                      \
    {                                                                                              \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
        MPI_Request request;                                                                       \
        for (int i = 0; i < n; i++) {                                                              \
            if (rank == 1) {                                                                       \
                MPI_Irecv(data, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);                   \
                MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);                                 \
                compute(length);                                                                   \
                MPI_Wait(&request, MPI_STATUS_IGNORE);                                             \
            } else {                                                                               \
                MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);              \
                MPI_Isend(data, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);                   \
                MPI_Wait(&request, MPI_STATUS_IGNORE);                                             \
            }                                                                                      \
        }                                                                                          \
    }
EXCHANGE(small_at_once)
EXCHANGE(small_computing)
EXCHANGE(large_at_once)
EXCHANGE(large_computing)

/* The receive is posted late: protocols part here even where nothing is seen of a copy. */
static void large_late(int size)
{
    for (int i = 0; i < n; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            compute(seconds);
            MPI_Recv(data, size, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(data, size, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
        }
    }
}

/* The application's own sockets are nobody's transport. */
static void talk_to_itself(void)
{
    int pair[2];
    char byte = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        exit(1);
    for (int i = 0; i < 1000; i++)
        if (send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1)
            exit(1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = atoi(argv[1]);
    int small = atoi(argv[2]), large = atoi(argv[3]);
    seconds = atof(argv[4]);
    data = calloc((size_t)large, 1);
    small_at_once(small, 0);
    small_computing(small, seconds);
    large_at_once(large, 0);
    large_computing(large, seconds);
    large_late(large);
    talk_to_itself();
    free(data);
    return MPI_Finalize();
}
