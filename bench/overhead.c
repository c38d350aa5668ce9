/* Times MPI calls that do little. The difference between runs with and without the profiling layer,
 * which tools/overhead.sh alternates by `collprof repeat`, is the layer's cost. With one rank it
 * calls MPI on MPI_COMM_SELF; with two, rank 0 sends to rank 1, and both broadcast. With any number
 * of ranks it times MPI_Init and MPI_Finalize. */
#include "base/clock.h"
#include "base/input.h"
#include "base/reason.h"
#include "base/stats.h"
#include "document/document.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCHES = 101, CALLS = 1000, WARM_UP = 2000 };

static void bcast(MPI_Comm comm)
{
    int x = 1;
    MPI_Bcast(&x, 1, MPI_INT, 0, comm);
}

static void triple(MPI_Comm comm)
{
    int out = 1, in;
    MPI_Request request[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static double seconds_per_call(void (*call)(MPI_Comm comm))
{
    double batch[BATCHES];
    for (int i = 0; i < WARM_UP; i++)
        call(MPI_COMM_SELF);
    for (int b = 0; b < BATCHES; b++) {
        double from = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < CALLS; i++)
            call(MPI_COMM_SELF);
        batch[b] = (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - from) / CALLS;
    }
    return stats_median(batch, BATCHES);
}

/* Rank 0's processor time in one MPI_Isend to rank 1, which has posted the receive before. */
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

/* Wall time of a step as of an application: 50 us of computation, then a broadcast. */
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
    char text[200];
    input_read("/proc/self/statm", text, sizeof text);
    sscanf(text, "%ld %ld", &all, &pages);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static const struct column columns[] = {
    {"work", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"time", "ns", COLUMN_REAL, 1,
     "processor time of one call; step, start and end: wall time of rank 0"},
    {"resident", "MiB", COLUMN_REAL, 2, "largest resident memory of a rank before MPI_Finalize"}};

static void add(struct table *t, int ranks, const char *work, double seconds, double bytes)
{
    table_text(t, work);
    table_reals(t, ranks, 1e9 * seconds, bytes / (1 << 20));
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double start = clock_seconds(CLOCK_MONOTONIC), mine, most;
    MPI_Init(&argc, &argv);
    double took = clock_seconds(CLOCK_MONOTONIC) - start;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct document *d = document_new("collbench-overhead/2");
    struct table *t = document_table_of(d, "costs", NULL, columns);
    if (ranks == 1) {
        add(t, 1, "MPI_Bcast, 1 int", seconds_per_call(bcast), NAN);
        add(t, 1, "Irecv + Isend + Waitall", seconds_per_call(triple), NAN);
    }
    if (ranks == 2) {
        add(t, 2, "MPI_Isend to the other rank, 1 int", seconds_per_isend(rank), NAN);
        add(t, 2, "step: 50 us and a broadcast", seconds_per_step(), NAN);
    }
    mine = resident();
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double finalizing = clock_seconds(CLOCK_MONOTONIC);
    MPI_Finalize();
    add(t, ranks, "start and end", took + clock_seconds(CLOCK_MONOTONIC) - finalizing, most);
    bool saved = rank || document_save(d, getenv("COLLBENCH_OUTPUT"),
                                       getenv("COLLBENCH_OUTPUT") ? FORMAT_JSON : FORMAT_TEXT);
    reason_print_stored("collbench-overhead");
    document_free(d);
    return saved ? 0 : 1;
}
