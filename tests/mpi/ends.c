/* Ends badly, in the way that is asked for: ends WAY [RANK]. Every rank makes 100 allreduces and
 * 10 broadcasts; then RANK (default: the last) goes its WAY, while the others wait for it in
 * a barrier for ever. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void own_handler(int number)
{
    static const char said[] = "the application's own handler\n";
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0)
        _exit(1);
    _exit(100 + number);
}

static void go(const char *way, int rank)
{
    if (!strcmp(way, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(way, "segv"))
        *(volatile int *)(size_t)rank = 0; /* address 0 to a few: never mapped */
    if (!strcmp(way, "handled"))
        raise(SIGUSR1); /* see main */
    if (!strcmp(way, "term"))
        raise(SIGTERM);
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "libc-abort"))
        abort();
    if (!strcmp(way, "exit"))
        exit(3);
    if (!strcmp(way, "_exit"))
        _exit(4);
}

int main(int argc, char **argv)
{
    int rank, size, one = 1, sum;
    const char *way = argc > 1 ? argv[1] : "well";
    if (!strcmp(way, "handled"))
        signal(SIGUSR1, own_handler);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == (argc > 2 ? atoi(argv[2]) : size - 1))
        go(way, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
