/* Broadcast schedules from latencies: what each algorithm promises, and what it keeps. */
#include "base/clock.h"
#include "bench.h"
#include "measure/bcast.h"
#include "measure/grid.h"
#include "measure/pairs_log.h"
#include "report/plot.h"
#include "report/save.h"
#include "report/schedule_json.h"
#include "sync/sync.h"
#include "trees/flow.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALGORITHMS_MAX = 32, SIZES_MAX = 40, WHY_MAX = 512 };

enum key {
    KEY_LATENCIES = 0x200,
    KEY_ALGORITHM,
    KEY_ROOT,
    KEY_SEGMENT,
    KEY_TREE,
    KEY_SAVE,
    KEY_SCHEDULE,
    KEY_NO_RUN,
    KEY_METHOD,
    KEY_STEP
};

struct options {
    struct bench bench;
    const char *latencies, *tree, *save, *load;
    const struct schedule_builder *builder[ALGORITHMS_MAX];
    size_t n_builders;
    const struct bcast_method *method;
    size_t segment; /* SIZE_MAX: the best, 0: whole */
    int root;
    bool no_run, only_native;
    int step; /* how many powers of two from one size to the next */
};

static const struct argp_option option_list[] = {
    {"latencies", KEY_LATENCIES, "LOG", 0,
     "a log of collbench-pairs, or of the original tool; without it the latencies are measured", 1},
    {"algorithm", KEY_ALGORITHM, "LIST", 0,
     "all, or of grid, grid-paper, look-ahead, earliest, fastest-first, binomial, flat, sites, "
     "sites-binary, chain, binary, exhaustive; none: the library's own only (all)",
     1},
    {"root", KEY_ROOT, "RANK", 0, "from where (0)", 1},
    {"segment", KEY_SEGMENT, "BYTES", 0,
     "send in segments of so many bytes; 0: whole messages; auto: what is predicted best (auto)",
     1},
    {"step", KEY_STEP, "N", 0, "sizes 2^N times the one before (1)", 1},
    {"no-run", KEY_NO_RUN, NULL, 0, "predict only", 2},
    {"method", KEY_METHOD, "NAME", 0,
     "how a broadcast is measured: direct or held, see collbench-bcast (direct)", 2},
    {"tree", KEY_TREE, "FILE", 0,
     "draw the best tree of the largest size: .txt, .dot, .png or .svg", 12},
    {"save", KEY_SAVE, "FILE", 0, "save that tree as JSON", 12},
    {"schedule", KEY_SCHEDULE, "FILE", 0, "load a tree from JSON, and compare it too", 1},
    {0}};

static bool choose_word(const char *word, void *arg)
{
    struct options *o = arg;
    bool all = strcmp(word, "all") == 0;
    for (size_t i = 0; all && i < n_schedule_builders; i++)
        o->builder[i] = &schedule_builders[i];
    if (all) {
        o->n_builders = n_schedule_builders;
        return true;
    }
    if (strcmp(word, "none") == 0)
        return o->only_native = true;
    const struct schedule_builder *builder = schedule_builder_find(word);
    if (builder && o->n_builders < ALGORITHMS_MAX)
        o->builder[o->n_builders++] = builder;
    return builder != NULL;
}

static error_t parse_segment(struct options *o, char *arg, struct argp_state *state)
{
    o->segment = SIZE_MAX;
    if (strcmp(arg, "auto") == 0 || bench_parse_size(arg, &o->segment))
        return 0;
    return bench_bad_option(state, "impossible segment '%s': bytes, 0 or auto", arg);
}

