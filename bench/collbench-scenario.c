/* Collective operations in a context: the scenarios of Gracia, Niethammer and Sethi, and one's
 * own from a file. */
#include "bench.h"
#include "scenario_file.h"
#include "scenario_results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SCENARIOS = 16, MAX_SIZES_OF_COMM = 40 };

struct choice {
    const struct operation *operation;
    bool twin;
};

enum { DELAYED_FIRST = 0, DELAYED_LAST = -1 };

struct options {
    struct bench bench;
    struct choice choice[32];
    size_t n_choices;
    struct scenario scenario[MAX_SCENARIOS];
    size_t n_scenarios;
    struct bench_range delay, comp; /* microseconds */
    int delayed, root;
    int against; /* -1: what varies */
};

/* The first n ranks, as one communicator with one clock. */
struct group {
    int ranks;
    MPI_Comm comm; /* MPI_COMM_NULL where this rank is not in it */
    struct sync_clock clock;
    double slack;
};

enum key { KEY_DELAY = 0x200, KEY_DELAYED, KEY_COMP, KEY_ROOT, KEY_AGAINST, KEY_OPERATION };

static const struct argp_option option_list[] = {
    {"operation", KEY_OPERATION, "LIST", 0,
     "all, or of barrier, broadcast, gather, allgather, allreduce, reduce, scatter, alltoall, "
     "reduce-scatter, scan; with an i in front, the non-blocking twin",
     1},
    {"scenario", 's', "LIST", 0,
     "1 collective only, 2 with a delayed participant, 3 overlapping with computation, or files "
     "with scenarios of your own",
     1},
    {"delay", KEY_DELAY, "MIN:MAX", 0, "how late, in microseconds, powers of two (100)", 2},
    {"delayed", KEY_DELAYED, "WHO", 0, "who is late: first, last or a rank (last)", 2},
    {"comp", KEY_COMP, "MIN:MAX", 0, "computation in microseconds, powers of two (100)", 2},
    {"root", KEY_ROOT, "RANK", 0, "root of rooted operations (0)", 2},
    {"against", KEY_AGAINST, "WHAT", 0,
     "what --plot has on its x axis: ranks, size, delay, comp (the first that varies)", 12},
    {0}};

static void choose(struct options *o, const struct operation *operation, bool twin)
{
    for (size_t i = 0; i < o->n_choices; i++)
        if (o->choice[i].operation == operation && o->choice[i].twin == twin)
            return;
    o->choice[o->n_choices++] = (struct choice){operation, twin};
}

static bool choose_word(const char *word, void *arg)
{
    bool twin;
    if (strcmp(word, "all") == 0) {
        for (size_t i = 0; i < 2 * n_operations; i++)
            choose(arg, &operations[i / 2], i % 2);
        return true;
    }
    const struct operation *operation = operation_find(word, &twin);
    if (operation)
        choose(arg, operation, twin);
    return operation != NULL;
}

/* For messages: the operations, and after each its non-blocking twin. */
static const char *operation_word(size_t i)
{
    static char twin[32];
    if (i >= 2 * n_operations)
        return NULL;
    snprintf(twin, sizeof twin, "i%s", operations[i / 2].name);
    return i % 2 ? twin : operations[i / 2].name;
}

/* For the parser: its state, to say what is wrong with a file. */
struct reading {
    struct options *options;
    struct argp_state *state;
};

static bool read_scenario_file(struct reading *r, const char *path)
{
    struct scenario *s = &r->options->scenario[r->options->n_scenarios];
    struct scenario_error error = {0};
    FILE *file = fopen(path, "re");
    if (!file) {
        bench_bad_option(r->state, "scenario '%s': %s: 1, 2, 3 or a file", path, strerror(errno));
        return false;
    }
    const char *slash = strrchr(path, '/');
    bool good = scenario_read(file, slash ? slash + 1 : path, s, &error);
    fclose(file);
    if (!good && error.line)
        bench_bad_option(r->state, "%s:%d: %s", path, error.line, error.text);
    else if (!good)
        bench_bad_option(r->state, "%s: %s", path, error.text);
    return good;
}

static bool add_scenario(const char *word, void *arg)
{
    struct reading *r = arg;
    struct options *o = r->options;
    if (o->n_scenarios == MAX_SCENARIOS) {
        bench_bad_option(r->state, "too many scenarios: at most %d", MAX_SCENARIOS);
        return false;
    }
    if (strlen(word) == 1 && *word >= '1' && *word <= '3')
        o->scenario[o->n_scenarios] = scenarios[*word - '1'];
    else if (!read_scenario_file(r, word))
        return false;
    o->n_scenarios++;
    return true;
}

