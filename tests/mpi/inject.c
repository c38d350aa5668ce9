/* An application that broadcasts in every way that the layer has to get right when it takes part:
 * sub- and intercommunicators, all roots, derived types that differ between ranks, no bytes at
 * all, other collectives with MPI_IN_PLACE, errors, two threads. It checks every result itself
 * and prints "right" once, so that its output must be the same with and without the layer. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, size, wrong;

static void expect(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "rank %d: wrong after %s\n", rank, what);
        wrong = 1;
    }
}

static void every_root(MPI_Comm comm, int count)
{
    int me, n;
    int *data = malloc((size_t)(count + 1) * sizeof *data);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    for (int root = 0; root < n; root++) {
        for (int i = 0; i < count; i++)
            data[i] = me == root ? root * 1000 + i : -1;
        data[count] = 77;
        MPI_Bcast(data, count, MPI_INT, root, comm);
        int ok = data[count] == 77;
        for (int i = 0; i < count; i++)
            ok = ok && data[i] == root * 1000 + i;
        expect(ok, "a broadcast");
    }
    free(data);
}

/* The root sends 50 integers of every second place, the others take 50 in a row. */
static void derived_types(MPI_Comm comm)
{
    int data[100] = {0};
    MPI_Datatype strided;
    for (int repeat = 0; repeat < 6;
         repeat++) /* from the fifth on, a broadcast may be another one */
        MPI_Bcast(data, 50, MPI_INT, 0, comm);
    MPI_Type_vector(50, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    for (int repeat = 0; repeat < 3; repeat++) {
        for (int i = 0; i < 100; i++)
            data[i] = rank == 0 ? i : -1;
        if (rank == 0)
            MPI_Bcast(data, 1, strided, 0, comm);
        else
            MPI_Bcast(data, 50, MPI_INT, 0, comm);
        for (int i = 0; i < 50; i++)
            expect(rank == 0 || data[i] == 2 * i, "a broadcast of derived types");
    }
    if (rank != 0)
        for (int i = 0; i < 100; i++)
            data[i] = -1;
    MPI_Bcast(data, 1, strided, 0, comm);
    for (int i = 0; i < 100 && rank != 0; i++)
        expect(data[i] == (i % 2 ? -1 : i), "a broadcast into a derived type");
    MPI_Type_free(&strided);
}

static void between_groups(void)
{
    MPI_Comm half, inter;
    int low = rank < size / 2, data = rank == 0 ? 42 : -1;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 5, &inter);
    MPI_Bcast(&data, 1, MPI_INT, !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    expect(data == (low && rank ? -1 : 42), "a broadcast between groups");
    MPI_Comm_free(&inter);
    every_root(half, 10);
    MPI_Comm_free(&half);
}

static void other_collectives(MPI_Comm comm)
{
    int sum = rank, all[64] = {0}, mine = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == size * (size - 1) / 2, "an allreduce in place");
    all[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        expect(all[i] == i, "an allgather in place");
    MPI_Gather(rank == 1 ? MPI_IN_PLACE : (void *)&mine, 1, MPI_INT, all, 1, MPI_INT, 1, comm);
    MPI_Scatter(all, 1, MPI_INT, rank == 1 ? MPI_IN_PLACE : (void *)&mine, 1, MPI_INT, 1, comm);
    expect(mine == rank, "gather and scatter");
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_MAX, 0, comm);
    expect(rank != 0 || sum == size - 1, "a reduce");
    int to[64], from[64];
    for (int i = 0; i < size; i++)
        to[i] = 100 * rank + i;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        expect(from[i] == 100 * i + rank, "an alltoall");
    MPI_Barrier(comm);
}

