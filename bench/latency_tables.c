/* The methods side by side, the statistics behind each figure, the pairs one by one; and pictures
 * of them. */
#include "latency_bench.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_COLUMNS = 3 * OPTION_CHOSEN_MAX };

struct columns {
    struct column column[MOST_COLUMNS];
    char heads[MOST_COLUMNS][32];
    size_t n;
};

struct tables {
    const struct latency_options *o;
    struct document *d;
    const char *thing;
    bool broadcasts;
    struct table *methods, *statistics, *pairs;
    struct columns by_method, by_pair; /* the document reads them when it is written: they stay
                                          until the process ends */
    double clock_bound;
};

/* Of the table behind each figure. The first is called as the things are. */
static struct column statistics_columns[] = {
    {"thing", NULL, COLUMN_TEXT, 0, "what was measured"},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "the message, or what each rank contributes or gets"},
    {"method", NULL, COLUMN_TEXT, 0, NULL},
    {"value", "us", COLUMN_REAL, 2, "the figure of the method's column"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of the median, no distribution assumed"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"min", "us", COLUMN_REAL, 2,
     "of single operations; of methods that go pair by pair the slowest one's"},
    {"mean", "us", COLUMN_REAL, 2, NULL},
    {"p99", "us", COLUMN_REAL, 2, NULL},
    {"max", "us", COLUMN_REAL, 2, NULL},
    {"sd", "us", COLUMN_REAL, 2, NULL},
    {"loop_mean", "us", COLUMN_REAL, 2, "the paper's figure: time of the loop over its operations"},
    {"samples", NULL, COLUMN_INTEGER, 0, NULL},
    {"attempts", NULL, COLUMN_INTEGER, 0,
     "series made, those that the stop rule paper threw away included"},
    {"ended_by", NULL, COLUMN_TEXT, 0, "the stop rule, or the budget"},
};

/* Named NAME and MORE. */
static void add_column(struct columns *c, const char *name, const char *more, struct column column)
{
    if (c->n == MOST_COLUMNS)
        return;
    char *head = c->heads[c->n];
    snprintf(head, sizeof *c->heads, "%s%s", name, more);
    for (char *at = head; *at; at++)
        *at = *at == '-' ? '_' : *at;
    column.name = head;
    c->column[c->n++] = column;
}

static void time_column(struct columns *c, const char *name, const char *more, const char *about)
{
    add_column(c, name, more, (struct column){NULL, "us", COLUMN_REAL, 2, about});
}

/* Of a point: its name, ranks and bytes. */
static void point_columns(struct columns *c)
{
    for (int i = 0; i < 3; i++)
        add_column(c, statistics_columns[i].name, "", statistics_columns[i]);
}

static void put_point(struct table *t, const struct bench_point *p)
{
    table_text(t, p->name);
    table_integer(t, p->ranks);
    table_integer(t, (long long)p->bytes);
}

/* A column per method, named as the method, with the interval of a latency; of other suites' also
 * how far from the operation latency it is. */
static void method_columns(struct tables *t)
{
    struct columns *c = &t->by_method;
    point_columns(c);
    for (size_t i = 0; i < t->o->n_methods; i++) {
        const struct latency_method *m = t->o->method[i];
        time_column(c, m->name, "", m->reality);
        if (latency_is_latency(m)) {
            time_column(c, m->name, "_low", "95 % interval of the median");
            time_column(c, m->name, "_high", NULL);
        }
        if (m->meaning == MEANS_SUITE)
            add_column(c, m->name, "_off",
                       (struct column){NULL, "%", COLUMN_REAL, 1, "from held, or else direct"});
    }
}

