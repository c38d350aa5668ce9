/* One line on the terminal, rewritten in place. */
#include "bench.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Not clock_now(): in a simulation the person at the terminal still waits in real time. */
static double wall_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool shown(const struct bench *b)
{
    return b->rank == 0 && isatty(STDERR_FILENO);
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
    static double started; /* of the one line that a terminal has */
    char left[48];
    if (!shown(b) || total == 0)
        return;
    if (done == 0 || started == 0)
        started = wall_now();
    fprintf(stderr, "\r%s: %zu of %zu", b->program, done, total);
    if (done > 0 && done < total) {
        double per_one = (wall_now() - started) / (double)done;
        time_left(left, sizeof left, per_one * (double)(total - done));
        fprintf(stderr, ", about %s left", left);
    }
    fprintf(stderr, ": %s\033[K", what);
    fflush(stderr);
}

void bench_progress_end(const struct bench *b)
{
    if (shown(b))
        fputs("\r\033[K", stderr);
}
