/* collbench-bcast and collbench-collective: how long one operation takes, by several methods. They
 * are one program with two names. collbench-bcast measures broadcasts by several algorithms, from
 * the root's entry; collbench-collective measures the library's operations, from the last rank's
 * entry (held) or with all ranks entering at the same moment (direct). */
#include "base/hash.h"
#include "base/memory.h"
#include "latency_bench.h"
#include "profile/profile.h"
#include "trees/bcast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

OPTION_NAMES(method_name, n_latency_methods, latency_methods[i]->name)

/* Names of operations[], then of their persistent forms, in the same order. */
OPTION_NAMES(operation_name, 2 * n_operations,
             i < n_operations ? operations[i].name : operations[i - n_operations].persistent_name)

/* Finds an operation by MPI's name, as in "MPI_Bcast" or "persistent-MPI_Bcast". */
static size_t find_operation(const char *name)
{
    const size_t prefix = strlen(OPERATION_PERSISTENT);
    const bool persistent = !strncmp(name, OPERATION_PERSISTENT, prefix);
    bool twin;
    const struct operation *o = operation_find(name + (persistent ? prefix : 0), &twin);
    return !o || twin ? SIZE_MAX : (size_t)(o - operations) + (persistent ? n_operations : 0);
}

static bool is_not_persistent(size_t i, const void *values)
{
    (void)values;
    return i < n_operations;
}

static bool is_ours(size_t i, const void *values)
{
    (void)values;
    return latency_methods[i]->meaning != MEANS_SUITE;
}

/* Other benchmark suites. The name of a method that imitates a suite begins with the suite's. */
static const char *const suite_names[] = {"osu", "imb", "repro"};
OPTION_NAMES(suite_name, sizeof suite_names / sizeof *suite_names, suite_names[i])

static const struct option_registry methods = {"method", method_name, .in_all = is_ours},
                                    suites = {"suite", suite_name},
                                    operation_list = {"operation of this MPI", operation_name,
                                                      find_operation, is_not_persistent};

/* --- options --- */

/* The rank of the arrival pattern late:RANK; -1 for other patterns. */
static int late_rank(const char *pattern)
{
    int rank, end = 0;
    return sscanf(pattern, "late:%5d%n", &rank, &end) == 1 && !pattern[end] ? rank : -1;
}

/* Takes the LIST of --arrivals, each pattern once. Any other word is the directory of a run. */
static error_t take_arrivals(struct option_parser *parser, const struct option_entry *entry,
                             const char *list, void *value)
{
    struct latency_arrivals *a = value;
    char *rest = strdup(list);
    for (const char *word; (word = strsep(&rest, ","));) {
        const bool late = !strncmp(word, "late:", strlen("late:")),
                   drawn = !strcmp(word, "ramp") || !strcmp(word, "random");
        if (a->n == LATENCY_ARRIVALS_MAX || !*word || (late && late_rank(word) < 0) ||
            (!late && !drawn && a->directory))
            return option_refuse(parser,
                                 "--%s=%s: expected at most %d of late:RANK, ramp, random, and one "
                                 "directory of a recorded run",
                                 entry->name, list, LATENCY_ARRIVALS_MAX);
        if (!late && !drawn)
            a->directory = word;
        a->at[a->n] = late || drawn ? word : "recorded";
        size_t same = 0;
        while (strcmp(a->at[same], a->at[a->n]) != 0)
            same++;
        a->n += same == a->n;
    }
    return 0;
}

static bool is_chosen(const struct latency_options *o, size_t method)
{
    for (size_t k = 0; k < o->methods.n; k++)
        if (o->methods.at[k] == method)
            return true;
    for (size_t k = 0; k < o->suites.n; k++) {
        const char *suite = suite_names[o->suites.at[k]];
        if (strncmp(method_name(method), suite, strlen(suite)) == 0)
            return true;
    }
    return false;
}

/* Collects the chosen methods in the order of latency_methods[], in which they are measured. */
static void choose_methods(struct latency_options *o)
{
    if (o->methods.n == 0)
        option_choose(NULL, &methods, "held,direct", &o->methods);
    for (size_t i = 0; i < n_latency_methods; i++)
        if (is_chosen(o, i))
            o->method[o->n_methods++] = latency_methods[i];
}

