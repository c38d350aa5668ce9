/* MPI_THREAD_MULTIPLE: two threads per node, each as sender (receiver) with a tag of its own and
 * half of the data. Node 0's time is from the first thread's start to the last one's end. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 2, LINE = 128 };

/* The second thread; the first is the caller. No line is written by both but to hand over. */
struct pair {
    _Alignas(LINE)
        atomic_int asked;           /* rounds that the second thread should have begun; -1: leave */
    _Alignas(LINE) atomic_int done; /* rounds that it has finished */
    double start, end;
    _Alignas(LINE) struct overlap_side *side;
    pthread_t thread;
    int round;
};

static void message(const struct overlap_side *s, int thread, double *start, double *end)
{
    MPI_Request request;
    int count = s->count / THREADS, tag = 16 + 3 * thread;
    size_t at = (size_t)thread * (size_t)count;
    char nothing;
    if (s->rank == 0) {
        PMPI_Recv(&nothing, 0, MPI_BYTE, s->peer, tag, s->comm, MPI_STATUS_IGNORE);
        *start = clock_now();
        PMPI_Isend(s->send + at, count, s->type, s->peer, tag + 1, s->comm, &request);
        work_do(&s->work);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        double waited = overlap_elapsed(s, *start);
        PMPI_Recv(&nothing, 0, MPI_BYTE, s->peer, tag + 2, s->comm, MPI_STATUS_IGNORE);
        *end = *start + overlap_until_there(s, *start, waited);
    } else {
        PMPI_Irecv(s->recv + at, count, s->type, s->peer, tag + 1, s->comm, &request);
        PMPI_Send(&nothing, 0, MPI_BYTE, s->peer, tag, s->comm);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        PMPI_Send(&nothing, 0, MPI_BYTE, s->peer, tag + 2, s->comm);
    }
}

static void *second_thread(void *arg)
{
    struct pair *p = arg;
    if (p->side->bind)
        p->side->bind(1, p->side->bind_arg);
    for (int round = 1;; round++) {
        int asked;
        while ((asked = atomic_load(&p->asked)) != -1 && asked < round)
            sched_yield();
        if (asked == -1)
            return NULL;
        message(p->side, 1, &p->start, &p->end);
        atomic_store(&p->done, round);
    }
}

static bool begin(struct overlap_side *s)
{
    int level;
    PMPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE || clock_source == CLOCK_SOURCE_EXTERNAL)
        return false;
    struct pair *p = aligned_alloc(LINE, sizeof *p);
    if (!p)
        return false;
    *p = (struct pair){.side = s};
    if (pthread_create(&p->thread, NULL, second_thread, p)) {
        free(p);
        return false;
    }
    s->own = p;
    return true;
}

static void end(struct overlap_side *s)
{
    struct pair *p = s->own;
    atomic_store(&p->asked, -1);
    pthread_join(p->thread, NULL);
    free(p);
}

static double both_threads(struct overlap_side *s)
{
    struct pair *p = s->own;
    double start = 0, finish = 0;
    p->side = s; /* with work or without */
    atomic_store(&p->asked, ++p->round);
    message(s, 0, &start, &finish);
    while (atomic_load(&p->done) < p->round)
        sched_yield();
    return fmax(finish, p->end) - fmin(start, p->start);
}

static void others(struct overlap_side *s)
{
    both_threads(s);
}

const struct overlap_benchmark overlap_multiple = {
    .name = "multiple",
    .title = "2 communicating threads",
    .summary = "as sender, from 2 threads at once: MPI_THREAD_MULTIPLE",
    .base = NO_BASE,
    .least_ranks = 2,
    .most_ranks = 2,
    .thread_level = MPI_THREAD_MULTIPLE,
    .only_by_name = true,
    .begin = begin,
    .end = end,
    .first = both_threads,
    .others = others,
};
