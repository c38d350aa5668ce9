/* collbench-scenario: scenarios of Gracia, Niethammer and Sethi ("the paper"), or from files. */
#include "base/input.h"
#include "base/overlap.h"
#include "base/text.h"
#include "bench.h"
#include "scenario_file.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_SCENARIOS = 16, DELAYED_FIRST = 0, DELAYED_LAST };

static const char *const delayed_words[] = {"first", "last", NULL};

struct scenario_options {
    struct bench bench;
    struct option_chosen operations; /* 2 i: operations[i]; 2 i + 1: its non-blocking form */
    struct option_chosen
        algorithms;      /* indices of bcasts[]; "native" is the MPI library, for any operation */
    collective_run *own; /* one more algorithm, the user's, from a shared object; NULL: none */
    char own_name[64];
    struct scenario scenario[MAX_SCENARIOS];
    size_t n_scenarios;
    struct option_range delay, comp; /* microseconds */
    int delayed, root;
};

OPTION_NAMES(operation_word, 2 * n_operations,
             i % 2 ? operations[i / 2].twin : operations[i / 2].name)

static const struct option_registry words = {"operation", operation_word, NULL};

static error_t take_scenario(struct option_parser *parser, struct scenario_options *o,
                             const char *word)
{
    struct scenario *s = &o->scenario[o->n_scenarios];
    char line[SCENARIO_WHY];
    const char *why = "no memory";
    if (o->n_scenarios == MAX_SCENARIOS)
        return option_refuse(parser, "too many scenarios: at most %d", MAX_SCENARIOS);
    o->n_scenarios++;
    const bool own = strlen(word) != 1 || *word < '1' || *word > '3';
    const char *text = own ? NULL : scenarios[*word - '1'];
    FILE *file = own ? input_file(word, &why) : fmemopen((void *)text, strlen(text), "r");
    if (!file)
        return option_refuse(parser, "scenario '%s': %s: expected 1, 2, 3 or a file", word, why);
    bool good = scenario_read(file, text_base_of(word), s, line);
    fclose(file);
    return good ? 0 : option_refuse(parser, "%s: %s", word, line);
}

/* Takes a WORD of --algorithm: with a '/' the path of a shared object, otherwise a name. */
static error_t take_algorithm(struct option_parser *parser, struct scenario_options *o,
                              const char *word)
{
    if (!strchr(word, '/'))
        return option_choose(parser, &bench_algorithms, word, &o->algorithms);
    void *object = dlopen(word, RTLD_NOW | RTLD_LOCAL);
    o->own = object ? (collective_run *)dlsym(object, "collective") : NULL;
    snprintf(o->own_name, sizeof o->own_name, "%s", text_base_of(word));
    return o->own ? 0 : option_refuse(parser, "--algorithm: %s", dlerror());
}

/* Takes a list ARG of --algorithm (whose OPTION has a registry, FROM), or else of --scenario. */
static error_t take_words(struct option_parser *parser, const struct option_entry *option,
                          const char *arg, void *value)
{
    FREED char *copy = strdup(arg);
    char *rest = copy, *word;
    error_t error = 0;
    while (!error && (word = strsep(&rest, ",")))
        error =
            option->from ? take_algorithm(parser, value, word) : take_scenario(parser, value, word);
    return error;
}

#define AT(member) offsetof(struct scenario_options, member)
static const struct option_entry option_list[] = {
    {"operation", "LIST", "all, or some of %s", option_take_list, AT(operations), &words},
    {"algorithm", "LIST",
     "native (default): the MPI library's; all or some of collprof's broadcasts: %s; ./FILE.so: an "
     "operation of your own",
     take_words, 0, &bench_algorithms},
    {"scenario", "LIST",
     "1: the collective alone; 2: with a delayed participant; 3: overlapped with computation; or "
     "files with scenarios of your own",
     take_words, 0, .letter = 's'},
    {"delay", "MIN:MAX", "delay in microseconds, doubled from MIN to MAX", option_take_range,
     AT(delay), &bench_times},
    {"delayed", "WHO", "the late rank: first or last", option_take_word, AT(delayed),
     OPTION_WORDS(delayed_words)},
    {"comp", "MIN:MAX", "computation in microseconds, doubled from MIN to MAX", option_take_range,
     AT(comp), &bench_times},
    {"root", "RANK", "root of rooted operations", option_take_count, AT(root), &bench_root},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct scenario_options *o = values;
    return bench_check_ranks(parser, &o->bench, "a scenario", o->root);
}

static const struct option_program program = {
    "Times collective operations in a context: alone, with a late participant, overlapped with "
    "computation, or in a scenario of your own.",
    "T_sc is the time from the first start to the last end over all ranks, on one clock.",
    .options = option_list, .check = check};