static bool is_persistent(const struct latency_options *o, size_t which)
{
    return !o->broadcasts && o->things.at[which] >= n_operations;
}

static const struct operation *operation_of(const struct latency_options *o, size_t which)
{
    return o->broadcasts ? operation_find("broadcast", NULL)
                         : &operations[o->things.at[which] % n_operations];
}

/* Whether method I measures operation OF. */
static bool applies(const struct latency_options *o, size_t i, const struct operation *of)
{
    return o->broadcasts || o->method[i]->kinds >> of->kind & 1;
}

static error_t check_together(struct option_parser *parser, void *options)
{
    struct latency_options *o = options;
    bool suite = false, direct = o->tune, rooted = false;
    const int all = o->bench.size < 4 ? 4 : o->bench.size;
    const bool named = o->things.n > 0 && !o->things.all;
    size_t measured = 0;
    if (o->things.n == 0 && o->broadcasts)
        option_choose(NULL, &bench_algorithms, "native", &o->things);
    else if (o->things.n == 0)
        option_choose(NULL, &operation_list, "reduce,allreduce,barrier,allgather,alltoall",
                      &o->things);
    for (size_t i = 0; i < o->things.n; i++) {
        const size_t thing = o->things.at[i];
        o->thing_name[i] = o->broadcasts ? bcasts[thing]->name : operation_name(thing);
        rooted = rooted || operation_is_rooted(operation_of(o, i));
        if (is_persistent(o, i) && (!operations[0].init || o->tune))
            return option_refuse(parser, "%s: %s", o->thing_name[i],
                                 o->tune ? "--tune measures only blocking operations"
                                         : "this MPI library has none: use MPI 4, as in MPICH 4");
    }
    if (o->root > 0 && !rooted)
        return option_refuse(parser, "--root=%d: expected an operation with a root", o->root);
    choose_methods(o);
    for (size_t i = 0; i < o->n_methods; i++) {
        suite = suite || o->method[i]->meaning == MEANS_SUITE;
        direct = direct || o->method[i] == latency_method_find("direct");
    }
    for (size_t i = 0; i < o->things.n && !o->tune; i++) {
        size_t k = 0;
        while (k < o->n_methods && !applies(o, k, operation_of(o, i)))
            k++;
        measured += k < o->n_methods;
        if (k == o->n_methods && (named || (measured == 0 && i + 1 == o->things.n)))
            return option_refuse(parser,
                                 "%s is measured by none of these methods: use: --method=direct",
                                 o->thing_name[i]);
    }
    if (o->fresh && suite)
        return option_refuse(parser, "--fresh: the loops of other suites broadcast the same data "
                                     "again and again: leave out --fresh or --as");
    if (o->bench.traffic && o->bench.ranks.max + 2 > (size_t)o->bench.size)
        return option_refuse(
            parser, "--traffic needs 2 ranks beyond --ranks: use: mpiexec -n %d, --ranks=%d", all,
            all - 2);
    if (o->arrivals.n && !direct)
        return option_refuse(parser, "--arrivals needs --tune=DIR or --method=direct");
    for (size_t i = 0; i < o->arrivals.n; i++)
        if (late_rank(o->arrivals.at[i]) >= (int)o->bench.ranks.min)
            return option_refuse(parser, "--arrivals=%s: expected a rank below %zu (--ranks)",
                                 o->arrivals.at[i], o->bench.ranks.min);
    return bench_check_ranks(parser, &o->bench, o->broadcasts ? "a broadcast" : "a collective",
                             o->root);
}

