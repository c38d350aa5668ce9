/* Does communication overlap with computation? Benchmarks of Denis and Trahay, and some more. */
#include "base/clock.h"
#include "base/topology.h"
#include "bench.h"
#include "overlap_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASE_SECONDS 0.2 /* limit for measuring one kind of T_comm (a base round) at one size */

struct overlap_options {
    struct bench bench;
    struct option_chosen benchmarks; /* of overlap_benchmarks[] */
    bool published;
    struct option_range comp; /* microseconds */
    double step;              /* ratio of neighbouring values on an axis */
};

OPTION_TEXT(benchmark_name, n_overlap_benchmarks, overlap_benchmarks[i].name)
OPTION_TEXT(benchmark_summary, n_overlap_benchmarks, overlap_benchmarks[i].summary)

static bool belongs_to_all(size_t i, const void *values)
{
    const struct bench *b = values;
    const struct overlap_benchmark *o = &overlap_benchmarks[i];
    return b->size >= o->least_ranks && (!o->most_ranks || b->size <= o->most_ranks) &&
           !(o->by_threads && clock_source == CLOCK_SOURCE_EXTERNAL);
}

static const struct option_registry benchmarks = {"benchmark", benchmark_name, benchmark_summary,
                                                  belongs_to_all};

#define AT(member) offsetof(struct overlap_options, member)
static const struct option_entry option_list[] = {
    {"benchmark", 0, "LIST",
     "all: every benchmark for this number of ranks; or names from those below", 1,
     option_take_list, AT(benchmarks), &benchmarks},
    {"comp", 0, "MIN:MAX", "computation in microseconds", 2, option_take_range, AT(comp),
     &bench_times},
    {"step", 0, "RATIO", "ratio of neighbouring values on an axis", 2 | OPTION_RARE,
     option_take_real, AT(step),
     &(const struct option_limits){1.05, 1024, "a ratio from 1.05, as 2"}},
    {"published", 0, NULL,
     "maps and verdicts use the ratio exactly as the paper defines it, with T_comm of the base "
     "round",
     2, option_take_flag, AT(published), NULL},
    {0}};

static const struct option_program program = {
    "Measures how much of a communication is overlapped with computation, over a grid of message "
    "sizes and computation times.",
    .options = option_list, .listed = (const struct option_registry *const[]){&benchmarks, NULL}};

/* For computing threads, which do not call MPI; the simulator has none. */
#ifdef COLLPROF_SIMULATED
enum { THREAD_LEVEL = MPI_THREAD_SINGLE };
#else
enum { THREAD_LEVEL = MPI_THREAD_FUNNELED };
#endif

static void check_ranks(const struct overlap_options *o, const struct overlap_benchmark *b)
{
    int ranks = o->bench.size, least = b->least_ranks, most = b->most_ranks;
    if (ranks < least || (most && ranks > most))
        bench_refuse(&o->bench, "%s needs %d ranks%s, %d run: start it by mpiexec -n %d", b->name,
                     least, most ? "" : " or more", ranks, least);
    if (b->by_threads && clock_source == CLOCK_SOURCE_EXTERNAL)
        bench_refuse(&o->bench, "%s needs threads, which a simulation does not have", b->name);
}

static void choose(struct overlap_options *o)
{
    if (o->benchmarks.all || o->benchmarks.n == 0)
        check_ranks(o, overlap_find("sender"));
    if (o->benchmarks.n == 0)
        option_choose_all(&benchmarks, o, &o->benchmarks);
    for (size_t i = 0; i < o->benchmarks.n; i++)
        check_ranks(o, &overlap_benchmarks[o->benchmarks.at[i]]);
    if (o->bench.sizes.min == 0)
        bench_refuse(&o->bench, "impossible sizes: 0 bytes have nothing to overlap: at least 1");
}

/* Values from MIN to MAX, each STEP times the previous one, rounded; MAX is the last. */
static struct grid_axis new_axis(double min, double max, double step)
{
    struct grid_axis axis = {0};
    for (int k = 0; axis.n + 1 < AXIS_MAX; k++) {
        double v = round(min * pow(step, k));
        if (v >= max)
            break;
        if (axis.n == 0 || v > axis.at[axis.n - 1])
            axis.at[axis.n++] = v;
    }
    axis.at[axis.n++] = max;
    return axis;
}

/* Processors of the host with the fewest, as reported by hwloc. */
static int processing_units(MPI_Comm comm)
{
    struct place here = {.machine_processors = 0};
    if (clock_source != CLOCK_SOURCE_EXTERNAL)
        place_here(&here);
    int units = here.machine_processors > 0 ? here.machine_processors : 1;
    MPI_Allreduce(MPI_IN_PLACE, &units, 1, MPI_INT, MPI_MIN, comm);
    return units;
}

