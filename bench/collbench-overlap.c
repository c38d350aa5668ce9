/* Does communication overlap with computation? The benchmarks of Denis and Trahay, and those
 * that they left out. */
#include "base/clock.h"
#include "base/format.h"
#include "bench.h"
#include "overlap_binding.h"
#include "overlap_grid.h"
#include "overlap_journal.h"
#include "overlap_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BASE_SECONDS 1.0 /* at most, for one point of one kind of the base round */
#define QUICK_BASE_SECONDS 0.2
#define QUICK_SECONDS 36.0 /* for all cells; the base round and pictures take their time too */

static void set_axes(const struct options *o, const struct binding *binding, struct grid *g)
{
    const struct bench *b = &o->bench;
    int units = binding_machine(binding), least = 0;
    g->nx = grid_axis((double)b->sizes.min, (double)b->sizes.max, o->step, g->size);
    g->n_comp = grid_axis((double)o->comp.min, (double)o->comp.max, o->step, g->comp);
    MPI_Allreduce(&units, &least, 1, MPI_INT, MPI_MIN, b->comm);
    /* None, to compare with; then all numbers of threads while they are few. */
    g->threads[0] = 0;
    g->n_threads = 1 + grid_axis(1, least, least <= 16 ? 1.0 + 1.0 / 16 : M_SQRT2, g->threads + 1);
    for (size_t i = 0; i < o->benchmarks.n; i++)
        if (!grid_add(g, overlap_chosen(o, i)))
            MPI_Abort(b->comm, 1);
}

/* On all ranks; rank 0 tells how well it went, over all. */
static void calibrate(const struct options *o, struct grid *g, struct document *d)
{
    double worst = 0, all;
    int team = o->openmp ? overlap_team() : 1;
    if (bench_worst(o->bench.comm,
                    team == 0 || (o->openmp && clock_source == CLOCK_SOURCE_EXTERNAL)))
        bench_refuse(&o->bench, "--work=openmp: there are no OpenMP threads here");
    for (size_t i = 0; i < g->n_comp; i++) {
        g->work[i] = work_calibrate(1e-6 * g->comp[i], 0.01);
        worst = fmax(worst, fabs(g->work[i].achieved / g->work[i].wanted - 1));
    }
    MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, o->bench.comm);
    if (d)
        document_fact(d, "computation", "fixed work, calibrated within %.2f %% on every rank%s%s",
                      100 * all, all > 0.01 ? ": this machine is not quiet" : "",
                      o->openmp ? ", for each thread of an OpenMP team, fork and join with it"
                                : "");
    if (d && o->openmp)
        document_fact(d, "team", "%d threads, as rank 0's OMP_NUM_THREADS has it", team);
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

/* Threads that wait by looking do so at the cost of the one that they wait for. */
static void warn_of_threads(const struct options *o, const struct binding *binding)
{
    bool chosen = false;
    int processors = binding_processors(binding), fewest = 0;
    for (size_t i = 0; i < o->benchmarks.n; i++)
        chosen = chosen || overlap_chosen(o, i)->thread_level == MPI_THREAD_MULTIPLE;
    MPI_Reduce(&processors, &fewest, 1, MPI_INT, MPI_MIN, 0, o->bench.comm);
    if (o->bench.rank == 0 && chosen && fewest < 2 * o->bench.size)
        reason_say(o->bench.program,
                   "multiple has 2 busy threads per rank, and a rank may use %d processors: "
                   "where ranks share these, no run is undisturbed and nothing can be said",
                   fewest);
}

/* Computing threads need processors that no thread communicates on. */
static void check_binding(const struct options *o, const struct binding *binding)
{
    int left = binding_for_threads(binding), fewest = 0;
    MPI_Allreduce(&left, &fewest, 1, MPI_INT, MPI_MIN, o->bench.comm);
    if (fewest == 0)
        bench_refuse(&o->bench,
                     "--bind=apart: every core of a rank communicates: start fewer ranks "
                     "on a host, or --bind=over or none");
}

