/* Progress of a benchmark, and saving its partial results if it is ended early: by Ctrl-C, a batch
 * system or the death of a rank. All happens on rank 0, which has the results. */
#include "bench.h"

#include "base/clock.h"
#include "document/save.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    const struct bench *b; /* NULL: nothing is saved */
    struct document *results;
    char *part;         /* name of the file of partial results */
    double began, took; /* start and duration of the last writing, seconds */
} keeping;

/* The signal handler writes one of them while the other is being changed. */
static char messages[2][600];
static const char *_Atomic message;

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
    const char *text = message;
    if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(128 + number);
    raise(number);
}

static bool save_part(size_t done, size_t total)
{
    document_fact(keeping.results, "interrupted", "%zu of %zu were measured", done, total);
    bool saved = document_save(keeping.results, keeping.part, keeping.b->format);
    document_fact(keeping.results, "interrupted", NULL);
    return saved;
}

/* Writes the results so far. Returns the file's name; NULL if there is none. */
static const char *keep(size_t done, size_t total)
{
    static bool saved;
    double start = wall_now();
    if (!keeping.b)
        return NULL;
    /* At most 1 % of the time is spent on writing, but it happens at least once a minute. */
    if (done == 0 || start - keeping.began > fmin(100 * keeping.took, 60)) {
        char *next = messages[message == messages[0]];
        saved = done > 0 && save_part(done, total);
        snprintf(next, sizeof *messages, "%s%s: interrupted, %zu of %zu measured: %s%s\n",
                 isatty(STDERR_FILENO) ? "\r\033[K" : "", keeping.b->program, done, total,
                 saved ? "results so far are in " : "nothing is kept", saved ? keeping.part : "");
        message = next;
        keeping.began = wall_now();
        keeping.took = done ? keeping.began - start : 0;
    }
    return saved ? keeping.part : NULL;
}

void bench_keep(const struct bench *b, struct document *results)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    const char *folder = getenv("TMPDIR");
    if (b->rank || clock_source == CLOCK_SOURCE_EXTERNAL) /* simulated ranks are one process */
        return;
    int n = save_is_file(b->output)
                ? asprintf(&keeping.part, "%s.part", b->output)
                : asprintf(&keeping.part, "%s/%s-%d.part", folder && *folder ? folder : "/tmp",
                           b->program, (int)getpid());
    if (n < 0)
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
    message = NULL;
    if (saved && keeping.b)
        unlink(keeping.part);
    keeping.b = NULL;
}

static void time_left(char *text, size_t size, double seconds)
{
    int s = (int)(seconds + 0.5);
    if (s < 60)
        snprintf(text, size, "%d s", s);
    else
        snprintf(text, size, "%d min %02d s", s / 60, s % 60);
}

void bench_progress(const struct bench *b, size_t done, size_t total, const char *what)
{
    static double started, written;
    char left[80] = "", time[48];
    if (b->rank || total == 0)
        return;
    const bool terminal = isatty(STDERR_FILENO);
    const char *part = keep(done, total);
    double now = wall_now();
    if (done == 0 || started == 0)
        started = written = now;
    if (now - written < (terminal ? 0.1 : 60) && !(terminal && written == started))
        return;
    written = now;
    if (done > 0 && done < total) {
        time_left(time, sizeof time, (now - started) / (double)done * (double)(total - done));
        snprintf(left, sizeof left, ", about %s left", time);
    }
    fprintf(stderr, "%s%s: %zu of %zu%s: %s%s%s%s", terminal ? "\r" : "", b->program, done, total,
            left, what, part && !terminal ? "; results so far: " : "",
            part && !terminal ? part : "", terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void bench_progress_end(const struct bench *b)
{
    if (b->rank == 0 && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