static error_t parse_method(struct options *o, const char *arg, struct argp_state *state)
{
    o->method = bcast_method_find(arg);
    if (o->method && (strcmp(arg, "direct") == 0 || strcmp(arg, "held") == 0))
        return 0;
    return bench_bad_option(state, "unknown method '%s': direct or held", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_LATENCIES:
        o->latencies = arg;
        return 0;
    case KEY_ALGORITHM:
        if (!bench_each_word(arg, choose_word, o))
            return bench_bad_option(state,
                                    "unknown algorithm in '%s': all, or of grid, grid-paper, "
                                    "look-ahead, earliest, fastest-first, binomial, flat, sites, "
                                    "sites-binary, chain, binary, exhaustive",
                                    arg);
        return 0;
    case KEY_ROOT:
        o->root = (int)strtol(arg, &end, 10);
        if (end == arg || *end || o->root < 0)
            return bench_bad_option(state, "impossible root '%s': a rank", arg);
        return 0;
    case KEY_SEGMENT:
        return parse_segment(o, arg, state);
    case KEY_METHOD:
        return parse_method(o, arg, state);
    case KEY_TREE:
        o->tree = arg;
        return 0;
    case KEY_SAVE:
        o->save = arg;
        return 0;
    case KEY_SCHEDULE:
        o->load = arg;
        return 0;
    case KEY_STEP:
        o->step = (int)strtol(arg, &end, 10);
        if (end == arg || *end || o->step < 1 || o->step > 30)
            return bench_bad_option(state, "impossible step '%s': 1 to 30", arg);
        return 0;
    case KEY_NO_RUN:
        o->no_run = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .children = children,
    .doc = "Builds broadcast schedules from the latencies between ranks (Mateescu and Taylor), "
           "predicts their completion and runs them against the library's own MPI_Bcast.\v"
           "With one rank and --latencies nothing is run: a prediction for the ranks of the log."};

/* One algorithm at one size. */
struct row {
    size_t bytes, segment;
    char name[40];
    int depth, most_children;
    double predicted;
    struct estimate seen;
};

struct session {
    const struct options *o;
    struct grid grid;
    struct sync_clock clock;
    bool run;
    struct row *row; /* rank 0 */
    size_t n_rows;
    struct schedule best; /* of the largest size, rank 0 */
    struct schedule loaded;
};

static bool next_size(const struct options *o, size_t *bytes)
{
    bool any = false;
    for (int i = 0; i < o->step; i++)
        any = bench_next(&o->bench.sizes, bytes) || any;
    return any;
}

static void describe_tree(const struct schedule *s, struct row *row)
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

/* The latest destination's latency. All ranks. */
static struct estimate run_bcast(const struct session *t, const struct bcast *bcast, size_t bytes)
{
    const struct bench *b = &t->o->bench;
    struct estimate seen = {NAN, NAN, NAN};
    char *buffer = calloc(bytes ? bytes : 1, 1);
    struct bcast_case c = {.comm = b->comm,
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
        fprintf(stderr, "%s: %zu bytes by %s: the broadcast failed\n", b->program, bytes,
                bcast->name);
        MPI_Abort(b->comm, 1);
    }
    if (outcome.wrong_ranks > 0) {
        if (b->rank == 0)
            fprintf(stderr, "%s: %zu bytes by %s: %d ranks have wrong data\n", b->program, bytes,
                    bcast->name, outcome.wrong_ranks);
        MPI_Abort(b->comm, 1);
    }
    if (outcome.n_results > 0)
        seen = outcome.result[0].value;
    bcast_outcome_free(&outcome);
    free(buffer);
    return seen;
}

static void run_schedule(struct session *t, const struct schedule *s, size_t bytes, struct row *row)
{
    struct schedule_part *part;
    MPI_Comm comm = t->o->bench.comm;
    if (schedule_distribute(s, 0, comm, &part) != MPI_SUCCESS)
        MPI_Abort(comm, 1);
    struct bcast bcast = schedule_bcast(part);
    struct estimate seen = run_bcast(t, &bcast, bytes);
    if (row)
        row->seen = seen;
    free(part);
}

/* Rank 0 builds and decides, the others follow: 0 skip, 1 run. */
static int tell_all(const struct session *t, int what)
{
    MPI_Bcast(&what, 1, MPI_INT, 0, t->o->bench.comm);
    return what;
}

static struct row *new_row(struct session *t, const char *name, size_t bytes)
{
    if (t->o->bench.rank > 0)
        return NULL;
    struct row *row = &t->row[t->n_rows++];
    *row = (struct row){.bytes = bytes, .predicted = NAN, .seen = {NAN, NAN, NAN}};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void keep_best(struct session *t, struct schedule *s)
{
    if (t->best.n == 0 || s->completion < t->best.completion) {
        schedule_free(&t->best);
        t->best = *s;
    } else {
        schedule_free(s);
    }
}

/* S, which rank 0 has, as a row; S is used up. */
static void compare(struct session *t, struct schedule *s, size_t bytes, bool candidate)
{
    struct row *row = NULL;
    if (s) {
        row = new_row(t, s->name, bytes);
        row->segment = s->segment;
        row->predicted = s->completion;
        describe_tree(s, row);
    }
    if (t->run)
        run_schedule(t, s, bytes, row);
    if (s && candidate)
        keep_best(t, s);
}

static void compare_builder(struct session *t, const struct schedule_builder *builder, size_t bytes)
{
    const struct options *o = t->o;
    struct schedule s;
    char why[WHY_MAX];
    /* What "grid" may do for one size, segments included, is more than one builder can. */
    bool grid = strcmp(builder->name, "grid") == 0;
    int built = o->bench.rank == 0 && (builder->max_n == 0 || t->grid.pairs.n <= builder->max_n) &&
                grid_schedule(&t->grid.pairs, o->root, bytes, grid ? NULL : builder, o->segment, &s,
                              why, sizeof why);
    if (tell_all(t, built))
        compare(t, built ? &s : NULL, bytes, true);
}

/* The prediction of a loaded tree by these latencies. */
static void compare_loaded(struct session *t, size_t bytes)
{
    struct schedule *s = NULL;
    if (t->o->bench.rank == 0) {
        struct graph g;
        s = &t->loaded;
        size_t segment = s->segment;
        int segments = segment && segment < bytes ? (int)((bytes + segment - 1) / segment) : 1;
        if (pairs_graph(&t->grid.pairs, segments > 1 ? segment : bytes, -1, &g)) {
            schedule_predict(s, &g);
            if (segments > 1)
                s->completion = flow_completion(s, &g, segments, NULL);
            graph_free(&g);
        }
    }
    compare(t, s, bytes, false);
}

static void compare_size(struct session *t, size_t bytes)
{
    const struct options *o = t->o;
    schedule_free(&t->best);
    if (t->run) {
        struct row *row = new_row(t, "MPI_Bcast", bytes);
        struct estimate seen = run_bcast(t, bcast_find("native"), bytes);
        if (row)
            row->seen = seen;
    }
    for (size_t i = 0; i < o->n_builders; i++)
        compare_builder(t, o->builder[i], bytes);
    if (o->load)
        compare_loaded(t, bytes);
}

static const struct column columns[] = {
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"algorithm", NULL, COLUMN_TEXT, 0, "in brackets: which one \"grid\" chose"},
    {"segment", "B", COLUMN_INTEGER, 0, "the message is sent in parts of so many bytes"},
    {"depth", NULL, COLUMN_INTEGER, 0, "of the tree"},
    {"children", NULL, COLUMN_INTEGER, 0, "the most that a rank has"},
    {"predicted", "us", COLUMN_REAL, 2, "last arrival, by the latencies"},
    {"measured", "us", COLUMN_REAL, 2, "operation latency of the slowest destination, median"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of it"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"error", "%", COLUMN_REAL, 1, "predicted against measured"},
    {"speedup", NULL, COLUMN_REAL, 2, "MPI_Bcast's time over this one's"},
};

static void tell_rows(const struct session *t, struct document *d)
{
    struct table *table = document_table(d, "schedules", "Broadcast schedules", columns,
                                         sizeof columns / sizeof *columns);
    double native = NAN;
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct row *r = &t->row[i];
        bool own = strcmp(r->name, "MPI_Bcast") == 0;
        native = own ? r->seen.value : native;
        table_integer(table, (long long)r->bytes);
        table_text(table, r->name);
        if (r->segment > 0)
            table_integer(table, (long long)r->segment);
        else
            table_skip(table);
        for (int k = 0; k < 2; k++) {
            if (own)
                table_skip(table);
            else
                table_integer(table, k ? r->most_children : r->depth);
        }
        table_real(table, 1e6 * r->predicted);
        table_real(table, 1e6 * r->seen.value);
        table_real(table, 1e6 * r->seen.low);
        table_real(table, 1e6 * r->seen.high);
        table_real(table, 100 * (r->predicted / r->seen.value - 1));
        table_real(table, own ? NAN : native / r->seen.value);
    }
}

/* Measured times of every algorithm against size, for --plot. */
static bool plot_rows(const struct session *t, const char *path)
{
    struct plot_series series[ALGORITHMS_MAX + 2];
    double *x = malloc(t->n_rows * sizeof *x), *y = malloc(t->n_rows * sizeof *y);
    char name[ALGORITHMS_MAX + 2][40];
    size_t n = 0, at = 0;
    for (size_t i = 0; x && y && i < t->n_rows; i++) {
        size_t length = strcspn(t->row[i].name, " ("), k = 0;
        while (k < n && strncmp(name[k], t->row[i].name, length + 1) != 0 &&
               (strncmp(name[k], t->row[i].name, length) != 0 || name[k][length] != '\0'))
            k++;
        if (k < n || n == ALGORITHMS_MAX + 2)
            continue;
        snprintf(name[n], sizeof name[n], "%.*s", (int)length, t->row[i].name);
        series[n] = (struct plot_series){.label = name[n], .x = x + at, .y = y + at};
        for (size_t j = i; j < t->n_rows; j++) {
            const struct row *r = &t->row[j];
            if (strcspn(r->name, " (") != length || strncmp(r->name, name[n], length) != 0)
                continue;
            x[at] = (double)r->bytes;
            y[at++] = 1e6 * (t->run ? r->seen.value : r->predicted);
            series[n].n++;
        }
        n++;
    }
    struct plot_axes axes = {.title = t->run ? "Broadcast by measured trees"
                                             : "Broadcast by measured trees, predicted",
                             .x_label = "message (B)",
                             .y_label = "last arrival (us)",
                             .x_log2 = true,
                             .y_log10 = true};
    bool good = x && y && plot_lines(path, &axes, series, n);
    free(x);
    free(y);
    return good;
}

static int report(struct session *t, struct document *d, size_t bytes)
{
    const struct options *o = t->o;
    char *const *host = t->grid.pairs.host;
    bool good = true;
    tell_rows(t, d);
    if (t->grid.pairs.n_sizes == 0)
        document_fact(d, "latencies", "not needed");
    else if (t->grid.measured)
        document_fact(d, "latencies", "measured now, in %.3f s", t->grid.cost);
    else
        document_fact(d, "latencies", "%s", o->latencies);
    if (t->run)
        document_fact(d, "method", "%s%s", o->method->name,
                      t->clock.domains > 1 ? ", on synchronised clocks" : "");
    if (!t->run)
        document_note(d, "Nothing was run: %s.",
                      o->no_run ? "--no-run" : "one rank, a prediction for the log's");
    if (t->clock.domains > 1)
        document_note(d, "Clocks of %d hosts agree to %.2f us.", t->clock.domains,
                      2e6 * t->clock.worst_bound);
    if (t->best.n > 0) {
        document_attach(d, "schedule", schedule_to_json(&t->best, bytes));
        if (o->tree)
            good = schedule_draw(&t->best, host, o->tree);
        if (o->save)
            good = schedule_save(&t->best, bytes, o->save) && good;
        if (o->bench.format == FORMAT_TEXT && !o->bench.output && t->best.n <= 64) {
            printf("\n%s, %zu B\n", t->best.name, bytes);
            schedule_draw_text(&t->best, host, stdout);
            printf("\n");
        }
    }
    if (o->bench.plot)
        good = plot_rows(t, o->bench.plot) && good;
    return good ? 0 : 1;
}

/* With one rank a log is enough; several ranks have to be those of the log. */
static bool open_latencies(struct session *t, char *why, size_t size)
{
    const struct options *o = t->o;
    const struct bench *b = &o->bench;
    t->grid = (struct grid){.comm = b->comm, .size = b->size};
    if (o->n_builders == 0 && !o->load && b->size > 1) { /* nothing to be known */
        t->grid.pairs.n = b->size;
        return true;
    }
    if (b->size > 1 || !o->latencies) {
        size_t sizes[SIZES_MAX], bytes = b->sizes.min;
        int n = 0;
        do
            sizes[n++] = bytes;
        while (n < SIZES_MAX && next_size(o, &bytes));
        return grid_open(&t->grid, b->comm, o->latencies, sizes, n, why, size);
    }
    return pairs_log_load(o->latencies, &t->grid.pairs, why, size);
}

static void open_all(struct session *t)
{
    const struct options *o = t->o;
    const struct bench *b = &o->bench;
    char why[WHY_MAX] = "";
    if (b->size == 1 && !o->latencies)
        bench_refuse(b, "one rank and no --latencies=LOG: start more ranks by mpiexec -n");
    if (b->ranks.min < (size_t)b->size)
        bench_refuse(b, "--ranks is not for this program: the log, or mpiexec -n, says how many");
    if (!open_latencies(t, why, sizeof why))
        bench_refuse(b, "%s", why);
    int n = t->grid.pairs.n, good = 1;
    MPI_Bcast(&n, 1, MPI_INT, 0, b->comm);
    if (o->root >= n)
        bench_refuse(b, "no root %d: there are ranks 0 to %d", o->root, n - 1);
    if (o->load && b->rank == 0) {
        good = schedule_load(o->load, &t->loaded, why, sizeof why);
        if (good && (t->loaded.n != n || t->loaded.root != o->root)) {
            snprintf(why, sizeof why, "%s: it is for %d ranks from root %d, not %d from %d",
                     o->load, t->loaded.n, t->loaded.root, n, o->root);
            good = 0;
        }
    }
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, b->comm);
    if (!tell_all(t, good))
        bench_refuse(b, "%s", why);
    t->run = b->size > 1 && !o->no_run;
    sync_start(&t->clock, b->comm, NULL);
    MPI_Comm_set_errhandler(b->comm, MPI_ERRORS_RETURN);
}