/* Everything that makes figures of one run unfit for another. */
static void make_key(const struct options *o, const struct grid *g, char *key, size_t size)
{
    const struct bench *b = &o->bench;
    int level;
    MPI_Query_thread(&level);
    snprintf(key, size,
             "%s, %s, sizes %zu:%zu, comp %zu:%zu, step %g, %d runs, threads %d, level %d, comm "
             "%d, bind %d, openmp %d",
             g->origin.mpi, g->origin.hosts, b->sizes.min, b->sizes.max, o->comp.min, o->comp.max,
             o->step, b->plan.repetitions, (int)g->n_threads, level, o->comm_from_base, o->bind,
             o->openmp);
}

/* Loaded, resumed or measured: rank 0 has it in the end, and all know whether to measure. */
static void get_base(const struct options *o, struct overlap_stage *stage, struct grid *g,
                     struct journal *journal)
{
    int have = g->base.n > 0, bad = 0;
    if (stage->rank == 0 && o->base && !have) {
        char why[1000];
        bad = !base_round_load(o->base, &g->base, &g->origin, why, sizeof why);
        if (bad)
            reason_say(o->bench.program, "%s", why);
        have = !bad;
    }
    MPI_Bcast(&have, 1, MPI_INT, 0, stage->comm);
    MPI_Bcast(&bad, 1, MPI_INT, 0, stage->comm);
    if (bad)
        bench_refuse(&o->bench, "--base=%s: not a base round", o->base);
    if (have)
        return;
    stage->budget = o->quick ? QUICK_BASE_SECONDS : BASE_SECONDS;
    bench_progress(&o->bench, 0, g->nx, "base round");
    overlap_base_point(stage, (size_t)g->size[0]); /* connects, and warms up */
    g->base.latency = overlap_base_latency(stage, &g->base.latency_error);
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
    return grid_measured(grid_cell(g, p, ix, iy));
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
        reason_say(o->bench.program, "this takes about %.0f minutes%s", ceil(pace.total / 60),
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

/* The N-th size to measure: every fourth first, then those between. A run that is cut short has
 * seen small and large messages alike. */
static size_t scattered(size_t n, size_t nx)
{
    static const size_t from[] = {0, 2, 1, 3};
    for (size_t pass = 0; pass < 4; pass++) {
        size_t in_pass = nx > from[pass] ? (nx - from[pass] + 3) / 4 : 0;
        if (n < in_pass)
            return from[pass] + 4 * n;
        n -= in_pass;
    }
    return 0;
}

/* What a quick run leaves uncertain gets the rest of its time: more runs, of which the better
 * figure is kept. */
static void measure_again(const struct options *o, struct overlap_stage *stage, struct grid *g,
                          struct grid_part *p, size_t ix, size_t iy, double seconds)
{
    struct overlap_cell again, *cell = grid_cell(g, p, ix, iy);
    stage->budget = seconds;
    if (!overlap_measure(p->benchmark, stage, (size_t)g->size[ix], &g->work[iy], 0, &g->base,
                         &again))
        bench_refuse(&o->bench, "%s cannot run here: too little memory", p->benchmark->name);
    if (stage->rank == 0 && again.runs > 0 && !(again.error > cell->error))
        *cell = again;
}

static void use_rest(const struct options *o, struct overlap_stage *stage, struct grid *g,
                     double until)
{
    enum { MORE = 4 };
    size_t cells = 0;
    for (size_t k = 0; k < g->n_parts; k++)
        for (size_t i = 0; i < g->nx; i++)
            for (size_t j = 0; j < g->part[k].ny; j++)
                cells += !grid_certain(grid_cell(g, &g->part[k], i, j));
    stage->runs *= MORE;
    for (size_t k = 0; k < g->n_parts; k++)
        for (size_t n = 0; n < g->nx && !g->part[k].benchmark->by_threads; n++)
            for (size_t j = 0; j < g->part[k].ny; j++) {
                size_t i = scattered(n, g->nx);
                double share = (until - clock_now()) / (double)(cells > 0 ? cells : 1);
                int again = !grid_certain(grid_cell(g, &g->part[k], i, j)) && share > 0;
                MPI_Bcast(&again, 1, MPI_INT, 0, stage->comm);
                if (again)
                    measure_again(o, stage, g, &g->part[k], i, j, share);
                cells -= (size_t)again;
            }
    stage->runs /= MORE;
}

static void measure_all(const struct options *o, struct overlap_stage *stage, struct grid *g,
                        struct journal *journal)
{
    struct pace pace = plan_pace(o, stage, g);
    bench_progress(&o->bench, 0, 100, "percent");
    for (size_t k = 0; k < g->n_parts; k++) {
        struct grid_part *p = &g->part[k];
        pace.part_until = pace.started + pace.limit * (double)(k + 1) / (double)g->n_parts;
        for (size_t n = 0; n < g->nx; n++)
            for (size_t j = 0; j < p->ny; j++)
                measure_cell(o, stage, g, p, scattered(n, g->nx), j, &pace, journal);
    }
    if (o->quick)
        use_rest(o, stage, g, pace.started + pace.limit);
    bench_progress_end(&o->bench);
}

/* Of the smallest and the largest messages, beside the computation that is nearest to as long. */
static void watch_maps(struct overlap_stage *stage, struct grid *g)
{
    for (size_t k = 0; k < g->n_parts; k++) {
        struct grid_part *p = &g->part[k];
        for (size_t i = 0; i<g->nx; i += g->nx> 1 ? g->nx - 1 : 1) {
            char why[400], size[32], comp[32], *end = p->why + strlen(p->why);
            size_t j = 0;
            for (size_t l = 0; l < p->ny && stage->rank == 0; l++) {
                double comm = 1e6 * grid_cell(g, p, i, l)->t_comm;
                if (fabs(log(p->y[l] / comm)) < fabs(log(p->y[j] / comm)))
                    j = l;
            }
            int row = (int)j;
            MPI_Bcast(&row, 1, MPI_INT, 0, stage->comm);
            if (overlap_watch(p->benchmark, stage, (size_t)g->size[i], &g->work[row], why,
                              sizeof why))
                snprintf(end, sizeof p->why - (size_t)(end - p->why), "; at %s beside %s: %s",
                         format_bytes(size, g->size[i]), format_time(comp, 1e3 * p->y[row]), why);
        }
    }
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
            path = NULL;
        drawn = path && overlap_map_draw(path, &map[i], NULL, NULL, 0) && drawn;
        free(path);
    }
    snprintf(title, sizeof title, "Overlap of communication and computation, %s", g->origin.hosts);
    drawn = overlap_maps_draw(sheet, title, map, g->n_parts, 0) && drawn;
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
        reason_say(o->bench.program, "going on with an interrupted run: %zu cells are there",
                   cells);
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
    bool saved = document_save_tables(d, b->output, b->format);
    journal_close(journal, saved);
    document_free(d);
    return saved ? status : 1;
}

int main(int argc, char **argv)
{
    static struct options o;
    static struct grid grid;
    overlap_defaults(&o);
    bench_begin(&o.bench, &argc, &argv, overlap_thread_level(argc, argv), &overlap_program);
    overlap_choose(&o);

    struct document *d = bench_document(&o.bench, "collbench-overlap/1");
    struct binding *binding = binding_new(o.bench.comm, (enum bind_mode)o.bind);
    set_axes(&o, binding, &grid);
    check_binding(&o, binding);
    warn_of_threads(&o, binding);
    set_origin(&o.bench, &grid.origin);
    struct journal *journal = open_journal(&o, &grid);
    bench_keep(&o.bench, &(struct bench_so_far){.file = journal_path(journal)});
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
    watch_maps(&stage, &grid);
    int status = d ? finish(&o, &grid, d, journal) : 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    overlap_close(&stage);
    grid_free(&grid);
    binding_free(binding);
    bench_finish(&o.bench, NULL, status);
}