static void make_grid(const struct overlap_options *o, struct overlap_grid *g)
{
    int units = processing_units(o->bench.comm);
    g->published = o->published;
    g->size = new_axis((double)o->bench.sizes.min, (double)o->bench.sizes.max, o->step);
    g->comp = new_axis((double)o->comp.min, (double)o->comp.max, o->step);
    /* with few units every number of threads; always 0 threads for comparison */
    g->threads = new_axis(1, units, units <= 16 ? 1.0 + 1.0 / 16 : M_SQRT2);
    memmove(g->threads.at + 1, g->threads.at, g->threads.n++ * sizeof *g->threads.at);
    g->threads.at[0] = 0;
    for (size_t i = 0; i < o->benchmarks.n; i++) {
        struct grid_part *p = &g->part[g->n_parts++];
        p->benchmark = &overlap_benchmarks[o->benchmarks.at[i]];
        p->y = p->benchmark->by_threads ? &g->threads : &g->comp;
        p->cell = calloc(g->size.n * p->y->n, sizeof *p->cell);
        if (!p->cell)
            MPI_Abort(o->bench.comm, 1);
    }
}

/* Called on all ranks; D is used on rank 0. */
static void calibrate(const struct overlap_options *o, const struct grid_axis *comp,
                      struct work *work, struct document *d)
{
    double worst = 0, all;
    for (size_t i = 0; i < comp->n; i++) {
        work[i] = work_calibrate(1e-6 * comp->at[i], 0.01);
        worst = fmax(worst, fabs(work[i].achieved / work[i].wanted - 1));
    }
    MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, o->bench.comm);
    if (d)
        document_fact(d, "computation", "fixed work, calibrated within %.2f %% on every rank%s",
                      100 * all, all > 0.01 ? ": the machine is noisy" : "");
}

struct overlap_session {
    const struct overlap_options *o;
    struct overlap_stage stage;
    struct overlap_grid grid;
    struct work work[AXIS_MAX]; /* by grid.comp */
};

static const char *measure_base(void *arg, const size_t *at)
{
    struct overlap_session *w = arg;
    w->grid.base[*at] = overlap_base_measure(&w->stage, (size_t)w->grid.size.at[*at]);
    return "base round";
}

/* Axes of the cells. A run that is interrupted has covered all benchmarks and sizes. */
enum { Y, PART, SIZE, LENGTHS };

static const char *measure_cell(void *arg, const size_t *at)
{
    struct overlap_session *w = arg;
    struct overlap_grid *g = &w->grid;
    const struct grid_part *p = &g->part[at[PART]];
    bool threads = p->benchmark->by_threads;
    size_t ix = at[SIZE], iy = at[Y];
    if (iy >= p->y->n)
        return NULL;
    if (!overlap_measure(p->benchmark, &w->stage, &g->base[ix], threads ? NULL : &w->work[iy],
                         threads ? (int)p->y->at[iy] : 0, overlap_cell_at(g, p, ix, iy)))
        bench_refuse(&w->o->bench, "%s cannot run here: too little memory, or no threads",
                     p->benchmark->name);
    if (g->cells)
        overlap_results_add(g, p, ix, iy);
    return "cells";
}

static void measure_all(struct overlap_session *w)
{
    const struct overlap_grid *g = &w->grid;
    const size_t most = g->comp.n > g->threads.n ? g->comp.n : g->threads.n,
                 length[LENGTHS] = {most, g->n_parts, g->size.n};
    w->stage.budget = w->o->bench.plan.budget;
    bench_sweep(&w->o->bench, length, LENGTHS, measure_cell, w);
}

int main(int argc, char **argv)
{
    static struct overlap_options o = {
        .bench = {.sizes = {256, 4 << 20, 0}, .without = "ranks warmup stop"},
        .comp = {2, 512, 0},
        .step = 2};
    static struct overlap_session w = {.o = &o};
    struct overlap_stage *stage = &w.stage;
    struct overlap_grid *grid = &w.grid;
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 10;
    o.bench.plan.budget = 0.05;
    bench_begin(&o.bench, &argc, &argv, THREAD_LEVEL, &program);
    choose(&o);
    make_grid(&o, grid);

    struct document *d = bench_document(&o.bench, "collbench-overlap/2");
    *stage = (struct overlap_stage){.comm = o.bench.comm,
                                    .largest = o.bench.sizes.max,
                                    .runs = o.bench.plan.repetitions,
                                    .budget = BASE_SECONDS};
    if (!overlap_open(stage))
        bench_refuse(&o.bench, "no memory for messages of %zu bytes: choose smaller --sizes",
                     stage->largest);
    grid->latency = stage->rank == 0 ? stage->latency[1] : 0;
    calibrate(&o, &grid->comp, w.work, d);
    overlap_base_measure(stage, o.bench.sizes.min); /* opens connections, and warms up */
    bench_sweep(&o.bench, &grid->size.n, 1, measure_base, &w);
    if (d)
        overlap_results_begin(grid, d);
    bench_keep(&o.bench, d);
    measure_all(&w);
    if (d)
        overlap_results_end(grid, d);
    overlap_close(stage);
    for (size_t i = 0; i < grid->n_parts; i++)
        free(grid->part[i].cell);
    bench_finish(&o.bench, d, 0);
}
