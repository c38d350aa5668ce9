/* collbench-tree: predicted and measured times of broadcast trees that are built from latencies. */
#include "bench.h"
#include "measure/collective/operation.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/grid.h"
#include "measure/pairs/log.h"
#include "results/documents.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SIZES_MAX = 40, DRAWN_MAX = 64, WHY_MAX = 512 };

struct tree_options {
    struct bench bench;
    const char *latencies;
    struct option_chosen builders; /* indices of bcasts[] that have a build() */
    size_t segment;                /* bytes; SIZE_MAX: the fastest; 0: whole messages */
    int root;
    bool no_run;
    int step; /* each size is 2^step times the previous one */
};

OPTION_NAMES(builder_name, n_bcasts, bcasts[i]->build ? bcasts[i]->name : "")

static const struct option_registry builders = {"algorithm", builder_name, NULL};

static error_t take_segment(struct option_parser *parser, const struct option_entry *option,
                            const char *arg, void *value)
{
    size_t *segment = value;
    (void)option;
    *segment = SIZE_MAX;
    if (strcmp(arg, "auto") == 0 || option_parse_size(arg, segment))
        return 0;
    return option_refuse(parser, "--segment=%s: expected a number of bytes, 0 or auto", arg);
}

#define AT(member) offsetof(struct tree_options, member)
static const struct option_entry option_list[] = {
    {"latencies", "LOG",
     "a log of collbench-pairs or PetaSHA's mmpi.c; without it the latencies are measured",
     option_take_text, AT(latencies)},
    {"algorithm", "LIST", "all, or of %s (all)", option_take_list, AT(builders), &builders},
    {"root", "RANK", "rank that sends", option_take_count, AT(root), &bench_root},
    {"segment", "BYTES", "bytes of a segment; 0: whole messages; auto (default): the fastest size",
     take_segment, AT(segment)},
    {"no-run", NULL, "predict only", option_take_flag, AT(no_run)},
    {"step", "N", "each message size is 2^N times the previous one", option_take_count, AT(step),
     OPTION_LIMITS(1, 30, "1 to 30"), .flags = OPTION_RARE},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct tree_options *o = values;
    if (o->latencies && o->bench.ranks.min != o->bench.ranks.max)
        return option_refuse(
            parser,
            "--latencies: expected one number of ranks, as in the log: use: --ranks=%zu:%zu",
            o->bench.ranks.max, o->bench.ranks.max);
    return o->latencies && o->bench.size == 1
               ? 0
               : bench_check_ranks(parser, &o->bench, "a measured broadcast", o->root);
}

static const struct option_program program = {
    "Builds broadcast schedules from the latencies between ranks (Mateescu and Taylor), predicts "
    "their completion and runs them against the library's own MPI_Bcast.",
    "With one rank and --latencies nothing is run: schedules for the ranks of the log are "
    "predicted.",
    .options = option_list, .check = check};

static struct column columns[] = {
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"algorithm", NULL, COLUMN_TEXT, 0, NULL},
    {"segment", "B", COLUMN_INTEGER, 0, "bytes of the segments in which the message is sent",
     .flags = COLUMN_OPTIONAL},
    {"predicted", "us", COLUMN_REAL, 2,
     "predicted time of the last arrival, from the root's start; empty: unknown, see remarks",
     "model"},
    {"at_least", "us", COLUMN_REAL, 2, "95 % interval of the prediction", .flags = COLUMN_OPTIONAL},
    {"at_most", "us", COLUMN_REAL, 2, NULL, .flags = COLUMN_OPTIONAL},
    {"measured", "us", COLUMN_REAL, 2, "median latency of the operation to its slowest destination",
     "time"},
    {"low", "us", COLUMN_REAL, 2,
     "95 % interval of the measured median, widened by the clocks' error"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"error", "%", COLUMN_REAL, 1, "predicted against measured", .flags = COLUMN_DATA_ONLY},
    {"speedup", NULL, COLUMN_REAL, 2,
     "time of MPI_Bcast / time of this row; empty: one of them is a lower bound or within the "
     "clocks' error"},
    {"advised", NULL, COLUMN_TEXT, 0,
     "yes: the fastest tree of a trial was faster than MPI_Bcast, and is at most 3 % slower for "
     "any error of the clocks; unknown: trial or measured time do not decide"},
    {"acknowledged", "us", COLUMN_REAL, 2, "predicted until the root has all acknowledgements",
     "with ack", COLUMN_OPTIONAL},
    {"acknowledged_low", "us", COLUMN_REAL, 2, "95 % interval of it", "low", COLUMN_OPTIONAL},
    {"acknowledged_high", "us", COLUMN_REAL, 2, NULL, "high", COLUMN_OPTIONAL},
    {"chosen", NULL, COLUMN_TEXT, 0, "the tree that algorithm \"grid\" chose",
     .flags = COLUMN_OPTIONAL},
};