static struct scenario_point point_of(const struct scenario_options *o, size_t chosen,
                                      size_t algorithm, int ranks)
{
    size_t which = o->operations.at[chosen];
    bool own = algorithm == o->algorithms.n;
    const struct bcast *by = own ? &tree_native : bcasts[o->algorithms.at[algorithm]];
    return (struct scenario_point){.operation = &operations[which / 2],
                                   .twin = which % 2,
                                   .by = by == &tree_native ? NULL : by,
                                   .own = own ? o->own : NULL,
                                   .by_name = own ? o->own_name : by->name,
                                   .root = o->root,
                                   .delayed = o->delayed == DELAYED_FIRST ? 0 : ranks - 1};
}

static size_t algorithms_of(const struct scenario_options *o)
{
    return o->algorithms.n + (o->own != NULL);
}

/* Whether P's operation has P's algorithm. The library has all operations, a user's algorithm is
 * any blocking operation, and our algorithms are blocking broadcasts. */
static bool exists(const struct scenario_point *p)
{
    bool can = p->own || strcmp(p->operation->name, "broadcast") == 0;
    return (!p->by && !p->own) || (!p->twin && can);
}

/* Refuses scenarios that cannot run, before anything is measured. Combinations of operation and
 * algorithm that do not exist are left out, but at least one must exist. */
static void check_all(const struct scenario_options *o)
{
    const size_t all = o->operations.n * algorithms_of(o);
    char why[SCENARIO_WHY];
    bool any = false, rooted = o->root == 0;
    for (size_t i = 0; i < all; i++) {
        size_t ranks = o->bench.ranks.min;
        do {
            const struct scenario_point point =
                point_of(o, i / algorithms_of(o), i % algorithms_of(o), (int)ranks);
            any = any || exists(&point);
            for (const struct scenario *s = o->scenario; s < o->scenario + o->n_scenarios; s++) {
                rooted |= operation_is_rooted(point.operation) || !scenario_sweeps(s).operation;
                if (exists(&point) && !scenario_check(s, (int)ranks, &point, why))
                    bench_refuse(&o->bench, "scenario %s: %s", s->name, why);
            }
        } while (option_next(&o->bench.ranks, &ranks));
    }
    if (!any)
        bench_refuse(&o->bench, "--algorithm: operations other than broadcast have only native: "
                                "use: --operation=broadcast");
    if (!rooted)
        bench_refuse(&o->bench, "--root=%d: expected an operation with a root", o->root);
}

/* What a picture's x axis may show: it shows the first of these that has several values. */
enum scenario_axis { AXIS_RANKS, AXIS_SIZE, AXIS_DELAY, AXIS_COMP, N_AXES };

/* The state of the sweep. Only rank 0 has the results. */
struct scenario_session {
    const struct scenario_options *o;
    struct bench_group group;
    struct harmony start; /* lets GROUP's ranks start at the same time */
    struct bench_values ranks, sizes, delays, comps;
    /* About the row that is measured now: */
    const struct scenario *scenario;
    struct scenario_point point;
    struct scenario_sweep sweeps; /* values that SCENARIO takes from the sweep */
    double alone;                 /* median completion time without computation, seconds */
    /* About the whole sweep: */
    bool varies[N_AXES]; /* the axis has several values */
    struct table *table;
    bool wrong;   /* an operation has delivered wrong data */
    double bound; /* largest error bound of the clocks in all rows, seconds */
};

/* The first columns, up to "stddev", are those of the paper's table, in the paper's order. */
static const struct column columns[] = {
    {"data", "B", COLUMN_INTEGER, .meaning = "bytes of one block, see collbench-scenario(1)"},
    {"ranks", NULL, COLUMN_INTEGER, .meaning = "participants"},
    {"average", "us", COLUMN_REAL, 3, "mean T_sc: last end minus first start",
     .flags = COLUMN_DATA_ONLY},
    {"min", "us", COLUMN_REAL, 3, .flags = COLUMN_DATA_ONLY},
    {"max", "us", COLUMN_REAL, 3, .flags = COLUMN_DATA_ONLY},
    {"stddev", "us", COLUMN_REAL, 3, "standard deviation of T_sc, with n in the denominator",
     .flags = COLUMN_DATA_ONLY},
    {"median", "us", COLUMN_REAL, 3, "median T_sc"},
    {"delay", "us", COLUMN_REAL, 3, "total delay of the latest participant",
     .flags = COLUMN_OPTIONAL},
    {"comp", "us", COLUMN_REAL, 3, "duration of the computation", .flags = COLUMN_OPTIONAL},
    {"after_last", "us", COLUMN_REAL, 3, "median of last exit minus last arrival",
     .flags = COLUMN_DATA_ONLY},
    {"hidden", "%", COLUMN_REAL, 1, "overlapped share of the shorter of operation and computation",
     .flags = COLUMN_OPTIONAL},
    {"median_low", "us", COLUMN_REAL, 3, "lower end of the median's 95 % interval", "low",
     COLUMN_OPTIONAL},
    {"median_high", "us", COLUMN_REAL, 3, "upper end", "high", COLUMN_OPTIONAL},
    {"samples", NULL, COLUMN_INTEGER, .meaning = "repetitions that all ranks began on time",
     .flags = COLUMN_DATA_ONLY},
    {"bound", "us", COLUMN_REAL, 3, "clock error bound of this row's times",
     .flags = COLUMN_DATA_ONLY},
    {"operation", NULL, COLUMN_TEXT, .flags = COLUMN_SHORTEN},
    {"scenario", NULL, COLUMN_TEXT, .flags = COLUMN_SHORTEN},
    {"line", NULL, COLUMN_TEXT, .meaning = "line in the picture", .flags = COLUMN_DATA_ONLY},
};