/* What ol and held say of a pair beside their value: times, then two words. */
static const struct {
    const char *method, *name, *about;
    size_t at; /* in struct latency_figure */
} details[] = {
#define AT(member) offsetof(struct latency_figure, member)
    {"held", "held_low", "95 % interval", AT(value.low)},
    {"held", "held_high", NULL, AT(value.high)},
    {"held", "hold", "for how long the acknowledgement was held back", AT(curve.hold)},
    {"held", "one_way", "latency of the acknowledgement, which held takes off",
     AT(timed[TIMED_PING].at.value)},
    {"held", "seen", "exit - entry of the root in the operations of held",
     AT(timed[TIMED_SEEN].at.value)},
    {"ol", "rtl", "RTL_i: round trip of an acknowledgement", AT(timed[TIMED_PING].at.value)},
    {"ol", "e", "E_i: broadcast, then the destination's acknowledgement",
     AT(timed[TIMED_OPERATION].at.value)},
    {"ol", "paper_check", "E_i > every g_j: the paper's own check", AT(check)},
    {"ol", "violated", "ol is not OL_i there: believe held", AT(verdict)},
#undef AT
};
enum { DETAILS = sizeof details / sizeof *details, CHECK = DETAILS - 2, VERDICT };

static bool has_detail(const struct tables *t, size_t i)
{
    for (size_t k = 0; k < t->o->n_methods; k++)
        if (strcmp(t->o->method[k]->name, details[i].method) == 0)
            return true;
    return false;
}

static void pair_columns(struct tables *t)
{
    struct columns *c = &t->by_pair;
    const struct column word = {NULL, NULL, COLUMN_TEXT, 0, NULL};
    point_columns(c);
    if (!t->broadcasts)
        add_column(c, "from", "",
                   (struct column){NULL, NULL, COLUMN_RANK, 0, "the rank that enters last"});
    add_column(c, t->broadcasts ? "destination" : "to", "",
               (struct column){NULL, NULL, COLUMN_RANK, 0, "the rank whose exit is seen"});
    for (size_t i = 0; i < t->o->n_methods; i++)
        if (t->o->method[i]->figures != FIGURES_NONE)
            time_column(c, t->o->method[i]->name, "", t->o->method[i]->reality);
    for (size_t i = 0; i < DETAILS; i++)
        if (has_detail(t, i) && i >= CHECK)
            add_column(c, details[i].name, "", word);
        else if (has_detail(t, i))
            time_column(c, details[i].name, "", details[i].about);
}

struct tables *tables_new(const struct latency_options *o, struct document *d, const char *thing)
{
    struct tables *t = memory_alloc(sizeof *t);
    const struct bench *b = &o->bench;
    t->o = o;
    t->d = d;
    t->thing = statistics_columns[0].name = thing;
    t->broadcasts = strcmp(thing, "algorithm") == 0;
    method_columns(t);
    t->methods = document_table(d, "methods", "how long one operation takes", t->by_method.column,
                                t->by_method.n);
    if (b->full || b->format == FORMAT_JSON)
        t->statistics =
            document_table_of(d, "statistics", "behind each figure", statistics_columns);
    pair_columns(t);
    if (o->by_pair)
        t->pairs = document_table(d, t->broadcasts ? "destinations" : "pairs",
                                  t->broadcasts ? "operation latency by destination"
                                                : "from the last rank's entry to another's exit",
                                  t->by_pair.column, t->by_pair.n);
    return t;
}

/* --- rows --- */

/* The raw samples behind a result: a series of its own, or its slowest pair's. The latter may be of
 * a longer operation (E_i), of which the same part is taken off everywhere. */
static struct summary summary_of(const struct latency_result *r)
{
    double shift = 0;
    const struct samples *raw = &r->series.samples;
    if (r->figure && r->slowest >= 0) {
        const struct latency_timed *t = &r->figure[r->slowest].timed[TIMED_OPERATION];
        raw = &t->raw;
        shift = r->figure[r->slowest].value.value - t->at.value;
    }
    struct summary s = stats_summarize(raw->value, raw->n);
    s.min += shift;
    s.mean += shift;
    s.p99 += shift;
    s.max += shift;
    return s;
}

static void put_method(struct tables *t, const struct latency_method *m,
                       const struct latency_result *r, double latency)
{
    if (!r) /* it has no meaning for this operation */
        table_skip(t->methods);
    else if (latency_is_latency(m))
        table_estimate(t->methods, r->value);
    else
        table_real(t->methods, 1e6 * r->value.value);
    for (int k = 0; !r && k < 2 && latency_is_latency(m); k++)
        table_skip(t->methods);
    if (m->meaning == MEANS_SUITE)
        table_real(t->methods, r ? 100 * (r->value.value / latency - 1) : NAN);
}

