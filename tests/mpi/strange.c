/* Legal or not, it happens: strange WAY. Each says on rank 0 what MPI answered, so that a run with
 * the layer can be compared with one without. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank;

static int class_of(int rc)
{
    int class = MPI_SUCCESS;
    if (rc)
        MPI_Error_class(rc, &class);
    return class;
}

/* In a frame that is deeper than that of a call which its caller has left by a jump. */
static __attribute__((noinline)) void barriers(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static jmp_buf out;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(out, 1);
}

/* Out of a call by an error handler, as a C++ exception or a Python error would. */
static void by_longjmp(void)
{
    MPI_Errhandler handler;
    int x = 0;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(out) == 0)
        MPI_Send(&x, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        printf("left\n");
    barriers(100);
    if (setjmp(out) == 0) /* nothing but MPI_Finalize comes after this one */
        MPI_Send(&x, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
}

/* Arguments that one rank alone has wrong: the others do not notice. Then rank 1 is always late. */
static void failing_collective(void)
{
    int x = 0, class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        class = class_of(MPI_Bcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 10; i++) {
        if (rank == 1)
            usleep(30000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("refused: %d\n", class == MPI_ERR_COUNT);
}

/* A receive that is too short fails when it is waited for. The next with its handle is another. */
static void failing_wait(void)
{
    int x[100] = {0}, failed = 0;
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(x, 100, MPI_INT, 0, i, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Irecv(x, i == 0 ? 1 : 100, MPI_INT, 1, i, MPI_COMM_WORLD, &request);
            failed += class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) != MPI_SUCCESS;
            if (i == 0)
                sleep(2);
        }
    }
    if (rank == 0)
        printf("failed: %d\n", failed);
}

static void freeing_nothing(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int class = class_of(MPI_Comm_free(NULL));
    if (rank == 0)
        printf("refused: %d\n", class != MPI_SUCCESS);
    barriers(1);
}

/* A communicator goes for good when what is pending on it is complete. What is large waits for its
 * receiver, and rank 1 may be late. */
static void freeing_pending(void)
{
    static char sent[1 << 20], got[sizeof sent], all[sizeof sent];
    int good = 1;
    for (int i = 0; i < 16; i++) {
        MPI_Comm comm;
        MPI_Request request[3];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int k = 0; k < i; k++)
            MPI_Bcast(sent, 8, MPI_CHAR, 0, comm);
        memset(sent, rank + i, sizeof sent);
        memset(all, rank ? 0 : 9 + i, sizeof all);
        if (i % 2 && rank)
            usleep(30000);
        MPI_Irecv(got, sizeof got, MPI_CHAR, 1 - rank, 0, comm, &request[0]);
        MPI_Ibcast(all, sizeof all, MPI_CHAR, 0, comm, &request[1]);
        MPI_Isend(sent, sizeof sent, MPI_CHAR, 1 - rank, 0, comm, &request[2]);
        MPI_Comm_free(&comm);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        good = good && got[12345] == 1 - rank + i && all[12345] == 9 + i;
    }
    if (rank == 0)
        printf("pending: %d\n", good);
}

