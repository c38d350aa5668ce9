#include "scenario_results.h"

#include "base/overlap.h"
#include "bench.h"
#include "document/json_file.h"

#include <math.h>
#include <stdlib.h>

void scenario_results_free(struct scenario_results *r)
{
    for (size_t i = 0; i < r->row.n; i++)
        scenario_result_free(&r->row.at[i].result);
    free(r->row.at);
    *r = (struct scenario_results){0};
}

/* The paper's columns first. */
static const struct column columns[] = {
    {"data", "B", COLUMN_INTEGER, .meaning = "bytes of one block, see collbench-scenario(1)"},
    {"ranks", NULL, COLUMN_INTEGER, .meaning = "participants"},
    {"average", "us", COLUMN_REAL, 3, "mean T_sc: last end minus first start"},
    {"min", "us", COLUMN_REAL, 3},
    {"max", "us", COLUMN_REAL, 3},
    {"stddev", "us", COLUMN_REAL, 3, "of these repetitions, n in the denominator"},
    {"median", "us", COLUMN_REAL, 3, "median T_sc"},
    {"median_low", "us", COLUMN_REAL, 3, "lower end of the median's 95 % interval"},
    {"median_high", "us", COLUMN_REAL, 3, "upper end"},
    {"delay", "us", COLUMN_REAL, 3, "how late the latest participant is, in all",
     .flags = COLUMN_OPTIONAL},
    {"comp", "us", COLUMN_REAL, 3, "the computation, as calibrated", .flags = COLUMN_OPTIONAL},
    {"after_last", "us", COLUMN_REAL, 3, "median of last exit minus last arrival"},
    {"hidden", "%", COLUMN_REAL, 1,
     "of the shorter of operation and computation, how much took no time of its own",
     .flags = COLUMN_OPTIONAL},
    {"samples", NULL, COLUMN_INTEGER, .meaning = "repetitions that count"},
    {"bound", "us", COLUMN_REAL, 3, "error bound of the row's times by the clocks"},
    {"operation", NULL, COLUMN_TEXT},
    {"scenario", NULL, COLUMN_TEXT},
    {"line", NULL, COLUMN_TEXT, .meaning = "of the picture", .flags = COLUMN_DATA_ONLY},
};

/* What may vary, and so be a picture's x axis: the first column that does is. */
enum axis { AXIS_RANKS, AXIS_SIZE, AXIS_DELAY, AXIS_COMP, N_AXES };
static const struct {
    const char *column, *label, *unit;
} axes[N_AXES] = {{"ranks", "ranks", "ranks"},
                  {"data", "size (B)", "B"},
                  {"delay", "delay (us)", "us late"},
                  {"comp", "computation (us)", "us computed"}};

static double coordinate(const struct scenario_row *row, enum axis axis)
{
    switch (axis) {
    case AXIS_RANKS:
        return row->ranks;
    case AXIS_SIZE:
        return (double)row->point.bytes;
    case AXIS_DELAY:
        return 1e6 * row->point.delay;
    default:
        return round(1e6 * row->point.comp);
    }
}

static bool varies(const struct scenario_results *r, enum axis axis)
{
    for (size_t i = 1; i < r->row.n; i++)
        if (coordinate(&r->row.at[i], axis) != coordinate(&r->row.at[0], axis))
            return true;
    return false;
}

static enum axis x_axis(const struct scenario_results *r)
{
    for (enum axis axis = 0; axis < N_AXES; axis++)
        if (varies(r, axis))
            return axis;
    return AXIS_RANKS;
}

static void operation_name(const struct scenario_row *row, char *text, size_t size)
{
    const struct scenario_point *p = &row->point;
    char name[48];
    snprintf(name, sizeof name, "%s%s", p->twin ? "i" : "", p->operation->name);
    if (!row->sweeps.operation)
        cvar_name(text, size, row->scenario->name, row->value);
    else if (p->by)
        snprintf(text, size, "%s by %s", name, p->by->name);
    else
        cvar_name(text, size, name, row->value);
}

/* What the row's line in a picture has in common: all but the coordinate X. */
static void line_name(const struct scenario_results *r, const struct scenario_row *row, enum axis x,
                      char *text, size_t size)
{
    char operation[96];
    operation_name(row, operation, sizeof operation);
    int n = snprintf(text, size, "%s, scenario %s", operation, row->scenario->name);
    for (enum axis k = 0; k < N_AXES; k++)
        if (k != x && varies(r, k) && n < (int)size)
            n += snprintf(text + n, size - (size_t)n, ", %g %s", coordinate(row, k), axes[k].unit);
}

