/* Collective operations in a context: the scenarios of Gracia, Niethammer and Sethi, and one's
 * own from a file. */
#include "base/input.h"
#include "base/text.h"
#include "bench.h"
#include "profile/profile.h"
#include "scenario_file.h"
#include "scenario_results.h"

#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCENARIOS = 16, DELAYED_FIRST = 0, DELAYED_LAST };

static const struct option_words delayed_words = {(const char *const[]){"first", "last", NULL}};

struct scenario_options {
    struct bench bench;
    struct option_chosen operations; /* 2 i: the operation i, 2 i + 1: its non-blocking twin */
    struct scenario scenario[MAX_SCENARIOS];
    size_t n_scenarios;
    struct option_range delay, comp; /* microseconds */
    int delayed, root;
};

static const char *operation_word(size_t i)
{
    static char twin[32];
    if (i >= 2 * n_operations)
        return NULL;
    snprintf(twin, sizeof twin, "i%s", operations[i / 2].name);
    return i % 2 ? twin : operations[i / 2].name;
}

static const struct option_registry words = {"operation", operation_word, NULL, NULL};

static error_t read_scenario_file(struct option_parser *parser, const char *path,
                                  struct scenario *s)
{
    struct scenario_error error = {0};
    const char *why;
    FILE *file = input_file(AT_FDCWD, path, &why);
    if (!file)
        return option_refuse(parser, "scenario '%s': %s: 1, 2, 3 or a file", path, why);
    bool good = scenario_read(file, text_base_of(path), s, &error);
    fclose(file);
    if (good)
        return 0;
    return error.line ? option_refuse(parser, "%s:%d: %s", path, error.line, error.text)
                      : option_refuse(parser, "%s: %s", path, error.text);
}

static error_t take_scenarios(struct option_parser *parser, const struct option_entry *option,
                              const char *arg, void *value)
{
    struct scenario_options *o = value;
    char *copy = strdup(arg), *rest = copy, *word;
    error_t error = 0;
    (void)option;
    while (!error && (word = strsep(&rest, ","))) {
        struct scenario *s = &o->scenario[o->n_scenarios];
        if (o->n_scenarios == MAX_SCENARIOS)
            error = option_refuse(parser, "too many scenarios: at most %d", MAX_SCENARIOS);
        else if (strlen(word) == 1 && *word >= '1' && *word <= '3')
            *s = scenarios[*word - '1'];
        else
            error = read_scenario_file(parser, word, s);
        o->n_scenarios += !error;
    }
    free(copy);
    return error;
}

#define AT(member) offsetof(struct scenario_options, member)
static const struct option_entry option_list[] = {
    {"operation", 0, "LIST", "all, or of %s", 1, option_take_list, AT(operations), &words},
    {"scenario", 's', "LIST",
     "1 collective only, 2 with a delayed participant, 3 overlapping with computation, or files "
     "with scenarios of your own",
     1, take_scenarios, 0, NULL},
    {"delay", 0, "MIN:MAX", "how late, in microseconds, powers of two", 2, option_take_range,
     AT(delay), &bench_times},
    {"delayed", 0, "WHO", "the late rank: first or last", 2, option_take_word, AT(delayed),
     &delayed_words},
    {"comp", 0, "MIN:MAX", "computation in microseconds, powers of two", 2, option_take_range,
     AT(comp), &bench_times},
    {"root", 0, "RANK", "root of rooted operations (0)", 2, bench_take_root, AT(root), NULL},
    {0}};

static const struct option_program program = {
    "Times collective operations in a context: on their own, with a participant that is late, "
    "with computation to hide behind, or in a scenario of your own.",
    "T_sc is the time from the first start to the last end over all ranks, on one clock.",
    .options = option_list};

static struct scenario_point point_of(const struct scenario_options *o, size_t chosen, int ranks)
{
    size_t which = o->operations.at[chosen];
    return (struct scenario_point){.operation = &operations[which / 2],
                                   .twin = which % 2,
                                   .root = o->root,
                                   .delayed = o->delayed == DELAYED_FIRST ? 0 : ranks - 1};
}

/* Refuses what cannot run, before anything is measured. */
static void check_all(const struct scenario_options *o)
{
    int least = (int)o->bench.ranks.min;
    for (size_t i = 0; i < o->n_scenarios; i++) {
        const struct scenario *s = &o->scenario[i];
        for (size_t k = 0; k < o->operations.n; k++) {
            struct scenario_point point = point_of(o, k, least);
            struct scenario_error error;
            if (scenario_check(s, least, &point, &error))
                continue;
            if (error.line)
                bench_refuse(&o->bench, "scenario %s, line %d: %s", s->name, error.line,
                             error.text);
            bench_refuse(&o->bench, "scenario %s: %s", s->name, error.text);
        }
    }
    if (o->root >= least)
        bench_refuse(&o->bench, "rank %d takes no part where only %d do: raise --ranks=MIN:MAX",
                     o->root, least);
}

