/* --tune: the fastest of the library's algorithms for each operation, size and arrival pattern, and
 * the files that make the library use them. */
#include "latency_bench.h"

#include "base/array.h"
#include "base/histogram.h"
#include "base/reason.h"
#include "base/status.h"
#include "base/text.h"
#include "base/try.h"
#include "document/save.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct column columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL, .flags = COLUMN_SHORTEN},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or receives"},
    {"arrival", NULL, COLUMN_TEXT, 0, "arrival pattern: punctual: all ranks enter at once"},
    {"now", "us", COLUMN_REAL, 2,
     "time with the library's own choice, from the last entry to the last exit"},
    {"best", NULL, COLUMN_TEXT, 0,
     "the fastest algorithm; empty: none is certainly faster than the library's choice",
     .flags = COLUMN_SHORTEN},
    {"segment", "B", COLUMN_INTEGER, 0, "of its messages", .flags = COLUMN_OPTIONAL},
    {"value", "us", COLUMN_REAL, 2, "its time"},
    {"saves", NULL, COLUMN_SHARE, 0,
     "time that the fastest algorithm saves, as a share of the time now"},
    {"low", NULL, COLUMN_SHARE, 0, "95 % interval of this share"},
    {"high", NULL, COLUMN_SHARE, 0, NULL},
    {"cost", NULL, COLUMN_REAL, 3, "time with the library's choice / time of the fastest algorithm",
     .flags = COLUMN_DATA_ONLY},
};

static const char punctual[] = "punctual"; /* all ranks enter at once */

struct tune {
    const struct latency_options *o;
    const struct tuning_library *library;
    struct document *d; /* as the table: NULL except on rank 0 */
    struct table *table;
    struct tuned_set set;
};

/* Loads the results of an interrupted --tune of the same library into the same directory. Its files
 * stay until a new result is saved. False, with a reason, if the directory is not writable. */
static bool open_set(struct tune *t)
{
    char library[sizeof t->set.library], path[PATH_MAX];
    tuning_library_name(library, sizeof library);
    if (!tuned_set_load(&t->set, t->o->tune))
        reason_print_stored(t->o->bench.program);
    /* Recorded arrivals are not resumed: the earlier --tune may have used another recorded run. */
    if (t->set.complete || t->o->arrivals.directory || strcmp(t->set.library, library) != 0)
        t->set.list.n = 0;
    text_copy(t->set.library, sizeof t->set.library, library);
    snprintf(path, sizeof path, "%s/env.sh", t->o->tune);
    t->set.complete = false;
    if (mkdir(t->o->tune, 0777) && errno != EEXIST)
        return reason_give("%s: %s", t->o->tune, strerror(errno));
    return save_possible(path);
}

struct tune *tune_new(const struct latency_options *o, struct document *d)
{
    struct tune *t = memory_alloc(sizeof *t);
    *t = (struct tune){.o = o, .library = tuning_library(), .d = d};
    if (sync_agree(!t->library, o->bench.comm))
        bench_refuse(&o->bench, "--tune: this MPI library has no algorithms that can be chosen "
                                "while a program runs: use: --cvar, or MPICH or Open MPI");
    if (sync_agree(d && !open_set(t), o->bench.comm))
        bench_leave(STATUS_USAGE);
    if (d)
        t->table = document_table_of(d, "tuned", "The library's choice and the fastest", columns);
    return t;
}

/* Whether N ranks are measured: powers of 4, 3 times powers of 2, and the smallest and the largest
 * power of 2 and other number in RANGE, since for powers of 2 other algorithms are the fastest. */
static bool is_selected(size_t n, const struct option_range *range)
{
    const size_t min = range->min, max = range->max, powers_of_4 = SIZE_MAX / 3;
    if (is_power_of_2(n))
        return n / 2 < min || n > max / 2 || (n & powers_of_4);
    return n - min <= is_power_of_2(min) || max - n <= is_power_of_2(max) ||
           (n % 3 == 0 && is_power_of_2(n / 3) && n <= max / 2);
}

struct bench_values tune_ranks(const struct option_range *range)
{
    struct bench_values v = {0};
    if (range->step)
        return bench_values(range);
    for (size_t n = range->min; n <= range->max && v.n < BENCH_VALUES_MAX; n++)
        if (is_selected(n, range))
            v.at[v.n++] = n;
    return v;
}

