#include "scenario_results.h"

#include "base/overlap.h"
#include "bench.h"
#include "document/json_file.h"
#include "picture/curves.h"

#include <math.h>
#include <stdlib.h>

const char *const against_names[N_AGAINST + 1] = {"ranks", "size", "delay", "comp", NULL};

void scenario_results_free(struct scenario_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        scenario_result_free(&r->at[i].result);
    free(r->at);
    *r = (struct scenario_results){0};
}

static const struct column columns[] = {
    {"data", "B", COLUMN_INTEGER, 0, "bytes of one block, see collbench-scenario(1)"},
    {"ranks", NULL, COLUMN_INTEGER, 0, "participants"},
    {"average", "us", COLUMN_REAL, 3, "mean T_sc: last end minus first start"},
    {"min", "us", COLUMN_REAL, 3, NULL},
    {"max", "us", COLUMN_REAL, 3, NULL},
    {"stddev", "us", COLUMN_REAL, 3, "of these repetitions, n in the denominator"},
    {"median", "us", COLUMN_REAL, 3, "median T_sc"},
    {"median_low", "us", COLUMN_REAL, 3, "lower end of the median's 95 % interval"},
    {"median_high", "us", COLUMN_REAL, 3, "upper end"},
    {"delay", "us", COLUMN_REAL, 3, "how late the latest participant is, in all"},
    {"comp", "us", COLUMN_REAL, 3, "the computation, as calibrated"},
    {"after_last", "us", COLUMN_REAL, 3, "median of last exit minus last arrival"},
    {"hidden", "%", COLUMN_REAL, 1,
     "of the shorter of operation and computation, how much took no time of its own"},
    {"samples", NULL, COLUMN_INTEGER, 0, "repetitions that count"},
    {"disturbed", NULL, COLUMN_INTEGER, 0, "of these, in which a rank lost its processor"},
    {"dropped", NULL, COLUMN_INTEGER, 0, "repetitions that a rank began too late"},
    {"apart", "us", COLUMN_REAL, 3,
     "the last rank left the common start so long after its moment, at most; median"},
    {"bound", "us", COLUMN_REAL, 3, "how far the clocks may put the row's times off"},
};

static double hidden(const struct scenario_row *row, double median)
{
    return 100 * (1 - overlap_ratio(median, row->alone, row->result.comp));
}

static void tell_row(struct table *t, const struct scenario_row *row)
{
    const struct scenario_result *r = &row->result;
    struct summary s = stats_summarize(r->completion.value, r->completion.n);
    struct summary apart = stats_summarize(r->apart.value, r->apart.n);
    struct summary after = stats_summarize(r->after_last.value, r->after_last.n);
    bool comps = scenario_sweeps(row->scenario, ACTION_COMP);
    table_integer_if(t, row->point.bytes || scenario_sweeps_bytes(row->scenario),
                     (long long)row->point.bytes);
    table_integer(t, row->ranks);
    table_real(t, 1e6 * s.mean);
    table_real(t, 1e6 * s.min);
    table_real(t, 1e6 * s.max);
    table_real(t, 1e6 * stats_spread(&s));
    table_estimate(t, (struct estimate){s.median, s.median_low, s.median_high});
    table_real(t, 1e6 * scenario_delay(row->scenario, &row->point));
    table_real(t, comps || r->comp > 0 ? 1e6 * r->comp : NAN);
    table_real(t, 1e6 * after.median);
    table_real(t, hidden(row, s.median));
    table_integer(t, (long long)r->completion.n);
    table_integer(t, (long long)r->disturbed);
    table_integer(t, (long long)r->dropped);
    table_real(t, 1e6 * apart.median);
    table_real(t, 1e6 * r->bound);
}

static bool same_table(const struct scenario_row *a, const struct scenario_row *b)
{
    return a->scenario == b->scenario && a->value == b->value &&
           (!a->sweeps_operation || (a->point.operation == b->point.operation &&
                                     a->point.twin == b->point.twin && a->point.by == b->point.by));
}