static const struct {
    const char *column, *label, *unit;
} axes[N_AXES] = {{"ranks", "ranks", "ranks"},
                  {"data", "size (B)", "B"},
                  {"delay", "delay (us)", "us late"},
                  {"comp", "computation (us)", "us computed"}};

static enum scenario_axis x_axis(const struct scenario_session *w)
{
    for (enum scenario_axis axis = 0; axis < N_AXES; axis++)
        if (w->varies[axis])
            return axis;
    return AXIS_RANKS;
}

static const char *operation_name(const struct scenario_session *w, char text[80])
{
    const struct scenario_point *p = &w->point;
    if (!w->sweeps.operation)
        return w->scenario->name;
    bool other = p->by || p->own;
    snprintf(text, 80, "%s%s%.40s", p->twin ? p->operation->twin : p->operation->name,
             other ? " by " : "", other ? p->by_name : "");
    return text;
}

/* Names the row's line in a picture by its operation and its values on varying axes except x. */
static void line_name(const struct scenario_session *w, char *text, size_t size)
{
    const double at[N_AXES] = {w->group.ranks, (double)w->point.bytes, 1e6 * w->point.delay,
                               1e6 * w->point.comp};
    char operation[80];
    int n =
        snprintf(text, size, "%s, scenario %s", operation_name(w, operation), w->scenario->name);
    for (enum scenario_axis k = 0; k < N_AXES; k++)
        if (k != x_axis(w) && w->varies[k] && n < (int)size)
            n += snprintf(text + n, size - (size_t)n, ", %g %s", at[k], axes[k].unit);
}

static void add_row(struct scenario_session *w, const struct scenario_result *x)
{
    const double alone = w->point.comp > 0 ? w->alone : NAN;
    struct summary s = samples_summary(&x->completion);
    struct summary after = samples_summary(&x->after_last);
    struct table *t = w->table;
    char text[200];
    table_real(t, w->point.bytes || w->sweeps.bytes ? (double)w->point.bytes : NAN);
    table_reals(t, w->group.ranks, 1e6 * s.mean, 1e6 * s.min, 1e6 * s.max, 1e6 * stats_spread(&s),
                1e6 * s.median, 1e6 * scenario_delay(w->scenario, w->group.ranks, &w->point),
                w->sweeps.comp || x->comp > 0 ? 1e6 * x->comp : NAN, 1e6 * after.median,
                100 * (1 - overlap_ratio(s.median, alone, x->comp)), 1e6 * s.median_low,
                1e6 * s.median_high, (double)x->completion.n, 1e6 * x->bound);
    table_text(t, operation_name(w, text));
    table_text(t, w->scenario->name);
    line_name(w, text, sizeof text);
    table_text(t, text);
    bench_remark(t);
    if (!x->correct)
        table_remark(t, FINDING("wrong_data", ERROR),
                     "the operation delivered wrong data: do not trust this library");
    if (x->completion.n == 0)
        table_remark(t, FINDING("no_sample", DOUBT),
                     "no result: in every repetition a rank missed the common start");
    if (x->over_budget)
        table_remark(t, FINDING("budget_spent", NOTE),
                     "ended by the time budget, not by the stop rule");
    w->wrong |= !x->correct;
    w->bound = fmax(w->bound, x->bound);
}

/* Adds pictures of the median with its 95 % interval, and of the average, as the paper has it. */
static void add_results(const struct scenario_session *w, struct document *d)
{
    enum scenario_axis x = x_axis(w);
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
    document_fact(d, "T_sc",
                  "last end minus first start of all ranks, on one clock; error bound %.3f us",
                  1e6 * w->bound);
    document_picture(d, &picture);
    picture.name = picture.y = "average";
    picture.low = picture.high = NULL;
    picture.title = "Time to completion of a scenario, average";
    document_picture(d, &picture);
}