static void errors(MPI_Comm comm)
{
    int data = 0;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    expect(MPI_Bcast(&data, 1, MPI_INT, size + 3, comm) != MPI_SUCCESS, "a root that is none");
    expect(MPI_Bcast(&data, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "a negative count");
    expect(MPI_Bcast(&data, 1, MPI_DATATYPE_NULL, 0, comm) != MPI_SUCCESS, "no datatype");
}

static void *broadcast_repeatedly(void *comm)
{
    for (int i = 0; i < 50; i++)
        every_root(*(MPI_Comm *)comm, 5);
    return NULL;
}

static void threads(void)
{
    MPI_Comm comm[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, broadcast_repeatedly, &comm[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&comm[i]);
    }
}

/* Right only because a small broadcast does not wait for those who receive: rank 1 enters when the
 * root has left and told it. */
static void root_goes_ahead(void)
{
    for (int repeat = 0; repeat < 12; repeat++) {
        int data = rank == 0 ? repeat : -1, told = 0;
        if (rank == 1)
            MPI_Recv(&told, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(&told, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        expect(data == repeat, "a broadcast that the root has left");
    }
}

/* Right only because nobody waits where a communicator is freed: ranks do it in different orders.
 */
static void freed(void)
{
    MPI_Comm comm[2];
    MPI_Request request;
    int sum, data = 1;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        for (int repeat = 0; repeat < 8; repeat++)
            every_root(comm[i], 3);
        MPI_Iallreduce(&data, &sum, 1, MPI_INT, MPI_SUM, comm[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(sum == size, "an allreduce that was posted");
    }
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comm[rank % 2 ? 1 - i : i]);
}

/* A mistake that some libraries report: the root gives more than the others take. */
static void unequal(void)
{
    int data[8] = {0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int repeat = 0; repeat < 12; repeat++) {
        MPI_Bcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* One operation has two names. */
static void forms(void)
{
    int sum;
    for (int k = 0; k < 12; k++)
#if MPI_VERSION >= 4
        if (rank == 1 && k > 5)
            MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else
#endif
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == size * (size - 1) / 2, "a sum");
}

/* Memory after PLACES integers that nobody may touch: a hole of a type need not be there. */
static int *before_nothing(int places)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at + page, page, PROT_NONE))
        MPI_Abort(MPI_COMM_WORLD, 1);
    return (int *)(void *)(at + page) - places;
}

/* 8 integers each, from MPI_BOTTOM and with a last hole as large as a page. */
static void where_no_data_is(void)
{
    enum { N = 8 };
    int got[8 * N], length = N, *data = before_nothing(N);
    MPI_Aint address;
    MPI_Datatype type[2];
    MPI_Get_address(data, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type[0]);
    MPI_Type_contiguous(N, MPI_INT, &type[1]);
    MPI_Type_create_resized(type[1], 0, 8192, &type[1]);
    for (int k = 0; k < 2; k++) {
        MPI_Type_commit(&type[k]);
        for (int i = 0; i < N; i++)
            data[i] = rank == 0 ? 10 * k + i : -1;
        MPI_Bcast(k ? data : MPI_BOTTOM, 1, type[k], 0, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            expect(data[i] == 10 * k + i, "a broadcast of an unusual place");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Gather(MPI_BOTTOM, 1, type[0], got, N, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < N * size; i++)
        expect(got[i] == 10 + i % N, "a gather from an unusual place");
}

/* Whoever switches recording off still has to take part in what is injected. */
static void switched(void)
{
    if (rank == 1)
        MPI_Pcontrol(0);
    for (int repeat = 0; repeat < 12; repeat++)
        every_root(MPI_COMM_WORLD, 1 + repeat % 3);
}

static int finish(void)
{
    int any;
    MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(any ? "wrong" : "right");
    MPI_Finalize();
    return any && rank == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"ahead", root_goes_ahead},   {"freed", freed},
                 {"unequal", unequal},         {"forms", forms},
                 {"places", where_no_data_is}, {"switched", switched}};
    int provided;
    MPI_Comm dup;
    MPI_Init_thread(&argc, &argv,
                    argc > 1 && !strcmp(argv[1], "threads") ? MPI_THREAD_MULTIPLE
                                                            : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(argv[1], parts[i].name)) {
            parts[i].run();
            return finish();
        }
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    every_root(MPI_COMM_WORLD, 0);
    for (int repeat = 0; repeat < 6; repeat++)
        every_root(MPI_COMM_WORLD, 1);
    every_root(dup, 20000);
    every_root(MPI_COMM_SELF, 3);
    derived_types(dup);
    between_groups();
    other_collectives(dup);
    errors(dup);
    if (provided == MPI_THREAD_MULTIPLE)
        threads();
    MPI_Comm_free(&dup);
    return finish();
}
