/* Progress of a benchmark, and saving its partial results if it is ended early: by Ctrl-C, a batch
 * system or the death of a rank. All happens on rank 0, which has the results. */
#include "bench.h"

#include "base/clock.h"
#include "document/save.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    const struct bench *b; /* NULL: nothing is saved */
    struct document *results;
    char *part;    /* name of the file of partial results */
    double saved;  /* when it was last written, seconds; 0: never */
    bool kept;     /* this run has written it */
    char *message; /* for the signal handler */
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
    document_fact(keeping.results, "interrupted", "%zu of %zu were measured", done, total);
    keeping.kept |= document_save(keeping.results, keeping.part, keeping.b->format);
    document_fact(keeping.results, "interrupted", NULL);
    keeping.saved = now;
}

void bench_keep(const struct bench *b, struct document *results)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    const char *folder = getenv("TMPDIR");
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
    keeping.results = results;
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
