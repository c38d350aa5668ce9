/* Broadcast schedules from latencies: what each algorithm promises, and what it keeps. */
#include "tree_bench.h"

#include "document/save.h"
#include "measure/crew.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/log.h"
#include "picture/schedule_draw.h"
#include "results/schedule_json.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 40, WHY_MAX = 512 };

/* Powers of two, or every step-th of them, and the largest. */
static struct bench_values sizes_of(const struct tree_options *o)
{
    struct bench_values all = bench_values(&o->bench.sizes), some = {0};
    for (size_t i = 0; i < all.n && some.n < SIZES_MAX; i++)
        if (i % (size_t)o->step == 0 || i + 1 == all.n)
            some.at[some.n++] = all.at[i];
    return some;
}

static void describe_tree(const struct schedule *s, struct tree_row *row)
{
    int *depth = calloc((size_t)s->n, sizeof *depth);
    for (int k = 1; depth && k < s->n; k++) {
        int v = s->order[k];
        depth[v] = depth[s->parent[v]] + 1;
        row->depth = depth[v] > row->depth ? depth[v] : row->depth;
    }
    for (int u = 0; u < s->n; u++)
        if (s->first[u + 1] - s->first[u] > row->most_children)
            row->most_children = s->first[u + 1] - s->first[u];
    free(depth);
}

/* The slowest destination's latency and its remarks into ROW, which rank 0 has. */
static void run_bcast(struct tree_session *t, const struct bcast *bcast, size_t bytes,
                      struct tree_row *row)
{
    const struct bench *b = &t->o->bench;
    char *buffer = crew_buffer(bytes);
    struct bcast_case c = {.comm = t->comm,
                           .bcast = bcast,
                           .buffer = buffer,
                           .count = (int)bytes,
                           .type = MPI_BYTE,
                           .root = t->o->root,
                           .plan = b->plan,
                           .clock = &t->clock};
    struct bcast_outcome outcome;
    int error = buffer ? bcast_measure(&c, &t->o->method, 1, &outcome) : MPI_ERR_NO_MEM;
    if (error != MPI_SUCCESS) {
        reason_say(b->program, "%zu bytes by %s: the broadcast failed", bytes, bcast->name);
        MPI_Abort(b->comm, 1);
    }
    if (outcome.wrong_ranks > 0) {
        if (b->rank == 0)
            reason_say(b->program, "%zu bytes by %s: %d ranks have wrong data", bytes, bcast->name,
                       outcome.wrong_ranks);
        MPI_Abort(b->comm, 1);
    }
    const char *disturbed = bench_disturbed(t->comm).text;
    if (row && disturbed)
        bench_add_words(row->remarks, sizeof row->remarks, "%s", disturbed);
    if (row && outcome.n_results > 0) {
        double bound = outcome.result[0].clock_bound;
        row->seen = outcome.result[0].value;
        t->clock_bound = fmax(t->clock_bound, bound);
        if (!estimate_has_interval(row->seen))
            bench_add_words(row->remarks, sizeof row->remarks, "too few samples for an interval");
        if (bound > 0.01 * row->seen.value)
            bench_add_words(row->remarks, sizeof row->remarks, "+-%.2f us by the clocks",
                            1e6 * bound);
    }
    bcast_outcome_free(&outcome);
    free(buffer);
}

static void run_schedule(struct tree_session *t, const struct schedule *s, size_t bytes,
                         struct tree_row *row)
{
    struct schedule_part *part;
    if (schedule_distribute(s, t->comm, &part) != MPI_SUCCESS)
        MPI_Abort(t->comm, 1);
    struct bcast bcast = schedule_bcast(part);
    run_bcast(t, &bcast, bytes, row);
    free(part);
}

