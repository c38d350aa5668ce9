/* collbench-overlap: the overlap benchmarks of Denis and Trahay ("the paper"), and some more. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/stats.h"
#include "bench.h"
#include "measure/overlap/overlap.h"

#include <math.h>
#include <string.h>
#include <sys/sysinfo.h>

/* Seconds at most to measure one kind of communication alone (overlap_base_kind) at one size. */
#define BASE_SECONDS 0.2

struct overlap_options {
    struct bench bench;
    struct option_chosen benchmarks; /* of overlap_benchmarks[] */
    bool published;
    struct option_range comp; /* microseconds */
    double step;              /* ratio of neighbouring sizes, computation times, thread counts */
};

OPTION_NAMES(benchmark_name, n_overlap_benchmarks, overlap_benchmarks[i].name)

static bool belongs_to_all(size_t i, const void *values)
{
    const struct bench *b = values;
    const struct overlap_benchmark *o = &overlap_benchmarks[i];
    return overlap_fits(o, b->size) && !(o->by_threads && clock_source == CLOCK_SOURCE_EXTERNAL);
}

static const struct option_registry benchmarks = {"benchmark", benchmark_name,
                                                  .in_all = belongs_to_all};

#define AT(member) offsetof(struct overlap_options, member)
static const struct option_entry option_list[] = {
    {"benchmark", "LIST", "all that this number of ranks can run (default), or some of %s",
     option_take_list, AT(benchmarks), &benchmarks},
    {"comp", "MIN:MAX", "computation in microseconds", option_take_range, AT(comp), &bench_times},
    {"step", "RATIO", "ratio of consecutive sizes, times and numbers of threads", option_take_real,
     AT(step), OPTION_LIMITS(1.05, 1024, "a ratio from 1.05, as 2"), .flags = OPTION_RARE},
    {"published", NULL,
     "maps and verdicts use the ratio as Denis and Trahay define it, with T_comm of the base round",
     option_take_flag, AT(published)},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    struct overlap_options *o = values;
    if (o->benchmarks.n == 0)
        option_choose(parser, &benchmarks, "all", &o->benchmarks);
    for (size_t i = 0; i < o->benchmarks.n; i++) {
        const struct overlap_benchmark *b = &overlap_benchmarks[o->benchmarks.at[i]];
        if (!overlap_fits(b, o->bench.size))
            return option_refuse(parser, "%s needs %s, not %d: use: mpiexec -n %d", b->name,
                                 b->to_many ? "3 ranks or more" : "2 ranks", o->bench.size,
                                 b->to_many ? 3 : 2);
        if (b->by_threads && clock_source == CLOCK_SOURCE_EXTERNAL)
            return option_refuse(parser, "%s needs threads, which a simulation does not have",
                                 b->name);
    }
    if (o->benchmarks.n == 0)
        return option_refuse(parser, "overlap needs 2 ranks, not 1: use: mpiexec -n 2");
    if (o->bench.sizes.min == 0)
        return option_refuse(parser,
                             "--sizes: 0 bytes have nothing to overlap: expected 1 or more");
    return 0;
}

static const struct option_program program = {
    "Measures how much of a communication is overlapped with computation, over a grid of message "
    "sizes and computation times.",
    .options = option_list, .check = check};

/* --- the grid, and its document --- */

enum { AXIS_MAX = 128, PARTS_MAX = 32 };

struct grid_axis {
    size_t n;
    double at[AXIS_MAX];
};

/* One benchmark's measurements, drawn as a heat map: a cell for each size and each value of Y. */
struct grid_part {
    const struct overlap_benchmark *benchmark;
    const struct grid_axis *y; /* computation times, or numbers of computing threads */
    struct overlap_cell *cell; /* a row for every value of Y, with a cell for every size */
};

struct overlap_grid {
    const struct overlap_options *o;
    struct overlap_stage stage;
    struct grid_axis size, comp, threads; /* bytes; computation in us; number of threads */
    struct work work[AXIS_MAX];           /* for each value of COMP: work that takes so long */
    struct overlap_base base[AXIS_MAX];   /* for each size: times of communication alone */
    size_t n_parts;
    struct grid_part part[PARTS_MAX];
    struct table *cells, *line; /* tables "cells" and "t_comm" on rank 0; NULL on others */
};

