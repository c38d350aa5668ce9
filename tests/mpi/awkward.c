/* Uses of MPI that are legal, rare, and known to break profilers: awkward WHAT. Checks by itself
 * that MPI answers as it must; status 1 and a line if not. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #condition);                  \
            fflush(stdout);                                                                        \
            PMPI_Abort(MPI_COMM_WORLD, 1);                                                         \
        }                                                                                          \
    } while (0)

/* Small sends complete at once and share one handle; so do those to MPI_PROC_NULL. */
static void same_handles(void)
{
    int out[8], in[8], flag, other = size - 1 - rank;
    MPI_Request s[8], r[8];
    MPI_Status status[8];
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 8; i++) {
            out[i] = 100 * rank + i;
            MPI_Irecv(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &r[i]);
        }
        for (int i = 0; i < 8; i++)
            MPI_Isend(&out[i], 1, MPI_INT, i % 4 ? other : MPI_PROC_NULL, i, MPI_COMM_WORLD, &s[i]);
        MPI_Request_free(&s[7]);
        MUST(s[7] == MPI_REQUEST_NULL);
        MPI_Wait(&s[2], MPI_STATUS_IGNORE);
        do
            MPI_Test(&s[0], &flag, &status[0]);
        while (!flag);
        MPI_Waitall(7, s, MPI_STATUSES_IGNORE);
        MPI_Cancel(&r[0]); /* nobody sends these two */
        MPI_Cancel(&r[4]);
        MPI_Waitall(8, r, status);
        for (int i = 0; i < 8; i++) {
            int cancelled, count;
            MPI_Test_cancelled(&status[i], &cancelled);
            MUST(cancelled == (i % 4 == 0));
            if (cancelled)
                continue;
            MPI_Get_count(&status[i], MPI_INT, &count);
            MUST(in[i] == 100 * other + i && count == 1);
            MUST(status[i].MPI_SOURCE == other && status[i].MPI_TAG == i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Statuses go by position, not by index; inactive and null requests are passed over. */
static void some_of_them(void)
{
    enum { N = 6 };
    MPI_Request r[N];
    MPI_Status status[N];
    int in[N], index[N], n, got, other = size - 1 - rank;
    for (int i = 0; i < N; i++) {
        r[i] = MPI_REQUEST_NULL;
        if (i % 2)
            MPI_Recv_init(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &r[i]);
    }
    MPI_Waitsome(N, r, &n, index, status);
    MUST(n == MPI_UNDEFINED);
    MPI_Waitany(N, r, &got, status);
    MUST(got == MPI_UNDEFINED);
    MPI_Testall(N, r, &got, MPI_STATUSES_IGNORE);
    MUST(got);
    for (int round = 0; round < 50; round++) {
        int seen = 0;
        for (int i = 1; i < N; i += 2)
            MPI_Start(&r[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = N - 1; i >= 1; i -= 2) {
            int value = 10 * rank + i;
            MPI_Send(&value, 1, MPI_INT, other, i, MPI_COMM_WORLD);
        }
        while (seen < N / 2) {
            if (round % 2)
                MPI_Waitsome(N, r, &n, index, status);
            else
                MPI_Testsome(N, r, &n, index, status);
            MUST(n != MPI_UNDEFINED);
            for (int k = 0; k < n; k++) {
                MUST(index[k] % 2 == 1 && status[k].MPI_TAG == index[k]);
                MUST(status[k].MPI_SOURCE == other && in[index[k]] == 10 * other + index[k]);
                MUST(r[index[k]] != MPI_REQUEST_NULL); /* persistent: inactive, not null */
            }
            seen += n;
        }
    }
    MPI_Request pair[2] = {r[1], r[3]};
    MPI_Startall(2, pair);
    for (int i = 1; i <= 3; i += 2)
        MPI_Send(&i, 1, MPI_INT, other, i, MPI_COMM_WORLD);
    for (int k = 0; k < 2; k++) {
        MPI_Waitany(2, pair, &got, &status[0]);
        MUST(status[0].MPI_TAG == 2 * got + 1);
    }
    for (int i = 1; i < N; i += 2)
        MPI_Request_free(&r[i]);
}

static long resident_kib(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void make_and_free(int times)
{
    for (int i = 0; i < times; i++) {
        MPI_Comm part, copy, bridge, merged;
        int one = 1, sum;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
        MPI_Comm_dup(part, &copy);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
        if (i % 10 == 0) {
            MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &bridge);
            MPI_Barrier(bridge);
            MPI_Bcast(&one, 1, MPI_INT,
                      rank % 2    ? 0
                      : rank == 0 ? MPI_ROOT
                                  : MPI_PROC_NULL,
                      bridge);
            MPI_Intercomm_merge(bridge, rank % 2, &merged);
            MPI_Barrier(merged);
            MPI_Comm_free(&merged);
            MPI_Comm_free(&bridge);
        }
        MPI_Comm_free(&copy);
        MPI_Comm_free(&part);
        MUST(part == MPI_COMM_NULL);
    }
}

/* 10,000 times two communicators, and every tenth time two more with an intercommunicator. */
static void many_communicators(void)
{
    make_and_free(1000);
    long before = resident_kib();
    make_and_free(9000);
    long growth = resident_kib() - before;
    if (growth > 512)
        printf("rank %d grew by %ld KiB\n", rank, growth);
    MUST(growth <= 512);
}

static void *calls_of_a_thread(void *comm)
{
    int in = 1, out = 0, value;
    MPI_Request request[2];
    for (int i = 0; i < 200000; i++) {
        if (i % 4) {
            MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
            MUST(out == 1);
            continue;
        }
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, *(MPI_Comm *)comm, &request[0]);
        MPI_Isend(&i, 1, MPI_INT, 0, 1, *(MPI_Comm *)comm, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MUST(value == i);
    }
    return NULL;
}

static void four_threads(void)
{
    pthread_t thread[4];
    MPI_Comm comm[4];
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comm[i]);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, calls_of_a_thread, &comm[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++)
        MPI_Comm_free(&comm[i]);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void errors(void)
{
    int two[2] = {1, 2}, in[3], one, other = size - 1 - rank;
    MPI_Status status;
    MPI_Request request, made[3];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MUST(class_of(MPI_Send(two, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    MUST(class_of(MPI_Send(two, -1, MPI_INT, other, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    MUST(class_of(MPI_Bcast(two, 1, MPI_INT, size, MPI_COMM_WORLD)) == MPI_ERR_ROOT);
    MUST(class_of(MPI_Barrier(MPI_COMM_NULL)) == MPI_ERR_COMM);
    MUST(class_of(MPI_Isend(two, 1, MPI_DATATYPE_NULL, other, 0, MPI_COMM_WORLD, &request)) ==
         MPI_ERR_TYPE);
    MPI_Irecv(&one, 1, MPI_INT, other, 9, MPI_COMM_WORLD, &request);
    MPI_Send(two, 2, MPI_INT, other, 9, MPI_COMM_WORLD);
    MUST(class_of(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE);
    /* Of three one can be started again and completes, one is never started, and one fails: MPICH
     * says of what is behind that one that it is pending. */
    for (int i = 0; i < 2; i++)
        MPI_Recv_init(&in[i], 1, MPI_INT, other, 10 + i, MPI_COMM_WORLD, &made[i]);
    MPI_Start(&made[0]);
    MPI_Irecv(&in[2], 1, MPI_INT, other, 9, MPI_COMM_WORLD, &made[2]);
    MPI_Send(two, 2, MPI_INT, other, 9, MPI_COMM_WORLD);
    MPI_Send(two, 1, MPI_INT, other, 10, MPI_COMM_WORLD);
    MPI_Sendrecv(two, 1, MPI_INT, other, 11, &one, 1, MPI_INT, other, 11, MPI_COMM_WORLD, &status);
    MUST(class_of(MPI_Waitall(3, made, MPI_STATUSES_IGNORE)) == MPI_ERR_IN_STATUS);
    MPI_Request_free(&made[0]);
    MPI_Request_free(&made[1]);
}

/* Children have the layer loaded, too, and must not touch this process's record. */
static void children(const char *self)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        int status;
        pid_t child = fork();
        if (child == 0 && i == 0)
            exit(5);
        if (child == 0 && i == 1)
            execl(self, self, "child", (char *)NULL);
        if (child == 0)
            _exit(system("ls / >/dev/null && bash -c 'exit 5' 2>/dev/null") >> 8);
        waitpid(child, &status, 0);
        MUST(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Switched off and on: see MPI_Pcontrol in the standard. */
static void switching(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++) {
        MPI_Pcontrol(i % 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Pcontrol(17); /* not ours: nothing */
}

#ifdef MPI_SESSION_NULL
static int sessions(void)
{
    MPI_Session session;
    MPI_Group world;
    MPI_Comm comm;
    int one = 1, sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "collprof", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    int right = sum == size;
    MPI_Group_free(&world);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return !right;
}
#else
static int sessions(void)
{
    return 77;
}
#endif

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "child"))
        return 5;
    if (!strcmp(what, "sessions"))
        return sessions();
    int threads = !strcmp(what, "threads"), level = MPI_THREAD_SINGLE;
    if (threads || !strcmp(what, "init-thread"))
        MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
    else
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (threads && level < MPI_THREAD_MULTIPLE)
        return 77;
    if (!strcmp(what, "same-handles"))
        same_handles();
    if (!strcmp(what, "some"))
        some_of_them();
    if (!strcmp(what, "communicators"))
        many_communicators();
    if (threads)
        four_threads();
    if (!strcmp(what, "errors"))
        errors();
    if (!strcmp(what, "children"))
        children(argv[0]);
    if (!strcmp(what, "switching"))
        switching();
    if (!strcmp(what, "init-thread"))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    int finalized = 0, major, minor;
    MPI_Finalized(&finalized);
    MPI_Get_version(&major, &minor); /* allowed at any time */
    return !finalized;
}
