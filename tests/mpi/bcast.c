/* The broadcast algorithms and methods on a real MPI. Protects:
 *  - every algorithm delivers, to every rank, from every root, for sizes around a segment's end,
 *    zero elements, a type with holes, and on a sub-communicator in reversed order;
 *  - so do trees that are built from latencies, whole and in segments;
 *  - the check of the data can fail: a broadcast that forgets one rank is caught, and not measured;
 *  - 1 rank, an intercommunicator and arguments out of range are refused by an error code. */
#include "base/clock.h"
#include "measure/latency/broadcast.h"
#include "trees/schedule_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, size, failures;

static void expect(bool holds, const char *what, const char *name, int root, int count)
{
    if (holds)
        return;
    failures++;
    fprintf(stderr, "rank %d: FAILED: %s: %s, root %d, count %d\n", rank, what, name, root, count);
}

/* 3 of every 5 ints, the second of them left out. */
static MPI_Datatype holey(void)
{
    MPI_Datatype inner, type;
    int lengths[] = {1, 2}, places[] = {0, 2};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 5 * sizeof(int), &type);
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    return type;
}

static void deliver(const struct bcast *b, MPI_Comm comm, MPI_Datatype type, int width, int count,
                    int root)
{
    int me, n = count * width;
    MPI_Comm_rank(comm, &me);
    int *data = malloc((size_t)(n + 1) * sizeof *data);
    for (int i = 0; i < n; i++)
        data[i] = me == root ? i + 1000 * root : -i;
    int error = b->run(data, count, type, root, comm, b->arg);
    expect(error == MPI_SUCCESS, "no error", b->name, root, count);
    for (int i = 0; i < n; i++) {
        bool hole = width == 5 && (i % 5 == 1 || i % 5 == 4);
        int right = me == root || !hole ? i + 1000 * root : -i;
        if (data[i] != right) {
            expect(false, "the data arrives and nothing else is touched", b->name, root, count);
            break;
        }
    }
    free(data);
}

static void deliver_everything(MPI_Comm comm)
{
    static const int counts[] = {0, 1, 2047, 2048, 2049, 40000};
    MPI_Datatype type = holey();
    int n;
    MPI_Comm_size(comm, &n);
    for (size_t a = 0; a < n_bcasts; a++)
        for (int root = 0; bcasts[a]->run && root < n; root++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                deliver(bcasts[a], comm, MPI_INT, 1, counts[k], root);
                deliver(bcasts[a], comm, type, 5, counts[k], root);
            }
    MPI_Type_free(&type);
}

/* Every tree that is built from latencies, whole and in segments that do not divide an element. */
static void deliver_schedules(void)
{
    static const size_t segments[] = {0, 3, 1024};
    static const int counts[] = {0, 1, 5000};
    MPI_Datatype type = holey();
    struct graph g;
    graph_new(&g, size);
    for (int i = 0; i < size * size; i++) {
        g.w[i] = 1e-6 * (1 + (i * 7919) % 13);
        g.d[i] = 1e-6 * (1 + i / size % 3);
    }
    for (size_t i = 0; i < 3 * n_bcast_candidates; i++)
        for (int root = 0; root<size; root += size> 1 ? size - 1 : 1) {
            struct schedule s;
            struct schedule_part *part;
            if (!schedule_build(bcast_candidates[i / 3], &g, root, &s))
                MPI_Abort(MPI_COMM_WORLD, 1);
            s.segment = segments[i % 3];
            if (schedule_distribute(rank == 0 ? &s : NULL, MPI_COMM_WORLD, &part) != MPI_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, 1);
            struct bcast b = schedule_bcast(part);
            b.name = s.name;
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                deliver(&b, MPI_COMM_WORLD, MPI_INT, 1, counts[k], root);
                deliver(&b, MPI_COMM_WORLD, type, 5, counts[k], root);
            }
            free(part);
            schedule_free(&s);
        }
    graph_free(&g);
    MPI_Type_free(&type);
}

/* Rank 1 gets nothing. */
static int forgetful(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                     const void *arg)
{
    char aside[64];
    int me;
    (void)arg;
    MPI_Comm_rank(comm, &me);
    return PMPI_Bcast(me == 1 ? aside : buffer, count, type, root, comm);
}

/* The last element is missing, everywhere. */
static int cut_short(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                     const void *arg)
{
    (void)arg;
    return PMPI_Bcast(buffer, count - 1, type, root, comm);
}

/* The first element is missing, everywhere. */
static int begun_late(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      const void *arg)
{
    (void)arg;
    return PMPI_Bcast((int *)buffer + 1, count - 1, type, root, comm);
}