static void add_row(struct table *t, const struct scenario_results *r,
                    const struct scenario_row *row)
{
    const struct scenario_result *x = &row->result;
    struct summary s = stats_summarize(x->completion.value, x->completion.n);
    struct summary after = stats_summarize(x->after_last.value, x->after_last.n);
    char text[200];
    table_integer_if(t, row->point.bytes || row->sweeps.bytes, (long long)row->point.bytes);
    table_integer(t, row->ranks);
    table_real(t, 1e6 * s.mean);
    table_real(t, 1e6 * s.min);
    table_real(t, 1e6 * s.max);
    table_real(t, 1e6 * stats_spread(&s));
    table_estimate(t, (struct estimate){s.median, s.median_low, s.median_high});
    table_real(t, 1e6 * scenario_delay(row->scenario, &row->point));
    table_real(t, row->sweeps.comp || x->comp > 0 ? 1e6 * x->comp : NAN);
    table_real(t, 1e6 * after.median);
    table_real(t, 100 * (1 - overlap_ratio(s.median, row->alone, x->comp)));
    table_integer(t, (long long)x->completion.n);
    table_real(t, 1e6 * x->bound);
    operation_name(row, text, sizeof text);
    table_text(t, text);
    table_text(t, row->scenario->name);
    line_name(r, row, x_axis(r), text, sizeof text);
    table_text(t, text);
}

/* --- findings --- */

enum { WRONG, PREEMPTED, EMPTY, DROPPED, SPENT, ROUGH, N_FINDINGS };

static void add_findings(const struct scenario_results *r, struct document *d)
{
    static const struct {
        const char *key;
        enum severity severity;
        const char *text;
    } findings[N_FINDINGS] = {
        [WRONG] = {"wrong_data", SEVERITY_ERROR, "wrong data arrived: do not trust this library"},
        [PREEMPTED] = {"preempted", SEVERITY_DOUBT,
                       "a rank was preempted in most repetitions: the median is the scheduler's"},
        [EMPTY] = {"no_sample", SEVERITY_DOUBT, "no repetition began on time on all ranks"},
        [DROPPED] = {"dropped", SEVERITY_NOTE,
                     "repetitions were dropped, since a rank learned of their start too late"},
        [SPENT] = {"budget_spent", SEVERITY_NOTE,
                   "the measurement ended by its time budget, not by the stop rule"},
        [ROUGH] = {"not_calibrated", SEVERITY_DOUBT,
                   "the computation could not be calibrated within 1 %: the machine is busy"},
    };
    size_t rows[N_FINDINGS] = {0};
    for (size_t i = 0; i < r->row.n; i++) {
        const struct scenario_result *x = &r->row.at[i].result;
        rows[WRONG] += !x->correct;
        rows[PREEMPTED] += 2 * x->preempted > x->completion.n;
        rows[EMPTY] += x->completion.n == 0;
        rows[DROPPED] += x->dropped > 0;
        rows[SPENT] += x->over_budget;
        rows[ROUGH] += !x->comp_within;
    }
    for (size_t i = 0; i < N_FINDINGS; i++)
        if (rows[i])
            document_finding(d,
                             &(struct finding){.key = findings[i].key,
                                               .severity = findings[i].severity,
                                               .number = {{"rows", (double)rows[i]}}},
                             "In %zu of %zu rows %s.", rows[i], r->row.n, findings[i].text);
}

static json_t *raw_samples(const struct scenario_results *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->row.n; i++) {
        const struct scenario_row *row = &r->row.at[i];
        const struct samples *completion = &row->result.completion,
                             *after = &row->result.after_last;
        char operation[96];
        operation_name(row, operation, sizeof operation);
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:i, s:I, s:f, s:f, s:o, s:o}", "scenario",
                           row->scenario->name, "operation", operation, "ranks", row->ranks, "data",
                           (json_int_t)row->point.bytes, "delay_us", 1e6 * row->point.delay,
                           "comp_us", 1e6 * row->result.comp, "t_sc_us",
                           json_numbers(completion->value, completion->n, 1e6), "after_last_us",
                           json_numbers(after->value, after->n, 1e6)));
    }
    return all;
}

/* The median with its interval, and the average as the paper draws it. */
static void add_pictures(const struct scenario_results *r, struct document *d)
{
    enum axis x = x_axis(r);
    struct picture picture = {.kind = PICTURE_LINES,
                              .title = "Time to completion of a scenario, median",
                              .table = "scenarios",
                              .x = axes[x].column,
                              .y = "median",
                              .low = "median_low",
                              .high = "median_high",
                              .series = "line",
                              .x_label = axes[x].label,
                              .y_label = "T_sc (us)",
                              .x_log = true};
    for (size_t i = 0; i < r->row.n; i++)
        picture.x_log = picture.x_log && coordinate(&r->row.at[i], x) > 0;
    document_picture(d, &picture);
    picture.name = picture.y = "average";
    picture.low = picture.high = NULL;
    picture.title = "Time to completion of a scenario, average";
    document_picture(d, &picture);
}

void scenario_results_document(const struct scenario_results *r, struct document *d)
{
    double bound = 0;
    for (size_t i = 0; i < r->row.n; i++)
        bound = fmax(bound, r->row.at[i].result.bound);
    document_fact(d, "T_sc",
                  "last end minus first start of all ranks, on one clock: within %.3f us",
                  1e6 * bound);
    struct table *t = document_table_of(d, "scenarios", "Time to completion of scenarios", columns);
    for (size_t i = 0; i < r->row.n; i++)
        add_row(t, r, &r->row.at[i]);
    add_findings(r, d);
    add_pictures(r, d);
    document_attach(d, "raw_samples", raw_samples(r));
}