static struct overlap_cell *cell_at(const struct overlap_grid *g, const struct grid_part *p,
                                    size_t ix, size_t iy)
{
    return &p->cell[iy * g->size.n + ix];
}

static double ratio_shown(const struct overlap_grid *g, const struct grid_part *p,
                          const struct overlap_cell *c)
{
    return g->o->published && !p->benchmark->by_threads ? c->published_ratio : c->ratio;
}

/* The summary has the smallest and the largest quarter of the message sizes. */
enum messages { SMALL, LARGE };

/* Median of P's overlap ratios (small error only) for WHICH messages; NaN if there are none or P is
 * NULL. BRIEF: only for the shortest quarter of the computations. Otherwise cells whose T_comm and
 * T_comp differ by a factor above 8 are excluded, since the ratio divides by the shorter time. */
static double ratio_of(const struct overlap_grid *g, const struct grid_part *p, enum messages which,
                       bool brief)
{
    enum { TIMES = 8 };
    const size_t quarter = g->size.n / 4, from = which == LARGE ? g->size.n - 1 - quarter : 0;
    FREED double *x = p ? memory_alloc(g->size.n * p->y->n * sizeof *x) : NULL;
    size_t n = 0;
    for (size_t i = from; p && i <= from + quarter; i++)
        for (size_t j = 0; j < (brief ? p->y->n / 4 + 1 : p->y->n); j++) {
            const struct overlap_cell *c = cell_at(g, p, i, j);
            bool near = c->t_comp <= TIMES * c->t_comm && c->t_comm <= TIMES * c->t_comp;
            const double ratio = ratio_shown(g, p, c);
            if (overlap_certain(c) && isfinite(ratio) &&
                (near || brief || p->benchmark->by_threads))
                x[n++] = ratio;
        }
    return n ? stats_median(x, n) : NAN;
}

/* Whether communication and computation overlap: RATIO is 0 with full overlap, 1 without any. */
static bool overlaps(double ratio)
{
    return ratio < 0.5;
}

static const struct column base_columns[] = {
    {"size", "B", COLUMN_INTEGER, .meaning = "bytes of data"},
    {"contiguous", "us", COLUMN_REAL, 3, "half a ping-pong"},
    {"non_contiguous", "us", COLUMN_REAL, 3, "half a ping-pong of 32-byte blocks at stride 64"},
    {"sending", "us", COLUMN_REAL, 3, "duration of a blocking send call"},
};

static const struct column summary_columns[] = {
    {"benchmark", NULL, COLUMN_TEXT},
    {"cells", NULL, COLUMN_COUNT, .meaning = "measured combinations of size and computation"},
    {"certain", NULL, COLUMN_COUNT, .meaning = "cells whose ratio has an error of at most 0.5"},
    {"small", NULL, COLUMN_REAL, 2, "median ratio of the smallest quarter of the sizes"},
    {"large", NULL, COLUMN_REAL, 2, "median ratio of the largest quarter of the sizes"},
};

#define CELL(name, unit, kind, decimals, meaning)                                                  \
    {                                                                                              \
        name, unit, COLUMN_##kind, decimals, meaning, .flags = COLUMN_DATA_ONLY                    \
    }
static const struct column cell_columns[] = {
    CELL("benchmark", NULL, TEXT, 0, NULL),
    CELL("size", "B", INTEGER, 0, "bytes of data"),
    CELL("comp", "us", REAL, 0, "computation, as requested"),
    CELL("threads", NULL, INTEGER, 0, "number of computing threads"),
    CELL("t_comm", "us", REAL, 3, "median time of communication alone, measured before each run"),
    CELL("t_comp", "us", REAL, 3, "median time of computation alone, measured before each run"),
    CELL("t_measured", "us", REAL, 3, "median time of communication with computation"),
    CELL("ratio", NULL, REAL, 3, "0: overlapped, 1: serialised; load: t_measured / t_comm"),
    CELL("error", NULL, REAL, 3, "half of the ratio's 95 % interval"),
    CELL("runs", NULL, INTEGER, 0, NULL),
    CELL("published", "us", REAL, 3, "T_measured as Denis and Trahay define it"),
    CELL("published_ratio", NULL, REAL, 3, "ratio from \"published\" and the base round's T_comm"),
    CELL("shown", NULL, REAL, 3, "the ratio that the map shows"),
    CELL("axis", NULL, TEXT, 0, "comp or threads: the vertical axis of the map"),
};

