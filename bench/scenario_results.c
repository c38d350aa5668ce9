#include "scenario_results.h"

#include "base/overlap.h"

#include <math.h>

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

static const struct {
    const char *column, *label, *unit;
} axes[N_AXES] = {{"ranks", "ranks", "ranks"},
                  {"data", "size (B)", "B"},
                  {"delay", "delay (us)", "us late"},
                  {"comp", "computation (us)", "us computed"}};

static double coordinate(const struct scenario_row *row, enum scenario_axis axis)
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

static enum scenario_axis x_axis(const struct scenario_results *r)
{
    enum scenario_axis axis = AXIS_RANKS;
    while (axis < N_AXES && !r->varies[axis])
        axis++;
    return axis < N_AXES ? axis : AXIS_RANKS;
}

static const char *operation_name(const struct scenario_row *row, char text[80])
{
    const struct scenario_point *p = &row->point;
    if (!row->sweeps.operation)
        return row->scenario->name;
    snprintf(text, 80, "%s%s", p->twin ? "i" : "", p->operation->name);
    return text;
}

/* What the row's line in a picture has in common: all but the coordinate of the x axis. */
static void line_name(const struct scenario_results *r, const struct scenario_row *row, char *text,
                      size_t size)
{
    char operation[80];
    int n = snprintf(text, size, "%s, scenario %s", operation_name(row, operation),
                     row->scenario->name);
    for (enum scenario_axis k = 0; k < N_AXES; k++)
        if (k != x_axis(r) && r->varies[k] && n < (int)size)
            n += snprintf(text + n, size - (size_t)n, ", %g %s", coordinate(row, k), axes[k].unit);
}

enum { WRONG, PREEMPTED, EMPTY, DROPPED, SPENT, ROUGH };

void scenario_results_add(struct scenario_results *r, const struct scenario_row *row)
{
    const struct scenario_result *x = &row->result;
    struct summary s = stats_summarize(x->completion.value, x->completion.n);
    struct summary after = stats_summarize(x->after_last.value, x->after_last.n);
    struct table *t = r->table;
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
    table_text(t, operation_name(row, text));
    table_text(t, row->scenario->name);
    line_name(r, row, text, sizeof text);
    table_text(t, text);
    r->rows++;
    r->bound = fmax(r->bound, x->bound);
    r->found[WRONG] += !x->correct;
    r->found[PREEMPTED] += 2 * x->preempted > x->completion.n;
    r->found[EMPTY] += x->completion.n == 0;
    r->found[DROPPED] += x->dropped > 0;
    r->found[SPENT] += x->over_budget;
    r->found[ROUGH] += !x->comp_within;
}

static void add_findings(const struct scenario_results *r)
{
    static const struct {
        const char *key;
        enum severity severity;
        const char *text;
    } findings[SCENARIO_FINDINGS] = {
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
    for (size_t i = 0; i < SCENARIO_FINDINGS; i++)
        if (r->found[i])
            document_finding(r->document,
                             &(struct finding){.key = findings[i].key,
                                               .severity = findings[i].severity,
                                               .number = {{"rows", (double)r->found[i]}}},
                             "In %zu of %zu rows %s.", r->found[i], r->rows, findings[i].text);
}

void scenario_results_begin(struct scenario_results *r, struct document *d)
{
    r->document = d;
    r->table = document_table_of(d, "scenarios", "Time to completion of scenarios", columns);
}

/* The median with its interval, and the average as the paper draws it. */
void scenario_results_end(struct scenario_results *r)
{
    enum scenario_axis x = x_axis(r);
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
                              .x_log = x != AXIS_COMP};
    document_fact(r->document, "T_sc",
                  "last end minus first start of all ranks, on one clock: within %.3f us",
                  1e6 * r->bound);
    add_findings(r);
    document_picture(r->document, &picture);
    picture.name = picture.y = "average";
    picture.low = picture.high = NULL;
    picture.title = "Time to completion of a scenario, average";
    document_picture(r->document, &picture);
}
