/* collbench-collective: any collective operation, from the last rank's entry to every other's exit,
 * and with all ranks entering at once. */
#include "latency_bench.h"
#include "measure/collective/operation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *operation_name(size_t i)
{
    return i < n_operations ? operations[i].name : NULL;
}

static const struct option_registry chooses = {"operation", operation_name, NULL, NULL};

/* By our names or MPI's. */
static error_t take_operations(struct option_parser *parser, const struct option_entry *entry,
                               const char *list, void *value)
{
    char ours[512] = "", *copy = strdup(list), *rest = copy, *word;
    bool twin;
    while (copy && (word = strsep(&rest, ","))) {
        const struct operation *o = operation_find(word, &twin);
        size_t at = strlen(ours);
        snprintf(ours + at, sizeof ours - at, "%s%s", at ? "," : "", o && !twin ? o->name : word);
    }
    free(copy);
    return option_take_list(parser, entry, ours, value);
}

static error_t check_together(struct option_parser *parser, void *options)
{
    struct latency_options *o = options;
    if (o->things.n == 0)
        option_choose(NULL, &chooses, "reduce,allreduce,barrier,allgather,alltoall", &o->things);
    latency_choose(o);
    return bench_check_ranks(parser, &o->bench, "a collective", o->root);
}

static const struct option_entry option_list[] = {
    LATENCY_OPTIONS,
    {"operation", 0, "LIST",
     "the operations, or all; default: reduce,allreduce,barrier,allgather,alltoall", 1,
     take_operations, LATENCY_AT(things), &chooses},
    {"pairs", 0, NULL, "every pair of ranks, in a table of its own", 2, option_take_flag,
     LATENCY_AT(by_pair), NULL},
    {0}};

static const struct option_program program = {
    "Measures how long collective operations take: from the last rank's entry to every other's "
    "exit (held), and with all ranks entering at once (direct).",
    .options = option_list,
    .listed = (const struct option_registry *const[]){&latency_registry, NULL},
    .check = check_together};

struct sweep {
    struct latency_options *o;
    struct tables *tables;
    struct sync_clock clock;
    char (*name)[80]; /* of each variant */
    int wrong;
};

/* Each operation with every value of the --cvar that takes several in turn: the operations first.
 */
static size_t variants(const struct latency_options *o)
{
    return o->things.n * cvar_values();
}

static const struct operation *operation_of(const struct sweep *s, size_t which)
{
    return &operations[s->o->things.at[which % s->o->things.n]];
}

static const char *name_of(const void *arg, size_t which)
{
    const struct sweep *s = arg;
    return cvar_name(s->name[which], sizeof *s->name, operation_of(s, which)->name,
                     which / s->o->things.n);
}

/* A barrier has no size: it is measured once. */
static bool is_sized(const void *arg, size_t which)
{
    const struct operation *o = operation_of(arg, which);
    return o->send != EXTENT_NONE || o->recv != EXTENT_NONE;
}

static int run(void *arg, int root)
{
    (void)root;
    return operation_run(arg);
}

/* The operation once with known data; on all ranks how many had other data. */
static int check(void *arg, int *wrong, bool *checked)
{
    const struct operation_call *call = arg;
    operation_fill(call);
    int mine = operation_run(call) != MPI_SUCCESS || !operation_check(call);
    *checked = true;
    return MPI_Allreduce(&mine, wrong, 1, MPI_INT, MPI_SUM, call->comm);
}

static void measure_call(struct sweep *s, const struct bench_point *p, struct operation_call *call)
{
    const struct latency_options *o = s->o;
    const struct latency_method *methods[OPTION_CHOSEN_MAX];
    struct latency_outcome outcome;
    struct latency_case c = {.comm = call->comm,
                             .run = run,
                             .check = check,
                             .arg = call,
                             .kind = operation_kind(call->operation),
                             .root = call->operation->rooted ? o->root : 0,
                             .together = true,
                             .ring_bytes = o->ring_bytes,
                             .plan = o->bench.plan,
                             .every = o->by_pair,
                             .clock = &s->clock};
    size_t n = latency_meaningful(o, false, c.kind, methods);
    bench_check(&o->bench, latency_measure(&c, methods, n, &outcome), "", p);
    s->wrong += outcome.wrong_ranks > 0;
    struct disturbance disturbed = bench_disturbed(call->comm);
    if (disturbed.spoiled)
        latency_unjudge(&outcome);
    if (s->tables)
        tables_add(s->tables, p, &outcome, disturbed);
    latency_outcome_free(&outcome);
}

static void measure(void *arg, const struct bench_point *p, MPI_Comm comm)
{
    struct sweep *s = arg;
    const struct latency_options *o = s->o;
    struct operation_call call;
    cvar_use(p->which / o->things.n);
    bool prepared = operation_prepare(&call, operation_of(s, p->which), comm, o->root, p->bytes);
    if (!bench_worst(comm, !prepared))
        measure_call(s, p, &call);
    else if (s->tables)
        reason_say(o->bench.program, "no memory for %s of %zu bytes among %d ranks: left out",
                   p->name, p->bytes, p->ranks);
    if (prepared)
        operation_release(&call);
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    bench_clocks(&((struct sweep *)arg)->clock, comm);
}

int main(int argc, char **argv)
{
    static struct latency_options o = {.bench.in_turn = true};
    struct sweep s = {.o = &o};
    o.bench.plan = plan_default();
    o.bench.plan.budget_most = 6 * o.bench.plan.budget;
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    s.name = calloc(variants(&o), sizeof *s.name);
    if (!s.name)
        bench_refuse(&o.bench, "no memory");
    struct document *d = bench_document(&o.bench, "collbench-collective/2");
    if (d) {
        document_fact(d, "root", "%d", o.root);
        s.tables = tables_new(&o, d, "operation");
    }
    bench_keep(&o.bench, &(struct bench_so_far){.document = d});
    bench_visit(&o.bench,
                &(const struct bench_visit){.n = variants(&o),
                                            .name = name_of,
                                            .sized = is_sized,
                                            .enter = start_clocks,
                                            .measure = measure},
                &s);
    if (d && s.wrong)
        document_finding(d,
                         &(struct finding){.key = "wrong_data",
                                           .severity = SEVERITY_ERROR,
                                           .number = {{"cases", s.wrong}}},
                         "WRONG DATA in %d cases: these operations do not work.", s.wrong);
    if (s.tables)
        tables_end(s.tables, variants(&o), name_of, &s);
    int status = s.wrong > 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    free(s.name);
    bench_finish(&o.bench, d, status);
}