/* The map's line where computation takes as long as communication alone (T_comm), by size. */
static const struct column line_columns[] = {
    CELL("benchmark", NULL, TEXT, 0, NULL),
    CELL("size", "B", INTEGER, 0, NULL),
    CELL("comp", "us", REAL, 3, NULL),
    CELL("label", NULL, TEXT, 0, NULL),
};

static void add_base(const struct overlap_grid *g, struct document *d)
{
    struct table *t = document_table_of(d, "base", "Base round: communication alone", base_columns);
    for (size_t i = 0; i < g->size.n; i++) {
        table_integer(t, (long long)g->size.at[i]);
        for (int k = 0; k < N_BASES; k++)
            table_real(t, 1e6 * g->base[i].time[k]);
    }
}

static void add_summary(const struct overlap_grid *g, struct document *d)
{
    struct table *t = document_find_table(d, "summary");
    for (const struct grid_part *p = g->part; p < g->part + g->n_parts; p++) {
        long long measured = 0, certain = 0;
        for (size_t i = 0; i < g->size.n * p->y->n; i++) {
            measured += p->cell[i].runs > 0;
            certain += overlap_certain(&p->cell[i]);
        }
        table_text(t, p->benchmark->name);
        table_reals(t, (double)measured, (double)certain, ratio_of(g, p, SMALL, false),
                    ratio_of(g, p, LARGE, false));
    }
}

static void add_cell(const struct overlap_grid *g, const struct grid_part *p, size_t ix, size_t iy)
{
    const struct overlap_cell *c = cell_at(g, p, ix, iy);
    bool threads = p->benchmark->by_threads;
    struct table *t = g->cells;
    table_text(t, p->benchmark->name);
    table_reals(t, g->size.at[ix], threads ? NAN : p->y->at[iy], threads ? p->y->at[iy] : NAN,
                1e6 * c->t_comm, 1e6 * c->t_comp, 1e6 * c->t_measured, c->ratio, c->error, c->runs,
                1e6 * c->published, c->published_ratio,
                overlap_certain(c) ? ratio_shown(g, p, c) : NAN);
    table_text(t, threads ? "threads" : "comp");
    if (!isfinite(c->ratio))
        table_remark(t, FINDING("comp_too_short", NOTE),
                     isfinite(c->t_comm) ? "the computation ends before the message starts"
                                         : "CPU contention while the latency was measured");
    if (threads || iy != p->y->n / 2)
        return;
    table_text(g->line, p->benchmark->name);
    table_reals(g->line, g->size.at[ix], 1e6 * c->t_comm);
    table_text(g->line, "T_comm");
}

static void add_pictures(const struct overlap_grid *g, struct document *d)
{
    struct picture map = {.kind = PICTURE_HEAT,
                          .title = "Overlap of communication and computation",
                          .table = "cells",
                          .x = "size",
                          .y = "comp",
                          .value = "shown",
                          .x_label = "message size (B)",
                          .y_label = "computation (us)",
                          .value_label = "overhead ratio",
                          .panel = "benchmark",
                          .where = {{"axis", "comp"}},
                          .x_log = true,
                          .y_log = true,
                          .value_high = 2,
                          .palette = PALETTE_OVERLAP,
                          .lines = "t_comm"};
    size_t loads = 0;
    for (size_t i = 0; i < g->n_parts; i++)
        loads += g->part[i].benchmark->by_threads;
    if (loads < g->n_parts)
        document_picture(d, &map);
    if (loads > 0) {
        map.name = loads < g->n_parts ? "load" : NULL;
        map.title = "Slowdown of communication by computing threads";
        map.where[0].is = map.y = "threads";
        map.y_label = "computing threads";
        map.value_label = "T_measured / T_comm";
        map.y_log = false;
        map.value_log = true;
        map.value_low = 1;
        map.value_high = 1000; /* waiting for a time slice, a transfer takes ms, not us */
        map.lines = NULL;
        document_picture(d, &map);
    }
}