struct tree_session {
    const struct tree_options *o;
    struct bench_values ranks, sizes;
    struct table *table;      /* only on rank 0 */
    struct bench_group group; /* the ranks that are measured now */
    struct grid grid;
    bool run;
    double native;        /* seconds of the library's broadcast at this size; NaN if the clocks'
                             error is larger, or ranks were not timed */
    struct schedule best; /* the advised or fastest at the size measured last; only on rank 0 */
    double best_seconds;  /* upper limit of BEST's time, as add_row() returns it */
};

/* The message sizes: the powers of two in --sizes, or every STEP-th, and the largest size. */
static struct bench_values sizes_of(const struct tree_options *o)
{
    struct bench_values all = bench_values(&o->bench.sizes), some = {0};
    for (size_t i = 0; i < all.n && some.n < SIZES_MAX; i++)
        if (i % (size_t)o->step == 0 || i + 1 == all.n)
            some.at[some.n++] = all.at[i];
    return some;
}

/* The method of collbench-bcast to be used. "direct" reads clocks, whose offset between hosts is
 * uncertain; "held" times acknowledgements on one clock instead. */
static const char *method_of(const struct tree_session *t)
{
    return t->group.clock.domains > 1 ? "held" : "direct";
}

static const double resolution = 1e-8; /* seconds: last digit of a printed time */

/* On rank 0: BCAST's latency to the slowest destination, with an interval that includes *ERROR:
 * the clocks' error bound, at least the resolution of a printed time. *AT_LEAST: a destination that
 * was not measured may be slower. */
static struct estimate run_bcast(struct tree_session *t, const struct bcast *bcast, size_t bytes,
                                 double *error, bool *at_least)
{
    const struct bench *b = &t->o->bench;
    const struct latency_method *method = latency_method_find(method_of(t));
    struct operation_call data;
    bool prepared = operation_prepare(&data, operation_find("broadcast", NULL), t->group.comm,
                                      t->o->root, bytes);
    data.by = bcast;
    struct latency_case c = operation_case(&data, false);
    c.plan = b->plan;
    c.clock = &t->group.clock;
    struct latency_outcome outcome;
    struct estimate seen = ESTIMATE_UNKNOWN;
    int rc = prepared ? latency_measure(&c, &method, 1, &outcome) : MPI_ERR_NO_MEM;
    bench_check(
        b, rc, &(struct bench_point){.name = bcast->name, .ranks = t->group.ranks, .bytes = bytes});
    if (outcome.wrong_ranks > 0) {
        if (b->rank == 0)
            reason_print(b->program, "%zu bytes by %s: %d ranks have wrong data", bytes,
                         bcast->name, outcome.wrong_ranks);
        MPI_Abort(b->comm, 1);
    }
    if (outcome.n_results > 0) {
        seen = latency_within(outcome.result, NULL, error);
        const double more = fmax(0, resolution - *error);
        if (estimate_has_interval(seen))
            seen = (struct estimate){seen.value, fmax(0, seen.low - more), seen.high + more};
        *error += more;
        *at_least = outcome.result->at_least;
    }
    latency_outcome_free(&outcome);
    operation_release(&data);
    return seen;
}

static void add_remarks(const struct tree_session *t, struct estimate seen, double error,
                        bool at_least)
{
    bench_remark(t->table);
    if (at_least)
        table_remark(t->table, FINDING("at_least", DOUBT), "lower bound: not all ranks were timed");
    else if (!estimate_has_interval(seen))
        table_remark(t->table, FINDING("few_samples", DOUBT), "too few samples for an interval");
    if (error > resolution && !(error <= 0.01 * seen.value))
        table_remark(t->table, FINDING("clock_bound", DOUBT, .number = {{"bound_us", 1e6 * error}}),
                     "error of the clocks: +-%.2f us%s", 1e6 * error,
                     isnan(seen.value) ? ", more than the time" : "");
}

/* Adds the row of schedule S, which all ranks run as BCAST (S NULL: the library's broadcast). On
 * rank 0 returns the upper limit of S's time, measured or, if ranks were not timed, predicted: by
 * this limit S is compared, since a time with a large error proves nothing. INFINITY: unknown;
 * -INFINITY: S is advised, as its trial has already compared it with the others. */
