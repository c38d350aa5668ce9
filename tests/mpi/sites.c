/* Call sites whose lines the test knows by their marks: sites [kill|abort]. Rank 1 ends so, after
 * 50 broadcasts. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int value;

static inline __attribute__((always_inline)) void inlined_broadcast(void)
{
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* mark: inlined */
    value++;
}

static __attribute__((noinline)) void plain_broadcast(void)
{
    for (int i = 0; i < 50; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* mark: plain */
    value++;
}

static inline __attribute__((always_inline)) void inlined_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* mark: barrier */
    value++;
}

static __attribute__((noinline)) void first(void)
{
    value += 2;
    inlined_barrier(); /* mark: first */
}

static __attribute__((noinline)) void second(void)
{
    value += 3;
    inlined_barrier(); /* mark: second */
}

static void end_by(const char *how)
{
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    plain_broadcast();
    if (argc > 1 && rank == 1)
        end_by(argv[1]);
    inlined_broadcast();
    for (int i = 0; i < 2; i++)
        (i ? first : second)();
    MPI_Finalize();
    return 0;
}