#define AT(member) offsetof(struct latency_options, member)
static const struct option_entry option_list[] = {
    {"algorithm", "LIST",
     "broadcast algorithms: all, or some of %s (default: native, that of MPI_Bcast)",
     option_take_list, AT(things), &bench_algorithms},
    {"operation", "LIST",
     "operations, persistent-NAME, or all; default: reduce,allreduce,barrier,allgather,alltoall",
     option_take_list, AT(things), &operation_list},
    {"method", "LIST", "all, or some of %s (default: held,direct)", option_take_list, AT(methods),
     &methods},
    {"as", "LIST", "add the timing loops of other benchmark suites: osu, imb, repro, all",
     option_take_list, AT(suites), &suites},
    {"root", "R", "the root of the operation", option_take_count, AT(root), &bench_root},
    {"destinations", NULL, "add a table of the latency to each destination", option_take_flag,
     AT(by_pair)},
    {"pairs", NULL, "add a table of the latency per pair of ranks", option_take_flag, AT(by_pair)},
    {"tune", "DIR", "find the MPI library's fastest algorithms, and write its settings to DIR",
     option_take_text, AT(tune)},
    {"arrivals", "LIST",
     "arrival patterns for direct and --tune: late:RANK, ramp, random, DIR of a recorded run",
     take_arrivals, AT(arrivals)},
    {"traffic", "PERCENT", "share of the time in which ranks beyond --ranks send to each other",
     option_take_count, AT(bench.traffic), OPTION_LIMITS(1, 100, "1 to 100")},
    {"ring-size", "SIZE", "bytes of each message in the barrier of method ring-barrier",
     option_take_count, AT(ring_bytes), OPTION_LIMITS(0, 1 << 30, "0 to 1G"), .flags = OPTION_RARE},
    {"fresh", NULL, "the root rewrites its data before every broadcast, as an application does",
     option_take_flag, AT(fresh), .flags = OPTION_RARE},
    {0}};

static struct option_program program = {
    .note =
        "Intervals hold within one launch; launches differ: use collprof repeat -n 6 mpiexec ...",
    .options = option_list,
    .check = check_together};

/* --- the sweep --- */

/* The sweep over ranks, things (algorithms or operations), sizes and arrival patterns. */
struct latency_visit {
    const struct latency_options *o;
    struct tables *tables; /* rank 0, without --tune; otherwise NULL */
    struct tune *tune;     /* NULL without --tune */
    struct bench_values ranks, sizes;
    struct bench_group group;
    struct profile *recorded; /* rank 0: profile of the run in --arrivals=DIR */
    double together;          /* rank 0: seconds of the operation when all ranks enter at once */
    int wrong;                /* number of points at which an operation delivered wrong data */
};

/* Whether LATE has a delay for each of RANKS ranks, 0 to 10 s: more would stall the benchmark. */
static bool is_replayable(const json_t *late, size_t ranks)
{
    bool replayable = json_array_size(late) == ranks;
    for (size_t r = 0; r < ranks && replayable; r++) {
        const double ns = json_number_value(json_array_get(late, r));
        replayable = ns >= 0 && ns <= 1e10;
    }
    return replayable;
}

/* The recorded run's costliest calls of operation OF among RANKS ranks; NULL if there are none. */
static const struct profile_arrival *recorded_calls(const struct profile *p,
                                                    const struct operation *of, size_t ranks)
{
    const struct profile_arrival *most = NULL;
    for (EACH(const struct profile_arrival, a, p->arrivals))
        if (!strcmp(p->operations.at[a->operation].name, of->mpi_name) &&
            is_replayable(a->late, ranks) && (!most || a->time_ns > most->time_ns))
            most = a;
    return most;
}

/* On rank 0: loads the run of --arrivals=DIR. False, with a reason, if it has no arrival times of
 * the chosen operations. */
static bool open_recorded(struct latency_visit *v)
{
    const char *directory = v->o->arrivals.directory;
    if (access(directory, F_OK))
        return reason_give(
            "--arrivals=%s: expected late:RANK, ramp, random, or the directory of a recorded run",
            directory);
    v->recorded = profile_load(directory);
    if (!v->recorded)
        return false;
    for (size_t i = 0; i < v->ranks.n; i++)
        for (size_t k = 0; k < v->o->things.n; k++)
            if (recorded_calls(v->recorded, operation_of(v->o, k), v->ranks.at[i]))
                return true;
    return reason_give("%s: no arrival times of these operations among as many ranks: use "
                       "--operation and --ranks as in that run",
                       directory);
}

