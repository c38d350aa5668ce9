/* The tables and pictures of collbench-collective. */
#include "collective_bench.h"
#include "picture/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct results {
    const struct options *o;
    struct document *d;
    struct table *times, *statistics, *pairs;
    ARRAY(struct drawn) points;
    double clock_bound;
    int dropped, over_budget; /* direct */
    int left_out, cut_short;  /* mirrored: pairs not measured, and ended, by the budget */
};

static const struct column times_columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "one block: what each rank contributes or gets"},
    {"direct", "us", COLUMN_REAL, 2, "all enter at once: last entry to last exit, median"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of the median, no distribution assumed"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"span", "us", COLUMN_REAL, 2, "first entry to last exit, median"},
    {"apart", "us", COLUMN_REAL, 2, "direct: first entry to last entry, median"},
    {"mirrored", "us", COLUMN_REAL, 2, "last rank's entry to another's exit, the slowest pair"},
    {"pair_low", "us", COLUMN_REAL, 2, "95 % interval of the median"},
    {"pair_high", "us", COLUMN_REAL, 2, NULL},
    {"from", NULL, COLUMN_INTEGER, 0, "the rank that enters last in the slowest pair"},
    {"to", NULL, COLUMN_INTEGER, 0, "the rank whose exit is looked at"},
    {"remarks", NULL, COLUMN_TEXT, 0, "why a figure may not be what it is meant to be"},
};

static const struct column statistics_columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},  {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},     {"min", "us", COLUMN_REAL, 2, NULL},
    {"mean", "us", COLUMN_REAL, 2, NULL},       {"p99", "us", COLUMN_REAL, 2, NULL},
    {"max", "us", COLUMN_REAL, 2, NULL},        {"sd", "us", COLUMN_REAL, 2, NULL},
    {"samples", NULL, COLUMN_INTEGER, 0, NULL},
};

static const struct column pairs_columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"from", NULL, COLUMN_INTEGER, 0, "the rank that enters last"},
    {"to", NULL, COLUMN_INTEGER, 0, "the rank whose exit is looked at"},
    {"time", "us", COLUMN_REAL, 2, "entry of the one to exit of the other, median"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of the median"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"hold", "us", COLUMN_REAL, 1, "how long the one was held back"},
    {"remarks", NULL, COLUMN_TEXT, 0, "why the time may not be what it is meant to be"},
};

struct results *results_new(const struct options *o, struct document *d)
{
    struct results *r = memory_alloc(sizeof *r);
    r->o = o;
    r->d = d;
    r->times = document_table_of(d, "times", "how long one operation takes", times_columns);
    if (o->direct && (o->bench.full || o->bench.format == FORMAT_JSON))
        r->statistics = document_table_of(d, "statistics", "the statistics behind \"direct\"",
                                          statistics_columns);
    if (o->mirrored && (o->pairs || o->bench.format == FORMAT_JSON))
        r->pairs = document_table_of(d, "pairs", "from the last rank's entry to another's exit",
                                     pairs_columns);
    return r;
}

/* Less than 0, by more than readings of a clock are apart: no time, and no result. A rank that is
 * free to go at once takes none. */
static bool is_negative(struct estimate e)
{
    return e.value < -100e-9;
}

static void put_estimate(struct table *t, struct estimate e)
{
    if (is_negative(e))
        e = (struct estimate){NAN, NAN, NAN};
    if (e.value < 0) /* by less than a reading */
        e = (struct estimate){0, e.low < 0 ? 0 : e.low, e.high < 0 ? 0 : e.high};
    table_estimate(t, e);
}

static void put_direct(struct results *r, const struct collective_direct *direct)
{
    struct estimate e = {NAN, NAN, NAN}, span = e;
    if (direct) {
        e = series_estimate(&direct->completion);
        span = series_estimate(&direct->span);
    }
    put_estimate(r->times, e);
    table_real_within(r->times, 1e6 * span.value, 1e6 * (span.high - span.low) / 2);
    table_real(r->times, direct ? 1e6 * direct->apart : NAN);
}

static const struct collective_pair *slowest(const struct collective_mirrored *m)
{
    return m && collective_is_result(m) ? collective_slowest(m) : NULL;
}