static void add_methods(struct tables *t, const struct bench_point *p,
                        const struct latency_row *row, struct disturbance disturbed)
{
    const struct latency_outcome *o = row->outcome;
    const struct latency_result *ol = row_latency(row);
    double latency = ol && row_relies_on(row, ol) ? ol->value.value : NAN;
    put_point(t->methods, p);
    for (size_t i = 0; i < t->o->n_methods; i++) {
        const struct latency_method *m = t->o->method[i];
        put_method(t, m, latency_result_of(o, m->name), latency);
    }
    if (disturbed.text)
        table_remark(t->methods,
                     &(struct finding){.key = "cpu_contention", .severity = SEVERITY_DOUBT}, "%s",
                     disturbed.text);
    row_remark_bounds(row, t->methods);
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_result *r = &o->result[i];
        bool bound =
            r->method->meaning == MEANS_LOWER_BOUND || r->method->meaning == MEANS_UPPER_BOUND;
        if (!bound || !estimate_has_interval(r->value))
            row_remark(row, r, t->methods, true);
    }
    if (!o->validated && t->o->by_pair)
        table_remark(t->methods,
                     &(struct finding){.key = "not_validated", .severity = SEVERITY_DOUBT},
                     "the data could not be checked");
}

static void add_statistics(struct tables *t, const struct bench_point *p,
                           const struct latency_row *row)
{
    const struct latency_outcome *o = row->outcome;
    struct table *table = t->statistics;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_result *r = &o->result[i];
        struct summary s = summary_of(r);
        const double times[] = {r->value.low, r->value.high, s.min, s.mean,
                                s.p99,        s.max,         s.sd,  r->loop_mean};
        put_point(table, p);
        table_text(table, r->method->name);
        table_real(table, 1e6 * r->value.value);
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            table_real(table, 1e6 * times[k]);
        table_integer(table, (long long)s.n);
        table_integer(table, r->attempts);
        table_text(table, r->over_budget ? "budget" : "rule");
        row_remark(row, r, table, false);
    }
}

/* METHOD's figure of the K-th of PAIRS; of one that has them by rank that of the rank by itself,
 * or, of a rooted operation, of the rank that makes the pair with the root. */
static const struct latency_figure *figure_at(const struct latency_outcome *o, const char *method,
                                              const struct latency_result *pairs, int k)
{
    const struct latency_result *r = latency_result_of(o, method);
    const struct latency_figure *pair = &pairs->figure[k];
    if (!r || !r->figure)
        return NULL;
    if (r->method->figures == FIGURES_PAIRS || pairs->n_figures == o->size)
        return &r->figure[k];
    return pair->from == pair->to ? &r->figure[pair->to] : NULL;
}

static void put_detail(struct tables *t, size_t i, const struct latency_row *row,
                       const struct latency_figure *f)
{
    static const char *const checks[] = {NULL, "passed", "failed", NULL};
    static const char *const verdicts[] = {NULL, "no", "violated", "unknown"};
    if (i == CHECK)
        table_text(t->pairs, f ? checks[f->check] : NULL);
    else if (i == VERDICT)
        table_text(t->pairs, verdicts[row_verdict(row, f)]);
    else
        table_real(t->pairs, f ? 1e6 * *(const double *)((const char *)f + details[i].at) : NAN);
}

/* The row of the K-th pair, if a method has a value of it. */
static void put_pair(struct tables *t, const struct bench_point *p, const struct latency_row *row,
                     const struct latency_result *pairs, int k)
{
    const struct latency_outcome *o = row->outcome;
    const struct latency_figure *pair = &pairs->figure[k];
    bool any = false;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_figure *f = figure_at(o, o->result[i].method->name, pairs, k);
        any = any || (f && estimate_known(f->value));
    }
    if (!any || (t->broadcasts && pair->to == t->o->root))
        return;
    put_point(t->pairs, p);
    if (!t->broadcasts)
        table_integer(t->pairs, pair->from);
    table_integer(t->pairs, pair->to);
    for (size_t i = 0; i < t->o->n_methods; i++) {
        const struct latency_figure *f = figure_at(o, t->o->method[i]->name, pairs, k);
        if (t->o->method[i]->figures != FIGURES_NONE)
            table_real(t->pairs, f ? 1e6 * f->value.value : NAN);
    }
    for (size_t i = 0; i < DETAILS; i++)
        if (has_detail(t, i))
            put_detail(t, i, row, figure_at(o, details[i].method, pairs, k));
}

