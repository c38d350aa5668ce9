/* The options of collbench-overlap, and what they may be on the ranks at hand. */
#include "overlap_options.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 50, QUICK_RUNS = 10 };

static const struct bench_range full_sizes = {.min = 64, .max = 8 << 20};
static const struct bench_range quick_sizes = {.min = 256, .max = 4 << 20};
static const struct bench_range full_comp = {.min = 1, .max = 8192};
static const struct bench_range quick_comp = {.min = 2, .max = 512};

enum key {
    KEY_BENCHMARK = 0x200,
    KEY_QUICK,
    KEY_COMP,
    KEY_STEP,
    KEY_BASE,
    KEY_SAVE,
    KEY_COMM,
    KEY_FRESH
};

static const struct argp_option option_list[] = {
    {"benchmark", KEY_BENCHMARK, "LIST", 0,
     "all (every one for 2 ranks but multiple), or of those below", 1},
    {"quick", KEY_QUICK, NULL, 0, "a coarse grid with fewer runs: about 40 seconds", 1},
    {"comp", KEY_COMP, "MIN:MAX", 0, "computation in microseconds (1:8192)", 2},
    {"step", KEY_STEP, "RATIO", 0, "between neighbours on an axis: sqrt2 (default), 2, 4", 2},
    {"base", KEY_BASE, "FILE", 0, "take the base round from there instead of measuring it", 3},
    {"save-base", KEY_SAVE, "FILE", 0, "save the base round, for later runs and for profiles", 3},
    {"comm", KEY_COMM, "FROM", 0,
     "T_comm from cell: measured between the runs (default); from base: the base round, as the "
     "paper has it",
     3},
    {"fresh", KEY_FRESH, NULL, 0, "do not go on with an interrupted run", 3},
    {0}};

static bool choose(const char *word, void *arg)
{
    struct options *o = arg;
    const struct overlap_benchmark *b = overlap_find(word);
    if (strcmp(word, "all") == 0) {
        o->all = true;
        return true;
    }
    for (size_t i = 0; i < o->n_chosen; i++)
        if (o->chosen[i] == b)
            return true;
    if (b && o->n_chosen < GRID_BENCHMARKS_MAX)
        o->chosen[o->n_chosen++] = b;
    return b != NULL;
}

static bool parse_step(const char *text, double *step)
{
    char *end;
    *step = strcmp(text, "sqrt2") == 0 ? M_SQRT2 : strtod(text, &end);
    return *step == M_SQRT2 || (end != text && !*end && *step >= 1.05 && *step <= 1024);
}

static const char *benchmark_name(size_t i)
{
    return i < n_overlap_benchmarks ? overlap_benchmarks[i]->name : NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_BENCHMARK:
        if (!bench_each_word(arg, choose, o))
            return bench_unknown(state, "benchmark", arg, benchmark_name);
        return 0;
    case KEY_QUICK:
        o->quick = true;
        return 0;
    case KEY_FRESH:
        o->fresh = true;
        return 0;
    case KEY_COMP:
        if (bench_parse_range(arg, &o->comp) && o->comp.min > 0 && o->comp.max <= 10000000)
            return 0;
        return bench_bad_option(
            state, "impossible computation '%s': MIN:MAX in microseconds, 1 to 10000000", arg);
    case KEY_STEP:
        if (!parse_step(arg, &o->step))
            return bench_bad_option(state, "impossible step '%s': sqrt2, 2, 4, above 1.05", arg);
        return 0;
    case KEY_COMM:
        o->comm_from_base = strcmp(arg, "base") == 0;
        if (o->comm_from_base || strcmp(arg, "cell") == 0)
            return 0;
        return bench_bad_option(state, "impossible --comm=%s: cell or base", arg);
    case KEY_BASE:
        o->base = arg;
        return 0;
    case KEY_SAVE:
        o->save_base = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The list of benchmarks comes from their declarations. */
static char *help_filter(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *out = open_memstream(&list, &size);
    fputs("Benchmarks:\n", out);
    for (size_t i = 0; i < n_overlap_benchmarks; i++)
        fprintf(out, "  %-13s%s\n", overlap_benchmarks[i]->name, overlap_benchmarks[i]->summary);
    fclose(out);
    return list;
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
const struct argp overlap_argp = {
    .options = option_list,
    .parser = parse,
    .children = children,
    .help_filter = help_filter,
    .doc = "Measures how much of a communication is hidden behind computation, over a grid of "
           "message sizes and computation times. With --plot=FILE, FILE has all heat maps on one "
           "sheet, and FILE-NAME each of them.\v "};

/* The simulator has no threads at all. */
int overlap_thread_level(int argc, char **argv)
{
#ifdef COLLPROF_SIMULATED
    return MPI_THREAD_SINGLE;
#endif
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], "multiple"))
            return MPI_THREAD_MULTIPLE;
    return MPI_THREAD_FUNNELED;
}

static bool runs_here(const struct overlap_benchmark *b, int ranks)
{
    bool simulated = clock_source == CLOCK_SOURCE_EXTERNAL;
    return ranks >= b->least_ranks && (!b->most_ranks || ranks <= b->most_ranks) &&
           (!simulated || b->simulable);
}

static void check_ranks(const struct options *o, const struct overlap_benchmark *b)
{
    int ranks = o->bench.size;
    if (ranks < b->least_ranks)
        bench_refuse(&o->bench, "%s needs %d ranks%s, and %d %s running: start it by mpiexec -n %d",
                     b->name, b->least_ranks, b->most_ranks ? "" : " or more", ranks,
                     ranks == 1 ? "is" : "are", b->least_ranks);
    if (b->most_ranks && ranks > b->most_ranks)
        bench_refuse(&o->bench,
                     "%s is for %d ranks, and %d are running: start it by mpiexec -n %d, or choose "
                     "--benchmark=destinations,iallreduce,ialltoall",
                     b->name, b->most_ranks, ranks, b->most_ranks);
    if (!runs_here(b, ranks))
        bench_refuse(&o->bench, "%s has threads, which a simulated rank has not", b->name);
}

void overlap_choose(struct options *o)
{
    if (o->n_chosen == 0)
        o->all = true;
    if (o->all)
        check_ranks(o, overlap_find("sender"));
    for (size_t i = 0; i < n_overlap_benchmarks && o->all; i++) {
        const struct overlap_benchmark *b = overlap_benchmarks[i];
        if (runs_here(b, o->bench.size) && b->thread_level != MPI_THREAD_MULTIPLE)
            choose(b->name, o);
    }
    for (size_t i = 0; i < o->n_chosen; i++)
        check_ranks(o, o->chosen[i]);
    if (o->quick) {
        if (o->bench.sizes.min == full_sizes.min && o->bench.sizes.max == full_sizes.max)
            o->bench.sizes = quick_sizes;
        if (o->comp.min == full_comp.min && o->comp.max == full_comp.max)
            o->comp = quick_comp;
        if (o->bench.plan.repetitions == RUNS)
            o->bench.plan.repetitions = QUICK_RUNS;
    }
    if (o->step == 0)
        o->step = o->quick ? 2 : M_SQRT2;
    if (o->bench.sizes.min == 0)
        bench_refuse(&o->bench, "impossible sizes: 0 bytes have nothing to overlap: at least 1");
}

void overlap_defaults(struct options *o)
{
    *o = (struct options){.bench = {.sizes = full_sizes, .without = "ranks warmup stop"},
                          .comp = full_comp};
    o->bench.plan = plan_default();
    o->bench.plan.repetitions = RUNS;
    o->bench.plan.stop = STOP_FIXED;
    o->bench.plan.warmup = 3;
}
