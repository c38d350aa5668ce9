/* What was measured outlives the program that is ended before its time: by Ctrl-C, a batch system
 * or the death of a rank. On rank 0, since only that has results. */
#include "bench_inner.h"

#include "base/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the handler of a signal says and writes: made beforehand, never changed, replaced as a
 * whole. */
struct last_words {
    char *said, *results; /* RESULTS for standard output; or NULL */
    size_t n_said, n_results;
};

static struct {
    const struct bench *b;
    struct bench_so_far so_far;
    char *part; /* the file, or NULL: standard output */
    double began, took;
} keeping;
static struct last_words *_Atomic words;
static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
enum { N_WATCHED = sizeof watched / sizeof *watched };
static struct sigaction before[N_WATCHED];

static void put(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, text, n);
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

/* Only what is safe in a handler. The process then ends as it would have without us. */
static void on_signal(int number)
{
    const struct last_words *w = atomic_exchange(&words, NULL);
    if (w) {
        put(STDOUT_FILENO, w->results, w->n_results);
        put(STDERR_FILENO, w->said, w->n_said);
    }
    for (int i = 0; i < N_WATCHED; i++)
        if (watched[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number);
}

static void replace(struct last_words *w)
{
    w = atomic_exchange(&words, w);
    if (w) {
        free(w->said);
        free(w->results);
        free(w);
    }
}

/* The results so far as a document of their own: those that are told at the end only are added to
 * a copy of its facts. */
static struct document *results_now(size_t done, size_t total)
{
    struct document *d = document_copy(keeping.so_far.document);
    if (d && keeping.so_far.tell)
        keeping.so_far.tell(keeping.so_far.arg, d);
    if (d)
        document_note(d, "Interrupted: %zu of %zu were measured.", done, total);
    return d;
}

static void make_words(size_t done, size_t total)
{
    const struct bench *b = keeping.b;
    struct last_words *w = calloc(1, sizeof *w);
    struct document *d = w && done > 0 && keeping.so_far.document ? results_now(done, total) : NULL;
    bool kept = keeping.so_far.file != NULL;
    const char *where = keeping.so_far.file ? keeping.so_far.file : keeping.part;
    if (!w)
        return;
    if (d && keeping.part) {
        kept = document_save(d, keeping.part, b->format);
    } else if (d) {
        FILE *out = open_memstream(&w->results, &w->n_results);
        kept = out && document_write(d, out, b->format);
        if (out)
            fclose(out);
    }
    document_free(d);
    FILE *said = open_memstream(&w->said, &w->n_said);
    if (said) {
        fprintf(said, "%s%s: interrupted, ", bench_on_terminal(b) ? "\r\033[K" : "", b->program);
        if (total)
            fprintf(said, "%zu of %zu measured: ", done, total);
        if (kept && where)
            fprintf(said, "results so far are in %s\n", where);
        else
            fputs(kept ? "results so far are on standard output\n" : "nothing is kept\n", said);
        fclose(said);
    }
    replace(w);
}

const char *bench_keep_now(size_t done, size_t total)
{
    double start = bench_wall_now();
    if (!keeping.b)
        return NULL;
    if (done == 0 || start - keeping.began > 100 * keeping.took) { /* a hundredth of all time */
        make_words(done, total);
        keeping.began = bench_wall_now();
        keeping.took = keeping.began - start;
    }
    return keeping.so_far.file ? keeping.so_far.file
                               : (done > 0 && keeping.so_far.document ? keeping.part : NULL);
}

bool bench_is_file(const char *output)
{
    struct stat s;
    if (!output || strcmp(output, "-") == 0)
        return false;
    return stat(output, &s) != 0 || S_ISREG(s.st_mode);
}

void bench_keep(const struct bench *b, const struct bench_so_far *so_far)
{
    if (b->rank || clock_source == CLOCK_SOURCE_EXTERNAL) /* simulated ranks are one process */
        return;
    keeping.b = b;
    keeping.so_far = *so_far;
    if (bench_is_file(b->output) && asprintf(&keeping.part, "%s.part", b->output) < 0)
        keeping.part = NULL;
    for (int i = 0; i < N_WATCHED; i++) {
        struct sigaction mine = {.sa_handler = on_signal};
        if (!sigaction(watched[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
            sigaction(watched[i], &mine, NULL);
    }
    make_words(0, 0);
}

void bench_keep_end(bool saved)
{
    if (!keeping.b)
        return;
    keeping.b = NULL;
    replace(NULL);
    if (saved && keeping.part && keeping.so_far.document)
        unlink(keeping.part);
    free(keeping.part);
    keeping.part = NULL;
}
