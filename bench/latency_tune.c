/* --tune: the fastest of the library's algorithms for each operation, size and arrival pattern, and
 * the files that make the library use them. */
#include "latency_bench.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "base/try.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE                                                                                  \
    {"operation", NULL, COLUMN_TEXT, 0, NULL, .flags = COLUMN_SHORTEN},                            \
        {"ranks", NULL, COLUMN_INTEGER, 0, NULL},                                                  \
        {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or gets"},    \
    {                                                                                              \
        "arrival", NULL, COLUMN_TEXT, 0, "how the ranks enter the operation"                       \
    }

static const struct column columns[] = {
    SIGNATURE,
    {"now", "us", COLUMN_REAL, 2, "the library's own choice, from the last entry to the last exit"},
    {"best", NULL, COLUMN_TEXT, 0, "the fastest algorithm; empty: none is certainly faster"},
    {"segment", "B", COLUMN_INTEGER, 0, "into which it cuts messages", .flags = COLUMN_OPTIONAL},
    {"value", "us", COLUMN_REAL, 2, "its time"},
    {"saves", NULL, COLUMN_SHARE, 0, "the share of the time now that it saves"},
    {"low", NULL, COLUMN_SHARE, 0, "95 % interval of this share"},
    {"high", NULL, COLUMN_SHARE, 0, NULL},
};

static const struct column candidate_columns[] = {
    SIGNATURE,
    {"algorithm", NULL, COLUMN_TEXT, 0, "with its segment in bytes, if it has one"},
    {"value", "us", COLUMN_REAL, 2, "empty: it returned an error or wrong data"},
    {"ratio", NULL, COLUMN_REAL, 3, "its time / that of the library's choice in the same round"},
    {"low", NULL, COLUMN_REAL, 3, "95 % interval of this ratio"},
    {"high", NULL, COLUMN_REAL, 3, NULL},
};

/* The patterns: how much later than the first a rank enters, as a part of the operation's time. */
static const char *const pattern_names[] = {"punctual", "last", "spread", "random"};
OPTION_TEXT(pattern_name, sizeof pattern_names / sizeof *pattern_names, pattern_names[i])
const struct option_registry latency_arrivals = {"arrival pattern", pattern_name, NULL, NULL};

double latency_lateness(size_t pattern, int rank, int size)
{
    const double drawn = (double)(hash_mix((uint64_t)rank + 1, 0) % 1000) / 1000,
                 late[] = {0, rank == size - 1, (double)rank / (size - 1), drawn};
    return late[pattern];
}

struct tune {
    const struct latency_options *o;
    const struct tuning_library *library;
    struct document *d; /* NULL but on rank 0, as the tables */
    struct table *table, *candidates;
    struct tuned_set found, before; /* BEFORE: of a tuning into this directory that was ended */
    size_t reused;                  /* signatures taken from it */
};

/* Reads what an ended tuning has left in the directory. It must have been for the same library. */
static void go_on(struct tune *t)
{
    tuning_library_name(t->found.library, sizeof t->found.library);
    if (!tuned_set_load(&t->before, t->o->tune))
        reason_print_stored(t->o->bench.program);
    if (t->before.complete || strcmp(t->before.library, t->found.library) != 0)
        t->before.list.n = 0;
}

struct tune *tune_new(const struct latency_options *o, struct document *d)
{
    struct tune *t = memory_alloc(sizeof *t);
    *t = (struct tune){.o = o, .library = tuning_library(), .d = d};
    if (!t->library)
        bench_refuse(&o->bench, "--tune: this MPI library has no algorithms that can be chosen "
                                "while a program runs: use: --cvar, or MPICH or Open MPI");
    if (bench_worst(o->bench.comm, d && !rules_possible(o->tune)))
        bench_leave(STATUS_USAGE);
    if (d) {
        go_on(t);
        t->table = document_table_of(d, "tuned", "the library's choice and the fastest", columns);
        t->candidates = document_table_of(d, "candidates", "all algorithms", candidate_columns);
    }
    return t;
}

/* Seconds of the operation if all ranks enter at once, on all ranks. */
static int measure_scale(const struct latency_case *c, double *seconds)
{
    struct latency_outcome outcome;
    struct latency_case short_one = *c;
    short_one.check = NULL;
    short_one.plan.stop = STOP_FIXED;
    short_one.plan.repetitions = 10;
    TRY(latency_measure_direct(&short_one, &outcome));
    *seconds = outcome.n_results ? outcome.result[0].value.value : 0;
    latency_outcome_free(&outcome);
    TRY(PMPI_Bcast(seconds, 1, MPI_DOUBLE, 0, c->comm));
    *seconds = *seconds > 0 ? *seconds : 0;
    return MPI_SUCCESS;
}

static void put_signature(struct table *t, const struct bench_point *p, size_t pattern)
{
    table_text(t, p->name);
    table_integer(t, p->ranks);
    table_integer(t, (long long)p->bytes);
    table_text(t, pattern_names[pattern]);
}

static void put_row(const struct tune *t, const struct bench_point *p, size_t pattern,
                    const struct tuned *r, struct contention contention)
{
    const struct algorithm *best = r->best ? &r->candidate[r->best] : NULL;
    const struct estimate *ratio = &r->ratio[r->best];
    put_signature(t->table, p, pattern);
    table_real(t->table, 1e6 * r->time[0].value);
    table_text(t->table, best ? best->name : NULL);
    table_integer_if(t->table, best && best->segment, best ? best->segment : 0);
    table_real(t->table, best ? 1e6 * r->time[r->best].value : NAN);
    table_real(t->table, best ? 100 * (1 - ratio->value) : NAN);
    table_real(t->table, best ? 100 * (1 - ratio->high) : NAN);
    table_real(t->table, best ? 100 * (1 - ratio->low) : NAN);
    bench_remark(t->table, contention);
    for (int k = 0; k < r->n; k++) {
        char name[64];
        const struct algorithm *a = &r->candidate[k];
        snprintf(name, sizeof name, a->segment ? "%s/%d" : "%s", a->name, a->segment);
        put_signature(t->candidates, p, pattern);
        table_text(t->candidates, name);
        table_real(t->candidates, 1e6 * r->time[k].value);
        table_real(t->candidates, r->ratio[k].value);
        table_real(t->candidates, r->ratio[k].low);
        table_real(t->candidates, r->ratio[k].high);
    }
}

/* Puts the signature of RESULT, measured by an earlier tuning, into it. Collective. */
static int find_before(struct tune *t, const struct latency_case *c, struct tuned *result,
                       bool *found)
{
    const struct tuned *known = t->d ? tuned_set_find(&t->before, result) : NULL;
    int has = known != NULL;
    TRY(PMPI_Bcast(&has, 1, MPI_INT, 0, c->comm));
    if (known)
        *result = *known;
    t->reused += known != NULL;
    *found = has;
    return MPI_SUCCESS;
}

/* Adds the result of one signature, and writes all so far, so that a tuning can be ended. */
static void keep(struct tune *t, const struct bench_point *p, size_t pattern,
                 const struct tuned *result, struct contention contention)
{
    put_row(t, p, pattern, result, contention);
    *PUSH(&t->found.list) = *result;
    tuned_set_save(&t->found, t->o->tune);
}

static int tune_pattern(struct tune *t, const struct bench_point *p, size_t pattern,
                        struct tuning *tuning, double *scale)
{
    int rank;
    bool found;
    struct tuned result = {.operation = tuning->operation, .ranks = p->ranks, .bytes = p->bytes};
    text_copy(result.arrival, sizeof result.arrival, pattern_names[pattern]);
    TRY(find_before(t, &tuning->c, &result, &found));
    if (!found) {
        if (*scale < 0)
            TRY(measure_scale(&tuning->c, scale));
        PMPI_Comm_rank(tuning->c.comm, &rank);
        tuning->c.after = *scale * latency_lateness(pattern, rank, p->ranks);
        TRY(tuner_measure(tuning, &result));
        text_copy(result.arrival, sizeof result.arrival, pattern_names[pattern]);
    }
    struct contention contention = bench_contention(tuning->c.comm);
    if (t->d && result.n > 1)
        keep(t, p, pattern, &result, contention);
    return MPI_SUCCESS;
}

int tune_point(struct tune *t, const struct bench_point *p, const struct latency_case *c)
{
    bool twin;
    double scale = -1;
    const struct tuned_operation *o =
        tuned_operation_find(operation_find(p->name, &twin)->mpi_name);
    struct tuning tuning = {.library = t->library,
                            .operation = o,
                            .bytes = p->bytes,
                            .c = *c,
                            .use = latency_use,
                            .budget = t->o->bench.plan.budget};
    for (size_t i = 0; o && i < t->o->arrivals.n; i++)
        TRY(tune_pattern(t, p, t->o->arrivals.at[i], &tuning, &scale));
    return MPI_SUCCESS;
}

static void declare_pictures(const struct tune *t)
{
    for (size_t i = 0; i < t->o->things.n; i++) {
        const char *name = latency_thing(t->o, i);
        document_picture(t->d, &(struct picture){.kind = PICTURE_LINES,
                                                 .name = t->o->things.n > 1 ? name : NULL,
                                                 .title = "what each algorithm costs",
                                                 .table = "candidates",
                                                 .x = "size",
                                                 .y = "ratio",
                                                 .low = "low",
                                                 .high = "high",
                                                 .series = "algorithm",
                                                 .where = {{"operation", name}},
                                                 .x_log = true,
                                                 .y_log = true});
    }
}

bool tune_end(struct tune *t)
{
    const char *library = t->found.library;
    const size_t n = t->found.list.n;
    size_t faster = 0;
    t->found.complete = true;
    long written = tuned_set_save(&t->found, t->o->tune);
    for (size_t i = 0; i < n; i++)
        faster += t->found.list.at[i].best > 0;
    const struct finding f = {.key = "tuned",
                              .severity = SEVERITY_FINDING,
                              .number = {{"signatures", (double)n},
                                         {"faster", (double)faster},
                                         {"written", (double)written}}};
    if (faster == 0)
        document_finding(t->d, &f,
                         "No algorithm is certainly faster than the choice of %s in any of %zu "
                         "cases: %s/env.sh changes no setting.",
                         library, n, t->o->tune);
    else if (written > 0)
        document_finding(t->d, &f,
                         "%zu of %zu cases have a faster algorithm. To use it: . %s/env.sh. Sums "
                         "of floating-point numbers may then differ in their last digits.",
                         faster, n, t->o->tune);
    else if (written == 0)
        document_finding(t->d, &f,
                         "%zu of %zu cases have a faster algorithm, but no setting of %s is known "
                         "that makes none of the cases slower: %s/env.sh changes no setting.",
                         faster, n, library, t->o->tune);
    if (t->reused)
        document_finding(t->d,
                         &(struct finding){.key = "tuned_before",
                                           .severity = SEVERITY_NOTE,
                                           .number = {{"signatures", (double)t->reused}}},
                         "%zu of %zu cases are from a tuning into %s that was ended.", t->reused, n,
                         t->o->tune);
    declare_pictures(t);
    free(t->found.list.at);
    free(t->before.list.at);
    free(t);
    return written >= 0;
}