static error_t parse_times(struct argp_state *state, char *arg, struct bench_range *range)
{
    if (bench_parse_range(arg, range) && range->min > 0 && range->max <= 100000000)
        return 0;
    return bench_bad_option(
        state, "impossible sweep '%s': MIN:MAX in microseconds, at least 1, as in 16:256", arg);
}

static bool parse_rank(const char *text, int size, int *rank)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 0 || value >= size)
        return false;
    *rank = (int)value;
    return true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct reading reading = {o, state};
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_OPERATION:
        if (!bench_each_word(arg, choose_word, o))
            return bench_unknown(state, "operation", arg, operation_word);
        return 0;
    case 's':
        return bench_each_word(arg, add_scenario, &reading) ? 0 : EINVAL;
    case KEY_DELAY:
        return parse_times(state, arg, &o->delay);
    case KEY_COMP:
        return parse_times(state, arg, &o->comp);
    case KEY_DELAYED:
        if (strcmp(arg, "first") == 0)
            o->delayed = DELAYED_FIRST;
        else if (strcmp(arg, "last") == 0)
            o->delayed = DELAYED_LAST;
        else if (!parse_rank(arg, o->bench.size, &o->delayed))
            return bench_bad_option(state,
                                    "impossible --delayed=%s: first, last, or a rank below %d", arg,
                                    o->bench.size);
        return 0;
    case KEY_ROOT:
        return bench_parse_root(state, arg, &o->bench, &o->root);
    case KEY_AGAINST:
        for (o->against = 0; o->against < N_AGAINST; o->against++)
            if (strcmp(arg, against_names[o->against]) == 0)
                return 0;
        return bench_bad_option(state, "impossible --against=%s: ranks, size, delay or comp", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .children = children,
    .doc = "Times collective operations in a context: on their own, with a participant that is "
           "late, with computation to hide behind, or in a scenario of your own.\v"
           "T_sc is the time from the first start to the last end over all ranks, on one clock."};

/* Refuses what cannot run, before anything is measured. */
static void check_all(const struct options *o)
{
    int least = (int)o->bench.ranks.min;
    for (size_t i = 0; i < o->n_scenarios; i++) {
        const struct scenario *s = &o->scenario[i];
        for (size_t k = 0; k < o->n_choices; k++) {
            struct scenario_point point = {.operation = o->choice[k].operation,
                                           .twin = o->choice[k].twin,
                                           .root = o->root,
                                           .delayed = o->delayed < 0 ? least - 1 : o->delayed};
            struct scenario_error error;
            if (scenario_check(s, least, &point, &error))
                continue;
            if (error.line)
                bench_refuse(&o->bench, "scenario %s, line %d: %s", s->name, error.line,
                             error.text);
            bench_refuse(&o->bench, "scenario %s: %s", s->name, error.text);
        }
    }
    if (o->root >= least || o->delayed >= least)
        bench_refuse(&o->bench, "rank %d takes no part where only %d do: raise --ranks=MIN:MAX",
                     o->root >= least ? o->root : o->delayed, least);
}

static size_t make_groups(const struct options *o, struct group *group)
{
    const struct bench *b = &o->bench;
    size_t n = 0, ranks = b->ranks.min;
    do {
        struct group *g = &group[n++];
        *g = (struct group){.ranks = (int)ranks};
        MPI_Comm_split(b->comm, b->rank < g->ranks ? 0 : MPI_UNDEFINED, b->rank, &g->comm);
        if (g->comm != MPI_COMM_NULL) {
            sync_start(&g->clock, g->comm, NULL);
            g->slack = sync_slack(&g->clock, g->comm, 0);
        }
    } while (n < MAX_SIZES_OF_COMM && bench_next(&b->ranks, &ranks));
    return n;
}

static double measure(const struct options *o, const struct scenario *s, const struct group *g,
                      const struct scenario_point *point, double alone,
                      struct scenario_results *results)
{
    struct scenario_row row = {.scenario = s,
                               .point = *point,
                               .sweeps_operation = scenario_sweeps_operation(s),
                               .ranks = g->ranks,
                               .alone = alone};
    double median = NAN;
    if (g->comm != MPI_COMM_NULL) {
        int error =
            scenario_run(s, point, g->comm, &g->clock, g->slack, &o->bench.plan, &row.result);
        if (error != MPI_SUCCESS) {
            if (o->bench.rank == 0)
                fprintf(stderr, "%s: %zu bytes on %d ranks do not fit into memory\n",
                        o->bench.program, point->bytes, g->ranks);
            MPI_Abort(o->bench.comm, 1);
        }
        const struct samples *t = &row.result.completion;
        median = stats_summarize(t->value, t->n).median;
    }
    if (o->bench.rank == 0)
        scenario_results_add(results, &row);
    bench_wait(o->bench.comm);
    return median;
}