static struct tree_row *new_row(struct tree_session *t, const char *name, size_t bytes)
{
    if (t->o->bench.rank > 0)
        return NULL;
    struct tree_row *row = &t->row[t->n_rows++];
    const struct estimate none = {NAN, NAN, NAN};
    *row = (struct tree_row){
        .ranks = t->grid.pairs.n, .bytes = bytes, .predicted = none, .seen = none};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* By its measured time, or where nothing is run by its predicted one. */
static void keep_best(struct tree_session *t, struct schedule *s, double seconds)
{
    if (t->best.n == 0 || seconds < t->best_seconds) {
        schedule_free(&t->best);
        t->best = *s;
        t->best_seconds = seconds;
    } else {
        schedule_free(s);
    }
}

/* S, which rank 0 has, as a row; S is used up. Without a run a prediction is shown as what it is,
 * that of a model; beside a measured time only where it is known to hold. */
static void compare(struct tree_session *t, struct schedule *s, size_t bytes, bool candidate)
{
    const struct pairs *p = &t->grid.pairs;
    struct tree_row *row = NULL;
    if (s) {
        row = new_row(t, s->name, bytes);
        row->segment = s->segment;
        struct estimate e = choice_predict(p, bytes, s);
        if (choice_is_known(p, s) || (!t->run && p->slowdown <= PAIRS_SHARED))
            row->predicted = e;
        describe_tree(s, row);
    }
    if (t->run)
        run_schedule(t, s, bytes, row);
    if (s && candidate)
        keep_best(t, s, t->run ? row->seen.value : s->completion);
}

/* What the trial of "grid" advises: the last row, or the library's. */
static void advise(struct tree_session *t, size_t bytes, bool native)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        struct tree_row *row = &t->row[i];
        bool own = strcmp(row->name, "MPI_Bcast") == 0, last = i + 1 == t->n_rows;
        row->advised |=
            row->ranks == t->grid.pairs.n && row->bytes == bytes && (native ? own : last);
    }
}

/* Without a run whole messages, unless segments are asked for: only a trial tells what they do. */
static void compare_builder(struct tree_session *t, const struct bcast *builder, size_t bytes)
{
    const struct tree_options *o = t->o;
    size_t segment = !t->run && o->segment == SIZE_MAX ? 0 : o->segment;
    bool built = o->bench.rank == 0;
    struct grid_plan plan = {0};
    char why[WHY_MAX];
    if (t->run)
        built = grid_plan(&t->grid, o->root, bytes, builder, segment, true, &plan, why, sizeof why);
    else if (built)
        built = choice_best(&t->grid.pairs, o->root, bytes, builder, segment, &plan.schedule, why,
                            sizeof why);
    MPI_Bcast(&built, 1, MPI_C_BOOL, 0, t->comm);
    if (built) {
        struct schedule s = plan.schedule;
        plan.schedule = (struct schedule){0};
        compare(t, o->bench.rank == 0 ? &s : NULL, bytes, true);
        if (t->run && builder == &tree_grid)
            advise(t, bytes, plan.native);
    }
    grid_plan_free(&plan);
}

/* With one rank a log is enough; several ranks have to be those of the log. */
static bool open_latencies(struct tree_session *t, char *why, size_t size)
{
    const struct tree_options *o = t->o;
    t->grid = (struct grid){.comm = t->comm, .size = t->n, .clock = &t->clock};
    if (t->n == 1)
        return pairs_log_load(o->latencies, &t->grid.pairs, why, size);
    if (o->builders.n == 0 && !o->load) { /* nothing to be known */
        t->grid.pairs.n = t->n;
        return true;
    }
    return grid_open(&t->grid, t->comm, o->latencies, t->sizes.at, (int)t->sizes.n, 0, why, size);
}

/* All ranks; WHY on all of them that the next trees are for. */
static bool open_group(struct tree_session *t, size_t ranks, char *why, size_t size)
{
    const struct bench *b = &t->o->bench;
    if (t->comm != MPI_COMM_NULL) {
        grid_close(&t->grid);
        MPI_Comm_free(&t->comm);
    }
    bench_wait(b->comm);
    t->n = (int)ranks;
    MPI_Comm_split(b->comm, b->rank < t->n ? 0 : MPI_UNDEFINED, b->rank, &t->comm);
    if (t->comm == MPI_COMM_NULL)
        return true;
    MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
    bench_clocks(&t->clock, t->comm);
    return open_latencies(t, why, size);
}

/* Of one number of ranks and size: the library's own, each builder, what was loaded. */
static const char *visit(void *arg, const size_t *at)
{
    struct tree_session *t = arg;
    const struct tree_options *o = t->o;
    size_t ranks = t->ranks.at[at[0]], bytes = t->sizes.at[at[1]], which = at[2];
    char why[WHY_MAX];
    if ((int)ranks != t->n && !open_group(t, ranks, why, sizeof why)) {
        reason_say(o->bench.program, "%s", why);
        MPI_Abort(o->bench.comm, 1);
    }
    if (t->comm == MPI_COMM_NULL)
        return NULL;
    if (which == 0) {
        schedule_free(&t->best);
        if (t->run)
            run_bcast(t, &tree_native, bytes, new_row(t, "MPI_Bcast", bytes));
        return "MPI_Bcast";
    }
    if (which <= o->builders.n) {
        compare_builder(t, tree_builder(o, which - 1), bytes);
        return tree_builder(o, which - 1)->name;
    }
    compare(t, o->bench.rank == 0 ? &t->loaded : NULL, bytes, false);
    return o->load;
}