/* Also where all had the right data before, and where they are larger than a piece of the check. */
static void catch_wrong_data(void)
{
    static const struct bcast bad = {.name = "forgetful", .run = forgetful},
                              some[] = {{.name = "cut short", .run = cut_short},
                                        {.name = "begun late", .run = begun_late}};
    static int data[(1 << 18) + 5];
    static const int counts[] = {4, 7, 9, sizeof data / sizeof *data};
    int wrong;
    bool checked;
    struct broadcast b = {&bad, data, 4, MPI_INT, 0, MPI_COMM_WORLD, false};
    int error = broadcast_check(&b, &wrong, &checked);
    expect(error == MPI_SUCCESS && checked && wrong == 1, "wrong data is caught", bad.name, 0, 4);
    for (int k = 0; k < 8; k++) {
        b.bcast = &some[k / 4];
        b.count = counts[k % 4];
        memset(data, 0, sizeof data);
        error = broadcast_check(&b, &wrong, &checked);
        expect(error == MPI_SUCCESS && checked && wrong == size - 1, "wrong data is caught",
               b.bcast->name, 0, b.count);
        expect(rank != 0 || data[0] == 0, "the root keeps its data", b.bcast->name, 0, b.count);
    }
}

static struct broadcast small(MPI_Comm comm, const char *name, void *buffer, int count, int root)
{
    return (struct broadcast){bcast_find(name), buffer, count, MPI_INT, root, comm, false};
}

static struct latency_case small_case(struct broadcast *b)
{
    struct latency_case c = broadcast_case(b);
    c.plan = plan_default();
    c.plan.repetitions = 5;
    c.plan.repeats_max = 2;
    c.plan.budget = 0.5;
    return c;
}

/* A broadcast that does not work is not measured, and the root's data survives it. */
static void measure_wrong(void)
{
    static const struct bcast bad = {.name = "forgetful", .run = forgetful};
    const struct latency_method *method = latency_method_find("rounds");
    int data[4] = {1, 2, 3, rank};
    struct latency_outcome o;
    struct broadcast b = small(MPI_COMM_WORLD, "native", data, 4, 0);
    struct latency_case c = small_case(&b);
    b.bcast = &bad;
    int error = latency_measure(&c, &method, 1, &o);
    expect(error == MPI_SUCCESS && o.wrong_ranks == 1, "all ranks know", bad.name, 0, 4);
    expect(o.n_results == 0 || o.result[0].value.value != o.result[0].value.value,
           "there is no figure", bad.name, 0, 4);
    expect(rank != 0 || (data[0] == 1 && data[3] == 0), "the root keeps its data", bad.name, 0, 4);
    latency_outcome_free(&o);
}

static void refuse(void)
{
    const struct latency_method *method = latency_method_find("send-latency");
    struct latency_outcome o;
    int data = 0;
    struct broadcast b = small(MPI_COMM_SELF, "native", &data, 1, 0);
    struct latency_case c = small_case(&b);
    expect(latency_measure(&c, &method, 1, &o) == MPI_ERR_COMM, "1 rank is refused", "", 0, 1);
    if (size == 1)
        return;
    b = small(MPI_COMM_WORLD, "native", &data, 1, size);
    c = small_case(&b);
    expect(latency_measure(&c, &method, 1, &o) == MPI_ERR_ROOT, "a wrong root is refused", "", size,
           1);
    expect(!latency_method_find("telepathy") && !bcast_find("telepathy"), "unknown names", "", 0,
           0);
}

enum { PAGE = 4096, PAGES = 3 };
static volatile sig_atomic_t pages_written;

static void note_write(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    pages_written++;
    mprotect((void *)((uintptr_t)info->si_addr / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE);
}

/* Fresh data are written, every page of them, but no holes. */
static void write_fresh_data(void)
{
    struct sigaction before, noting = {.sa_sigaction = note_write, .sa_flags = SA_SIGINFO};
    char *data = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct broadcast b = small(MPI_COMM_SELF, "linear", data, PAGES * PAGE / (int)sizeof(int), 0);
    sigaction(SIGSEGV, &noting, &before);
    broadcast_before(&b);
    expect(pages_written == PAGES, "fresh data are written", "", 0, b.count);
    mprotect(data, PAGES * PAGE, PROT_READ);
    pages_written = 0;
    b.count = 1;
    MPI_Type_vector(PAGES, 1, PAGE / (int)sizeof(int), MPI_INT, &b.type);
    MPI_Type_commit(&b.type);
    broadcast_before(&b);
    expect(pages_written == 0, "holes stay as they are", "", 0, b.count);
    MPI_Type_free(&b.type);
    b = small(MPI_COMM_WORLD, "linear", data, 1, 0);
    if (rank > 0)
        broadcast_before(&b);
    expect(pages_written == 0, "others write nothing", "", 0, b.count);
    sigaction(SIGSEGV, &before, NULL);
    munmap(data, PAGES * PAGE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    clock_start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    write_fresh_data();
    deliver_everything(MPI_COMM_WORLD);
    deliver_everything(reversed);
    MPI_Comm_free(&reversed);
    deliver_schedules();
    if (size > 1) {
        catch_wrong_data();
        measure_wrong();
    }
    refuse();
    int all;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 1 : 0;
}