/* The sweep, with its axes. Of an axis that a scenario has no use for only the first value
 * counts. */
struct scenario_session {
    const struct scenario_options *o;
    struct bench_group group;
    struct harmony start; /* of GROUP */
    struct bench_values ranks, sizes, delays, comps;
    double alone; /* median T_sc without computation */
    struct scenario_results results;
};
enum { RANKS, SCENARIO, OPERATION, SIZE, DELAY, COMP, LENGTHS }; /* COMP: 0 is none */

static void measure(struct scenario_session *w, struct scenario_row *row)
{
    const struct bench *b = &w->o->bench;
    if (scenario_run(row->scenario, &row->point, &w->start, &b->plan, &row->result) !=
        MPI_SUCCESS) {
        if (b->rank == 0)
            reason_say(b->program, "%zu bytes on %d ranks do not fit into memory", row->point.bytes,
                       row->ranks);
        MPI_Abort(b->comm, 1);
    }
    const struct samples *t = &row->result.completion;
    if (row->point.comp == 0)
        w->alone = stats_summarize(t->value, t->n).median;
    if (b->rank == 0)
        scenario_results_add(&w->results, row);
    scenario_result_free(&row->result);
}

static const char *visit(void *arg, const size_t *at)
{
    struct scenario_session *w = arg;
    const struct scenario *s = &w->o->scenario[at[SCENARIO]];
    int before = w->group.ranks;
    bench_group_open(&w->o->bench, w->ranks.at[at[RANKS]], &w->group);
    struct scenario_point point = point_of(w->o, at[OPERATION], w->group.ranks);
    struct scenario_sweep sweeps = scenario_sweeps(s);
    bool sizes = sweeps.bytes && point.operation->recv != EXTENT_NONE;
    if (w->group.comm == MPI_COMM_NULL)
        return NULL;
    if (before != w->group.ranks)
        harmony_open(&w->start, &w->group.clock, w->group.comm, 0);
    if ((at[OPERATION] && !sweeps.operation) || (at[SIZE] && !sizes) ||
        (at[DELAY] && !sweeps.delay) || (at[COMP] && !sweeps.comp))
        return NULL;
    point.bytes = sizes ? w->sizes.at[at[SIZE]] : 0;
    point.delay = sweeps.delay ? 1e-6 * (double)w->delays.at[at[DELAY]] : 0;
    point.comp = at[COMP] ? 1e-6 * (double)w->comps.at[at[COMP] - 1] : 0;
    measure(w, &(struct scenario_row){.scenario = s,
                                      .point = point,
                                      .sweeps = sweeps,
                                      .ranks = w->group.ranks,
                                      .alone = at[COMP] ? w->alone : NAN});
    return point.operation->name;
}

static void fill_defaults(struct scenario_options *o)
{
    bool overlaps = false;
    if (o->n_scenarios == 0)
        o->scenario[o->n_scenarios++] = scenarios[0];
    for (size_t i = 0; i < o->n_scenarios; i++)
        overlaps = overlaps || scenario_sweeps(&o->scenario[i]).comp;
    if (o->operations.n == 0)
        option_choose(NULL, &words, overlaps ? "ibroadcast" : "broadcast", &o->operations);
}

/* What varies in any of the scenarios. */
static void find_axes(struct scenario_session *w)
{
    bool *varies = w->results.varies;
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
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    fill_defaults(&o);
    check_all(&o);
    w.ranks = bench_values(&o.bench.ranks);
    w.sizes = bench_values(&o.bench.sizes);
    w.delays = bench_values(&o.delay);
    w.comps = bench_values(&o.comp);
    find_axes(&w);
    struct document *d = bench_document(&o.bench, "collbench-scenario/2");
    if (d)
        scenario_results_begin(&w.results, d);
    bench_keep(&o.bench, d);
    const size_t length[LENGTHS] = {w.ranks.n, o.n_scenarios, o.operations.n,
                                    w.sizes.n, w.delays.n,    1 + w.comps.n};
    bench_sweep(&o.bench, length, LENGTHS, visit, &w);
    bench_group_close(&o.bench, &w.group);
    if (d)
        scenario_results_end(&w.results);
    bench_finish(&o.bench, d,
                 bench_worst(o.bench.comm, d && document_findings(d, "wrong_data") > 0));
}
