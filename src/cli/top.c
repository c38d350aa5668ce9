/* collprof top: watches a run. It reads the records of the ranks repeatedly, as `collprof where`
 * does once; the application is not disturbed. */
#include "cli/cli.h"

#include "base/format.h"
#include "base/text.h"
#include "document/json.h"
#include "report/labels.h"
#include "report/report.h"
#include "verdict/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN_SITES = 5 };

struct asking {
    const char *directory; /* NULL: CLI_DIRECTORY */
    double interval;       /* seconds */
};

struct sample {
    struct profile *p;
    struct profile *sums; /* entries by call site; LABEL has the names */
    char **label;
};

/* NULL if no record can be read. Release by sample_free(), which accepts NULL. */
static struct sample *sample_new(const char *path)
{
    struct profile *p = profile_load_counts(path);
    struct sample *r = p ? memory_alloc(sizeof *r) : NULL;
    if (r)
        *r = (struct sample){p, profile_sums(p, true), site_labels(p)};
    return r;
}

static void sample_free(struct sample *r)
{
    if (!r)
        return;
    site_labels_free(r->p, r->label);
    profile_free(r->sums);
    profile_free(r->p);
    free(r);
}

/* What happened between two samples. Times in seconds. */
struct change {
    const struct sample *before, *now;
    double *share;  /* by rank: of its time, in MPI (0 to 1); negative if it does not run here */
    double seconds; /* the longest time of a rank */
    double sum, in_mpi; /* of all ranks together, and the part of it in MPI */
    bool same_ranks;    /* run in both: otherwise differences of sums are meaningless */
};

/* NULL if the rank does not run on this host. */
static const struct profile_rank *rank_in(const struct sample *r, int32_t rank)
{
    const size_t i = rank_index(r->p, (uint32_t)rank);
    const struct profile_rank *found = i < r->p->ranks.n ? &r->p->ranks.at[i] : NULL;
    return found && found->state == LEDGER_RUNNING ? found : NULL;
}