static void put_row(const struct tune *t, const char *operation, const struct tuned *r)
{
    const struct algorithm *best = r->best ? &r->candidate[r->best] : NULL;
    const struct estimate *ratio = &r->ratio[r->best];
    const double percent = best ? 100 : NAN, us = best ? 1e6 : NAN;
    table_text(t->table, operation);
    table_integer(t->table, r->ranks);
    table_integer(t->table, (long long)r->bytes);
    table_text(t->table, r->arrival);
    table_real(t->table, 1e6 * r->time[0].value);
    table_text(t->table, best ? best->name : NULL);
    table_real(t->table, best && best->segment ? (double)best->segment : NAN);
    table_reals(t->table, us * r->time[r->best].value, percent * (1 - ratio->value),
                percent * (1 - ratio->high), percent * (1 - ratio->low), 1 / ratio->value);
    bench_remark(t->table);
    if (!estimate_known(r->time[0]))
        table_remark(t->table, FINDING("no_result", DOUBT), "no result within the budget");
    else if (tuned_open(r))
        table_remark(t->table, FINDING("undecided", DOUBT), TUNED_OPEN);
}

int tune_point(struct tune *t, const struct bench_point *p, struct tuning *point, double *now)
{
    const char *arrival = p->arrival ? p->arrival : punctual;
    struct tuned result = {.ranks = p->ranks, .bytes = p->bytes};
    result.operation = tuned_operation_find(operation_find(p->name, NULL)->mpi_name);
    text_copy(result.arrival, sizeof result.arrival, arrival);
    if (!result.operation)
        return MPI_SUCCESS;
    /* An earlier --tune into this directory may have measured this point. */
    const struct tuned *before = t->d ? tuned_set_find(&t->set, &result) : NULL;
    int known = before != NULL;
    TRY(PMPI_Bcast(&known, 1, MPI_INT, 0, point->c.comm));
    if (before)
        result = *before;
    if (!known) {
        point->library = t->library;
        point->operation = result.operation;
        point->bytes = p->bytes;
        point->budget = t->o->bench.plan.budget > 0 ? t->o->bench.plan.budget : INFINITY;
        TRY(tuner_measure(point, &result));
        text_copy(result.arrival, sizeof result.arrival, arrival);
    }
    bench_contention(point->c.comm);
    if (!t->d || result.n == 1)
        return MPI_SUCCESS;
    put_row(t, p->name, &result);
    if (now)
        *now = result.time[0].value;
    if (known || !estimate_known(result.time[0]))
        return MPI_SUCCESS;
    *PUSH(&t->set.list) = result;
    tuned_set_save(&t->set, t->o->tune); /* so that an interrupted tuning can be resumed */
    return MPI_SUCCESS;
}

/* Adds a heat map per operation: by ranks and size the fastest algorithm, and the time of the
 * library's own choice relative to it. */
static void declare_pictures(const struct tune *t)
{
    for (size_t i = 0; i < t->o->things.n; i++) {
        const char *name = t->o->thing_name[i];
        char title[200];
        snprintf(title, sizeof title,
                 "%s: the fastest algorithm (-: the library's own choice), and how many times as "
                 "long the library's choice takes",
                 name);
        document_picture(t->d,
                         &(struct picture){.kind = PICTURE_HEAT,
                                           .name = name,
                                           .title = title,
                                           .table = "tuned",
                                           .x = "ranks",
                                           .y = "size",
                                           .value = "cost",
                                           .value_label = "time now / fastest time (2: 2 or more)",
                                           .label = "best",
                                           .where = {{"operation", name}, {"arrival", punctual}},
                                           .value_log = true,
                                           .value_low = 1,
                                           .value_high = 2});
    }
}

bool tune_end(struct tune *t)
{
    const char *library = t->set.library, *directory = t->o->tune;
    const size_t n = t->set.list.n;
    size_t faster = 0;
    t->set.complete = true;
    for (size_t i = 0; i < n; i++)
        faster += t->set.list.at[i].best > 0;
    tuned_set_interpolate(&t->set);
    /* If no case was measured, the files in the directory stay unchanged. */
    const long written = n ? tuned_set_save(&t->set, directory) : 0;
    const struct finding f = {.key = "tuned",
                              .severity = SEVERITY_FINDING,
                              .number = {{"signatures", (double)n},
                                         {"faster", (double)faster},
                                         {"written", (double)written}}};
    if (n == 0)
        document_finding(t->d, &f, "No case was measured: the rules in %s are unchanged.",
                         directory);
    else if (written == 0)
        document_finding(t->d, &f,
                         "%zu of %zu cases have an algorithm that is certainly faster than the "
                         "choice of %s%s: %s/env.sh changes no setting.",
                         faster, n, library, faster ? ", but each is slower in another case" : "",
                         directory);
    else if (written > 0)
        document_finding(t->d, &f,
                         "%zu of %zu cases have a faster algorithm than the choice of %s; %ld "
                         "rules, also between these cases, make none of them slower. To use the "
                         "rules: . %s/env.sh. Sums of floating-point numbers may then differ in "
                         "their last digits.",
                         faster, n, library, written, directory);
    tuned_ours_add(t->d, t->set.list.at, n);
    declare_pictures(t);
    free(t->set.list.at);
    free(t);
    return written >= 0;
}