static void add_pairs(struct tables *t, const struct bench_point *p, const struct latency_row *row)
{
    const struct latency_outcome *o = row->outcome;
    const struct latency_result *pairs = NULL;
    for (size_t i = 0; i < o->n_results; i++)
        if (o->result[i].figure && (!pairs || o->result[i].method->figures == FIGURES_PAIRS))
            pairs = &o->result[i];
    for (int k = 0; pairs && k < pairs->n_figures; k++)
        put_pair(t, p, row, pairs, k);
}

void tables_add(struct tables *t, const struct bench_point *p,
                const struct latency_outcome *outcome, struct disturbance disturbed)
{
    const struct latency_row row = {.outcome = outcome,
                                    .repetitions = t->o->bench.plan.repetitions,
                                    .spoiled = disturbed.spoiled};
    add_methods(t, p, &row, disturbed);
    if (t->statistics)
        add_statistics(t, p, &row);
    if (t->pairs)
        add_pairs(t, p, &row);
    for (size_t i = 0; i < outcome->n_results; i++)
        t->clock_bound = fmax(t->clock_bound, outcome->result[i].clock_bound);
}

/* --- pictures --- */

/* Of the rows of the statistics whose cell in COLUMN is IS: a line for each value of SERIES. */
static void declare_lines(struct tables *t, const char *column, const char *is, const char *series,
                          bool named)
{
    const struct bench *b = &t->o->bench;
    bool ranks = b->ranks.min < b->ranks.max;
    document_picture(t->d, &(struct picture){.kind = PICTURE_LINES,
                                             .name = named ? is : NULL,
                                             .title = is,
                                             .table = "statistics",
                                             .x = ranks ? "ranks" : "size",
                                             .y = "value",
                                             .low = "low",
                                             .high = "high",
                                             .series = series,
                                             .where = {{column, is}},
                                             .x_log = !ranks || b->ranks.step == 0,
                                             .y_log = true});
}

/* The paper's figures 3, 6, 7, 8, 10 (one method, the things as lines) and 11 (one thing, the
 * methods as lines); and the latency to each destination. */
static void declare_pictures(struct tables *t, const struct latency_things *things, const void *arg)
{
    const struct latency_options *o = t->o;
    size_t n = things->n;
    bool several = n > 1 && o->n_methods > 1;
    for (size_t i = 0; i < n && (n == 1 || o->n_methods > 1); i++)
        declare_lines(t, t->thing, things->name_of(arg, i), "method", several);
    for (size_t i = 0; i < o->n_methods && n > 1; i++)
        declare_lines(t, "method", o->method[i]->name, t->thing, several);
    for (size_t i = 0; i < o->n_methods && t->pairs && t->broadcasts; i++) {
        char title[128];
        if (!latency_is_latency(o->method[i]))
            continue;
        snprintf(title, sizeof title, "destinations-%s", o->method[i]->name);
        document_picture(t->d, &(struct picture){.kind = PICTURE_LINES,
                                                 .name = title,
                                                 .title = "latency to each destination",
                                                 .table = "destinations",
                                                 .x = "destination",
                                                 .y = o->method[i]->name,
                                                 .series = t->thing});
    }
}

void tables_end(struct tables *t, const struct latency_things *things, const void *arg)
{
    if (t->clock_bound > 0)
        document_finding(t->d,
                         &(struct finding){.key = "clocks",
                                           .severity = SEVERITY_NOTE,
                                           .number = {{"error_us", 1e6 * t->clock_bound}}},
                         "What is timed on one clock: the ranks' clocks agree within %.2f us.",
                         1e6 * t->clock_bound);
    if (t->statistics)
        declare_pictures(t, things, arg);
}