/* On rank 0: seconds by which RANK enters later than the first rank: as recorded, or, for other
 * patterns, at most the operation's time when all ranks enter at once. NAN: OF was not recorded. */
static double lateness(const struct latency_visit *v, const struct operation *of,
                       const char *pattern, int rank)
{
    const double scale = v->together > 0 ? v->together : 0;
    if (late_rank(pattern) >= 0)
        return rank == late_rank(pattern) ? scale : 0;
    if (!strcmp(pattern, "ramp"))
        return scale * rank / (v->group.ranks - 1);
    if (!strcmp(pattern, "random"))
        return scale * (double)(hash_mix((uint64_t)rank + 1, 0) % 1000) / 1000;
    const struct profile_arrival *a = recorded_calls(v->recorded, of, (size_t)v->group.ranks);
    return a ? 1e-9 * json_number_value(json_array_get(a->late, (size_t)rank)) : NAN;
}

/* Collective over the group: the delay of this rank's entry, which rank 0 computes. */
static double delay_of(const struct latency_visit *v, const struct operation *of,
                       const char *pattern)
{
    FREED double *all = memory_alloc((size_t)v->group.ranks * sizeof *all);
    for (int r = 0; v->o->bench.rank == 0 && r < v->group.ranks; r++)
        all[r] = lateness(v, of, pattern, r);
    MPI_Bcast(all, v->group.ranks, MPI_DOUBLE, 0, v->group.comm);
    return all[v->o->bench.rank];
}

static void measure(struct latency_visit *v, const struct operation *of,
                    const struct bench_point *p, const struct latency_case *c)
{
    const struct latency_method *direct = latency_method_find("direct");
    const struct latency_options *o = v->o;
    const struct latency_method *chosen[OPTION_CHOSEN_MAX];
    struct latency_outcome outcome RELEASED(latency_outcome_free) = {0};
    size_t n = 0;
    for (size_t i = 0; i < o->n_methods; i++)
        if (applies(o, i, of) && (!p->arrival || o->method[i] == direct))
            chosen[n++] = o->method[i];
    bench_check(&o->bench, latency_measure(c, chosen, n, &outcome), p);
    v->wrong += outcome.wrong_ranks > 0;
    const struct latency_result *r = latency_result_of(&outcome, direct->name);
    if (!p->arrival)
        v->together = r ? r->value.value : NAN;
    const bool spoiled = bench_contention(c->comm);
    if (v->tables)
        latency_tables_add(v->tables, p, &outcome, spoiled);
}

/* Measures one point. A barrier has no size and is measured once. --tune interpolates every second
 * size instead. At arrival index 0, measured first, all ranks enter at once: the delays of arrival
 * patterns are scaled by this time. */
static void visit(void *arg, const size_t *at)
{
    enum { RANKS, THING, SIZE, ARRIVAL };
    struct latency_visit *v = arg;
    const struct latency_options *o = v->o;
    const struct operation *of = operation_of(o, at[THING]);
    const bool sized = of->recv != EXTENT_NONE;
    const char *pattern = at[ARRIVAL] ? o->arrivals.at[at[ARRIVAL] - 1] : NULL;
    const bool between = v->tune && at[SIZE] % 2 && at[SIZE] + 1 < v->sizes.n;
    bench_group_open(&o->bench, v->ranks.at[at[RANKS]], &v->group);
    if (v->group.comm == MPI_COMM_NULL || (at[SIZE] && !sized) || between)
        return;
    const double after = pattern ? delay_of(v, of, pattern) : 0;
    if (isnan(after))
        return;
    struct bench_point p = {.name = o->thing_name[at[THING]],
                            .arrival = pattern,
                            .ranks = v->group.ranks,
                            .bytes = sized ? v->sizes.at[at[SIZE]] : 0};
    struct operation_call call RELEASED(operation_release) = {.topology = MPI_COMM_NULL};
    bool prepared = operation_prepare(&call, of, v->group.comm, o->root, p.bytes);
    if (is_persistent(o, at[THING]) && !sync_agree(!prepared, v->group.comm))
        bench_check(&o->bench, operation_persist(&call), &p);
    call.by = o->broadcasts ? bcasts[o->things.at[at[THING]]] : NULL;
    struct latency_case c = operation_case(&call, o->fresh);
    c.together = !o->broadcasts;
    c.after = after;
    c.ring_bytes = o->ring_bytes;
    c.plan = o->bench.plan;
    c.clock = &v->group.clock;
    c.every = o->by_pair;
    if (sync_agree(!prepared, c.comm)) {
        if (o->bench.rank == 0)
            reason_print(o->bench.program, "no memory for %s of %zu bytes among %d ranks: left out",
                         p.name, p.bytes, p.ranks);
    } else if (v->tune)
        bench_check(&o->bench,
                    tune_point(v->tune, &p,
                               &(struct tuning){
                                   .c = c, .comm = &call.comm, .run = &call.own, .tree = &call.by},
                               pattern ? NULL : &v->together),
                    &p);
    else
        measure(v, of, &p, &c);
}

