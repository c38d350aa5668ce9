/* collprof top: watches a run. It reads the records of the ranks repeatedly, as `collprof where`
 * does once; the application is not disturbed. */
#include "cli/cli.h"
#include "cli/screen.h"

#include "base/format.h"
#include "base/text.h"
#include "report/labels.h"
#include "report/report.h"
#include "verdict/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* WINDOW: late ranks are those in collectives of so many last seconds. SHOWN_...: most lines of a
 * kind. */
enum { WINDOW = 10, SHOWN_SITES = 5, SHOWN_LATE = 3, SHOWN_GROUPS = 12 };

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

/* NULL if the rank does not run on this host. */
static const struct profile_rank *rank_in(const struct sample *r, size_t rank)
{
    const struct profile_rank *found = NULL;
    for (size_t i = 0; i < r->p->ranks.n && !found; i++)
        if (r->p->ranks.at[i].rank == (int32_t)rank)
            found = &r->p->ranks.at[i];
    return found && found->state == LEDGER_RUNNING ? found : NULL;
}

/* Share (0 to 1) of RANK's time between both samples that it spent in MPI; *PASSED: that time in
 * seconds; negative if unknown. */
static double share_of(const struct sample *before, const struct sample *now, size_t rank,
                       double *passed)
{
    const struct profile_rank *a = rank_in(before, rank), *b = rank_in(now, rank);
    *passed = a && b ? b->wall - a->wall : 0;
    if (*passed <= 0)
        return -1;
    return fmin(fmax(((double)b->mpi_ns - (double)a->mpi_ns) / 1e9 / *passed, 0), 1);
}

/* Seconds spent in the calls of row I. */
static double cost_of(const struct sample *before, const struct sample *now, size_t i)
{
    const struct profile_entry *e = &now->sums->entries.at[i];
    double ns = (double)e->time_ns;
    for (size_t k = 0; k < before->sums->entries.n; k++) {
        const struct profile_entry *x = &before->sums->entries.at[k];
        if (!strcmp(before->p->operations.at[x->operation].name,
                    now->p->operations.at[e->operation].name) &&
            !strcmp(before->label[x->site], now->label[e->site]))
            ns -= (double)x->time_ns;
    }
    return ns / 1e9;
}

static void show_head(const struct sample *before, const struct sample *now, FILE *out,
                      size_t width)
{
    char text[600], time[32], *program = now->p->programs.n ? now->p->programs.at[0] : NULL;
    double sum = 0, passed = 0, lowest = 2, highest = -1;
    size_t n = 0, low = 0, high = 0;
    for (size_t i = 0; i < (size_t)now->p->size; i++) {
        double seconds, share = share_of(before, now, i, &seconds);
        if (share < 0)
            continue;
        low = share < lowest ? i : low;
        high = share > highest ? i : high;
        lowest = fmin(lowest, share);
        highest = fmax(highest, share);
        passed = fmax(passed, seconds);
        sum += share;
        n++;
    }
    int at = snprintf(text, sizeof text, "%.200s, %d ranks, %s",
                      program ? text_base_of(program) : "a program", now->p->size,
                      format_time(time, profile_longest_ns(now->p)));
    if (n)
        snprintf(text + at, sizeof text - (size_t)at,
                 "; in the last %s %.0f %% in MPI (rank %zu: %.0f %%, rank %zu: %.0f %%)",
                 format_time(time, passed * 1e9), 100 * sum / (double)n, low, 100 * lowest, high,
                 100 * highest);
    text_paragraph_write(out, "collprof top: ", text, width);
}

/* "     93 %  " or "  12-97 %  ", over the ranks whose share is known. */
static void group_share(const struct sample *before, const struct sample *now, const json_t *ranks,
                        char text[32])
{
    const json_t *rank;
    size_t i;
    int low = 101, high = -1;
    json_array_foreach(ranks, i, rank)
    {
        double passed, share = share_of(before, now, (size_t)json_integer_value(rank), &passed);
        const int percent = (int)lround(100 * share);
        low = share >= 0 && percent < low ? percent : low;
        high = share >= 0 && percent > high ? percent : high;
    }
    char range[24] = "-";
    if (high >= 0)
        snprintf(range, sizeof range, low == high ? "%d" : "%d-%d", low, high);
    snprintf(text, 32, "%7s %%  ", range);
}