#if MPI_VERSION >= 4
static void partitioned(void)
{
    double x[4 * 25] = {0};
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Psend_init(x, 4, 25, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(x, 4, 25, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request);
        usleep(rank ? 10000 : 20000);
        for (int i = 0; rank == 0 && i < 4; i++)
            MPI_Pready(i, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}
#endif

/* Rank 0 here, rank 1 there. */
static void between(void)
{
    char x[100] = {0};
    MPI_Comm half, bridge;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &bridge);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(bridge);
    MPI_Bcast(x, 100, MPI_BYTE, rank == 0 ? MPI_ROOT : 0, bridge);
    if (rank == 0)
        MPI_Send(x, 5, MPI_BYTE, 0, 0, bridge);
    else
        MPI_Recv(x, 5, MPI_BYTE, 0, 0, bridge, MPI_STATUS_IGNORE);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

/* More than an int can count, of memory that is sent many times over. */
static void huge(void)
{
    enum { BLOCK = 1 << 20, BLOCKS = 2560 };
    MPI_Datatype type;
    char *x = calloc(BLOCK, 1);
    MPI_Type_create_hvector(BLOCKS, BLOCK, 0, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(x, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(x, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(x);
}

static enum { BARRIER, ALLREDUCE, IRECV } called;
static int from[8192], to[8192];
static MPI_Request open_request[64];

/* Of N levels 16^N stacks, each its own call site. */
static __attribute__((noinline)) void descend(int level, int where)
{
    switch ((where >> 4 * level) & 15) {
#define PLACE(n)                                                                                   \
    case n:                                                                                        \
        if (level == 0 && called == BARRIER)                                                       \
            MPI_Barrier(MPI_COMM_SELF);                                                            \
        else if (level == 0 && called == ALLREDUCE)                                                \
            MPI_Allreduce(from, to, 8192, MPI_INT, MPI_SUM, MPI_COMM_SELF);                        \
        else if (level == 0)                                                                       \
            MPI_Irecv(to, 1, MPI_INT, 0, where, MPI_COMM_SELF, &open_request[where]);              \
        else                                                                                       \
            descend(level - 1, where);                                                             \
        __asm__ volatile("# %0" : : "i"(n) : "memory"); /* or equal cases become one */            \
        break;
        /* clang-format off */
        PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)
        PLACE(8) PLACE(9) PLACE(10) PLACE(11) PLACE(12) PLACE(13) PLACE(14) PLACE(15)
        /* clang-format on */
    }
}

static __attribute__((noinline)) void many_sites(void)
{
    for (int round = 0; round < 2; round++)
        for (int where = 0; where < 4096; where++)
            descend(2, where);
}

/* 45,000 stacks in turn, a hundred of them once more at the end, beside eight that are called 2,500
 * times each and 64 that post requests, by shorter calls, which are open all the while. */
static void rare_sites(void)
{
    called = IRECV;
    for (int i = 0; i < 64; i++)
        descend(1, i);
    for (int i = 0; i < 45000; i++) {
        called = ALLREDUCE;
        descend(3, i);
        called = BARRIER;
        if (i >= 25000)
            descend(1, i % 8);
    }
    called = ALLREDUCE;
    for (int i = 0; i < 100; i++)
        descend(3, i);
    for (int i = 0; i < 64; i++)
        MPI_Send(from, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Waitall(64, open_request, MPI_STATUSES_IGNORE);
}

static void nonblocking_bcast(int *x)
{
    MPI_Request request;
    MPI_Ibcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Two collectives in turn, more of them than the log holds; and a few others between them. */
static void in_turn(void)
{
    int one = 1, sum;
    for (int i = 0; i < 16384; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i % 2048 == 1500)
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i % 4096 == 3000)
            nonblocking_bcast(&sum);
    }
}

static void many_requests(void)
{
    enum { N = 50000 };
    MPI_Request *request = malloc(N * sizeof *request);
    int *x = calloc(N, sizeof *x);
    for (int i = 0; i < N; i++)
        MPI_Irecv(&x[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        MPI_Send(&x[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    MPI_Waitall(N, request, MPI_STATUSES_IGNORE);
    free(request);
    free(x);
}

static void elsewhere(void)
{
    if (chdir("/"))
        exit(9);
    barriers(100);
}

/* And a signal that its owner has blocked, to see to it later. */
static void small_files(void)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, NULL);
    raise(SIGPIPE);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
    barriers(100);
}

/* All descriptors closed, as daemons do. */
static void closing(void)
{
    many_sites();
    for (int fd = 200; fd < 300; fd++)
        close(fd);
    many_sites();
}

/* Until somebody makes the file that COLLPROF_TEST_GO names. */
static void waiting(void)
{
    const char *go = getenv("GO");
    barriers(10);
    for (int i = 0; rank == 0 && go && access(go, F_OK) && i < 600; i++)
        usleep(50000);
    barriers(10);
}

/* Of the ranks that CHANGING names, or of all. */
static void changed_user(void)
{
    const char *changing = getenv("CHANGING");
    barriers(2000);
    if ((!changing || atoi(changing) == rank) && setuid(65534))
        printf("rank %d stays\n", rank);
    barriers(10);
}

static void nested(void)
{
    barriers(10);
    if (rank == 0 && system(getenv("INNER")))
        printf("inner run failed\n");
    barriers(10);
}

static const struct {
    const char *name;
    void (*go)(void);
} ways[] = {{"longjmp", by_longjmp},
            {"failing-collective", failing_collective},
            {"failing-wait", failing_wait},
            {"freeing-nothing", freeing_nothing},
            {"freeing-pending", freeing_pending},
#if MPI_VERSION >= 4
            {"partitioned", partitioned},
#endif
            {"between", between},
            {"huge", huge},
            {"many-sites", many_sites},
            {"rare-sites", rare_sites},
            {"in-turn", in_turn},
            {"many-requests", many_requests},
            {"elsewhere", elsewhere},
            {"small-files", small_files},
            {"closing", closing},
            {"waiting", waiting},
            {"changed-user", changed_user},
            {"nested", nested}};

int main(int argc, char **argv)
{
    int known = 0;
    sigset_t left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++) {
        if (!strcmp(ways[i].name, argv[1])) {
            ways[i].go();
            known = 1;
        }
    }
    fflush(stdout);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    if (!sigpending(&left) && sigismember(&left, SIGPIPE))
        printf("rank %d: SIGPIPE is left\n", rank);
    return known ? 0 : 77;
}
