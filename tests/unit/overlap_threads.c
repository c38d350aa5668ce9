/* Benchmarks with threads, without a library that could send: protects which thread sends what,
 * from when to when node 0's time is, and that computing threads are as many as are asked for, and
 * end. */
#include "base/clock.h"
#include "measure/overlap/overlap.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COUNT = 8, FIRST_DATA = 17, SECOND_DATA = 21 }; /* data of either thread has a tag */

static int level;                          /* what the library allows threads to do */
static int slow;                           /* messages with this tag take SLOW seconds */
static atomic_int computed;                /* times */
static const void *sent[32], *awaited[32]; /* where data of a tag lies */
static int counts[32];
#define SLOW 0.02

int PMPI_Query_thread(int *provided)
{
    *provided = level;
    return MPI_SUCCESS;
}

int PMPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    (void)data, (void)n, (void)type, (void)to, (void)tag, (void)comm;
    return MPI_SUCCESS;
}

int PMPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *s)
{
    (void)data, (void)n, (void)type, (void)from, (void)tag, (void)comm, (void)s;
    return MPI_SUCCESS;
}

static int post(const void **where, const void *data, int n, int tag, MPI_Request *request)
{
    where[tag] = data;
    counts[tag] = n;
    memcpy(request, &tag, sizeof tag);
    return MPI_SUCCESS;
}

int PMPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)type, (void)to, (void)comm;
    return post(sent, data, n, tag, request);
}

int PMPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)type, (void)from, (void)comm;
    return post(awaited, data, n, tag, request);
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int tag;
    (void)status;
    memcpy(&tag, request, sizeof tag);
    if (tag == slow)
        nanosleep(&(struct timespec){.tv_nsec = (long)(SLOW * 1e9)}, NULL);
    return MPI_SUCCESS;
}

static void count(uint64_t units)
{
    computed += units > 0;
}

static unsigned char out[COUNT], in[COUNT];

static struct overlap_side side(const char *benchmark, int rank)
{
    level = MPI_THREAD_MULTIPLE;
    slow = 0;
    memset(sent, 0, sizeof sent);
    memset(awaited, 0, sizeof awaited);
    work_by(count);
    return (struct overlap_side){.rank = rank,
                                 .size = 2,
                                 .peer = !rank,
                                 .count = COUNT,
                                 .send = out,
                                 .recv = in,
                                 .work.units = 1,
                                 .benchmark = overlap_find(benchmark)};
}

/* Half of the data each, and node 0 alone computes, unless it is to do without. */
Test(overlap_threads, who_sends_what)
{
    static const struct {
        const char *name;
        int senders; /* of node 0's threads */
    } known[] = {{"multiple", 2}, {"multiple-receiver", 0}, {"multiple-both", 1}};
    for (int k = 0; k < 6; k++) {
        int rank = k % 2, senders = known[k / 2].senders;
        struct overlap_side s = side(known[k / 2].name, rank), without;
        cr_assert(s.benchmark->begin(&s));
        without = s;
        without.work.units = 0;
        for (int round = 0; round < 3; round++) {
            computed = 0;
            struct overlap_side *now = round == 1 ? &without : &s;
            if (rank == 0)
                s.benchmark->first(now);
            else
                s.benchmark->others(now);
            cr_expect_eq(computed, rank || round == 1 ? 0 : 2, "%s, rank %d, round %d: %d",
                         known[k / 2].name, rank, round, computed);
        }
        s.benchmark->end(&s);
        for (int thread = 0; thread < 2; thread++) {
            int tag = thread ? SECOND_DATA : FIRST_DATA, at = thread * COUNT / 2;
            bool sends = (thread < senders) == (rank == 0);
            cr_expect_eq(sent[tag], sends ? out + at : NULL, "%s, rank %d", known[k / 2].name,
                         rank);
            cr_expect_eq(awaited[tag], sends ? NULL : in + at, "%s, rank %d", known[k / 2].name,
                         rank);
            cr_expect_eq(counts[tag], COUNT / 2);
        }
    }
}

/* Whichever thread's message is the last. */
Test(overlap_threads, until_both_have_ended)
{
    static const int tags[] = {FIRST_DATA, SECOND_DATA};
    for (int k = 0; k < 4; k++) {
        struct overlap_side s = side(k / 2 ? "multiple-both" : "multiple", 0);
        slow = tags[k % 2];
        cr_assert(s.benchmark->begin(&s));
        double time = s.benchmark->first(&s);
        s.benchmark->end(&s);
        cr_expect(time >= 0.99 * SLOW && time < 10, "%g s", time);
    }
}

/* What is told to send starts a latency later: time counts from there, and the computation too. */
Test(overlap_threads, what_comes_starts_late)
{
    struct overlap_side s = side("multiple-receiver", 0);
    s.latency = 100;
    cr_assert(s.benchmark->begin(&s));
    double time = s.benchmark->first(&s);
    s.benchmark->end(&s);
    cr_expect(time < -90 && s.late > 90 && s.late <= 100, "%g s, %g s", time, s.late);
}

Test(overlap_threads, not_where_threads_may_not_send)
{
    struct overlap_side s = side("multiple", 0);
    level = MPI_THREAD_SERIALIZED;
    cr_expect_not(s.benchmark->begin(&s));
}

static int threads_here(void)
{
    char line[200];
    int n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "Threads: %d", &n) != 1)
        ;
    fclose(f);
    return n;
}

static void bind(int thread, void *arg)
{
    atomic_fetch_or((atomic_int *)arg, 1 << thread);
}

Test(overlap_threads, as_many_compute_as_are_asked_for)
{
    for (int n = 1; n <= 3; n++) {
        atomic_int seen = 0;
        struct overlap_side s = side("load", 0);
        s.threads = n;
        s.bind = bind;
        s.bind_arg = &seen;
        work_by(NULL);
        int before = threads_here();
        cr_assert(s.benchmark->begin(&s));
        cr_expect_eq(threads_here(), before + n);
        s.benchmark->end(&s);
        cr_expect_eq(threads_here(), before);
        cr_expect_eq(seen, (1 << n) - 1);
    }
    struct overlap_side s = side("load", 0);
    clock_source = CLOCK_SOURCE_EXTERNAL;
    cr_expect_not(s.benchmark->begin(&s), "a simulation has no threads");
}