static const struct grid_part *find_part(const struct overlap_grid *g, const char *name)
{
    for (size_t i = 0; i < g->n_parts; i++)
        if (strcmp(g->part[i].benchmark->name, name) == 0)
            return &g->part[i];
    return NULL;
}

static const char *which_side(double sender, double receiver)
{
    if (overlaps(sender))
        return overlaps(receiver) ? "on both sides" : "on the sender's side only";
    return overlaps(receiver) ? "on the receiver's side only" : "on neither side";
}

/* Classifies the MPI library as Denis and Trahay do in section V-A. */
static const char *behaviour(const struct overlap_grid *g, const double sender[2],
                             const double receiver[2])
{
    if (overlaps(sender[LARGE]) && overlaps(receiver[LARGE]))
        return "typical of libraries with a progress thread";
    if (overlaps(sender[LARGE]))
        return "typical of libraries without threads that leave the transfer to the network card";
    if (overlaps(receiver[LARGE]))
        return "none of the classes of Denis and Trahay";
    if (overlaps(ratio_of(g, find_part(g, "sender"), LARGE, true)) ||
        overlaps(ratio_of(g, find_part(g, "receiver"), LARGE, true)))
        return "large ones overlap with short computations only, as on TCP: such a computation "
               "ends before the rendezvous is answered";
    return overlaps(sender[SMALL]) || overlaps(receiver[SMALL])
               ? "typical of libraries that answer a rendezvous only inside of MPI calls"
               : "typical of libraries on shared memory, where a processor has to copy";
}

static void add_behaviour(const struct overlap_grid *g, struct document *d)
{
    const struct grid_part *part[] = {find_part(g, "sender"), find_part(g, "receiver")};
    double s[2] = {ratio_of(g, part[0], SMALL, false), ratio_of(g, part[0], LARGE, false)};
    double r[2] = {ratio_of(g, part[1], SMALL, false), ratio_of(g, part[1], LARGE, false)};
    if (!isfinite(s[SMALL] + s[LARGE] + r[SMALL] + r[LARGE]))
        return;
    const char *small = which_side(s[SMALL], r[SMALL]), *large = which_side(s[LARGE], r[LARGE]);
    const struct finding f = {.key = "overlap_behaviour",
                              .severity = SEVERITY_FINDING,
                              .number = {{"sender_small", s[SMALL]},
                                         {"sender_large", s[LARGE]},
                                         {"receiver_small", r[SMALL]},
                                         {"receiver_large", r[LARGE]}}};
    document_finding(d, &f, "Small messages overlap %s, large messages %s: %s.", small, large,
                     behaviour(g, s, r));
}

/* Adds facts, the table of communication alone (base round), and other tables, empty so far. */
static void begin_results(struct overlap_grid *g, struct document *d)
{
    document_fact(d, "latency", "%.3f us, 0 bytes, one way", 1e6 * g->stage.latency[1]);
    document_fact(d, "ratio",
                  "(measured - max(comm, comp)) / min(comm, comp): 0 overlapped, 1 serialised, "
                  "above 1 slower than serial%s",
                  g->o->published ? "; T_measured and T_comm as Denis and Trahay define them" : "");
    document_table_of(d, "summary", "What overlaps: median ratios", summary_columns);
    add_base(g, d);
    g->cells = document_table_of(d, "cells", NULL, cell_columns);
    g->line = document_table_of(d, "t_comm", NULL, line_columns);
}

/* --- measuring --- */

/* An axis with values from MIN to MAX, each STEP times the previous one, rounded. */
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

