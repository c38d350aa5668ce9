/* Does communication overlap with computation? The benchmarks of Denis and Trahay, and those
 * that they left out. */
#include "base/clock.h"
#include "bench.h"
#include "overlap_binding.h"
#include "overlap_grid.h"
#include "overlap_journal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 50, QUICK_RUNS = 10 };
#define QUICK_SECONDS 28.0 /* for all cells; the base round and pictures take their time too */

static const struct bench_range full_sizes = {.min = 64, .max = 8 << 20};
static const struct bench_range quick_sizes = {.min = 256, .max = 4 << 20};
static const struct bench_range full_comp = {.min = 1, .max = 8192};
static const struct bench_range quick_comp = {.min = 2, .max = 512};

struct options {
    struct bench bench;
    const struct overlap_benchmark *chosen[GRID_BENCHMARKS_MAX];
    size_t n_chosen;
    bool all, quick, fresh;
    struct bench_range comp; /* microseconds */
    double step;             /* between neighbours on an axis */
    bool comm_from_base;
    const char *base, *save_base;
};

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
    {"quick", KEY_QUICK, NULL, 0, "a coarse grid with fewer runs: under a minute", 1},
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_BENCHMARK:
        if (!bench_each_word(arg, choose, o))
            return bench_bad_option(state, "unknown benchmark in '%s': see --help", arg);
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
static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .children = children,
    .help_filter = help_filter,
    .doc = "Measures how much of a communication is hidden behind computation, over a grid of "
           "message sizes and computation times. With --plot=FILE, FILE has all heat maps on one "
           "sheet, and FILE-NAME each of them.\v "};

/* MULTIPLE only when asked for by name, since it changes how the library works for all others. The
 * simulator has no threads at all. */
static int thread_level(int argc, char **argv)
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

static void fill_choice(struct options *o)
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

static void set_axes(const struct options *o, const struct binding *binding, struct grid *g)
{
    const struct bench *b = &o->bench;
    int processors = binding_processors(binding), least = 0;
    g->nx = grid_axis((double)b->sizes.min, (double)b->sizes.max, o->step, g->size);
    g->n_comp = grid_axis((double)o->comp.min, (double)o->comp.max, o->step, g->comp);
    MPI_Allreduce(&processors, &least, 1, MPI_INT, MPI_MIN, b->comm);
    /* All numbers of threads while they are few. */
    g->n_threads = grid_axis(1, least, least <= 16 ? 1.0 + 1.0 / 16 : M_SQRT2, g->threads);
    for (size_t i = 0; i < o->n_chosen; i++)
        grid_add(g, o->chosen[i]);
}

/* On all ranks; rank 0 tells how well it went, over all. */
static void calibrate(const struct options *o, struct grid *g, struct document *d)
{
    double worst = 0, all;
    for (size_t i = 0; i < g->n_comp; i++) {
        g->work[i] = work_calibrate(1e-6 * g->comp[i], 0.01);
        worst = fmax(worst, fabs(g->work[i].achieved / g->work[i].wanted - 1));
    }
    MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, o->bench.comm);
    if (d)
        document_fact(d, "computation", "fixed work, calibrated within %.2f %% on every rank%s",
                      100 * all, all > 0.01 ? ": this machine is not quiet" : "");
}

static void tell_binding(const struct bench *b, const struct binding *binding, struct document *d)
{
    enum { LENGTH = 160, MOST = 16 };
    char mine[LENGTH], *all = b->rank == 0 ? calloc((size_t)b->size, LENGTH) : NULL;
    binding_describe(binding, mine, sizeof mine);
    MPI_Gather(mine, LENGTH, MPI_CHAR, all, LENGTH, MPI_CHAR, 0, b->comm);
    for (int i = 0; d && i < b->size && i < MOST; i++) {
        char key[32];
        snprintf(key, sizeof key, "binding of rank %d", i);
        document_fact(d, key, "%s", all + (size_t)i * LENGTH);
    }
    free(all);
}

static void set_origin(const struct bench *b, struct base_origin *origin)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    int length;
    time_t now = time(NULL);
    struct tm local;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n,")] = '\0';
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    MPI_Get_processor_name(host, &length);
    snprintf(origin->mpi, sizeof origin->mpi, "%.*s", (int)sizeof origin->mpi - 1, text);
    snprintf(origin->hosts, sizeof origin->hosts, "%.64s, %d ranks", host, b->size);
    localtime_r(&now, &local);
    strftime(origin->date, sizeof origin->date, "%Y-%m-%d %H:%M:%S %z", &local);
}