static const char *operation_name(const struct scenario_row *row, char *text, size_t size)
{
    const struct scenario_point *p = &row->point;
    char name[48];
    snprintf(name, sizeof name, "%s%s%s%s", p->twin ? "i" : "", p->operation->name,
             p->by ? "_" : "", p->by ? p->by->name : "");
    if (!p->by)
        return cvar_name(text, size, name, row->value);
    snprintf(text, size, "%s", name);
    return text;
}

static struct table *new_table(struct document *d, const struct scenario_row *row)
{
    char name[200], title[320], operation[96];
    const struct scenario *s = row->scenario;
    if (!row->sweeps_operation) {
        cvar_name(name, sizeof name, s->name, row->value);
        snprintf(title, sizeof title, *s->summary ? "Scenario %s (%s):" : "Scenario %s:", name,
                 s->summary);
        return document_table_of(d, name, title, columns);
    }
    snprintf(name, sizeof name, "%s_%s", s->name, operation_name(row, operation, sizeof operation));
    char implementation[96];
    if (row->point.by)
        snprintf(implementation, sizeof implementation, "our own, %s", row->point.by->name);
    else
        cvar_name(implementation, sizeof implementation,
                  row->point.twin ? row->point.operation->mpi_twin : row->point.operation->mpi_name,
                  row->value);
    snprintf(title, sizeof title, "%s%s: (%s, scenario %s%s%s)", row->point.operation->title,
             row->point.twin ? ", non-blocking" : "", implementation, s->name,
             *s->summary ? ": " : "", s->summary);
    return document_table_of(d, name, title, columns);
}

static void tell_notes(const struct scenario_results *r, struct document *d)
{
    size_t wrong = 0, spent = 0, dropped = 0, rough = 0, empty = 0, disturbed = 0;
    double bound = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct scenario_result *x = &r->at[i].result;
        wrong += !x->correct;
        spent += x->over_budget;
        dropped += x->dropped;
        rough += !x->comp_within;
        empty += x->completion.n == 0;
        disturbed += 2 * x->disturbed > x->completion.n;
        bound = fmax(bound, x->bound);
    }
    document_fact(d, "T_sc",
                  "last end minus first start of all ranks, on one clock: within %.3f us",
                  1e6 * bound);
    if (disturbed)
        document_note(d,
                      "in %zu of %zu rows a rank lost its processor in most repetitions: the "
                      "median tells of the scheduler",
                      disturbed, r->n);
    if (dropped)
        document_note(d, "%zu repetitions were dropped: a rank heard of their start too late",
                      dropped);
    if (empty)
        document_note(d, "%zu rows have no sample: no repetition began on time on all ranks",
                      empty);
    if (spent)
        document_note(d, "%zu of %zu rows ended by their time budget, not by the stop rule", spent,
                      r->n);
    if (rough)
        document_note(d,
                      "%zu rows: the computation could not be calibrated within 1 %%: the "
                      "machine is busy",
                      rough);
    if (wrong)
        document_note(d, "%zu rows: WRONG DATA arrived; do not trust this library", wrong);
}

static json_t *raw_samples(const struct scenario_results *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct scenario_row *row = &r->at[i];
        const struct samples *completion = &row->result.completion,
                             *after = &row->result.after_last;
        char operation[96];
        json_array_append_new(
            all,
            json_pack("{s:s, s:s, s:i, s:I, s:f, s:f, s:o, s:o}", "scenario", row->scenario->name,
                      "operation", operation_name(row, operation, sizeof operation), "ranks",
                      row->ranks, "data", (json_int_t)row->point.bytes, "delay_us",
                      1e6 * row->point.delay, "comp_us", 1e6 * row->result.comp, "t_sc_us",
                      json_numbers(completion->value, completion->n, 1e6), "after_last_us",
                      json_numbers(after->value, after->n, 1e6)));
    }
    return all;
}

void scenario_results_tell(const struct scenario_results *r, struct document *d)
{
    struct table *t = NULL;
    for (size_t i = 0; i < r->n; i++) {
        if (!t || !same_table(&r->at[i - 1], &r->at[i]))
            t = new_table(d, &r->at[i]);
        tell_row(t, &r->at[i]);
    }
    tell_notes(r, d);
    document_attach(d, "raw_samples", raw_samples(r));
}