static double add_row(struct tree_session *t, struct schedule *s, const struct bcast *bcast,
                      size_t bytes, const char *advised)
{
    struct estimate seen = ESTIMATE_UNKNOWN, predicted = seen, answered = seen;
    double error = 0;
    bool at_least = false;
    if (t->run) {
        seen = run_bcast(t, bcast, bytes, &error, &at_least);
        bench_contention(t->group.comm);
    }
    if (t->o->bench.rank > 0)
        return NAN;
    if (s)
        predicted = schedule_predict_interval(&t->grid.pairs, bytes, s, false);
    if (s && t->group.clock.domains > 1)
        answered = schedule_predict_interval(&t->grid.pairs, bytes, s, true);
    double certain = !at_least && error < seen.value ? seen.value : NAN;
    t->native = s ? t->native : certain;
    char name[32] = "", chosen[32] = "";
    sscanf(s ? s->name : "MPI_Bcast", "%31[^ (] (%31[^)]", name, chosen);
    table_integer(t->table, t->grid.pairs.n);
    table_integer(t->table, (long long)bytes);
    table_text(t->table, name);
    table_real(t->table, s && s->segment > 0 ? (double)s->segment : NAN);
    table_estimate(t->table, predicted);
    table_estimate(t->table, seen);
    table_real(t->table, 100 * (predicted.value / seen.value - 1));
    table_real(t->table, s ? t->native / certain : NAN);
    double speedup = t->native / certain;
    bool contradicts = advised && (strcmp(advised, "no") ? speedup < 1 : speedup > 1.02);
    advised = contradicts ? "unknown" : advised;
    table_text(t->table, advised);
    table_estimate(t->table, answered);
    table_text(t->table, *chosen ? chosen : NULL);
    if (s && isnan(predicted.value))
        table_remark(t->table, FINDING("prediction_unknown", DOUBT), "prediction unknown: %s",
                     schedule_unknown(&t->grid.pairs, bytes, s) ?: "out of memory");
    if (t->run)
        add_remarks(t, seen, error, at_least);
    double most = advised && !strcmp(advised, "yes") ? -INFINITY
                  : !t->run || at_least              ? predicted.high
                  : estimate_has_interval(seen)      ? seen.high
                                                     : seen.value + error;
    return isnan(most) ? INFINITY : most;
}

/* Builds a schedule that is only predicted, of whole messages unless --segment gives bytes. */
static bool predict_only(const struct tree_session *t, const struct bcast *builder, size_t bytes,
                         struct schedule *s)
{
    const struct tree_options *o = t->o;
    struct choice c;
    char why[WHY_MAX];
    if (o->bench.rank > 0 ||
        !choice_find_schedules(&t->grid.pairs, o->root, bytes, builder,
                               o->segment == SIZE_MAX ? 0 : o->segment, &c, why, sizeof why))
        return false;
    *s = c.s[0];
    c.s[0] = (struct schedule){0};
    choice_free(&c);
    return true;
}

static void compare_builder(struct tree_session *t, const struct bcast *builder, size_t bytes)
{
    const struct tree_options *o = t->o;
    struct bcast_grid_plan plan = {0};
    struct bcast bcast = {0};
    const char *advised = NULL;
    char why[WHY_MAX];
    bool built = t->run ? bcast_grid_plan(&t->grid, o->root, bytes, builder, o->segment, &plan, why,
                                          sizeof why)
                        : predict_only(t, builder, bytes, &plan.schedule);
    MPI_Bcast(&built, 1, MPI_C_BOOL, 0, t->group.comm);
    if (!built)
        return;
    if (t->run) {
        bcast = bcast_from_schedule(plan.part);
        bool open = plan.trial_grid.value < 0.98 * plan.trial_native.value;
        advised = builder != &tree_grid ? NULL : !plan.native ? "yes" : open ? "unknown" : "no";
    }
    double seconds = add_row(t, &plan.schedule, &bcast, bytes, advised);
    if (o->bench.rank == 0 && (t->best.n == 0 || seconds < t->best_seconds)) {
        struct schedule worse = t->best;
        t->best = plan.schedule;
        t->best_seconds = seconds;
        plan.schedule = worse;
    }
    bcast_grid_plan_free(&plan);
}

/* Loads or measures latencies. One rank predicts from any log; several must be the log's ranks. */
static bool open_latencies(struct tree_session *t, char *why, size_t size)
{
    const struct tree_options *o = t->o;
    t->grid =
        (struct grid){.comm = t->group.comm, .size = t->group.ranks, .clock = &t->group.clock};
    if (t->group.ranks == 1)
        return pairs_log_load(o->latencies, &t->grid.pairs, why, size);
    return bcast_grid_open(&t->grid, t->group.comm, o->latencies, t->sizes.at, (int)t->sizes.n, 0,
                           why, size);
}