/* Everything that makes figures of one run unfit for another. */
static void make_key(const struct options *o, const struct grid *g, char *key, size_t size)
{
    const struct bench *b = &o->bench;
    int level;
    MPI_Query_thread(&level);
    snprintf(key, size,
             "%s, %s, sizes %zu:%zu, comp %zu:%zu, step %g, %d runs, threads %d, level %d, comm %d",
             g->origin.mpi, g->origin.hosts, b->sizes.min, b->sizes.max, o->comp.min, o->comp.max,
             o->step, b->plan.repetitions, (int)g->n_threads, level, o->comm_from_base);
}

/* Loaded, resumed or measured: rank 0 has it in the end, and all know whether to measure. */
static void get_base(const struct options *o, struct overlap_stage *stage, struct grid *g,
                     struct journal *journal)
{
    int have = g->base.n > 0, bad = 0;
    if (stage->rank == 0 && o->base && !have) {
        bad = !base_round_load(o->base, &g->base, &g->origin);
        have = !bad;
    }
    MPI_Bcast(&have, 1, MPI_INT, 0, stage->comm);
    MPI_Bcast(&bad, 1, MPI_INT, 0, stage->comm);
    if (bad)
        bench_refuse(&o->bench, "--base=%s: not a base round", o->base);
    if (have)
        return;
    bench_progress(&o->bench, 0, g->nx, "base round");
    overlap_base_point(stage, (size_t)g->size[0]); /* connects, and warms up */
    struct base_point zero = overlap_base_point(stage, 0);
    g->base.latency = zero.time[BASE_CONTIGUOUS];
    for (size_t i = 0; i < g->nx; i++) {
        struct base_point point = overlap_base_point(stage, (size_t)g->size[i]);
        base_round_add(&g->base, point);
        bench_progress(&o->bench, i + 1, g->nx, "base round");
    }
    bench_progress_end(&o->bench);
    if (stage->rank == 0)
        journal_base(journal, g);
}

/* Time: of the grid in all, and how much of it is behind. Rank 0. */
struct pace {
    double total, done, started, limit; /* limit 0: none */
    double part_until;                  /* what is left of a benchmark then is left out */
};

static bool measured(const struct grid *g, const struct grid_part *p, size_t ix, size_t iy)
{
    return grid_cell(g, p, ix, iy)->runs > 0;
}

static struct pace plan_pace(const struct options *o, const struct overlap_stage *stage,
                             const struct grid *g)
{
    struct pace pace = {.started = clock_now(), .limit = o->quick ? QUICK_SECONDS : 0};
    for (size_t k = 0; k < g->n_parts; k++)
        for (size_t i = 0; i < g->nx; i++)
            for (size_t j = 0; j < g->part[k].ny; j++)
                if (!measured(g, &g->part[k], i, j))
                    pace.total +=
                        grid_estimate(g, &g->part[k], i, j, stage->runs, o->bench.plan.budget);
    if (pace.limit > 0)
        pace.total = fmin(pace.total, pace.limit);
    if (stage->rank == 0 && pace.total > 60)
        fprintf(stderr, "%s: this takes about %.0f minutes%s\n", o->bench.program,
                ceil(pace.total / 60),
                o->bench.output ? "; an interrupted run goes on where it was" : "");
    return pace;
}

/* What a cell may take: its share of what is left of a quick run. */
static double cell_budget(const struct options *o, const struct pace *pace, double estimate)
{
    if (pace->limit == 0)
        return o->bench.plan.budget;
    double left = pace->limit - (clock_now() - pace->started);
    double share = estimate / fmax(pace->total - pace->done, estimate);
    return fmax(left * share, 1e-4);
}

static void measure_cell(const struct options *o, struct overlap_stage *stage, struct grid *g,
                         struct grid_part *p, size_t ix, size_t iy, struct pace *pace,
                         struct journal *journal)
{
    const struct overlap_benchmark *b = p->benchmark;
    bool late = pace->limit > 0 && clock_now() > pace->part_until;
    int pass = measured(g, p, ix, iy) || late;
    MPI_Bcast(&pass, 1, MPI_INT, 0, stage->comm);
    if (pass)
        return;
    double estimate = grid_estimate(g, p, ix, iy, stage->runs, o->bench.plan.budget);
    stage->budget = cell_budget(o, pace, estimate);
    if (!overlap_measure(b, stage, (size_t)g->size[ix], b->by_threads ? NULL : &g->work[iy],
                         b->by_threads ? (int)p->y[iy] : 0, &g->base, grid_cell(g, p, ix, iy)))
        bench_refuse(&o->bench, "%s cannot run here: too little memory, or no threads", b->name);
    pace->done += estimate;
    if (stage->rank == 0)
        journal_cell(journal, g, p, ix, iy);
    bench_progress(&o->bench, (size_t)(1 + 99 * fmin(pace->done / pace->total, 1)), 100, b->name);
}

