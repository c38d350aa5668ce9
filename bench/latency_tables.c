/* The methods side by side, the statistics behind each figure, the pairs one by one; and pictures
 * of them. */
#include "latency_bench.h"

#include "base/memory.h"
#include "document/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 3 * OPTION_CHOSEN_MAX };

struct columns {
    struct column column[MOST_COLUMNS];
    char heads[MOST_COLUMNS][32];
    size_t n;
};

struct declared { /* a column of the pairs' */
    const char *method;
    const struct latency_column *column;
};

struct tables {
    const struct latency_options *o;
    struct document *d;
    const char *thing;
    struct table *methods, *statistics, *pairs;
    struct columns by_method, of_statistics, by_pair; /* the document reads them when it is written:
                                                         they stay until the process ends */
    struct declared declared[MOST_COLUMNS];           /* of by_pair; those before have none */
    json_t *samples;
    double clock_bound;
};

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

static void integer_column(struct columns *c, const char *name, const char *about)
{
    add_column(c, name, "", (struct column){NULL, NULL, COLUMN_INTEGER, 0, about});
}

static void point_columns(struct columns *c, const char *thing)
{
    add_column(c, thing, "", (struct column){NULL, NULL, COLUMN_TEXT, 0, "what was measured"});
    integer_column(c, "ranks", NULL);
    add_column(c, "size", "",
               (struct column){NULL, "B", COLUMN_INTEGER, 0,
                               "the message, or what each rank contributes or gets"});
}

static bool is_latency(const struct latency_method *m)
{
    return m->meaning == MEANS_LATENCY || m->meaning == MEANS_LATENCY_IF;
}

/* A column per method, named as the method, with the interval of a latency; of other suites' also
 * how far from the operation latency it is. */
static void method_columns(struct tables *t)
{
    struct columns *c = &t->by_method;
    point_columns(c, t->thing);
    for (size_t i = 0; i < t->o->n_methods; i++) {
        const struct latency_method *m = t->o->method[i];
        time_column(c, m->name, "", m->reality);
        if (is_latency(m)) {
            time_column(c, m->name, "_low", "95 % interval of the median");
            time_column(c, m->name, "_high", NULL);
        }
        if (m->meaning == MEANS_SUITE)
            add_column(c, m->name, "_off",
                       (struct column){NULL, "%", COLUMN_REAL, 1, "from held, or else direct"});
    }
}

static void statistics_columns(struct tables *t)
{
    static const struct {
        const char *name, *about;
    } times[] = {
        {"value", "the figure of the method's column"},
        {"low", "95 % interval of the median, no distribution assumed"},
        {"high", NULL},
        {"min", "of single operations; of methods that go pair by pair the slowest one's"},
        {"mean", NULL},
        {"p99", NULL},
        {"max", NULL},
        {"sd", NULL},
        {"loop_mean", "the paper's figure: time of the loop over its operations"},
        {"of_maxima", "direct: median over operations of the last exit"},
        {"span", "direct, where all ranks enter together: first entry to last exit"},
        {"apart", "the same: first entry to last entry"},
    };
    struct columns *c = &t->of_statistics;
    point_columns(c, t->thing);
    add_column(c, "method", "", (struct column){NULL, NULL, COLUMN_TEXT, 0, NULL});
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        time_column(c, times[k].name, "", times[k].about);
    integer_column(c, "samples", NULL);
    integer_column(c, "attempts",
                   "series made, those that the stop rule paper threw away included");
    integer_column(c, "slowest_from", "the pair of the largest value");
    integer_column(c, "slowest", "the destination of the largest value");
    integer_column(c, "measured", "pairs");
    integer_column(c, "asked", "pairs");
    add_column(c, "ended_by", "",
               (struct column){NULL, NULL, COLUMN_TEXT, 0, "the stop rule, or the budget"});
}

/* What the methods declare, times before texts. */
static void pair_columns(struct tables *t, bool from)
{
    struct columns *all = &t->by_pair;
    point_columns(all, t->thing);
    if (from)
        integer_column(all, "from", "the rank that enters last");
    integer_column(all, from ? "to" : "destination", "the rank whose exit is seen");
    for (int texts = 0; texts < 2; texts++)
        for (size_t i = 0; i < n_latency_methods; i++)
            for (const struct latency_column *c = latency_methods[i]->columns; c && c->head; c++) {
                if ((c->text != NULL) != texts || all->n == MOST_COLUMNS)
                    continue;
                t->declared[all->n] = (struct declared){latency_methods[i]->name, c};
                const struct column text = {NULL, NULL, COLUMN_TEXT, 0, c->about},
                                    time = {NULL, c->unit ? c->unit : "us", COLUMN_REAL, 2,
                                            c->about};
                add_column(all, c->head, "", c->text ? text : time);
            }
}