static void show_groups(const struct sample *before, const struct sample *now,
                        const json_t *verdict, FILE *out, size_t width)
{
    const json_t *groups = json_object_get(verdict, "groups"), *g;
    char mark[32], line[VERDICT_TEXT];
    size_t i, n = json_array_size(groups);
    text_paragraph_write(out, "", json_string_value(json_object_get(verdict, "text")), width);
    fprintf(out, "   in MPI  ranks\n");
    json_array_foreach(groups, i, g)
    {
        if (i == SHOWN_GROUPS)
            break;
        *line = '\0';
        verdict_text_group(line, g);
        group_share(before, now, json_object_get(g, "ranks"), mark);
        text_paragraph_write(out, mark, line, width);
    }
    if (n > SHOWN_GROUPS)
        fprintf(out, "           %zu more groups\n", n - SHOWN_GROUPS);
}

struct cost {
    size_t row; /* index in a sample; or a rank, and how often it was the last to enter: */
    size_t times;
    double seconds;
};

static int costliest_first(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    return ORDER(y->seconds, x->seconds) ?: ORDER(x->row, y->row);
}

/* If the set of ranks has changed between the readings, differences are meaningless. */
static void show_sites(const struct sample *before, const struct sample *now, FILE *out,
                       size_t width)
{
    struct cost *cost = memory_alloc((now->sums->entries.n + 1) * sizeof *cost);
    double all = 0;
    size_t running[2] = {0, 0};
    for (size_t i = 0; i < (size_t)now->p->size; i++) {
        double passed;
        share_of(before, now, i, &passed);
        all += passed;
        running[0] += rank_in(before, i) != NULL;
        running[1] += rank_in(now, i) != NULL;
    }
    for (size_t i = 0; i < now->sums->entries.n; i++)
        cost[i] = (struct cost){.row = i, .seconds = cost_of(before, now, i)};
    qsort(cost, now->sums->entries.n, sizeof *cost, costliest_first);
    for (size_t i = 0; i < now->sums->entries.n && i < SHOWN_SITES && running[0] == running[1];
         i++) {
        const struct profile_entry *e = &now->sums->entries.at[cost[i].row];
        char line[VERDICT_TEXT], mark[32];
        if (cost[i].seconds < 0.001 * all)
            break;
        if (i == 0)
            fprintf(out, "  of time  the costliest call sites\n");
        snprintf(mark, sizeof mark, "%7.1f %%  ", 100 * cost[i].seconds / all);
        snprintf(line, sizeof line, "%s at %s", now->p->operations.at[e->operation].name,
                 now->label[e->site]);
        text_paragraph_write(out, mark, line, width);
    }
    free(cost);
}

/* Fills LATE, by rank, from collectives that all have left and in which each member waits for all.
 * Returns the number of late ranks; *WINDOW: how long (s) the collectives took. */
static size_t find_late(const struct profile *p, struct cost *late, double *window)
{
    int64_t last = INT64_MIN, first = INT64_MAX;
    size_t n = 0;
    for (size_t i = 0; i < p->events.n; i++)
        last = p->events.at[i].exit_ns > last ? p->events.at[i].exit_ns : last;
    for (size_t i = 0, next; i < p->events.n; i = next) {
        const struct profile_event *e = &p->events.at[i], *latest = e;
        next = events_next(p, i);
        for (size_t k = i; k < next; k++)
            latest = p->events.at[k].entry_ns > latest->entry_ns ? &p->events.at[k] : latest;
        if (arrivals_kind(p, e->operation) != COLLECTIVE_ALL || next - i < 2 ||
            next - i != p->comms.at[e->comm].size || latest->rank >= (uint32_t)p->size ||
            latest->entry_ns < last - WINDOW * INT64_C(1000000000))
            continue;
        n++;
        late[latest->rank].times++;
        for (size_t k = i; k < next; k++) {
            const int64_t entered = p->events.at[k].entry_ns;
            late[latest->rank].seconds += (double)(latest->entry_ns - entered) / 1e9;
            first = entered < first ? entered : first;
        }
    }
    *window = (double)(last - first) / 1e9;
    return n;
}

