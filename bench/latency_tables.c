/* The tables of results, with a row for each method or for each pair of ranks, and their pictures.
 */
#include "latency_bench.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The first column's name becomes "algorithm" or "operation", depending on the program. */
static struct column columns[] = {
    {"thing", NULL, COLUMN_TEXT, 0, "what was measured", .flags = COLUMN_SHORTEN},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or receives"},
    {"method", NULL, COLUMN_TEXT, 0, "in brackets: the arrival pattern, if there is one"},
    {"value", "us", COLUMN_REAL, 2, "the method's result for one operation"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval within this launch, widened by the clocks' error"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"loop_mean", "us", COLUMN_REAL, 2,
     "as de Supinski and Karonis: time of the loop / its operations", .flags = COLUMN_DATA_ONLY},
    {"samples", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"ended_by", NULL, COLUMN_TEXT, 0, "the stop rule, or the budget", .flags = COLUMN_DATA_ONLY},
};

/* The first columns, which identify the point of the sweep, are copied from COLUMNS. */
enum { POINT_COLUMNS = 4 };
static struct column pair_columns[] = {
    [POINT_COLUMNS] = {"from", NULL, COLUMN_INTEGER, 0,
                       "the rank that enters last; for a broadcast, the root"},
    {"to", NULL, COLUMN_INTEGER, 0, "the rank whose exit is measured"},
    {"value", "us", COLUMN_REAL, 2, "time from FROM's entry to TO's exit, by this method"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval within this launch, widened by the clocks' error"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"hold", "us", COLUMN_REAL, 2, "held: how long the acknowledgement was delayed",
     .flags = COLUMN_DATA_ONLY},
    {"with_ack", "us", COLUMN_REAL, 2, "E_i: the operation and its acknowledgement, minus the hold",
     .flags = COLUMN_DATA_ONLY},
    {"ack", "us", COLUMN_REAL, 2,
     "the acknowledgement alone; ol: its round trip RTL_i; held: its one-way latency",
     .flags = COLUMN_DATA_ONLY},
    {"paper_check", NULL, COLUMN_TEXT, 0, "ol: de Supinski and Karonis' check, E_i > every g_j",
     .flags = COLUMN_DATA_ONLY},
    {"violated", NULL, COLUMN_TEXT, 0,
     "ol: whether its assumption is violated: then the value is not OL_i: use held",
     .flags = COLUMN_OPTIONAL},
};

struct tables {
    const struct latency_options *o;
    struct document *d;
    struct table *methods, *pairs; /* PAIRS: NULL without --destinations or --pairs */
};

struct tables *latency_tables_new(const struct latency_options *o, struct document *d)
{
    struct tables *t = memory_alloc(sizeof *t);
    *t = (struct tables){.o = o, .d = d};
    columns[0].name = o->broadcasts ? "algorithm" : "operation";
    memcpy(pair_columns, columns, POINT_COLUMNS * sizeof *columns);
    pair_columns[POINT_COLUMNS - 1].meaning = NULL; /* pairs have no arrival pattern */
    t->methods = document_table_of(d, "methods", "Time of one operation", columns);
    if (o->by_pair)
        t->pairs = document_table_of(d, "pairs",
                                     o->broadcasts ? "Root's entry to another rank's exit"
                                                   : "Last rank's entry to another rank's exit",
                                     pair_columns);
    return t;
}

/* The number of samples of R's value: those of the slowest pair, if R has pairs. */
static size_t samples_of(const struct latency_result *r)
{
    return r->figure && r->slowest >= 0 ? r->figure[r->slowest].timed[TIMED_OPERATION].n
                                        : r->series.samples.n;
}

/* Adds the value of R, or of its one pair F. --stop=paper: mean of loop means, without interval. */
static void put_value(const struct tables *of, struct table *t, const struct latency_result *r,
                      const struct latency_figure *f)
{
    double error;
    struct estimate e = latency_within(r, f, &error);
    if (of->o->bench.plan.stop == STOP_PAPER)
        e = (struct estimate){f ? f->loop_mean : r->loop_mean, NAN, NAN};
    table_estimate(t, e);
}

