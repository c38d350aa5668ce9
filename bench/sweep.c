/* What a sweep over the requested values needs: groups of ranks, progress, and partial results if
 * the program is ended early, by Ctrl-C, a batch system or the death of a rank. Progress is on rank
 * 0, which has the results. */
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

static struct document *results; /* so far; on rank 0 */

/* If there are several clocks, it spends a second on measuring their drift: otherwise the bound
 * would grow by about a microsecond per millisecond. */
static void start_clock(struct sync_clock *clock, MPI_Comm comm, int first)
{
    sync_start(clock, comm, local_clock_domain(), first);
    for (int i = 0; i < 4 && clock->domains > 1; i++) {
        usleep(250000);
        sync_remeasure(clock);
    }
    if (results && clock->domains > 1)
        document_fact(results, "clocks",
                      "%d, error bound %.2f us; lower limit, half of the round trips: %.2f us",
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

/* Ranks outside of the group send to each other in pairs until the group has measured. Both ranks
 * of a pair stop after the same message, which says whether its sender's barrier is complete. */
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
    else /* in MPI_Barrier early ranks would take processors from those that still measure */
        wait_yielding(PMPI_Ibarrier(b->comm, &barrier), &barrier);
    if (g->ranks && g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
    g->ranks = 0;
}

/* --- progress --- */

static struct {
    const struct bench *b; /* NULL: nothing is saved */
    char *part;            /* name of the file of partial results */
    double saved;          /* when it was last written, seconds; 0: never */
    bool kept;             /* this run has written it */
    char *message;         /* for the signal handler */
} keeping;

/* Not clock_now(): even during a simulation the user waits in real time. */
static double wall_now(void)
{
    struct timespec t;
    (clock_gettime)(CLOCK_MONOTONIC, &t); /* SMPI's macro would give simulated time */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* SA_RESETHAND has restored the default action: the process ends as it would without a handler. */
static void on_signal(int number)
{
    if (keeping.kept && write(STDERR_FILENO, keeping.message, strlen(keeping.message)) < 0)
        _exit(128 + number);
    raise(number);
}

/* Writes the results so far: after the first row, and then every ten seconds. */
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
    if (clock_source == CLOCK_SOURCE_EXTERNAL) /* simulated ranks are one process */
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

void bench_progress_end(const struct bench *b)
{
    if (b->rank == 0 && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
