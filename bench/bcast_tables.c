/* The tables of collbench-bcast: every method side by side, the statistics behind each figure,
 * and the destinations one by one. */
#include "bcast_remarks.h"
#include "profile/profile.h"

#include "document/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 2 * MOST_METHODS };

struct columns {
    struct column column[MOST_COLUMNS];
    size_t n;
};

struct declared { /* a column of the destinations' */
    const char *method;
    const struct bcast_column *column;
};

struct tables {
    const struct options *o;
    struct document *d;
    struct table *methods, *statistics, *destinations;
    json_t *samples;
    struct columns by_method, by_destination;
    struct declared declared[MOST_COLUMNS]; /* of by_destination; those before have none */
    char heads[MOST_COLUMNS][32];
    int over_budget, figures; /* of all figures, those that the budget ended */
    int violations, unsettled;
    int broken_upper; /* rows in which a bound on OL does not hold */
    int slower_roots; /* rows in which a lower bound on all roots' mean is above OL of this one */
    double clock_bound;
    int dropped;
};

static const struct column statistics_columns[] = {
    {"algorithm", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"method", NULL, COLUMN_TEXT, 0, NULL},
    {"value", "us", COLUMN_REAL, 2, "the figure of the method's column"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of the median, no distribution assumed"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"min", "us", COLUMN_REAL, 2, "of single operations; with destinations: the slowest one's"},
    {"mean", "us", COLUMN_REAL, 2, NULL},
    {"p99", "us", COLUMN_REAL, 2, NULL},
    {"max", "us", COLUMN_REAL, 2, NULL},
    {"sd", "us", COLUMN_REAL, 2, NULL},
    {"loop_mean", "us", COLUMN_REAL, 2, "the paper's figure: time of the loop over its operations"},
    {"of_maxima", "us", COLUMN_REAL, 2,
     "direct: median over operations of the last exit; value is the largest of medians"},
    {"samples", NULL, COLUMN_INTEGER, 0, NULL},
    {"attempts", NULL, COLUMN_INTEGER, 0,
     "series made, those that the stop rule paper threw away included"},
    {"slowest", NULL, COLUMN_INTEGER, 0, "the destination of the largest value"},
    {"measured", NULL, COLUMN_INTEGER, 0, "destinations"},
    {"asked", NULL, COLUMN_INTEGER, 0, "destinations"},
    {"ended_by", NULL, COLUMN_TEXT, 0, "the stop rule, or the budget"},
    {"remark", NULL, COLUMN_TEXT, 0, "why the figure may not be what it is meant to be"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void add_columns(struct columns *c, const struct column *column, size_t n)
{
    for (size_t i = 0; i < n && c->n < MOST_COLUMNS; i++)
        c->column[c->n++] = column[i];
}

static const struct column point_columns[] = {
    {"algorithm", NULL, COLUMN_TEXT, 0, "the broadcast measured"},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
};

static const struct column judging_columns[] = {
    {"violated", NULL, COLUMN_INTEGER, 0, "destinations at which the paper's assumption fails"},
    {"bounds", NULL, COLUMN_TEXT, 0,
     "whether OL <= barrier, acknowledge; or all roots take longer"},
    {"remarks", NULL, COLUMN_TEXT, 0, "why a figure may not be what it is meant to be"},
};

static void method_column(struct tables *t, const char *name, const char *more, const char *unit,
                          int decimals, const char *about)
{
    char *head = t->heads[t->by_method.n];
    snprintf(head, sizeof *t->heads, "%s%s", name, more);
    for (char *at = head; *at; at++)
        *at = *at == '-' ? '_' : *at;
    add_columns(&t->by_method, &(struct column){head, unit, COLUMN_REAL, decimals, about}, 1);
}

/* A column per method, named as the method; of other suites' also how far from OL it is. */
static void method_columns(struct tables *t)
{
    add_columns(&t->by_method, point_columns, COUNT(point_columns));
    for (size_t i = 0; i < t->o->n_methods; i++) {
        const struct bcast_method *m = t->o->methods[i];
        method_column(t, m->name, "", "us", 2, m->reality);
        if (m->meaning == BCAST_SUITE)
            method_column(t, m->name, "_off", "%", 1, "from held, or else direct");
    }
    add_columns(&t->by_method, judging_columns, COUNT(judging_columns));
}

/* What the methods declare, times before texts. */
static void destination_columns(struct tables *t)
{
    struct columns *all = &t->by_destination;
    add_columns(all, point_columns, COUNT(point_columns));
    add_columns(all, &(struct column){"destination", NULL, COLUMN_INTEGER, 0, NULL}, 1);
    for (int texts = 0; texts < 2; texts++)
        for (size_t i = 0; i < n_bcast_methods; i++)
            for (const struct bcast_column *c = bcast_methods[i]->columns; c && c->head; c++) {
                if ((c->text != NULL) != texts || all->n == MOST_COLUMNS)
                    continue;
                t->declared[all->n] = (struct declared){bcast_methods[i]->name, c};
                const struct column text = {c->head, NULL, COLUMN_TEXT, 0, c->about},
                                    time = {c->head, c->unit ? c->unit : "us", COLUMN_REAL, 2,
                                            c->about};
                add_columns(all, c->text ? &text : &time, 1);
            }
}

struct tables *tables_new(const struct options *o, struct document *d)
{
    struct tables *t = memory_alloc(sizeof *t);
    t->o = o;
    t->d = d;
    method_columns(t);
    t->methods = document_table(d, "methods", "median time of one broadcast, by method",
                                t->by_method.column, t->by_method.n);
    if (o->bench.full || o->bench.format == FORMAT_JSON)
        t->statistics =
            document_table_of(d, "statistics", "behind each figure", statistics_columns);
    if (o->by_destination) {
        destination_columns(t);
        t->destinations = document_table(d, "destinations", "operation latency by destination",
                                         t->by_destination.column, t->by_destination.n);
    }
    if (o->samples)
        t->samples = json_array();
    return t;
}

/* The raw samples behind a result: a series of its own, or its slowest destination's. The latter
 * may be of a longer operation (E_i), of which the same part is taken off everywhere. */
static struct summary summary_of(const struct bcast_result *r)
{
    double shift = 0;
    const struct samples *raw = &r->series.samples;
    if (r->figure && r->slowest >= 0) {
        const struct bcast_timed *t = &r->figure[r->slowest].timed[TIMED_OPERATION];
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
static void put_value(struct table *t, const struct bcast_result *r)
{
    struct summary s = summary_of(r);
    double error = estimate_has_interval(r->value) ? r->value.high - r->value.low : s.max - s.min;
    table_real_within(t, 1e6 * r->value.value, 1e6 * error / 2);
}

static void add_methods(struct tables *t, const struct bench_point *p, const struct bcast_row *row,
                        const char *disturbed)
{
    const struct bcast_outcome *o = row->outcome;
    const struct bcast_result *ol = row_latency(row);
    double latency = ol && row_relies_on(row, ol) ? ol->value.value : NAN;
    struct bounds bounds = row_bounds(row);
    int violations = -1, unknown = 0;
    char remarks[1024];
    bench_put_point(t->methods, p);
    for (size_t i = 0; i < o->n_results; i++) {
        put_value(t->methods, &o->result[i]);
        if (o->result[i].method->meaning == BCAST_SUITE)
            table_real(t->methods, 100 * (o->result[i].value.value / latency - 1));
        if (o->result[i].violations > violations)
            violations = o->result[i].violations;
        unknown += o->result[i].unknown;
    }
    table_integer_if(t->methods, violations > 0 || (violations == 0 && !unknown), violations);
    t->violations += violations > 0 ? violations : 0;
    table_text(t->methods, *bounds.text ? bounds.text : NULL);
    t->broken_upper += bounds.broken;
    t->slower_roots += bounds.slower_roots;
    row_remarks(row, disturbed, remarks, sizeof remarks);
    table_text(t->methods, *remarks ? remarks : NULL);
}

static void add_statistics(struct tables *t, const struct bench_point *p,
                           const struct bcast_row *row)
{
    const struct bcast_outcome *o = row->outcome;
    struct table *table = t->statistics;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        struct summary s = summary_of(r);
        bench_put_point(table, p);
        table_text(table, r->method->name);
        put_value(table, r);
        bool maxima = r->method->meaning == BCAST_LATENCY && r->series.samples.n > 0;
        const double times[] = {
            r->value.low, r->value.high, s.min,
            s.mean,       s.p99,         s.max,
            s.sd,         r->loop_mean,  maxima ? r->series.summary.median : NAN};
        for (size_t k = 0; k < COUNT(times); k++)
            table_real(table, 1e6 * times[k]);
        table_integer(table, (long long)s.n);
        table_integer(table, r->attempts);
        table_integer_if(table, r->slowest >= 0, r->slowest);
        table_integer_if(table, r->figure, r->measured);
        table_integer_if(table, r->figure, r->asked);
        table_text(table, r->over_budget ? "budget" : "rule");
        char text[256];
        row_remark(row, r, text, sizeof text);
        table_text(table, *text ? text : NULL);
    }
}

static bool is_measured(const struct bcast_outcome *o, int i)
{
    bool any = false;
    for (size_t k = 0; k < o->n_results; k++)
        any = any || (o->result[k].figure && estimate_known(o->result[k].figure[i].value));
    return any;
}

static void add_destinations(struct tables *t, const struct bench_point *p,
                             const struct bcast_outcome *o)
{
    struct table *table = t->destinations;
    for (int i = 0; i < o->size; i++) {
        if (i == t->o->root || !is_measured(o, i))
            continue;
        bench_put_point(table, p);
        table_integer(table, i);
        for (size_t k = COUNT(point_columns) + 1; k < t->by_destination.n; k++) {
            const struct bcast_column *c = t->declared[k].column;
            const struct bcast_figure *f = bcast_figure_of(o, t->declared[k].method, i);
            if (c->text)
                table_text(table, c->text(f));
            else
                table_real(table, c->unit ? c->seconds(f) : 1e6 * c->seconds(f));
        }
    }
}

/* One series of raw samples, in microseconds. */
static void attach_series(struct tables *t, const struct bench_point *p, const char *method,
                          const char *part, int destination, const struct samples *raw)
{
    if (raw->n == 0)
        return;
    json_t *entry = json_pack("{s:s, s:i, s:I, s:s, s:s, s:o, s:s*}", "algorithm", p->name, "ranks",
                              p->ranks, "size", (json_int_t)p->bytes, "method", method, "unit",
                              "us", "values", json_numbers(raw->value, raw->n, 1e6), "part", part);
    if (destination >= 0)
        json_object_set_new(entry, "destination", json_integer(destination));
    json_array_append_new(t->samples, entry);
}

/* As measured: round trips beside E_i (without the hold). */
static void attach_samples(struct tables *t, const struct bench_point *p,
                           const struct bcast_outcome *o)
{
    static const char *const parts[N_TIMED] = {
        [TIMED_OPERATION] = NULL, [TIMED_TRIP] = "rtl", [TIMED_WAY] = "way", [TIMED_SEEN] = "seen"};
    for (size_t i = 0; i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        attach_series(t, p, r->method->name, NULL, -1, &r->series.samples);
        for (int k = 0; r->figure && k < o->size; k++)
            for (int part = 0; part < N_TIMED; part++)
                attach_series(t, p, r->method->name, parts[part], k, &r->figure[k].timed[part].raw);
    }
}

static void count(struct tables *t, const struct bcast_outcome *o)
{
    for (size_t i = 0; i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        t->figures++;
        t->over_budget += r->over_budget;
        t->clock_bound = fmax(t->clock_bound, r->clock_bound);
        t->dropped += r->dropped;
        t->unsettled += r->method->meaning == BCAST_LATENCY ? r->unsettled : 0;
    }
}

void tables_add(struct tables *t, const struct bench_point *p, const struct bcast_outcome *outcome,
                struct disturbance disturbed)
{
    const struct bcast_row row = {.outcome = outcome,
                                  .repetitions = t->o->bench.plan.repetitions,
                                  .fresh = t->o->fresh,
                                  .spoiled = disturbed.spoiled};
    add_methods(t, p, &row, disturbed.text);
    if (t->statistics)
        add_statistics(t, p, &row);
    if (t->destinations)
        add_destinations(t, p, outcome);
    if (t->samples)
        attach_samples(t, p, outcome);
    count(t, outcome);
    if (!outcome->validated)
        document_note(t->d, "%s, %d ranks, %zu B: the data could not be checked", p->name, p->ranks,
                      p->bytes);
}

void tables_end(struct tables *t)
{
    for (size_t i = 0; i < t->o->n_methods; i++)
        document_note(t->d, "%-16s %s", t->o->methods[i]->name, t->o->methods[i]->reality);
    if (t->violations)
        document_note(
            t->d, "violated: at so many destinations ol is not OL_i, since some rank on the path "
                  "is still busy with the broadcast before, or since the two ways of the "
                  "acknowledgement differ: believe held");
    if (t->broken_upper)
        document_note(t->d,
                      "bounds: an upper bound is below OL in %d of the rows: one of the two is "
                      "wrong there, measure again",
                      t->broken_upper);
    if (t->slower_roots)
        document_note(
            t->d,
            "bounds: rounds above OL, in %d of the rows: from other roots, or right after "
            "another's, a broadcast takes longer than from rank %d alone",
            t->slower_roots, t->o->root);
    if (t->unsettled)
        document_note(
            t->d,
            "held: at %d of the destinations no two successive holds agreed, or there was "
            "time for one alone: an upper bound there",
            t->unsettled);
    if (t->clock_bound > 0)
        document_note(t->d, "what is timed on one clock: the ranks' clocks agree within %.2f us",
                      1e6 * t->clock_bound);
    if (t->dropped)
        document_note(t->d, "%d operations left out, a rank was late for them", t->dropped);
    if (t->over_budget)
        document_note(t->d,
                      "%d of %d figures were ended by --budget, not by --stop: their intervals "
                      "(-f) are wider than wished, or they have none, or destinations were left "
                      "out",
                      t->over_budget, t->figures);
    if (t->samples)
        document_attach(t->d, "samples", t->samples);
    /* The columns are read when the document is written: they stay until the process ends. */
}