static void put_mirrored(struct results *r, const struct collective_mirrored *m)
{
    const struct collective_pair *p = slowest(m);
    put_estimate(r->times, p ? p->time : (struct estimate){NAN, NAN, NAN});
    bool known = p && !is_negative(p->time);
    table_integer_if(r->times, known, known ? m->slowest_from : 0);
    table_integer_if(r->times, known, known ? m->slowest_to : 0);
}

/* Of an estimate by either method. */
static void remark_on(struct estimate e, char *text, size_t size)
{
    if (!estimate_known(e) || is_negative(e))
        bench_add_words(text, size, "%sno result", is_negative(e) ? "negative, so " : "");
    else if (!estimate_has_interval(e))
        bench_add_words(text, size, "too few samples for an interval");
}

static void remark_on_direct(const struct collective_direct *d, char *text, size_t size)
{
    struct estimate e = series_estimate(&d->completion);
    remark_on(e, text, size);
    if (d->apart > 0.1 * e.value + 100e-9)
        bench_add_words(text, size, "entries %.2f us apart", 1e6 * d->apart);
    if (d->clock_bound > 0.01 * e.value)
        bench_add_words(text, size, "+-%.2f us by the clocks", 1e6 * d->clock_bound);
}

static void remark_on_pair(const struct collective_pair *p, const char *of_these, char *text,
                           size_t size)
{
    remark_on(p->time, text, size);
    if (is_negative(p->time))
        return;
    if (!p->settled)
        bench_add_words(text, size, "not settled: an upper bound%s", of_these);
    if (p->way_error > 0)
        bench_add_words(text, size, "+-%.2f us if the two ways differ", 1e6 * p->way_error);
}

static void remark_on_mirrored(const struct collective_mirrored *m, char *text, size_t size)
{
    const struct collective_pair *p = slowest(m);
    if (!p)
        remark_on((struct estimate){NAN, NAN, NAN}, text, size);
    if (m->at_least)
        bench_add_words(text, size, "%s%d of %d pairs measured",
                        p && p->settled && !is_negative(p->time) ? "at least: " : "", m->measured,
                        m->asked);
    if (p && m->at_least && m->chance > 0)
        bench_add_words(text, size, "the slowest among them with %.0f %%", 100 * m->chance);
    if (p)
        remark_on_pair(p, m->at_least ? " of these" : "", text, size);
}

static void put_remarks(struct results *r, const struct collective_direct *direct,
                        const struct collective_mirrored *m, struct disturbance disturbed)
{
    static const char *const name[] = {"direct", "mirrored"};
    bench_remark one[2] = {0};
    char text[640];
    if (direct)
        remark_on_direct(direct, one[0], sizeof one[0]);
    if (m)
        remark_on_mirrored(m, one[1], sizeof one[1]);
    snprintf(text, sizeof text, "%s", disturbed.text ? disturbed.text : "");
    bench_add_remarks(text, sizeof text, name, one, 2);
    table_text(r->times, *text ? text : NULL);
}

static void put_statistics(struct results *r, const struct bench_point *p,
                           const struct collective_direct *direct)
{
    const struct summary *s = &direct->completion.summary;
    struct table *t = r->statistics;
    bench_put_point(t, p);
    table_real(t, 1e6 * s->min);
    table_real(t, 1e6 * s->mean);
    table_real(t, 1e6 * s->p99);
    table_real(t, 1e6 * s->max);
    table_real(t, 1e6 * s->sd);
    table_integer(t, (long long)s->n);
}

static void put_pairs(struct results *r, const struct bench_point *p,
                      const struct collective_mirrored *m)
{
    struct table *t = r->pairs;
    for (int k = 0; k < m->size * m->size; k++) {
        const struct collective_pair *pair = &m->pair[k];
        bench_remark text = "";
        if (isnan(pair->time.value))
            continue;
        bench_put_point(t, p);
        table_integer(t, k / m->size);
        table_integer(t, k % m->size);
        put_estimate(t, pair->time);
        table_real(t, 1e6 * pair->hold);
        remark_on_pair(pair, "", text, sizeof text);
        table_text(t, *text ? text : NULL);
    }
}

