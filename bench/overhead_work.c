#include "overhead.h"

#include "base/clock.h"
#include "base/stats.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
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

struct worker {
    pthread_t thread;
    void (*call)(MPI_Comm comm);
    MPI_Comm comm;
    double seconds; /* per call, median of batches */
};

static void *work_of(void *arg)
{
    struct worker *w = arg;
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
    struct worker worker[64];
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

int overhead_work(const char *work, int threads)
{
    static const struct {
        const char *name;
        void (*call)(MPI_Comm comm);
    } calls[] = {
        {"bcast", bcast}, {"allreduce", allreduce}, {"triple", triple}, {"iprobe", iprobe}};
    int rank, level, wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    double start = clock_seconds(CLOCK_MONOTONIC), mine[2] = {0}, most[2];
    MPI_Init_thread(NULL, NULL, wanted, &level);
    double started = clock_seconds(CLOCK_MONOTONIC) - start;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (level < wanted)
        return 1;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(work, calls[i].name))
            mine[0] = seconds_per_call(calls[i].call, threads);
    if (!strcmp(work, "isend"))
        mine[0] = seconds_per_isend(rank);
    else if (!strcmp(work, "steps"))
        mine[0] = seconds_per_step();
    for (int i = 0; i < 100 && !strcmp(work, "start"); i++) { /* so that there is a profile */
        allreduce(MPI_COMM_WORLD);
        triple(MPI_COMM_SELF);
    }
    mine[1] = resident();
    MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double finalizing = clock_seconds(CLOCK_MONOTONIC);
    MPI_Finalize();
    if (!strcmp(work, "start"))
        most[0] = started + clock_seconds(CLOCK_MONOTONIC) - finalizing;
    if (rank == 0)
        printf("%.12g %.0f\n", most[0], most[1]);
    return 0;
}