static struct table *new_table(struct tables *t, const char *name, const char *title,
                               const struct columns *c)
{
    return document_table(t->d, name, title, c->column, c->n);
}

struct tables *tables_new(const struct latency_options *o, struct document *d, const char *thing)
{
    struct tables *t = memory_alloc(sizeof *t);
    const struct bench *b = &o->bench;
    t->o = o;
    t->d = d;
    t->thing = thing;
    method_columns(t);
    t->methods = new_table(t, "methods", "how long one operation takes", &t->by_method);
    statistics_columns(t);
    if (b->full || b->format == FORMAT_JSON || b->plot)
        t->statistics = new_table(t, "statistics", "behind each figure", &t->of_statistics);
    bool of_pairs = strcmp(thing, "operation") == 0;
    pair_columns(t, of_pairs);
    if (o->by_pair)
        t->pairs = new_table(t, of_pairs ? "pairs" : "destinations",
                             of_pairs ? "from the last rank's entry to another's exit"
                                      : "operation latency by destination",
                             &t->by_pair);
    if (o->samples)
        t->samples = json_array();
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

/* Where there is no interval, digits follow how far the samples are apart. */
static void put_value(struct table *t, const struct latency_result *r)
{
    struct summary s = summary_of(r);
    double error = estimate_has_interval(r->value) ? r->value.high - r->value.low : s.max - s.min;
    table_real_within(t, 1e6 * r->value.value, 1e6 * error / 2);
}

static void put_method(struct tables *t, const struct latency_method *m,
                       const struct latency_result *r, double latency)
{
    if (!r) /* it has no meaning for this operation */
        table_skip(t->methods);
    else if (is_latency(m))
        table_estimate(t->methods, r->value);
    else
        put_value(t->methods, r);
    for (int k = 0; !r && k < 2 && is_latency(m); k++)
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
    bench_put_point(t->methods, p);
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
        const struct latency_figure *f = r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
        struct summary s = summary_of(r), span = stats_summarize(r->span.value, r->span.n);
        bench_put_point(table, p);
        table_text(table, r->method->name);
        put_value(table, r);
        bool maxima = r->method->meaning == MEANS_LATENCY && r->series.samples.n > 0;
        const double times[] = {r->value.low,
                                r->value.high,
                                s.min,
                                s.mean,
                                s.p99,
                                s.max,
                                s.sd,
                                r->loop_mean,
                                maxima ? r->series.summary.median : NAN,
                                r->span.n ? span.median : NAN,
                                r->apart};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            table_real(table, 1e6 * times[k]);
        table_integer(table, (long long)s.n);
        table_integer(table, r->attempts);
        table_integer_if(table, f, f ? f->from : 0);
        table_integer_if(table, f, f ? f->to : 0);
        table_integer_if(table, r->figure, r->measured);
        table_integer_if(table, r->figure, r->asked);
        table_text(table, r->over_budget ? "budget" : "rule");
        row_remark(row, r, table, false);
    }
}

/* The figure of the K-th pair, FROM to TO: of a method that has one by rank it is the rank's. */
static const struct latency_figure *figure_at(const struct latency_result *r, int k, int from,
                                              int to, bool rooted)
{
    if (!r || !r->figure)
        return NULL;
    if (rooted || r->method->figures == FIGURES_PAIRS)
        return &r->figure[k];
    return from == to ? &r->figure[to] : NULL;
}

static void put_pair(struct tables *t, const struct latency_outcome *o, int k, int from, int to,
                     bool rooted)
{
    for (size_t i = 0; i < t->by_pair.n; i++) {
        const struct latency_column *c = t->declared[i].column;
        if (!c)
            continue;
        const struct latency_figure *f =
            figure_at(latency_result_of(o, t->declared[i].method), k, from, to, rooted);
        if (!f)
            table_skip(t->pairs);
        else if (c->text)
            table_text(t->pairs, c->text(f));
        else
            table_real(t->pairs, c->unit ? c->seconds(f) : 1e6 * c->seconds(f));
    }
}