/* One size on one group: the delays and computations. */
static void sweep_times(const struct options *o, const struct scenario *s, const struct group *g,
                        struct scenario_point point, struct scenario_results *results)
{
    bool delays = scenario_sweeps(s, ACTION_DELAY), comps = scenario_sweeps(s, ACTION_COMP);
    size_t delay = delays ? o->delay.min : 0;
    point.delayed = o->delayed < 0 ? g->ranks - 1 : o->delayed;
    do {
        size_t comp = o->comp.min;
        point.delay = 1e-6 * (double)delay;
        point.comp = 0;
        double alone = measure(o, s, g, &point, NAN, results);
        if (!comps)
            continue;
        do {
            point.comp = 1e-6 * (double)comp;
            measure(o, s, g, &point, alone, results);
        } while (bench_next(&o->comp, &comp));
    } while (delays && bench_next(&o->delay, &delay));
}

static size_t count(const struct bench_range *range)
{
    size_t n = 1, value = range->min;
    while (bench_next(range, &value))
        n++;
    return n;
}

static void sweep(const struct options *o, const struct group *group, size_t n_groups,
                  struct scenario_results *results)
{
    const struct bench *b = &o->bench;
    size_t done = 0, total = o->n_scenarios * o->n_choices * count(&b->sizes) * n_groups;
    for (size_t i = 0; i < o->n_scenarios; i++) {
        const struct scenario *s = &o->scenario[i];
        size_t choices = scenario_sweeps_operation(s) ? o->n_choices : 1;
        for (size_t k = 0; k < choices; k++) {
            struct scenario_point point = {.operation = o->choice[k].operation,
                                           .twin = o->choice[k].twin,
                                           .root = o->root,
                                           .bytes = b->sizes.min};
            bool sizes = scenario_sweeps_bytes(s) && point.operation->recv != EXTENT_NONE;
            if (!sizes)
                point.bytes = 0;
            do {
                for (size_t g = 0; g < n_groups; g++) {
                    bench_progress(b, done++, total, point.operation->name);
                    sweep_times(o, s, &group[g], point, results);
                }
            } while (sizes && bench_next(&b->sizes, &point.bytes));
        }
    }
    bench_progress_end(b);
}

static void fill_defaults(struct options *o)
{
    if (o->n_scenarios == 0)
        o->scenario[o->n_scenarios++] = scenarios[0];
    if (o->n_choices == 0) {
        bool overlaps = false;
        for (size_t i = 0; i < o->n_scenarios; i++)
            overlaps = overlaps || scenario_sweeps(&o->scenario[i], ACTION_COMP);
        choose_word(overlaps ? "ibroadcast" : "broadcast", o);
    }
}

int main(int argc, char **argv)
{
    static struct options o = {.bench = {.sizes = {.min = 512, .max = 512}, .without = "full"},
                               .delay = {.min = 100, .max = 100},
                               .comp = {.min = 100, .max = 100},
                               .delayed = DELAYED_LAST,
                               .against = -1};
    o.bench.plan = plan_default();
    o.bench.plan.repetitions = 20;
    o.bench.plan.repeats_max = 100;
    o.bench.plan.budget = 2;
    bench_start(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &argp);
    fill_defaults(&o);
    check_all(&o);

    struct group group[MAX_SIZES_OF_COMM];
    struct scenario_results results = {0};
    struct document *d = bench_document(&o.bench, "collbench-scenario/1");
    size_t n_groups = make_groups(&o, group);
    sweep(&o, group, n_groups, &results);
    int status = 0;
    if (d) {
        scenario_results_tell(&results, d);
        if (o.bench.plot && !scenario_results_plot(&results, o.bench.plot, o.against))
            status = 1;
        for (size_t i = 0; i < results.n; i++)
            status = results.row[i].result.correct ? status : 1;
    }
    scenario_results_free(&results);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    for (size_t i = 0; i < n_groups; i++)
        if (group[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&group[i].comm);
    bench_finish(&o.bench, d, status);
}