static void measure_all(const struct options *o, struct overlap_stage *stage, struct grid *g,
                        struct journal *journal)
{
    struct pace pace = plan_pace(o, stage, g);
    bench_progress(&o->bench, 0, 100, "percent");
    for (size_t k = 0; k < g->n_parts; k++) {
        struct grid_part *p = &g->part[k];
        pace.part_until = pace.started + pace.limit * (double)(k + 1) / (double)g->n_parts;
        for (size_t i = 0; i < g->nx; i++) {
            for (size_t j = 0; j < p->ny; j++)
                measure_cell(o, stage, g, p, i, j, &pace, journal);
        }
    }
    bench_progress_end(&o->bench);
}

/* FILE.png for all, FILE-NAME.png for each. */
static bool draw(const struct options *o, const struct grid *g)
{
    struct overlap_map map[GRID_BENCHMARKS_MAX];
    const char *sheet = o->bench.plot, *ending = strrchr(sheet, '.');
    char title[384];
    bool drawn = true;
    for (size_t i = 0; i < g->n_parts; i++) {
        char *path = NULL;
        map[i] = grid_map(g, &g->part[i]);
        if (asprintf(&path, "%.*s-%s%s", (int)(ending - sheet), sheet, map[i].name, ending) < 0)
            abort();
        drawn = overlap_map_draw(path, &map[i], NULL, NULL, 0) && drawn;
        free(path);
    }
    snprintf(title, sizeof title, "Overlap of communication and computation: %s, %s", g->origin.mpi,
             g->origin.hosts);
    drawn = overlap_maps_draw(sheet, title, map, g->n_parts) && drawn;
    for (size_t i = 0; i < g->n_parts; i++)
        overlap_map_free(&map[i]);
    return drawn;
}

/* Opens it on rank 0; all leave if it is of another run. */
static struct journal *open_journal(const struct options *o, struct grid *g)
{
    struct journal *journal = NULL;
    char key[512], why[320] = "";
    size_t cells = 0;
    make_key(o, g, key, sizeof key);
    if (o->bench.rank == 0)
        journal = journal_open(o->bench.output, key, o->fresh, g, &cells, why, sizeof why);
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, o->bench.comm);
    if (*why)
        bench_refuse(&o->bench, "%s", why);
    if (cells > 0)
        fprintf(stderr, "%s: going on with an interrupted run: %zu cells are there\n",
                o->bench.program, cells);
    return journal;
}

/* On rank 0: everything that is written. Returns the exit status. */
static int finish(const struct options *o, const struct grid *g, struct document *d,
                  struct journal *journal)
{
    const struct bench *b = &o->bench;
    int status = 0;
    bool cells = b->format != FORMAT_TEXT || b->full;
    grid_tell(g, d, cells);
    if (b->plot && !draw(o, g))
        status = 1;
    if (o->save_base && !base_round_save(&g->base, &g->origin, o->save_base))
        status = 1;
    bool saved = document_save(d, b->output, b->format);
    journal_close(journal, saved);
    document_free(d);
    return saved ? status : 1;
}

int main(int argc, char **argv)
{
    static struct options o = {.bench.sizes = full_sizes, .comp = full_comp};
    static struct grid grid;
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = RUNS;
    o.bench.plan.stop = STOP_FIXED;
    o.bench.plan.warmup = 3;
    bench_start(&o.bench, &argc, &argv, thread_level(argc, argv), &argp);
    fill_choice(&o);

    struct document *d = bench_document(&o.bench, "collbench-overlap/1");
    struct binding *binding = binding_new(o.bench.comm);
    set_axes(&o, binding, &grid);
    set_origin(&o.bench, &grid.origin);
    struct journal *journal = open_journal(&o, &grid);
    struct overlap_stage stage = {.comm = o.bench.comm,
                                  .runs = o.bench.plan.repetitions,
                                  .budget = o.bench.plan.budget,
                                  .largest = o.bench.sizes.max,
                                  .comm_from_base = o.comm_from_base,
                                  .bind = binding_of_thread,
                                  .bind_arg = binding};
    if (!overlap_open(&stage))
        bench_refuse(&o.bench, "no memory for messages of %zu bytes: choose smaller --sizes",
                     stage.largest);
    tell_binding(&o.bench, binding, d);
    calibrate(&o, &grid, d);
    get_base(&o, &stage, &grid, journal);
    measure_all(&o, &stage, &grid, journal);
    int status = d ? finish(&o, &grid, d, journal) : 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    overlap_close(&stage);
    grid_free(&grid);
    binding_free(binding);
    bench_finish(&o.bench, NULL, status);
}