/* All that can be wrong is found with the most ranks, before anything is measured with fewer. */
static void open_all(struct tree_session *t)
{
    const struct tree_options *o = t->o;
    const struct bench *b = &o->bench;
    char why[WHY_MAX] = "";
    if (b->size == 1 && !o->latencies)
        bench_refuse(b, "one rank and no --latencies=LOG: start more ranks by mpiexec -n");
    if (b->size > 1 && b->ranks.min < 2)
        bench_refuse(b, "a broadcast needs 2 ranks: --ranks=2:%zu", b->ranks.max);
    if (b->ranks.min < b->ranks.max && (o->load || o->tree || o->save))
        bench_refuse(b, "--schedule, --tree and --save are for one number of ranks");
    bool opened = open_group(t, b->ranks.max, why, sizeof why);
    int n = t->grid.pairs.n, good = opened;
    MPI_Bcast(&good, 1, MPI_INT, 0, b->comm);
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, b->comm);
    if (!good)
        bench_refuse(b, "%s", why);
    MPI_Bcast(&n, 1, MPI_INT, 0, b->comm);
    if (o->root >= (b->size > 1 ? (int)b->ranks.min : n))
        bench_refuse(b, "no root %d: there are ranks 0 to %d", o->root,
                     (b->size > 1 ? (int)b->ranks.min : n) - 1);
    if (o->load && b->rank == 0) {
        good = schedule_load(o->load, &t->loaded, why, sizeof why);
        if (good && (t->loaded.n != n || t->loaded.root != o->root)) {
            snprintf(why, sizeof why, "%s: it is for %d ranks from root %d, not %d from %d",
                     o->load, t->loaded.n, t->loaded.root, n, o->root);
            good = 0;
        }
    }
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, b->comm);
    MPI_Bcast(&good, 1, MPI_INT, 0, b->comm);
    if (!good)
        bench_refuse(b, "%s", why);
    t->run = b->size > 1 && !o->no_run;
}

static void check_outputs(const struct tree_options *o)
{
    int good = 1;
    if (o->bench.rank == 0)
        good = (!o->tree || (schedule_draw_path_valid(o->tree) && save_possible(o->tree))) &&
               (!o->save || save_possible(o->save));
    MPI_Bcast(&good, 1, MPI_INT, 0, o->bench.comm);
    if (!good)
        bench_leave(2);
}

int main(int argc, char **argv)
{
    static struct tree_options o = {.bench = {.sizes = {1024, 1024, 0}, .without = "full seed"},
                                    .segment = SIZE_MAX,
                                    .step = 1};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 50;
    o.bench.plan.budget = 2;
    o.method = bcast_method_find("direct");
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &tree_program);
    if (o.builders.n == 0 && !o.only_native)
        tree_choose_all(&o);
    check_outputs(&o);
    struct tree_session t = {.o = &o,
                             .ranks = bench_values(&o.bench.ranks),
                             .sizes = sizes_of(&o),
                             .comm = MPI_COMM_NULL};
    struct document *d = bench_document(&o.bench, "collbench-tree/1");
    open_all(&t);
    if (o.bench.rank == 0)
        t.row = calloc(t.ranks.n * SIZES_MAX * (o.builders.n + 2), sizeof *t.row);

    const size_t length[] = {t.ranks.n, t.sizes.n, 1 + o.builders.n + (o.load != NULL)};
    bench_keep(&o.bench, &(struct bench_so_far){.document = d, .tell = tree_tell_rows, .arg = &t});
    bench_sweep(&o.bench, length, 3, visit, &t);
    bench_wait(o.bench.comm);
    int status = d ? tree_report(&t, d, t.sizes.at[t.sizes.n - 1]) : 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    schedule_free(&t.best);
    schedule_free(&t.loaded);
    grid_close(&t.grid);
    if (t.comm != MPI_COMM_NULL)
        MPI_Comm_free(&t.comm);
    free(t.row);
    bench_finish(&o.bench, d, status);
}