static double coordinate(const struct scenario_row *row, int against)
{
    switch (against) {
    case AGAINST_RANKS:
        return row->ranks;
    case AGAINST_SIZE:
        return (double)row->point.bytes;
    case AGAINST_DELAY:
        return 1e6 * row->point.delay;
    default:
        return round(1e6 * row->point.comp);
    }
}

static bool varies(const struct scenario_results *r, int against)
{
    for (size_t i = 1; i < r->n; i++)
        if (coordinate(&r->at[i], against) != coordinate(&r->at[0], against))
            return true;
    return false;
}

/* Whether both lie on one line of the picture. */
static bool same_line(const struct scenario_row *a, const struct scenario_row *b, int against)
{
    for (int k = 0; k < N_AGAINST; k++)
        if (k != against && coordinate(a, k) != coordinate(b, k))
            return false;
    return same_table(a, b);
}

static void label_line(char *text, size_t size, const struct scenario_results *r,
                       const struct scenario_row *row, int against)
{
    static const char *const units[N_AGAINST] = {" ranks", " B", " us late", " us computed"};
    char operation[96];
    bool several = false;
    for (size_t i = 1; i < r->n; i++)
        several = several || r->at[i].scenario != r->at[0].scenario;
    int n =
        snprintf(text, size, "%s%s%s", several || !row->sweeps_operation ? row->scenario->name : "",
                 several && row->sweeps_operation ? " " : "",
                 row->sweeps_operation ? operation_name(row, operation, sizeof operation) : "");
    for (int k = 0; k < N_AGAINST; k++)
        if (k != against && varies(r, k) && n < (int)size)
            n += snprintf(text + n, size - (size_t)n, ", %g%s", coordinate(row, k), units[k]);
}

/* The line that starts at row FIRST, and its means. Rows come in ascending order of every
 * coordinate. */
static void add_line(struct curves *c, const struct scenario_results *r, size_t first, int against)
{
    char label[200], of[220];
    label_line(label, sizeof label, r, &r->at[first], against);
    for (int mean = 0; mean < 2; mean++) {
        snprintf(of, sizeof of, "%s, %s", label, mean ? "average" : "median");
        struct plot_series *line = curves_line(c, of, r->n);
        for (size_t i = first; i < r->n; i++) {
            const struct scenario_row *row = &r->at[i];
            const struct samples *t = &row->result.completion;
            struct summary s = stats_summarize(t->value, t->n);
            if (!same_line(&r->at[first], row, against))
                continue;
            if (mean) /* as the paper draws it; its deviation says nothing of how sure it is */
                curves_point(line, coordinate(row, against), 1e6 * s.mean);
            else
                curves_estimate(line, coordinate(row, against),
                                (struct estimate){s.median, s.median_low, s.median_high});
        }
    }
}

bool scenario_results_plot(const struct scenario_results *r, const char *path, int against)
{
    static const char *const labels[N_AGAINST] = {"ranks", "size (B)", "delay (us)",
                                                  "computation (us)"};
    for (int k = 0; k < N_AGAINST && against < 0; k++)
        against = varies(r, k) ? k : against;
    against = against < 0 ? AGAINST_RANKS : against;
    struct curves c = {0};
    double least_x = INFINITY, least = INFINITY, most = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t before = 0;
        while (before < i && !same_line(&r->at[before], &r->at[i], against))
            before++;
        if (before == i)
            add_line(&c, r, i, against);
    }
    for (size_t i = 0; i < c.line.n; i++)
        for (size_t k = 0; k < c.line.at[i].n; k++) {
            least_x = fmin(least_x, c.line.at[i].x[k]);
            if (c.line.at[i].low)
                least = fmin(least, c.line.at[i].y[k]);
            most = fmax(most, c.line.at[i].y[k]);
        }
    struct plot_axes axes = {.title = "Time to completion of a scenario",
                             .x_label = labels[against],
                             .y_label = "T_sc (us)",
                             .x_log2 = least_x > 0,
                             .y_log10 = least > 0 && most > 30 * least};
    bool drawn = c.line.n > 0 && plot_lines(path, &axes, c.line.at, c.line.n);
    curves_free(&c);
    return drawn;
}