static struct document *open_document(struct latency_visit *v)
{
    const struct latency_options *o = v->o;
    struct document *d =
        bench_document(&o->bench, o->broadcasts ? "collbench-bcast/4" : "collbench-collective/4");
    if (!d)
        return NULL;
    document_fact(d, "root", "%d", o->root);
    if (o->bench.traffic)
        document_fact(d, "traffic", "other ranks send 64 KiB to each other for %d %% of the time",
                      o->bench.traffic);
    for (size_t k = 0; k < o->things.n; k++)
        if (operation_of(o, k)->recv == EXTENT_NONE)
            document_fact(d, "sizes",
                          "a barrier has none: it is measured once, whatever the sizes");
    if (o->bench.plan.stop == STOP_PAPER)
        document_fact(d, "value", "mean of the batches' means, as by de Supinski and Karonis");
    v->tables = o->tune ? NULL : latency_tables_new(o, d);
    return d;
}

int main(int argc, char **argv)
{
    static struct latency_options o;
    struct bench *b = &o.bench;
    o.broadcasts = strstr(basename(argv[0]), "bcast");
    b->without = o.broadcasts ? "operation pairs tune arrivals" : "algorithm destinations fresh";
    b->plan = plan_default();
    b->plan.budget_most = 6 * b->plan.budget;
    /* Open MPI reads this in MPI_Init, before options are parsed. Without rules it does nothing. */
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--tune", 6))
            setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
    program.does =
        o.broadcasts
            ? "Measures how long one MPI broadcast takes, by the methods of de Supinski and "
              "Karonis, of OSU, IMB and ReproMPI, and by two of its own."
            : "Measures how long collective operations take: from the last rank's entry to "
              "every other's exit (held), and with all ranks entering at once (direct).";
    bench_begin(b, &argc, &argv, &program);
    struct latency_visit v = {.o = &o,
                              .ranks = (o.tune ? tune_ranks : bench_values)(&b->ranks),
                              .sizes = bench_values(&b->sizes)};
    v.group.first = o.root;
    const bool opened = b->rank > 0 || !o.arrivals.directory || open_recorded(&v);
    if (sync_agree(!opened, b->comm))
        bench_leave(STATUS_USAGE);
    const size_t length[] = {v.ranks.n, o.things.n, v.sizes.n, 1 + o.arrivals.n};
    struct document *d = open_document(&v);
    if (o.tune)
        v.tune = tune_new(&o, d);
    bench_sweep(b, length, 4, visit, &v);
    bench_group_close(b, &v.group);
    if (d && v.wrong)
        document_finding(d, FINDING("wrong_data", ERROR, .number = {{"cases", v.wrong}}),
                         "WRONG DATA in %d of %zu cases: use no figure of this run.", v.wrong,
                         v.ranks.n * o.things.n * v.sizes.n);
    bool saved = !d || !v.tune || tune_end(v.tune);
    if (v.tables)
        latency_tables_end(v.tables);
    profile_free(v.recorded);
    bench_finish(b, d, sync_agree(v.wrong > 0 || !saved, b->comm));
}
