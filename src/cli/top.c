/* collprof top: shows a running application. It reads the records of its ranks repeatedly, as
 * `collprof where` does once, and does not affect the application. */
#include "cli/cli.h"

#include "base/format.h"
#include "base/text.h"
#include "document/json.h"
#include "report/report.h"
#include "verdict/text.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAUSE = 2 }; /* seconds between two readings of the records */

/* What happened between two readings of the records. Times are in seconds. */
struct top_change {
    const struct profile *now;
    double *share;  /* for each rank: share of time in MPI, 0 to 1; -1: not running on this host */
    double seconds; /* longest time between the two readings of the same rank */
    double sum, in_mpi; /* time of all ranks together, and the part of it in MPI */
};

/* RANK's data in P; NULL if the rank is not running on this host. */
static const struct profile_rank *rank_in(const struct profile *p, int32_t rank)
{
    const size_t i = rank_index(p, (uint32_t)rank);
    const struct profile_rank *found = i < p->ranks.n ? &p->ranks.at[i] : NULL;
    return found && found->state == LEDGER_RUNNING ? found : NULL;
}

/* What happened from BEFORE to NOW. Release SHARE by free(). */
static struct top_change change_of(const struct profile *before, const struct profile *now)
{
    const int32_t size = now->size;
    struct top_change c = {.now = now};
    c.share = memory_alloc(((size_t)size + 1) * sizeof *c.share);
    for (int32_t i = 0; i < size; i++) {
        const struct profile_rank *a = rank_in(before, i), *b = rank_in(now, i);
        const double passed = a && b ? b->wall - a->wall : 0;
        c.share[i] = -1;
        if (passed <= 0)
            continue;
        c.share[i] = fmin(fmax(((double)b->mpi_ns - (double)a->mpi_ns) / 1e9 / passed, 0), 1);
        c.seconds = fmax(c.seconds, passed);
        c.sum += passed;
        c.in_mpi += passed * c.share[i];
    }
    return c;
}

static void show_head(const struct top_change *c, FILE *out, size_t width)
{
    const struct profile *p = c->now;
    char text[600];
    snprintf(text, sizeof text, "%.200s, %d ranks, %s; in the last %s: %.0f %% in MPI",
             p->programs.n ? text_base_of(p->programs.at[0].text) : "a program", p->size,
             AS_TIME(profile_longest_ns(p)), AS_TIME(c->seconds * 1e9),
             c->sum > 0 ? 100 * c->in_mpi / c->sum : 0);
    text_paragraph_write(out, "collprof top: ", text, width);
}

/* Puts before each group of ranks in VERDICT the range of their shares of time in MPI: "     93 %
 * in MPI  ", "  12-97 % in MPI  ", or "-" if unknown. */
static void mark_groups(const struct top_change *c, json_t *verdict)
{
    json_t *g;
    const json_t *rank;
    size_t i, k;
    json_array_foreach(json_object_get(verdict, "groups"), i, g) {
        long low = 101, high = -1;
        char range[24] = "-";
        json_array_foreach(json_object_get(g, "ranks"), k, rank) {
            const double share = c->share[json_integer_value(rank)];
            const long percent = lround(100 * share);
            low = share >= 0 && percent < low ? percent : low;
            high = share >= 0 && percent > high ? percent : high;
        }
        if (high >= 0)
            snprintf(range, sizeof range, low == high ? "%ld" : "%ld-%ld", low, high);
        json_put(g, "mark", json_sprintf("%7s %% in MPI  ", range));
    }
}

static void show_table(const struct profile *p, const char *name, size_t rows)
{
    report_text(p, stdout,
                &(struct report_options){.table = report_table_find(name), .text.rows = rows});
}

/* Shows one reading: on a terminal in place of the previous reading, otherwise below it. */
static void show(const struct profile *before, const struct profile *now, json_t *verdict)
{
    const size_t width = report_width(stdout);
    struct top_change c = change_of(before, now);
    fputs(isatty(STDOUT_FILENO) ? "\033[H\033[2J" : "\n", stdout);
    show_head(&c, stdout, width);
    mark_groups(&c, verdict);
    verdict_write(verdict, stdout, "", width);
    show_table(now, "call_sites", 5);
    if (now->arrivals.n)
        show_table(now, "collectives", 1); /* where ranks wait longest, and for which rank */
    free(c.share);
    fflush(stdout);
}

/* Prints how the run in PATH has ended. */
static bool show_end(const char *path)
{
    struct profile *p = profile_exists(path) ? profile_load(path) : NULL;
    struct situation *s = p ? NULL : situation_read(path, VERDICT_SETTLED);
    const bool good = p || s;
    if (s) {
        json_auto_t *value = verdict_json_of(s);
        verdict_write(value, stdout, "collprof top: ", report_width(stdout));
    } else if (p) {
        cli_say("collprof top: the run has ended: %zu ranks reached MPI_Finalize, after %s",
                p->ranks.n, AS_TIME(profile_longest_ns(p)));
    }
    situation_free(s);
    profile_free(p);
    return good;
}

/* The verdict on the run in PATH; NULL if it has no living process. */
static json_t *verdict_now(const char *path)
{
    struct situation *s = profile_exists(path) ? NULL : situation_read(path, VERDICT_SETTLED);
    json_t *value = s && s->live ? verdict_json_of(s) : NULL;
    situation_free(s);
    return value;
}

/* Shows the run in PATH every PAUSE seconds until it ends. */
static void follow(const char *path)
{
    struct profile *before = NULL;
    for (json_t *verdict; (verdict = verdict_now(path)); json_decref(verdict)) {
        struct profile *now = profile_load_counts(path);
        if (before && now)
            show(before, now, verdict);
        profile_free(before);
        before = now;
        sleep(PAUSE);
    }
    profile_free(before);
}

static const struct option_program program = {
    .does = "Shows the run in DIR (collprof.out) every 2 seconds until it ends: time in MPI, the "
            "call that each rank is in, the costliest call sites and their late ranks. A terminal "
            "is redrawn; other output is appended.",
    .word = cli_take_directory,
    .arguments = "[DIR]"};

int cli_top(int argc, char **argv)
{
    const char *directory = NULL;
    cli_parse(&program, &directory, argc, argv);
    FREED char *path = runs_current(directory ?: CLI_DIRECTORY),
               *real = realpath(path, NULL); /* the next run may replace a link meanwhile */
    follow(real ?: path);
    const bool good = show_end(real ?: path);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