/* Those of which a method has a value; a broadcast's root is no destination. */
static void add_pairs(struct tables *t, const struct bench_point *p,
                      const struct latency_outcome *o)
{
    const struct latency_result *most = NULL;
    bool destinations = strcmp(t->thing, "operation") != 0;
    for (size_t i = 0; i < o->n_results; i++)
        if (o->result[i].figure && (!most || o->result[i].n_figures > most->n_figures ||
                                    most->method->figures == FIGURES_RANKS))
            most = &o->result[i];
    for (int k = 0; most && k < most->n_figures; k++) {
        int from = most->figure[k].from, to = most->figure[k].to;
        bool any = false, rooted = most->n_figures == o->size;
        for (size_t i = 0; i < o->n_results; i++) {
            const struct latency_figure *f = figure_at(&o->result[i], k, from, to, rooted);
            any = any || (f && estimate_known(f->value));
        }
        if (!any || (destinations && to == t->o->root))
            continue;
        bench_put_point(t->pairs, p);
        if (!destinations)
            table_integer(t->pairs, from);
        table_integer(t->pairs, to);
        put_pair(t, o, k, from, to, rooted);
    }
}

/* One series of raw samples, in microseconds. */
static void attach_series(struct tables *t, const struct bench_point *p, const char *method,
                          const char *part, const struct latency_figure *f,
                          const struct samples *raw)
{
    if (raw->n == 0)
        return;
    json_t *entry = json_pack("{s:s, s:i, s:I, s:s, s:s, s:o, s:s*}", t->thing, p->name, "ranks",
                              p->ranks, "size", (json_int_t)p->bytes, "method", method, "unit",
                              "us", "values", json_numbers(raw->value, raw->n, 1e6), "part", part);
    if (f)
        json_object_set_new(entry, "destination", json_integer(f->to));
    if (f && f->from != f->to)
        json_object_set_new(entry, "from", json_integer(f->from));
    json_array_append_new(t->samples, entry);
}

/* As measured: ways or round trips beside E_i (without the hold). */
static void attach_samples(struct tables *t, const struct bench_point *p,
                           const struct latency_outcome *o)
{
    static const char *const parts[N_TIMED] = {NULL, [TIMED_WAY] = "way", [TIMED_SEEN] = "seen"};
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_result *r = &o->result[i];
        attach_series(t, p, r->method->name, NULL, NULL, &r->series.samples);
        for (int k = 0; k < r->n_figures; k++)
            for (int part = 0; part < N_TIMED; part++)
                attach_series(t, p, r->method->name, parts[part], &r->figure[k],
                              &r->figure[k].timed[part].raw);
    }
}

void tables_add(struct tables *t, const struct bench_point *p,
                const struct latency_outcome *outcome, struct disturbance disturbed)
{
    const struct latency_row row = {.outcome = outcome,
                                    .repetitions = t->o->bench.plan.repetitions,
                                    .fresh = t->o->fresh,
                                    .spoiled = disturbed.spoiled};
    add_methods(t, p, &row, disturbed);
    if (t->statistics)
        add_statistics(t, p, &row);
    if (t->pairs)
        add_pairs(t, p, outcome);
    if (t->samples)
        attach_samples(t, p, outcome);
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
    char title[128];
    snprintf(title, sizeof title, "%s", is);
    document_picture(t->d, &(struct picture){.kind = PICTURE_LINES,
                                             .name = named ? is : NULL,
                                             .title = title,
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
static void declare_pictures(struct tables *t, size_t n,
                             const char *(*name)(const void *arg, size_t which), const void *arg)
{
    const struct latency_options *o = t->o;
    bool several = n > 1 && o->n_methods > 1;
    for (size_t i = 0; i < n && (n == 1 || o->n_methods > 1); i++)
        declare_lines(t, t->thing, name(arg, i), "method", several);
    for (size_t i = 0; i < o->n_methods && n > 1; i++)
        declare_lines(t, "method", o->method[i]->name, t->thing, several);
    for (size_t i = 0; i < o->n_methods && t->pairs && strcmp(t->thing, "operation"); i++) {
        char title[128];
        if (!is_latency(o->method[i]))
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

void tables_end(struct tables *t, size_t n, const char *(*name)(const void *arg, size_t which),
                const void *arg)
{
    if (t->clock_bound > 0)
        document_finding(t->d,
                         &(struct finding){.key = "clocks",
                                           .severity = SEVERITY_NOTE,
                                           .number = {{"error_us", 1e6 * t->clock_bound}}},
                         "What is timed on one clock: the ranks' clocks agree within %.2f us.",
                         1e6 * t->clock_bound);
    if (t->samples)
        document_attach(t->d, "samples", t->samples);
    if (t->o->bench.plot)
        declare_pictures(t, n, name, arg);
}