/* Axes of the sweep. If a scenario does not use an axis, only index 0 of this axis is measured.
 * Index 0 of COMP means no computation. */
enum { RANKS, SCENARIO, OPERATION, ALGORITHM, SIZE, DELAY, COMP, LENGTHS };

static void measure(struct scenario_session *w)
{
    const struct bench *b = &w->o->bench;
    const struct bench_point point = {
        .name = w->point.operation->name, .ranks = w->group.ranks, .bytes = w->point.bytes};
    struct scenario_result result RELEASED(scenario_result_free) = {0};
    bench_check(b, scenario_run(w->scenario, &w->point, &w->start, &b->plan, &result), &point);
    if (w->point.comp == 0)
        w->alone = samples_summary(&result.completion).median;
    bench_contention(w->group.comm);
    if (b->rank == 0)
        add_row(w, &result);
}

static void visit(void *arg, const size_t *at)
{
    struct scenario_session *w = arg;
    struct scenario_point *point = &w->point;
    int before = w->group.ranks;
    bench_group_open(&w->o->bench, w->ranks.at[at[RANKS]], &w->group);
    w->scenario = &w->o->scenario[at[SCENARIO]];
    w->sweeps = scenario_sweeps(w->scenario);
    *point = point_of(w->o, at[OPERATION], at[ALGORITHM], w->group.ranks);
    bool sizes = w->sweeps.bytes && point->operation->recv != EXTENT_NONE;
    if (w->group.comm == MPI_COMM_NULL)
        return;
    if (before != w->group.ranks)
        harmonize_open(&w->start, &w->group.clock, w->group.comm);
    if ((w->sweeps.operation ? !exists(point) : at[OPERATION] || at[ALGORITHM]) ||
        (at[SIZE] && !sizes) || (at[DELAY] && !w->sweeps.delay) || (at[COMP] && !w->sweeps.comp))
        return;
    point->bytes = sizes ? w->sizes.at[at[SIZE]] : 0;
    point->delay = w->sweeps.delay ? 1e-6 * (double)w->delays.at[at[DELAY]] : 0;
    point->comp = at[COMP] ? 1e-6 * (double)w->comps.at[at[COMP] - 1] : 0;
    measure(w);
}

static void fill_defaults(struct scenario_options *o)
{
    bool computes = false;
    if (o->n_scenarios == 0)
        take_scenario(NULL, o, "1");
    for (size_t i = 0; i < o->n_scenarios; i++)
        computes = computes || scenario_sweeps(&o->scenario[i]).comp;
    if (o->operations.n == 0)
        option_choose(NULL, &words, computes ? "ibroadcast" : "broadcast", &o->operations);
    if (o->algorithms.n == 0)
        option_choose(NULL, &bench_algorithms, "native", &o->algorithms);
}

static void find_axes(struct scenario_session *w)
{
    bool *varies = w->varies;
    varies[AXIS_RANKS] = w->ranks.n > 1;
    for (size_t i = 0; i < w->o->n_scenarios; i++) {
        struct scenario_sweep sweeps = scenario_sweeps(&w->o->scenario[i]);
        varies[AXIS_SIZE] = varies[AXIS_SIZE] || (sweeps.bytes && w->sizes.n > 1);
        varies[AXIS_DELAY] = varies[AXIS_DELAY] || (sweeps.delay && w->delays.n > 1);
        varies[AXIS_COMP] = varies[AXIS_COMP] || sweeps.comp;
    }
}

int main(int argc, char **argv)
{
    static struct scenario_options o = {.bench = {.sizes = {.min = 512, .max = 512}},
                                        .delay = {.min = 100, .max = 100},
                                        .comp = {.min = 100, .max = 100},
                                        .delayed = DELAYED_LAST};
    static struct scenario_session w = {.o = &o};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 20;
    o.bench.plan.repeats_max = 100;
    o.bench.plan.budget = 2;
    bench_begin(&o.bench, &argc, &argv, &program);
    fill_defaults(&o);
    check_all(&o);
    w.ranks = bench_values(&o.bench.ranks);
    w.sizes = bench_values(&o.bench.sizes);
    w.delays = bench_values(&o.delay);
    w.comps = bench_values(&o.comp);
    find_axes(&w);
    struct document *d = bench_document(&o.bench, "collbench-scenario/2");
    if (d)
        w.table = document_table_of(d, "scenarios", "Time to completion of scenarios", columns);
    const size_t length[LENGTHS] = {w.ranks.n, o.n_scenarios, o.operations.n, algorithms_of(&o),
                                    w.sizes.n, w.delays.n,    1 + w.comps.n};
    bench_sweep(&o.bench, length, LENGTHS, visit, &w);
    bench_group_close(&o.bench, &w.group);
    if (d)
        add_results(&w, d);
    bench_finish(&o.bench, d, sync_agree(w.wrong, o.bench.comm));
}