static void make_grid(struct overlap_grid *g)
{
    const struct overlap_options *o = g->o;
    int units = get_nprocs(); /* after the reduction: of the host with the fewest processors */
    MPI_Allreduce(MPI_IN_PLACE, &units, 1, MPI_INT, MPI_MIN, o->bench.comm);
    g->size = new_axis((double)o->bench.sizes.min, (double)o->bench.sizes.max, o->step);
    g->comp = new_axis((double)o->comp.min, (double)o->comp.max, o->step);
    g->threads = new_axis(1, units, o->step);
    memmove(g->threads.at + 1, g->threads.at, g->threads.n++ * sizeof *g->threads.at);
    g->threads.at[0] = 0; /* no computing thread: the reference time */
    for (size_t i = 0; i < o->benchmarks.n; i++) {
        struct grid_part *p = &g->part[g->n_parts++];
        p->benchmark = &overlap_benchmarks[o->benchmarks.at[i]];
        p->y = p->benchmark->by_threads ? &g->threads : &g->comp;
        p->cell = memory_alloc(g->size.n * p->y->n * sizeof *p->cell);
    }
}

/* Collective: finds work that takes each computation time; reports its error in rank 0's D. */
static void calibrate(struct overlap_grid *g, struct document *d)
{
    double worst = 0, all;
    for (size_t i = 0; i < g->comp.n; i++) {
        g->work[i] = work_calibrate(1e-6 * g->comp.at[i]);
        worst = fmax(worst, fabs(1e6 * g->work[i].achieved / g->comp.at[i] - 1));
    }
    MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, g->o->bench.comm);
    if (d)
        document_fact(d, "computation", "fixed work, calibrated within %.2f %% on every rank%s",
                      100 * all, all > 0.01 ? ": the machine is noisy" : "");
}

static void measure_base(void *arg, const size_t *at)
{
    struct overlap_grid *g = arg;
    g->base[*at] = overlap_base_measure(&g->stage, (size_t)g->size.at[*at]);
}

/* Axes of the sweep. Y varies slowest: so an interrupted run has all benchmarks and sizes. */
enum { Y, PART, SIZE, LENGTHS };

static void measure_cell(void *arg, const size_t *at)
{
    struct overlap_grid *g = arg;
    const struct grid_part *p = &g->part[at[PART]];
    bool threads = p->benchmark->by_threads;
    size_t ix = at[SIZE], iy = at[Y];
    if (iy >= p->y->n)
        return;
    if (!overlap_measure(p->benchmark, &g->stage, &g->base[ix], threads ? NULL : &g->work[iy],
                         threads ? (int)p->y->at[iy] : 0, cell_at(g, p, ix, iy)))
        bench_refuse(&g->o->bench, "%s cannot run: not enough memory, or no thread can be started",
                     p->benchmark->name);
    if (g->cells)
        add_cell(g, p, ix, iy);
}

int main(int argc, char **argv)
{
    static struct overlap_options o = {
        .bench = {.sizes = {256, 4 << 20, 0}, .without = "ranks warmup stop"},
        .comp = {2, 512, 0},
        .step = 2};
    static struct overlap_grid g = {.o = &o};
    struct bench *b = &o.bench;
    b->plan = plan_default();
    b->plan.repetitions = 10;
    b->plan.budget = 0.05;
    bench_begin(b, &argc, &argv, &program);
    make_grid(&g);

    struct document *d = bench_document(b, "collbench-overlap/2");
    g.stage = (struct overlap_stage){.comm = b->comm,
                                     .largest = b->sizes.max,
                                     .runs = b->plan.repetitions,
                                     .budget = BASE_SECONDS};
    if (!overlap_open(&g.stage))
        bench_refuse(b, "no memory for messages of %zu bytes: choose smaller --sizes",
                     g.stage.largest);
    calibrate(&g, d);
    overlap_base_measure(&g.stage, b->sizes.min); /* not used: makes MPI open its connections */
    bench_sweep(b, &g.size.n, 1, measure_base, &g);
    if (d)
        begin_results(&g, d);
    const size_t most = g.comp.n > g.threads.n ? g.comp.n : g.threads.n,
                 length[LENGTHS] = {most, g.n_parts, g.size.n};
    g.stage.budget = b->plan.budget;
    bench_sweep(b, length, LENGTHS, measure_cell, &g);
    if (d) {
        add_behaviour(&g, d);
        add_summary(&g, d);
        add_pictures(&g, d);
    }
    overlap_close(&g.stage);
    for (size_t i = 0; i < g.n_parts; i++)
        free(g.part[i].cell);
    bench_finish(b, d, 0);
}