void results_add(struct results *r, const struct bench_point *p,
                 const struct collective_direct *direct, const struct collective_mirrored *mirrored,
                 struct disturbance disturbed)
{
    bench_put_point(r->times, p);
    put_direct(r, direct);
    put_mirrored(r, mirrored);
    put_remarks(r, direct, mirrored, disturbed);
    if (direct && r->statistics)
        put_statistics(r, p, direct);
    if (mirrored && r->pairs)
        put_pairs(r, p, mirrored);
    if (direct) {
        r->clock_bound = fmax(r->clock_bound, direct->clock_bound);
        r->dropped += direct->dropped;
        r->over_budget += direct->completion.over_budget;
    }
    if (mirrored) {
        r->left_out += mirrored->at_least ? mirrored->asked - mirrored->measured : 0;
        r->cut_short += mirrored->over_budget;
    }
    const struct estimate none = {NAN, NAN, NAN};
    const struct collective_pair *pair = slowest(mirrored);
    struct drawn d = {*p, {none, none}, direct ? direct->clock_bound : 0, disturbed.spoiled};
    if (direct && !is_negative(series_estimate(&direct->completion)))
        d.by[0] = series_estimate(&direct->completion);
    if (pair && !is_negative(pair->time))
        d.by[1] = pair->time;
    /* Of the intervals, one of some pairs only says nothing of all. */
    if (pair && (!pair->settled || mirrored->at_least))
        d.by[1].low = d.by[1].high = NAN;
    *PUSH(&r->points) = d;
}

static void put_notes(struct results *r)
{
    struct document *d = r->d;
    if (r->o->direct)
        document_note(d,
                      "direct: all ranks enter at one announced moment; last entry to last exit");
    if (r->o->mirrored)
        document_note(d, "mirrored: rank \"from\" enters when all others wait; its entry to the "
                         "exit of rank \"to\", without a common clock; the slowest pair");
    if (r->clock_bound > 0)
        document_note(d, "direct: the ranks' clocks agree within %.2f us", 1e6 * r->clock_bound);
    if (r->dropped)
        document_note(d, "direct: %d operations left out, a rank was late for them", r->dropped);
    if (r->over_budget)
        document_note(d,
                      "direct: %d of the figures were ended by --budget, not by --stop: their "
                      "intervals, if there is one, are wider than wished",
                      r->over_budget);
    if (r->left_out)
        document_note(d,
                      "mirrored: %d pairs not measured, the budget was spent: choose a higher "
                      "--budget",
                      r->left_out);
    if (r->cut_short)
        document_note(
            d,
            "mirrored: %d pairs were ended by --budget, not by --stop: their intervals, if "
            "there is one, are wider than wished",
            r->cut_short);
}

/* One line of the picture: an operation by one method, as far as it was measured. */
static void add_line(struct curves *c, const struct results *r, size_t which, int by, bool by_ranks)
{
    char name[80], label[96];
    struct plot_series *line = NULL;
    snprintf(label, sizeof label, "%s, %s", variant_name(r->o, which, name, sizeof name),
             by ? "mirrored" : "direct");
    for (size_t i = 0; i < r->points.n; i++) {
        const struct drawn *p = &r->points.at[i];
        if (p->at.which != which || !estimate_known(p->by[by]))
            continue;
        if (!line)
            line = curves_line(c, label, r->points.n);
        curves_estimate(line, by_ranks ? (double)p->at.ranks : (double)p->at.bytes, p->by[by]);
    }
}

/* All operations by both methods in one picture: against ranks where these are swept, otherwise
 * against sizes. */
static bool draw(const struct results *r)
{
    const struct options *o = r->o;
    bool by_ranks = o->bench.ranks.max > o->bench.ranks.min;
    struct curves c = {0};
    for (size_t k = 0; k < 2 * chosen_variants(o); k++)
        add_line(&c, r, k / 2, k % 2, by_ranks);
    struct plot_axes axes = {.title = "Time of one collective operation",
                             .x_label = by_ranks ? "ranks" : "block (B)",
                             .y_label = "time (us)",
                             .x_log2 = true,
                             .y_log10 = true};
    bool drawn = plot_lines(o->bench.plot, &axes, c.line.at, c.line.n);
    curves_free(&c);
    return drawn;
}

bool results_end(struct results *r)
{
    put_notes(r);
    if (r->points.n)
        qsort(r->points.at, r->points.n, sizeof *r->points.at, bench_by_point);
    if (r->o->guidelines)
        guidelines_put(r->d, r->points.at, r->points.n);
    bool right = !r->o->bench.plot || draw(r);
    free(r->points.at);
    free(r);
    return right;
}