static void open_group(struct tree_session *t, size_t ranks)
{
    const struct bench *b = &t->o->bench;
    char why[WHY_MAX] = "";
    if (t->group.ranks && t->group.comm != MPI_COMM_NULL)
        bcast_grid_close(&t->grid);
    bench_group_open(b, ranks, &t->group);
    bool good = t->group.comm == MPI_COMM_NULL || open_latencies(t, why, sizeof why);
    int failed = sync_agree(!good, b->comm);
    MPI_Bcast(why, WHY_MAX, MPI_CHAR, 0, b->comm);
    if (failed)
        bench_refuse(b, "%s", why);
    if (b->size == 1 && t->o->root >= t->grid.pairs.n)
        bench_refuse(b, "no root %d: the log has ranks 0 to %d", t->o->root, t->grid.pairs.n - 1);
}

static void visit(void *arg, const size_t *at)
{
    struct tree_session *t = arg;
    size_t ranks = t->ranks.at[at[0]], bytes = t->sizes.at[at[1]], which = at[2];
    if ((int)ranks != t->group.ranks)
        open_group(t, ranks);
    if (t->group.comm == MPI_COMM_NULL)
        return;
    if (which == 0) {
        schedule_free(&t->best);
        if (t->run)
            add_row(t, NULL, &tree_native, bytes, NULL);
        return;
    }
    compare_builder(t, bcasts[t->o->builders.at[which - 1]], bytes);
}

static void add_pictures(const struct tree_session *t, struct document *d)
{
    char largest[32];
    bool by_ranks = t->ranks.n > 1;
    snprintf(largest, sizeof largest, "%zu", t->sizes.at[t->sizes.n - 1]);
    struct picture lines = {.kind = PICTURE_LINES,
                            .title = t->run ? "Broadcast by measured trees"
                                            : "Broadcast by measured trees, predicted",
                            .table = "schedules",
                            .x = by_ranks ? "ranks" : "size",
                            .y = t->run ? "measured" : "predicted",
                            .low = t->run ? "low" : "at_least",
                            .high = t->run ? "high" : "at_most",
                            .series = "algorithm",
                            .y_label = "last arrival (us)",
                            .x_log = !by_ranks,
                            .y_log = !by_ranks};
    if (by_ranks) {
        lines.where[0].column = "size";
        lines.where[0].is = largest;
    }
    document_picture(d, &lines);
    const struct bench *b = &t->o->bench; /* CSV has no tree: its readers expect one table */
    if (t->best.n > 0 && t->best.n <= DRAWN_MAX && b->format != FORMAT_CSV)
        schedule_document(&t->best, t->grid.pairs.host, d);
}

static void add_facts(const struct tree_session *t, struct document *d)
{
    document_fact(d, "latencies", "%s", t->o->latencies ? t->o->latencies : "measured now");
    if (t->run)
        document_fact(d, "method", "%s", method_of(t));
    else
        document_finding(
            d, FINDING("not_run", NOTE), "Nothing was run: %s.",
            t->o->no_run ? "--no-run"
                         : "only one rank runs; schedules are predicted for the ranks of the log");
}

int main(int argc, char **argv)
{
    static struct tree_options o = {
        .bench = {.sizes = {1024, 1024, 0}}, .segment = SIZE_MAX, .step = 1};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 50;
    o.bench.plan.budget = 2;
    bench_begin(&o.bench, &argc, &argv, &program);
    if (o.builders.n == 0)
        option_choose(NULL, &builders, "all", &o.builders);
    struct tree_session t = {.o = &o,
                             .group.first = o.root,
                             .ranks = bench_values(&o.bench.ranks),
                             .sizes = sizes_of(&o),
                             .run = o.bench.size > 1 && !o.no_run};
    for (size_t i = 0; !t.run && i < sizeof columns / sizeof *columns; i++)
        columns[i].flags |= COLUMN_OPTIONAL; /* hides empty columns: the interval needs the width */
    struct document *d = bench_document(&o.bench, "collbench-tree/3");
    if (d)
        t.table = document_table_of(d, "schedules", "Broadcast schedules", columns);
    const size_t length[] = {t.ranks.n, t.sizes.n, 1 + o.builders.n};
    bench_sweep(&o.bench, length, 3, visit, &t);
    if (d) {
        add_facts(&t, d);
        add_pictures(&t, d);
    }
    schedule_free(&t.best);
    bcast_grid_close(&t.grid);
    bench_group_close(&o.bench, &t.group);
    bench_finish(&o.bench, d, 0);
}
