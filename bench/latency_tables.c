/* Tables of methods (a row for each) and of single pairs, with pictures of both. */
#include "latency_bench.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The first column's title depends on the things measured. */
static struct column columns[] = {
    {"thing", NULL, COLUMN_TEXT, 0, "what was measured", .flags = COLUMN_SHORTEN},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or gets"},
    {"method", NULL, COLUMN_TEXT, 0, "in brackets: how the ranks enter, if not at once"},
    {"value", "us", COLUMN_REAL, 2, "the method's result for one operation"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval within this launch, with the clocks' error"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"loop_mean", "us", COLUMN_REAL, 2, "as in the paper: time of the loop / its operations",
     .flags = COLUMN_DATA_ONLY},
    {"samples", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"ended_by", NULL, COLUMN_TEXT, 0, "the stop rule, or the budget", .flags = COLUMN_DATA_ONLY},
};

static struct column pair_columns[] = {
    {"thing", NULL, COLUMN_TEXT, 0, "what was measured", .flags = COLUMN_SHORTEN},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or gets"},
    {"method", NULL, COLUMN_TEXT, 0, NULL},
    {"from", NULL, COLUMN_INTEGER, 0, "the rank that enters last; for a broadcast, the root"},
    {"to", NULL, COLUMN_INTEGER, 0, "the rank whose exit is measured"},
    {"value", "us", COLUMN_REAL, 2, "what the method gives from FROM's entry to TO's exit"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval within this launch, with the clocks' error"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"hold", "us", COLUMN_REAL, 2, "held: how long the acknowledgement was delayed",
     .flags = COLUMN_DATA_ONLY},
    {"with_ack", "us", COLUMN_REAL, 2, "E_i: the operation, then the acknowledgement",
     .flags = COLUMN_DATA_ONLY},
    {"ack", "us", COLUMN_REAL, 2,
     "of the acknowledgement alone: ol its round trip RTL_i, held its one-way latency",
     .flags = COLUMN_DATA_ONLY},
    {"paper_check", NULL, COLUMN_TEXT, 0, "ol: E_i > every g_j, the paper's own check",
     .flags = COLUMN_DATA_ONLY},
    {"violated", NULL, COLUMN_TEXT, 0,
     "ol: its assumption is violated here, so the result is not OL_i: use held",
     .flags = COLUMN_OPTIONAL},
};

struct tables {
    const struct latency_options *o;
    struct document *d;
    struct table *methods, *pairs;
};

static const char *thing(const struct latency_options *o)
{
    return o->broadcasts ? "algorithm" : "operation";
}

struct tables *latency_tables_new(const struct latency_options *o, struct document *d)
{
    struct tables *t = memory_alloc(sizeof *t);
    *t = (struct tables){.o = o, .d = d};
    columns[0].name = pair_columns[0].name = thing(o);
    t->methods = document_table_of(d, "methods", "Time of one operation", columns);
    if (o->by_pair)
        t->pairs = document_table_of(d, "pairs",
                                     o->broadcasts ? "From the root's entry to another's exit"
                                                   : "From the last rank's entry to another's exit",
                                     pair_columns);
    return t;
}

/* Operations measured: of its own series, or of its slowest pair. */
static size_t samples_of(const struct latency_result *r)
{
    return r->figure && r->slowest >= 0 ? r->figure[r->slowest].timed[TIMED_OPERATION].n
                                        : r->series.samples.n;
}

/* The paper's rule has the paper's statistic: the mean of the loops' means, without an interval. */
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
    table_integer(t, p->ranks);
    table_integer(t, (long long)p->bytes);
    table_text(t, method);
}

static void add_method(struct tables *t, const struct bench_point *p,
                       const struct latency_result *r)
{
    char method[64];
    snprintf(method, sizeof method, p->arrival ? "%s (%s)" : "%s", r->method->name, p->arrival);
    put_point(t->methods, p, method);
    put_value(t, t->methods, r, NULL);
    table_real(t->methods, 1e6 * r->loop_mean);
    table_integer(t->methods, (long long)samples_of(r));
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
        table_integer(t->pairs, from_root ? t->o->root : f->from);
        table_integer(t->pairs, f->to);
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

/* Declares a line chart: rows of "methods" with IS in COLUMN, one line for each value of SERIES. */
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

/* The paper's figures 3, 6, 7, 8, 10 (one method, a line for each algorithm) and 11 (one algorithm,
 * a line for each method). */
void latency_tables_end(struct tables *t)
{
    const struct latency_options *o = t->o;
    size_t n = o->things.n;
    if (t->pairs && table_rows(t->pairs) == 0)
        document_fact(t->d, "pairs", "none: use --method=held or a larger --budget");
    bool several = n > 1 && o->n_methods > 1;
    for (size_t i = 0; i < n && (n == 1 || o->n_methods > 1); i++)
        declare_lines(t, thing(o), latency_thing(o, i), "method", several);
    for (size_t i = 0; i < o->n_methods && n > 1; i++)
        declare_lines(t, "method", o->method[i]->name, thing(o), several);
}
