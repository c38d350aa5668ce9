/* A small MPI application of which the time of every call is known: what it takes more with the
 * profiling layer preloaded is what the layer costs. tools/overhead.sh runs it both ways in turn,
 * by `collprof repeat`. One rank calls MPI on MPI_COMM_SELF, two send to each other and broadcast;
 * any number starts and ends. The argument is the number of threads that call, 1 to 64. */
#include "base/clock.h"
#include "base/reason.h"
#include "base/stats.h"
#include "document/document.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 101, CALLS = 1000, WARM_UP = 2000 };

static void bcast(MPI_Comm comm)
{
    int x = 1;
    MPI_Bcast(&x, 1, MPI_INT, 0, comm);
}

static void allreduce(MPI_Comm comm)
{
    int in = 1, out;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
}

static void triple(MPI_Comm comm)
{
    int out = 1, in;
    MPI_Request request[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void iprobe(MPI_Comm comm)
{
    int there;
    MPI_Iprobe(0, 0, comm, &there, MPI_STATUS_IGNORE);
}

struct caller {
    pthread_t thread;
    void (*call)(MPI_Comm comm);
    MPI_Comm comm;
    double seconds; /* per call, median of batches */
};

static void *work_of(void *arg)
{
    struct caller *w = arg;
    double batch[BATCHES];
    for (int i = 0; i < WARM_UP; i++)
        w->call(w->comm);
    for (int b = 0; b < BATCHES; b++) {
        double from = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < CALLS; i++)
            w->call(w->comm);
        batch[b] = (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - from) / CALLS;
    }
    w->seconds = stats_median(batch, BATCHES);
    return NULL;
}

/* Each thread has its own communicator of one rank. */
static double seconds_per_call(void (*call)(MPI_Comm comm), int threads)
{
    struct caller worker[64];
    double sum = 0;
    for (int i = 0; i < threads; i++) {
        worker[i].call = call;
        MPI_Comm_dup(MPI_COMM_SELF, &worker[i].comm);
    }
    for (int i = 1; i < threads; i++)
        pthread_create(&worker[i].thread, NULL, work_of, &worker[i]);
    work_of(&worker[0]);
    for (int i = 0; i < threads; i++) {
        if (i)
            pthread_join(worker[i].thread, NULL);
        sum += worker[i].seconds;
        MPI_Comm_free(&worker[i].comm);
    }
    return sum / threads;
}

/* Of rank 0's non-blocking sends to rank 1, whose receives wait for them. */
static double seconds_per_isend(int rank)
{
    enum { SENDS = 100 };
    static MPI_Request request[SENDS];
    static int data[SENDS];
    double batch[BATCHES];
    for (int b = -10; b < BATCHES; b++) {
        for (int i = 0; i < SENDS && rank == 1; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        double from = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < SENDS && rank == 0; i++)
            MPI_Isend(&data[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[i]);
        if (b >= 0)
            batch[b] = (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - from) / SENDS;
        MPI_Waitall(SENDS, request, MPI_STATUSES_IGNORE);
    }
    return stats_median(batch, BATCHES);
}

/* Wall time of one of many steps: work, then a broadcast. */
static double seconds_per_step(void)
{
    enum { STEPS = 2000 };
    static char data[1024];
    MPI_Barrier(MPI_COMM_WORLD);
    double from = clock_seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < STEPS; i++) {
        double end = clock_seconds(CLOCK_MONOTONIC) + 50e-6;
        while (clock_seconds(CLOCK_MONOTONIC) < end)
            ;
        MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (clock_seconds(CLOCK_MONOTONIC) - from) / STEPS;
}

static double resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static const struct column columns[] = {
    {"work", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"threads", NULL, COLUMN_INTEGER, 0, "that call at once"},
    {"time", "ns", COLUMN_REAL, 1,
     "processor time of one call; step, start and end: wall time of rank 0"},
    {"resident", "MiB", COLUMN_REAL, 2, "of the largest rank, at the end"}};

struct results {
    struct table *t;
    int ranks, threads;
};

static void add(const struct results *r, const char *work, double seconds, double bytes)
{
    table_text(r->t, work);
    table_integer(r->t, r->ranks);
    table_integer(r->t, r->threads);
    table_real(r->t, 1e9 * seconds);
    table_real(r->t, bytes / (1 << 20));
}

static void measure_calls(const struct results *r)
{
    static const struct {
        const char *name;
        void (*call)(MPI_Comm comm);
    } calls[] = {{"MPI_Bcast, 1 int", bcast},
                 {"MPI_Allreduce, 1 int", allreduce},
                 {"Irecv + Isend + Waitall", triple},
                 {"MPI_Iprobe, nothing there", iprobe}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        add(r, calls[i].name, seconds_per_call(calls[i].call, r->threads), NAN);
}

int main(int argc, char **argv)
{
    struct results r = {.threads = argc > 1 ? atoi(argv[1]) : 1};
    int rank, level, wanted = r.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    double start = clock_seconds(CLOCK_MONOTONIC), mine, most;
    if (r.threads < 1 || r.threads > 64)
        return 2;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    double took = clock_seconds(CLOCK_MONOTONIC) - start;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    struct document *d = level < wanted ? NULL : document_new("collbench-overhead/1");
    if (!d)
        return 1;
    r.t = document_table_of(d, "costs", NULL, columns);
    if (r.ranks == 1)
        measure_calls(&r);
    if (r.ranks == 2)
        add(&r, "MPI_Isend to the other rank, 1 int", seconds_per_isend(rank), NAN);
    if (r.ranks == 2)
        add(&r, "step: 50 us and a broadcast", seconds_per_step(), NAN);
    mine = resident();
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double finalizing = clock_seconds(CLOCK_MONOTONIC);
    MPI_Finalize();
    add(&r, "start and end", took + clock_seconds(CLOCK_MONOTONIC) - finalizing, most);
    bool saved = rank || document_save(d, getenv("COLLBENCH_OUTPUT"),
                                       getenv("COLLBENCH_OUTPUT") ? FORMAT_JSON : FORMAT_TEXT);
    reason_tell("collbench-overhead");
    document_free(d);
    return saved ? 0 : 1;
}
