/* What a sweep over the requested values needs: groups of ranks, progress, and a file of the
 * results so far in case a signal (of Ctrl-C, a batch system, a dead rank) ends the program. */
#include "bench.h"

#include "base/clock.h"
#include "document/save.h"
#include "sync/yielding.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct bench_values bench_values(const struct option_range *range)
{
    struct bench_values v = {0};
    size_t value = range->min;
    do
        v.at[v.n++] = value;
    while (v.n < BENCH_VALUES_MAX && option_next(range, &value));
    return v;
}

static struct document *results; /* rank 0: the document with the results so far; others: NULL */

/* Starts the group's clock. With several hosts it measures the clocks' drift for a second: if the
 * drift were unknown, the error bound would grow by a microsecond every millisecond. */
static void start_clock(struct sync_clock *clock, MPI_Comm comm, int first)
{
    sync_start(clock, comm, local_clock_domain(), first);
    for (int i = 0; i < 4 && clock->domains > 1; i++) {
        usleep(250000);
        sync_remeasure(clock);
    }
    if (results && clock->domains > 1)
        document_fact(
            results, "clocks",
            "%d, error bound %.2f us; it cannot be below half of the round trips: %.2f us",
            clock->domains, 1e6 * clock->worst_bound, 1e6 * clock->worst_floor);
}

void bench_group_open(const struct bench *b, size_t ranks, struct bench_group *g)
{
    if (g->ranks == (int)ranks)
        return;
    bench_group_close(b, g);
    g->ranks = (int)ranks;
    MPI_Comm_split(b->comm, b->rank < g->ranks ? 0 : MPI_UNDEFINED, b->rank, &g->comm);
    if (g->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN);
    start_clock(&g->clock, g->comm, g->first);
}

/* For --traffic: ranks outside of the group send to each other in pairs until the group has
 * measured and enters the barrier. Each message says whether its sender's barrier is complete, so
 * that both ranks of a pair stop after the same exchange. */
static void send_meanwhile(const struct bench *b, const struct bench_group *g)
{
    enum { BYTES = 64 << 10 };
    static char out[BYTES], in[BYTES];
    int peer = g->ranks + ((b->rank - g->ranks) ^ 1), done = 0;
    MPI_Request barrier;
    PMPI_Ibarrier(b->comm, &barrier);
    while (!done && peer < b->size) {
        PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        out[0] = (char)done;
        double start = clock_now();
        PMPI_Sendrecv(out, BYTES, MPI_BYTE, peer, 0, in, BYTES, MPI_BYTE, peer, 0, b->comm,
                      MPI_STATUS_IGNORE);
        clock_hold((100.0 / b->traffic - 1) * (clock_now() - start));
        done |= in[0];
    }
    PMPI_Wait(&barrier, MPI_STATUS_IGNORE);
}

void bench_group_close(const struct bench *b, struct bench_group *g)
{
    MPI_Request barrier;
    if (b->traffic && g->ranks && g->comm == MPI_COMM_NULL)
        send_meanwhile(b, g);
    else /* not MPI_Barrier: ranks that poll in it would take processors from those that measure */
        wait_yielding(PMPI_Ibarrier(b->comm, &barrier), &barrier);
    if (g->ranks && g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
    g->ranks = 0;
}

/* --- progress --- */

static struct {
    const struct bench *b; /* NULL: results so far are not saved */
    char *part;            /* path of the file with the results so far */
    double saved;          /* wall_now() of the last attempt to write this file; 0: none */
    bool kept;             /* this file has been written */
    char *message;         /* what the signal handler prints */
} keeping;

/* Seconds of real time, even if clock_now() is a simulator's clock. */
static double wall_now(void)
{
    struct timespec t;
    (clock_gettime)(CLOCK_MONOTONIC, &t); /* SMPI's macro would give simulated time */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints the file's path and raises the signal again: after SA_RESETHAND it ends the program. */
static void on_signal(int number)
{
    if (keeping.kept && write(STDERR_FILENO, keeping.message, strlen(keeping.message)) < 0)
        _exit(128 + number);
    raise(number);
}

/* Saves the results so far: after the first point, and then every ten seconds. */
static void save_part(size_t done, size_t total, double now)
{
    if (!keeping.b || done == 0 || (keeping.saved > 0 && now - keeping.saved < 10))
        return;
    document_fact(results, "interrupted", "%zu of %zu were measured", done, total);
    keeping.kept |= document_save(results, keeping.part, keeping.b->format);
    document_fact(results, "interrupted", NULL);
    keeping.saved = now;
}

void bench_keep(const struct bench *b, struct document *d)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    const char *folder = getenv("TMPDIR");
    results = d;
    if (clock_source == CLOCK_SOURCE_EXTERNAL) /* in a simulation all ranks are one process */
        return;
    int n = save_is_file(b->output)
                ? asprintf(&keeping.part, "%s.part", b->output)
                : asprintf(&keeping.part, "%s/%s-%d.part", folder && *folder ? folder : "/tmp",
                           b->program, (int)getpid());
    if (n < 0 || asprintf(&keeping.message, "%s%s: interrupted: results so far are in %s\n",
                          isatty(STDERR_FILENO) ? "\r\033[K" : "", b->program, keeping.part) < 0)
        return;
    keeping.b = b;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction mine = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &mine, NULL);
    }
}

void bench_keep_end(bool saved)
{
    if (saved && keeping.b)
        unlink(keeping.part);
    keeping.b = NULL;
}

void bench_progress(const struct bench *b, size_t done, size_t total)
{
    static double written;
    if (b->rank || total == 0)
        return;
    const bool terminal = isatty(STDERR_FILENO);
    const double now = wall_now();
    if (done == total) {
        fputs(terminal ? "\r\033[K" : "", stderr);
        return;
    }
    save_part(done, total, now);
    if (written == 0 && !terminal)
        written = now;
    if (now - written < (terminal ? 0.1 : 60))
        return;
    written = now;
    fprintf(stderr, terminal ? "\r%s: %zu of %zu\033[K" : "%s: %zu of %zu\n", b->program, done,
            total);
    fflush(stderr);
}