static void put_point(struct table *t, const struct bench_point *p, const char *method)
{
    table_text(t, p->name);
    table_reals(t, p->ranks, (double)p->bytes);
    table_text(t, method);
}

static void add_method(struct tables *t, const struct bench_point *p,
                       const struct latency_result *r)
{
    char method[64];
    snprintf(method, sizeof method, p->arrival ? "%s (%s)" : "%s", r->method->name, p->arrival);
    put_point(t->methods, p, method);
    put_value(t, t->methods, r, NULL);
    table_reals(t->methods, 1e6 * r->loop_mean, (double)samples_of(r));
    table_text(t->methods, r->over_budget ? "budget" : "rule");
}

static void add_pairs(struct tables *t, const struct bench_point *p, const struct latency_row *row,
                      const struct latency_result *r)
{
    static const char *const checks[] = {NULL, "passed", "failed", NULL};
    static const char *const verdicts[] = {NULL, "no", "violated", "unknown"};
    bool acknowledged = !strcmp(r->method->name, "held") || !strcmp(r->method->name, "ol");
    for (const struct latency_figure *f = r->figure; f < r->figure + r->n_figures; f++) {
        const double times[] = {f->curve.hold > 0 ? f->curve.hold : NAN,
                                samples_summary(&f->timed[TIMED_OPERATION]).median,
                                samples_summary(&f->timed[TIMED_PING]).median};
        /* In a broadcast the root is the source, not a destination. */
        bool from_root = t->o->broadcasts && latency_is_latency(r->method);
        if (!estimate_known(f->value) || (from_root && f->to == t->o->root))
            continue;
        put_point(t->pairs, p, r->method->name);
        table_reals(t->pairs, from_root ? t->o->root : f->from, f->to);
        put_value(t, t->pairs, r, f);
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            table_real(t->pairs, acknowledged ? 1e6 * times[i] : NAN);
        table_text(t->pairs, checks[f->check]);
        table_text(t->pairs, verdicts[row_verdict(row, f)]);
    }
}

void latency_tables_add(struct tables *t, const struct bench_point *p,
                        const struct latency_outcome *outcome, bool spoiled)
{
    const struct latency_row row = {.outcome = outcome,
                                    .repetitions = t->o->bench.plan.repetitions,
                                    .spoiled = spoiled,
                                    .arrivals = p->arrival};
    for (size_t i = 0; i < outcome->n_results; i++) {
        const struct latency_result *r = &outcome->result[i];
        add_method(t, p, r);
        bench_remark(t->methods);
        row_remark(&row, r, t->methods);
        if (t->pairs && r->figure)
            add_pairs(t, p, &row, r);
    }
}

/* Adds a line chart of those rows of table "methods" that have IS in COLUMN, with a line for each
 * value of column SERIES. NAMED: there are several charts, so each needs a name. */
static void declare_lines(struct tables *t, const char *column, const char *is, const char *series,
                          bool named)
{
    const struct bench *b = &t->o->bench;
    bool ranks = b->ranks.min < b->ranks.max;
    document_picture(t->d, &(struct picture){.kind = PICTURE_LINES,
                                             .name = named ? is : NULL,
                                             .title = is,
                                             .table = "methods",
                                             .x = ranks ? "ranks" : "size",
                                             .y = "value",
                                             .low = "low",
                                             .high = "high",
                                             .series = series,
                                             .where = {{column, is}},
                                             .x_log = !ranks || b->ranks.step == 0,
                                             .y_log = true});
}

/* Adds charts as the paper's figures 3, 6, 7, 8, 10 (one method, a line for each algorithm) and 11
 * (one algorithm, a line for each method). */
void latency_tables_end(struct tables *t)
{
    const struct latency_options *o = t->o;
    size_t n = o->things.n;
    if (t->pairs && table_rows(t->pairs) == 0)
        document_fact(t->d, "pairs", "none measured: use --method=held or a larger --budget");
    bool several = n > 1 && o->n_methods > 1;
    for (size_t i = 0; i < n && (n == 1 || o->n_methods > 1); i++)
        declare_lines(t, columns[0].name, o->thing_name[i], "method", several);
    for (size_t i = 0; i < o->n_methods && n > 1; i++)
        declare_lines(t, "method", o->method[i]->name, columns[0].name, several);
}