static void show_late(const struct sample *now, FILE *out, size_t width)
{
    const size_t size = (size_t)now->p->size;
    struct cost *late = memory_alloc((size + 1) * sizeof *late);
    double window;
    for (size_t i = 0; i < size; i++)
        late[i].row = i;
    const size_t n = find_late(now->p, late, &window);
    const double others = window * (double)(size - 1);
    qsort(late, size, sizeof *late, costliest_first);
    for (size_t i = 0; n && i < size && i < SHOWN_LATE && late[i].seconds > 0.01 * others; i++) {
        char line[200], mark[32], time[32];
        if (i == 0)
            fprintf(out, "waited for  late ranks, in the last %s\n",
                    format_time(time, window * 1e9));
        snprintf(mark, sizeof mark, "%7.1f %%  ", 100 * late[i].seconds / others);
        snprintf(line, sizeof line, "rank %zu: the last to enter %zu of %zu collectives",
                 late[i].row, late[i].times, n);
        text_paragraph_write(out, mark, line, width);
    }
    free(late);
}

static char *compose(const struct sample *before, const struct sample *now, const json_t *verdict)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    const size_t width = (size_t)report_width(stdout);
    show_head(before, now, out, width);
    show_groups(before, now, verdict, out, width);
    show_sites(before, now, out, width);
    show_late(now, out, width);
    fclose(out);
    return text;
}

/* --- the end --- */

static bool is_elsewhere(const struct evidence *e)
{
    bool found = false;
    for (size_t i = 0; i < e->s->n_ranks; i++)
        found = found || e->rank[i].unseen;
    return found;
}

/* Prints how the run in PATH has ended. */
static bool show_end(const char *path)
{
    char file[4400], time[32];
    snprintf(file, sizeof file, "%s/profile.json", path);
    if (!access(file, F_OK)) {
        struct profile *p = profile_load(path);
        if (p)
            cli_say("collprof top: the run has ended: %zu ranks reached MPI_Finalize, after %s",
                    p->ranks.n, format_time(time, profile_longest_ns(p)));
        profile_free(p);
        return p;
    }
    struct evidence *e = evidence_now(path, VERDICT_SETTLED);
    bool good = e && !is_elsewhere(e);
    if (e && !good)
        reason_give("%s: no process of this run is on this host: expected a host of its ranks",
                    path);
    if (good) {
        json_t *value = verdict_json_of(e);
        verdict_write(value, stdout, "collprof top: ", (size_t)report_width(stdout));
        json_decref(value);
    }
    evidence_free(e);
    return good;
}

/* NULL if no process of the run is alive. */
static json_t *verdict_now(const char *path)
{
    char file[4400];
    snprintf(file, sizeof file, "%s/profile.json", path);
    struct evidence *e = access(file, F_OK) ? evidence_now(path, VERDICT_SETTLED) : NULL;
    json_t *value = e && e->live ? verdict_json_of(e) : NULL;
    evidence_free(e);
    return value;
}

/* Continues until the run or the user ends it. False: the run has ended. */
static bool follow(struct screen *screen, const char *path, double interval)
{
    struct sample *before = NULL, *now = sample_new(path);
    enum screen_event event;
    bool goes_on = now;
    while (goes_on && (event = screen_wait(screen, interval)) != SCREEN_QUIT) {
        if (event == SCREEN_TIME) {
            sample_free(before);
            before = now;
            now = sample_new(path);
        }
        json_t *verdict = now ? verdict_now(path) : NULL;
        char *text = verdict && before ? compose(before, now, verdict) : NULL;
        if (text)
            screen_show(screen, text);
        free(text);
        goes_on = verdict;
        json_decref(verdict);
    }
    sample_free(before);
    sample_free(now);
    return goes_on;
}

static const struct option_entry entries[] = {
    {"interval", 0, "SECONDS", "between two readings", 0, option_take_real,
     offsetof(struct asking, interval),
     &(const struct option_limits){0.2, 3600, "a time from 0.2 to 3600 s", 0}},
    {0}};

static const struct option_program program = {
    .does = "Shows the run in DIR (collprof.out) as it goes, until it ends or 'q' is pressed: time "
            "in MPI, where each rank is, the costliest call sites, late ranks. On a terminal the "
            "screen is drawn anew, otherwise lines are written one after the other.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR]"};

int cli_top(int argc, char **argv)
{
    struct asking t = {.interval = 2};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &t};
    cli_parse(&parser, argc, argv);
    const char *directory = t.directory ? t.directory : CLI_DIRECTORY;
    char *living = runs_living(directory, NULL, NULL);
    bool goes_on = false, good = true;
    if (living) {
        struct screen *screen = screen_begin();
        goes_on = follow(screen, living, t.interval);
        screen_end(screen);
    }
    if (!goes_on)
        good = show_end(living ? living : directory);
    free(living);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
