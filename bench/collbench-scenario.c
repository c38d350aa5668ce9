/* Collective operations in a context: the scenarios of Gracia, Niethammer and Sethi, and one's
 * own from a file. */
#include "base/input.h"
#include "base/text.h"
#include "bench.h"
#include "profile/profile.h"
#include "scenario_file.h"
#include "scenario_results.h"
#include "trees/bcast.h"

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
    struct option_chosen algorithms; /* of bcasts[]; native: the library's, of every operation */
    struct scenario scenario[MAX_SCENARIOS];
    size_t n_scenarios;
    struct option_range delay, comp; /* microseconds */
    int delayed, root;
};

/* The first n ranks, as one communicator with one clock. */
struct group {
    int ranks;
    MPI_Comm comm; /* MPI_COMM_NULL where this rank is not in it */
    struct sync_clock clock;
    struct harmony start;
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
    {"algorithm", 0, "LIST",
     "the library's (native, default) or our own over one of these trees, for broadcast, reduce, "
     "allreduce and barrier: all, or of %s",
     1, option_take_list, AT(algorithms), &bench_algorithms},
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

static struct scenario_point point_of(const struct scenario_options *o, size_t chosen,
                                      size_t algorithm)
{
    size_t which = o->operations.at[chosen];
    const struct bcast *by = bcasts[o->algorithms.at[algorithm]];
    return (struct scenario_point){.operation = &operations[which / 2],
                                   .twin = which % 2,
                                   .by = by == &tree_native ? NULL : by,
                                   .root = o->root};
}

static int delayed_rank(const struct scenario_options *o, int ranks)
{
    return o->delayed == DELAYED_FIRST ? 0 : ranks - 1;
}

static bool exists(const struct scenario_point *p)
{
    return !p->by || (!p->twin && operation_has_own(p->operation, p->by));
}

/* Of the combinations that were asked for some may not exist, but not all. */
static void check_algorithms(const struct scenario_options *o)
{
    for (size_t i = 0; i < o->operations.n; i++)
        for (size_t k = 0; k < o->algorithms.n; k++) {
            struct scenario_point point = point_of(o, i, k);
            if (exists(&point))
                return;
        }
    bench_refuse(&o->bench,
                 "--algorithm: only broadcast and, but for chain, reduce, allreduce and barrier "
                 "have others than native; non-blocking ones have none");
}

/* Refuses what cannot run, before anything is measured. */
static void check_all(const struct scenario_options *o)
{
    int least = (int)o->bench.ranks.min;
    for (size_t i = 0; i < o->n_scenarios; i++) {
        const struct scenario *s = &o->scenario[i];
        for (size_t k = 0; k < o->operations.n; k++) {
            struct scenario_point point = point_of(o, k, 0);
            struct scenario_error error;
            point.delayed = delayed_rank(o, least);
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

static void make_group(const struct bench *b, size_t ranks, struct group *g)
{
    *g = (struct group){.ranks = (int)ranks};
    MPI_Comm_split(b->comm, b->rank < g->ranks ? 0 : MPI_UNDEFINED, b->rank, &g->comm);
    if (g->comm != MPI_COMM_NULL) {
        bench_clocks(&g->clock, g->comm);
        harmony_open(&g->start, &g->clock, g->comm, 0);
    }
}

static double measure(const struct scenario_options *o, const struct scenario *s, struct group *g,
                      const struct scenario_point *point, size_t value, double alone,
                      struct scenario_results *results)
{
    struct scenario_row row = {.scenario = s,
                               .point = *point,
                               .sweeps = scenario_sweeps(s),
                               .ranks = g->ranks,
                               .value = value,
                               .alone = alone};
    double median = NAN;
    cvar_use(value);
    if (g->comm != MPI_COMM_NULL) {
        int error = scenario_run(s, point, &g->start, &o->bench.plan, &row.result);
        if (error != MPI_SUCCESS) {
            if (o->bench.rank == 0)
                reason_say(o->bench.program, "%zu bytes on %d ranks do not fit into memory",
                           point->bytes, g->ranks);
            MPI_Abort(o->bench.comm, 1);
        }
        const struct samples *t = &row.result.completion;
        median = stats_summarize(t->value, t->n).median;
    }
    if (o->bench.rank == 0)
        *PUSH(&results->row) = row;
    bench_wait(o->bench.comm);
    return median;
}

/* The sweep, with its axes. Of an axis that a scenario has no use for only the first value
 * counts. */
struct scenario_session {
    const struct scenario_options *o;
    struct group *group;
    struct bench_values sizes, delays, comps;
    double alone; /* median T_sc without computation */
    struct scenario_results results;
};
/* VALUE: of the --cvar that takes several, with the library's own form. */
enum {
    SCENARIO,
    OPERATION,
    ALGORITHM,
    VALUE,
    SIZE,
    GROUP,
    DELAY,
    COMP,
    N_AXES
}; /* COMP: 0 is none */
_Static_assert((int)N_AXES <= (int)BENCH_AXES_MAX, "bench_sweep() has room");

static const char *visit(void *arg, const size_t *at)
{
    struct scenario_session *w = arg;
    const struct scenario *s = &w->o->scenario[at[SCENARIO]];
    struct group *g = &w->group[at[GROUP]];
    struct scenario_point point = point_of(w->o, at[OPERATION], at[ALGORITHM]);
    struct scenario_sweep sweeps = scenario_sweeps(s);
    bool sizes = sweeps.bytes && point.operation->recv != EXTENT_NONE;
    if ((sweeps.operation ? !exists(&point) : at[OPERATION] || at[ALGORITHM]) ||
        (at[VALUE] && point.by) || (at[SIZE] && !sizes) || (at[DELAY] && !sweeps.delay) ||
        (at[COMP] && !sweeps.comp))
        return NULL;
    point.bytes = sizes ? w->sizes.at[at[SIZE]] : 0;
    point.delayed = delayed_rank(w->o, g->ranks);
    point.delay = sweeps.delay ? 1e-6 * (double)w->delays.at[at[DELAY]] : 0;
    point.comp = at[COMP] ? 1e-6 * (double)w->comps.at[at[COMP] - 1] : 0;
    double median = measure(w->o, s, g, &point, at[VALUE], at[COMP] ? w->alone : NAN, &w->results);
    if (at[COMP] == 0)
        w->alone = median;
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
    if (o->algorithms.n == 0)
        option_choose(NULL, &bench_algorithms, "native", &o->algorithms);
}

static void tell_so_far(void *results, struct document *d)
{
    scenario_results_document(results, d);
}

int main(int argc, char **argv)
{
    static struct scenario_options o = {
        .bench = {.sizes = {.min = 512, .max = 512}, .without = "full seed", .in_turn = true},
        .delay = {.min = 100, .max = 100},
        .comp = {.min = 100, .max = 100},
        .delayed = DELAYED_LAST};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 20;
    o.bench.plan.repeats_max = 100;
    o.bench.plan.budget = 2;
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    fill_defaults(&o);
    check_all(&o);
    check_algorithms(&o);

    static struct group group[BENCH_VALUES_MAX];
    struct scenario_session sweep = {.o = &o,
                                     .group = group,
                                     .sizes = bench_values(&o.bench.sizes),
                                     .delays = bench_values(&o.delay),
                                     .comps = bench_values(&o.comp)};
    struct bench_values ranks = bench_values(&o.bench.ranks);
    struct document *d = bench_document(&o.bench, "collbench-scenario/1");
    for (size_t i = 0; i < ranks.n; i++)
        make_group(&o.bench, ranks.at[i], &group[i]);
    const size_t length[N_AXES] = {o.n_scenarios,  o.operations.n,   o.algorithms.n,
                                   cvar_values(),  sweep.sizes.n,    ranks.n,
                                   sweep.delays.n, 1 + sweep.comps.n};
    bench_keep(&o.bench,
               &(struct bench_so_far){.document = d, .tell = tell_so_far, .arg = &sweep.results});
    bench_sweep(&o.bench, length, N_AXES, visit, &sweep);
    int status = 0;
    if (d) {
        scenario_results_document(&sweep.results, d);
        if (document_findings(d, "wrong_data"))
            status = 1;
    }
    scenario_results_free(&sweep.results);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    for (size_t i = 0; i < ranks.n; i++)
        if (group[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&group[i].comm);
    bench_finish(&o.bench, d, status);
}
