/* How far it is: on a terminal one line, rewritten in place; elsewhere a line a minute. */
#include "bench_inner.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Not clock_now(): in a simulation the person at the terminal still waits in real time. */
double bench_wall_now(void)
{
    struct timespec t;
    (clock_gettime)(CLOCK_MONOTONIC, &t); /* SMPI's macro would give simulated time */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Name and parent of a process; false where it cannot be seen. */
static bool read_process(int pid, char *name, size_t size, int *parent)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *open = read ? strchr(line, '(') : NULL, *close = open ? strrchr(open, ')') : NULL;
    if (!close || sscanf(close + 1, " %*c %d", parent) != 1)
        return false;
    snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
    return true;
}

static bool is_launcher(const char *name)
{
    static const char *const names[] = {"mpiexec", "mpirun", "orterun", "prterun", "srun"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* A launcher takes every rank's standard error by a pipe and passes it on: what counts is
 * whether its own is a terminal. Only seen where it runs on rank 0's host. */
static bool launcher_on_terminal(void)
{
    char name[64], path[64], target[64] = "";
    int pid = getppid(), parent = 0;
    for (int i = 0; i < 8 && pid > 1 && read_process(pid, name, sizeof name, &parent); i++) {
        if (!is_launcher(name)) {
            pid = parent;
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/fd/2", pid);
        return readlink(path, target, sizeof target - 1) > 0 &&
               (strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0);
    }
    return false;
}

bool bench_on_terminal(const struct bench *b)
{
    static enum { UNKNOWN, NO, YES } answer; /* of the one process that this is */
    if (b->rank)
        return false;
    if (answer == UNKNOWN)
        answer = isatty(STDERR_FILENO) || launcher_on_terminal() ? YES : NO;
    return answer == YES;
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
    char left[48];
    if (b->rank || total == 0)
        return;
    const bool terminal = bench_on_terminal(b);
    const char *part = bench_keep_now(done, total);
    double now = bench_wall_now();
    if (done == 0 || started == 0)
        started = written = now;
    if (now - written < (terminal ? 0.1 : 60) && !(terminal && written == started))
        return;
    written = now;
    fprintf(stderr, "%s%s: %zu of %zu", terminal ? "\r" : "", b->program, done, total);
    if (done > 0 && done < total) {
        double per_one = (now - started) / (double)done;
        time_left(left, sizeof left, per_one * (double)(total - done));
        fprintf(stderr, ", about %s left", left);
    }
    fprintf(stderr, ": %s", what);
    if (terminal)
        fputs("\033[K", stderr);
    else if (part)
        fprintf(stderr, "; results so far: %s\n", part);
    else
        fputs("\n", stderr);
    fflush(stderr);
}

void bench_progress_end(const struct bench *b)
{
    if (bench_on_terminal(b))
        fputs("\r\033[K", stderr);
}
