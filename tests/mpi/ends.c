/* Ends badly, in the way that is asked for: ends WAY [RANK]. Every rank makes 100 allreduces and
 * 10 broadcasts; then RANK (default: the last) goes its WAY, while the others wait for it in
 * a barrier for ever. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void own_handler(int number)
{
    static const char said[] = "the application's own handler\n";
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0)
        _exit(1);
    _exit(100 + number);
}

static jmp_buf over;

static void get_over(int number)
{
    (void)number;
    siglongjmp(over, 1);
}

/* The application's own handler gets over a fault; then something else ends it. */
static void survive(void)
{
    signal(SIGSEGV, get_over);
    if (sigsetjmp(over, 1) == 0)
        raise(SIGSEGV);
    MPI_Barrier(MPI_COMM_SELF);
    raise(SIGKILL);
}

/* Prints where it is, and dies by what follows. */
static void say_and_return(int number)
{
    (void)number;
    if (write(STDOUT_FILENO, "fault\n", 6) < 0)
        _exit(1);
}

static void shrug(int number)
{
    (void)number;
}

static void abort_at(int number)
{
    (void)number;
    abort();
}

static void limit_files(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    FILE *f = tmpfile();
    for (int i = 0; i < 100000; i++)
        fputc('x', f);
    fflush(f);
}

static void break_pipe(void)
{
    int end[2];
    if (pipe(end) == 0 && close(end[0]) == 0 && write(end[1], "x", 1) == 1)
        exit(9);
}

/* Nobody comes back from here. */
static void hang(int rank)
{
    int x[3] = {0};
    MPI_Request request;
    if (rank == 4) {
        MPI_Irecv(x, 2, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Recv(x, 3, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3)
        MPI_Bcast(x, 1, MPI_INT, 1, MPI_COMM_WORLD);
    for (;;)
        pause();
}

static void go(const char *way, int rank)
{
    if (!strcmp(way, "alarm"))
        raise(SIGALRM);
    if (!strcmp(way, "pipe"))
        break_pipe();
    if (!strcmp(way, "file-size"))
        limit_files();
    if (!strcmp(way, "survived"))
        survive();
    if (!strcmp(way, "exec"))
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
    if (!strcmp(way, "absent"))
        pause();
    if (!strcmp(way, "quick-exit"))
        quick_exit(5);
    if (!strncmp(way, "caught-", 7))
        *(volatile int *)(size_t)rank = 0;
    if (!strcmp(way, "shrugged")) {
        raise(SIGFPE);
        raise(SIGKILL);
    }
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
    if (!strcmp(way, "survived"))
        signal(SIGSEGV, get_over);
    if (!strcmp(way, "shrugged"))
        signal(SIGFPE, shrug);
    if (!strcmp(way, "caught-exit"))
        signal(SIGSEGV, own_handler);
    if (!strcmp(way, "caught-abort"))
        signal(SIGSEGV, abort_at);
    if (!strcmp(way, "caught-return"))
        sigaction(SIGSEGV,
                  &(struct sigaction){.sa_handler = say_and_return, .sa_flags = (int)SA_RESETHAND},
                  NULL);
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
    if (!strcmp(way, "hang"))
        hang(rank);
    if (!strcmp(way, "absent") && rank == 0)
        return MPI_Finalize();
    if (rank == (argc > 2 ? atoi(argv[2]) : size - 1)) {
        usleep(100000); /* the others stand in the next barrier by then */
        go(way, rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
