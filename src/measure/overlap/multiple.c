/* MPI_THREAD_MULTIPLE: two threads per node, each with a tag of its own and half of the data: both
 * as sender, both as receiver, or one of either. Node 0's time is from the first thread's start to
 * the last one's end. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 2, LINE = 128 };

/* What one thread's message took: moments, and from node 0's computation to the message's start. */
struct leg {
    double start, end, late;
};

/* The second thread; the first is the caller. No line is written by both but to hand over. */
struct pair {
    _Alignas(LINE)
        atomic_int asked;           /* rounds that the second thread should have begun; -1: leave */
    _Alignas(LINE) atomic_int done; /* rounds that it has finished */
    struct leg leg;
    _Alignas(LINE) struct overlap_side *side;
    pthread_t thread;
    int round;
};

/* How many of node 0's threads send; the others receive. */
static int senders(const struct overlap_side *s)
{
    return s->benchmark == &overlap_multiple ? 2 : s->benchmark == &overlap_multiple_both ? 1 : 0;
}

static struct leg send_one(struct overlap_side *s, int tag, unsigned char *data, int count)
{
    MPI_Request request;
    overlap_hear(s, s->peer, tag);
    struct leg leg = {.start = clock_now()};
    PMPI_Isend(data, count, s->type, s->peer, tag + 1, s->comm, &request);
    if (s->rank == 0)
        overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    double waited = overlap_elapsed(s, leg.start);
    overlap_hear(s, s->peer, tag + 2);
    leg.end = leg.start + overlap_until_there(s, leg.start, waited);
    return leg;
}

/* The message starts a latency after the other has been told to send. */
static struct leg receive_one(struct overlap_side *s, int tag, unsigned char *data, int count)
{
    MPI_Request request;
    PMPI_Irecv(data, count, s->type, s->peer, tag + 1, s->comm, &request);
    double start = clock_now();
    overlap_say(s, s->peer, tag);
    struct leg leg = {.start = start + s->latency,
                      .late = fmax(0, s->latency - overlap_elapsed(s, start))};
    if (s->rank == 0)
        overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    leg.end = start + overlap_elapsed(s, start);
    overlap_say(s, s->peer, tag + 2);
    return leg;
}

/* Both nodes have come to this round before either is timed. */
static struct leg message(struct overlap_side *s, int thread)
{
    int count = s->count / THREADS, tag = 16 + 4 * thread;
    size_t at = (size_t)thread * (size_t)count;
    if (s->rank != 0)
        overlap_say(s, s->peer, tag + 3);
    else
        overlap_hear(s, s->peer, tag + 3);
    return (thread < senders(s)) == (s->rank == 0) ? send_one(s, tag, s->send + at, count)
                                                   : receive_one(s, tag, s->recv + at, count);
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
        p->leg = message(p->side, 1);
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
    p->side = s; /* with work or without */
    atomic_store(&p->asked, ++p->round);
    struct leg leg = message(s, 0);
    while (atomic_load(&p->done) < p->round)
        sched_yield();
    s->late = fmin(leg.late, p->leg.late);
    return fmax(leg.end, p->leg.end) - fmin(leg.start, p->leg.start);
}

static void others(struct overlap_side *s)
{
    both_threads(s);
}

#define MULTIPLE(id, word, head, what, from_there)                                                 \
    const struct overlap_benchmark id = {.name = word,                                             \
                                         .title = "2 threads: " head,                              \
                                         .summary =                                                \
                                             what ", 2 threads at once: MPI_THREAD_MULTIPLE",      \
                                         .base = NO_BASE,                                          \
                                         .least_ranks = 2,                                         \
                                         .most_ranks = 2,                                          \
                                         .thread_level = MPI_THREAD_MULTIPLE,                      \
                                         .only_by_name = true,                                     \
                                         .starts_late = from_there,                                \
                                         .begin = begin,                                           \
                                         .end = end,                                               \
                                         .first = both_threads,                                    \
                                         .others = others}

MULTIPLE(overlap_multiple, "multiple", "sender side", "as sender", false);
MULTIPLE(overlap_multiple_receiver, "multiple-receiver", "receiver side", "as receiver", true);
MULTIPLE(overlap_multiple_both, "multiple-both", "one sends, one receives",
         "one sends, one receives", false);
