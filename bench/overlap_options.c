/* The options of collbench-overlap, and what they may be on the ranks at hand. */
#include "overlap_options.h"

#include "base/clock.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 50, QUICK_RUNS = 10 };

static const struct option_range full_sizes = {.min = 64, .max = 8 << 20};
static const struct option_range quick_sizes = {.min = 256, .max = 4 << 20};
static const struct option_range full_comp = {.min = 1, .max = 8192};
static const struct option_range quick_comp = {.min = 2, .max = 512};

static const char *benchmark_name(size_t i)
{
    return i < n_overlap_benchmarks ? overlap_benchmarks[i]->name : NULL;
}

static const char *benchmark_summary(size_t i)
{
    return overlap_benchmarks[i]->summary;
}

static bool runs_here(const struct overlap_benchmark *b, int ranks)
{
    bool simulated = clock_source == CLOCK_SOURCE_EXTERNAL;
    return ranks >= b->least_ranks && (!b->most_ranks || ranks <= b->most_ranks) &&
           (!simulated || b->simulable);
}

static bool belongs_to_all(size_t i, const void *values)
{
    const struct bench *b = values;
    return runs_here(overlap_benchmarks[i], b->size) && !overlap_benchmarks[i]->only_by_name;
}

static const struct option_registry benchmarks = {"benchmark", benchmark_name, benchmark_summary,
                                                  belongs_to_all};

static error_t take_step(struct option_parser *parser, const struct option_entry *option,
                         const char *arg, void *value)
{
    double *step = value;
    char *end = NULL;
    (void)option;
    *step = strcmp(arg, "sqrt2") == 0 ? M_SQRT2 : strtod(arg, &end);
    if (*step == M_SQRT2 || (end != arg && !*end && *step >= 1.05 && *step <= 1024))
        return 0;
    return option_refuse(parser, "impossible --step=%s: sqrt2, 2, 4, above 1.05", arg);
}

#define AT(member) offsetof(struct options, member)
static const struct option_entry option_list[] = {
    {"benchmark", 0, "LIST", "all (every one for 2 ranks but multiple), or of those below", 1,
     option_take_list, AT(benchmarks), &benchmarks},
    {"quick", 0, NULL, "a coarse grid with fewer runs: about 40 seconds", 1, option_take_flag,
     AT(quick), NULL},
    {"comp", 0, "MIN:MAX", "computation in microseconds", 2, option_take_range, AT(comp),
     &bench_times},
    {"step", 0, "RATIO", "between neighbours on an axis: sqrt2 (default), 2, 4", 2, take_step,
     AT(step), NULL},
    {"base", 0, "FILE", "take the base round from there instead of measuring it", 3,
     option_take_text, AT(base), NULL},
    {"save-base", 0, "FILE", "save the base round, for later runs and for profiles", 3,
     option_take_text, AT(save_base), NULL},
    {"comm", 0, "FROM",
     "T_comm from cell: measured between the runs (default); from base: the base round, as the "
     "paper has it",
     3, option_take_word, AT(comm_from_base),
     &(const struct option_words){(const char *const[]){"cell", "base", NULL}}},
    {"bind", 0, "HOW",
     "threads: none (default), as the launcher left them; apart: communication on a core of its "
     "own; over: computing threads there too",
     3, option_take_word, AT(bind),
     &(const struct option_words){(const char *const[]){
         [BIND_NONE] = "none", [BIND_APART] = "apart", [BIND_OVER] = "over", NULL}}},
    {"work", 0, "HOW",
     "who computes: one thread (default), or openmp, a team that is forked and joined each time", 3,
     option_take_word, AT(openmp),
     &(const struct option_words){(const char *const[]){"one", "openmp", NULL}}},
    {"fresh", 0, NULL, "do not go on with an interrupted run", 3, option_take_flag, AT(fresh),
     NULL},
    {0}};

const struct option_program overlap_program = {
    "Measures how much of a communication is hidden behind computation, over a grid of message "
    "sizes and computation times. With --plot=FILE, FILE has all heat maps on one sheet, and "
    "FILE-NAME each of them.",
    .options = option_list, .listed = (const struct option_registry *const[]){&benchmarks, NULL}};

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
                     "--benchmark=destinations,sources,neighbours,iallreduce,ialltoall",
                     b->name, b->most_ranks, ranks, b->most_ranks);
    if (!runs_here(b, ranks))
        bench_refuse(&o->bench, "%s has threads, which a simulated rank has not", b->name);
}

void overlap_choose(struct options *o)
{
    if (o->benchmarks.all || o->benchmarks.n == 0)
        check_ranks(o, overlap_find("sender"));
    if (o->benchmarks.n == 0)
        option_choose_all(&benchmarks, &o->bench, &o->benchmarks);
    for (size_t i = 0; i < o->benchmarks.n; i++)
        check_ranks(o, overlap_chosen(o, i));
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
    *o = (struct options){.bench = {.sizes = full_sizes, .without = "ranks warmup stop seed"},
                          .comp = full_comp};
    o->bench.plan = plan_default();
    o->bench.plan.repetitions = RUNS;
    o->bench.plan.stop = STOP_FIXED;
    o->bench.plan.warmup = 3;
}