/* Release SHARE by free(). */
static struct change change_of(const struct sample *before, const struct sample *now)
{
    const int32_t size = now->p->size;
    struct change c = {.before = before, .now = now, .same_ranks = true};
    c.share = memory_alloc(((size_t)size + 1) * sizeof *c.share);
    for (int32_t i = 0; i < size; i++) {
        const struct profile_rank *a = rank_in(before, i), *b = rank_in(now, i);
        const double passed = a && b ? b->wall - a->wall : 0;
        c.same_ranks = c.same_ranks && !a == !b;
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

/* A call of a sample, as it is named in all samples. */
struct cost {
    const char *operation, *label;
    double seconds;
};

static bool is_of(const struct cost *c, const struct sample *r, uint32_t operation, uint32_t site)
{
    return site != PROFILE_NONE && !strcmp(r->p->operations.at[operation].name, c->operation) &&
           !strcmp(r->label[site], c->label);
}

/* Seconds that other ranks waited in C for the one for which they waited longest: *RANK. */
static double late_in(const struct sample *r, const struct cost *c, int32_t *rank)
{
    double ns = 0;
    for (size_t i = 0; i < r->p->arrivals.n; i++) {
        const struct profile_arrival *a = &r->p->arrivals.at[i];
        if (!is_of(c, r, a->operation, a->site) || (double)a->cost_ns <= ns ||
            arrivals_kind(r->p, a->operation) == COLLECTIVE_OTHER)
            continue;
        ns = (double)a->cost_ns;
        *rank = (int32_t)a->cost_rank;
    }
    return ns / 1e9;
}

static void show_head(const struct change *c, FILE *out, size_t width)
{
    const struct profile *p = c->now->p;
    char text[600], run[32], last[32];
    snprintf(text, sizeof text, "%.200s, %d ranks, %s; in the last %s %.0f %% in MPI",
             p->programs.n ? text_base_of(p->programs.at[0]) : "a program", p->size,
             format_time(run, profile_longest_ns(p)), format_time(last, c->seconds * 1e9),
             c->sum > 0 ? 100 * c->in_mpi / c->sum : 0);
    text_paragraph_write(out, "collprof top: ", text, width);
}

/* Marks each group of VERDICT with the share of time in MPI of its ranks, if known:
 * "     93 % in MPI  " or "  12-97 % in MPI  ". */
static void mark_groups(const struct change *c, json_t *verdict)
{
    json_t *g;
    const json_t *rank;
    size_t i, k;
    json_array_foreach(json_object_get(verdict, "groups"), i, g)
    {
        long low = 101, high = -1;
        char range[24] = "-";
        json_array_foreach(json_object_get(g, "ranks"), k, rank)
        {
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

static int costliest_first(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    return ORDER(y->seconds, x->seconds) ?: strcmp(x->label, y->label);
}

/* The costs of all rows, of the costliest first. Release by free(). */
static struct cost *costs_of(const struct change *c)
{
    const struct sample *now = c->now, *before = c->before;
    struct cost *cost = memory_alloc((now->sums->entries.n + 1) * sizeof *cost);
    for (size_t i = 0; i < now->sums->entries.n; i++) {
        const struct profile_entry *e = &now->sums->entries.at[i], *x = before->sums->entries.at;
        cost[i] = (struct cost){now->p->operations.at[e->operation].name, now->label[e->site],
                                (double)e->time_ns / 1e9};
        for (; x < before->sums->entries.at + before->sums->entries.n; x++)
            if (is_of(&cost[i], before, x->operation, x->site))
                cost[i].seconds -= (double)x->time_ns / 1e9;
    }
    qsort(cost, now->sums->entries.n, sizeof *cost, costliest_first);
    return cost;
}

/* The costliest call sites, with the rank for which the others wait there. */
static void show_sites(const struct change *c, FILE *out, size_t width)
{
    struct cost *cost = costs_of(c);
    for (size_t i = 0; i < c->now->sums->entries.n && i < SHOWN_SITES && c->same_ranks; i++) {
        char line[VERDICT_TEXT], mark[32];
        int32_t rank = -1, was = -1;
        if (cost[i].seconds < 0.001 * c->sum)
            break;
        if (i == 0)
            fprintf(out,
                    "                  the costliest call sites, share of the time of all ranks\n");
        const double late = fmin(
            late_in(c->now, &cost[i], &rank) - late_in(c->before, &cost[i], &was), cost[i].seconds);
        snprintf(mark, sizeof mark, "%7.1f %%         ", 100 * cost[i].seconds / c->sum);
        int at = snprintf(line, sizeof line, "%s at %.600s", cost[i].operation, cost[i].label);
        if (late > 0.001 * c->sum && (was < 0 || was == rank))
            snprintf(line + at, sizeof line - (size_t)at, ": %.1f %% waiting for rank %d",
                     100 * late / c->sum, rank);
        text_paragraph_write(out, mark, line, width);
    }
    free(cost);
}

/* On a terminal at one position, otherwise below what was shown before. */
static void show(const struct sample *before, const struct sample *now, json_t *verdict)
{
    const size_t width = (size_t)report_width(stdout);
    struct change c = change_of(before, now);
    fputs(isatty(STDOUT_FILENO) ? "\033[H\033[2J" : "\n", stdout);
    show_head(&c, stdout, width);
    mark_groups(&c, verdict);
    verdict_write(verdict, stdout, "", width);
    show_sites(&c, stdout, width);
    free(c.share);
    fflush(stdout);
}

/* --- the end --- */

static bool has_profile(const char *path)
{
    char file[4400];
    snprintf(file, sizeof file, "%s/profile.json", path);
    return !access(file, F_OK);
}

/* Prints how the run in PATH has ended. */
static bool show_end(const char *path)
{
    char time[32];
    if (has_profile(path)) {
        struct profile *p = profile_load(path);
        if (p)
            cli_say("collprof top: the run has ended: %zu ranks reached MPI_Finalize, after %s",
                    p->ranks.n, format_time(time, profile_longest_ns(p)));
        profile_free(p);
        return p;
    }
    struct situation *s = situation_read(path, VERDICT_SETTLED);
    const bool good = s && !s->unseen;
    if (s && !good)
        reason_give("%s: no process of this run is on this host: expected a host of its ranks",
                    path);
    if (good) {
        json_t *value = verdict_json_of(s);
        verdict_write(value, stdout, "collprof top: ", (size_t)report_width(stdout));
        json_decref(value);
    }
    situation_free(s);
    return good;
}

/* NULL if no process of the run is alive. */
static json_t *verdict_now(const char *path)
{
    struct situation *s = has_profile(path) ? NULL : situation_read(path, VERDICT_SETTLED);
    json_t *value = s && s->live ? verdict_json_of(s) : NULL;
    situation_free(s);
    return value;
}

/* Until the run ends. */
static void follow(const char *path, double interval)
{
    const struct timespec pause = {(time_t)interval, (long)(1e9 * fmod(interval, 1))};
    struct sample *before = NULL;
    for (json_t *verdict; (verdict = verdict_now(path)); json_decref(verdict)) {
        struct sample *now = sample_new(path);
        if (before && now)
            show(before, now, verdict);
        sample_free(before);
        before = now;
        nanosleep(&pause, NULL);
    }
    sample_free(before);
}

static const struct option_entry entries[] = {
    {"interval", 0, "SECONDS", "between two readings", 0, option_take_real,
     offsetof(struct asking, interval),
     &(const struct option_limits){0.2, 3600, "a time from 0.2 to 3600 s", 0}},
    {0}};

static const struct option_program program = {
    .does =
        "Shows the run in DIR (collprof.out) as it goes, until it ends: time "
        "in MPI, where each rank is, the costliest call sites, late ranks there. On a terminal the "
        "screen is drawn anew, otherwise lines are written one after the other.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR]"};

int cli_top(int argc, char **argv)
{
    struct asking t = {.interval = 2};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &t};
    cli_parse(&parser, argc, argv);
    char *path = runs_current(t.directory ?: CLI_DIRECTORY),
         *real = realpath(path, NULL); /* a link may lead to the next run meanwhile */
    follow(real ?: path, t.interval);
    const bool good = show_end(real ?: path);
    free(real);
    free(path);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