static void check_outputs(const struct options *o)
{
    int good = 1;
    if (o->bench.rank == 0)
        good = (!o->tree || (schedule_draw_path_valid(o->tree) && save_possible(o->tree))) &&
               (!o->save || save_possible(o->save));
    MPI_Bcast(&good, 1, MPI_INT, 0, o->bench.comm);
    if (!good) {
        MPI_Finalize();
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static struct options o = {.bench.sizes = {1024, 1024}, .segment = SIZE_MAX, .step = 1};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 50;
    o.bench.plan.budget = 2;
    o.method = bcast_method_find("direct");
    bench_start(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &argp);
    if (o.n_builders == 0 && !o.only_native)
        choose_word("all", &o);
    check_outputs(&o);
    struct session t = {.o = &o};
    struct document *d = bench_document(&o.bench, "collbench-tree/1");
    open_all(&t);
    if (o.bench.rank == 0)
        t.row = calloc(SIZES_MAX * (o.n_builders + 2), sizeof *t.row);

    size_t bytes = o.bench.sizes.min, done = 0, last;
    do {
        last = bytes;
        bench_progress(&o.bench, done++, 0, "sizes");
        compare_size(&t, bytes);
    } while (done < SIZES_MAX && next_size(&o, &bytes));
    bench_progress_end(&o.bench);
    int status = d ? report(&t, d, last) : 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    schedule_free(&t.best);
    schedule_free(&t.loaded);
    grid_close(&t.grid);
    free(t.row);
    bench_finish(&o.bench, d, status);
}
