/* collbench-collective: any collective operation, from the last rank's entry to every other rank's
 * exit, or with all ranks entering at the same moment. */
#include "latency_bench.h"
#include "measure/collective/operation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

OPTION_TEXT(operation_name, n_operations, operations[i].name)

static const struct option_registry chooses = {"operation", operation_name, NULL, NULL};

/* Accepts our names of operations and MPI's. */
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
    if (o->arrivals.n && !o->tune)
        return option_refuse(parser, "--arrival has no effect without --tune=DIR");
    if (o->arrivals.n == 0)
        option_choose(NULL, &latency_arrivals, "punctual", &o->arrivals);
    return bench_check_ranks(parser, &o->bench, "a collective", o->root);
}

static const struct option_entry option_list[] = {
    LATENCY_OPTIONS,
    LATENCY_OPTION("operation", "LIST",
                   "the operations, or all; default: reduce,allreduce,barrier,allgather,alltoall",
                   1, take_operations, things, &chooses),
    LATENCY_OPTION("pairs", NULL, "add a table of all pairs of ranks", 2, option_take_flag, by_pair,
                   NULL),
    LATENCY_OPTION("tune", "DIR",
                   "find the library's fastest algorithms, and write files for it into DIR", 2,
                   option_take_text, tune, NULL),
    LATENCY_OPTION("arrival", "LIST", "with --tune: how ranks enter, of %s; default: punctual", 2,
                   option_take_list, arrivals, &latency_arrivals),
    {0}};

static const struct option_program program = {
    "Measures how long collective operations take: from the last rank's entry to every other's "
    "exit (held), and with all ranks entering at once (direct).",
    .options = option_list,
    .listed = (const struct option_registry *const[]){&latency_registry, NULL},
    .check = check_together};

struct collectives {
    const struct latency_options *o;
    struct operation_call call;
};

static const struct operation *operation_of(const struct collectives *s, size_t which)
{
    return &operations[s->o->things.at[which]];
}

static const char *name_of(const void *arg, size_t which)
{
    return operation_of(arg, which)->name;
}

/* A barrier has no size, so it is measured once. */
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

/* Makes the operation with known data. *WRONG, on all ranks: how many ranks received other data. */
static int check(void *arg, int *wrong, bool *checked)
{
    const struct operation_call *call = arg;
    operation_fill_buffers(call);
    int mine = operation_run(call) != MPI_SUCCESS || !operation_check(call);
    *checked = true;
    return MPI_Allreduce(&mine, wrong, 1, MPI_INT, MPI_SUM, call->comm);
}

static bool prepare(void *arg, const struct bench_point *p, MPI_Comm comm, struct latency_case *c)
{
    struct collectives *s = arg;
    const struct operation *o = operation_of(s, p->which);
    *c = (struct latency_case){.comm = comm,
                               .run = run,
                               .check = check,
                               .arg = &s->call,
                               .kind = operation_kind(o),
                               .root = o->rooted ? s->o->root : 0,
                               .together = true};
    return operation_prepare(&s->call, o, comm, s->o->root, p->bytes);
}

static void use(void *arg, MPI_Comm comm, collective_run *by)
{
    struct operation_call *call = arg;
    call->comm = comm;
    call->own = by;
}

static void release(void *arg)
{
    operation_release(&((struct collectives *)arg)->call);
}

int main(int argc, char **argv)
{
    static struct latency_options o;
    static const struct latency_things things = {.schema = "collbench-collective/4",
                                                 .name = "operation",
                                                 .name_of = name_of,
                                                 .sized = is_sized,
                                                 .prepare = prepare,
                                                 .release = release,
                                                 .use = use};
    /* Open MPI reads it in MPI_Init, before options are parsed; without rules it changes nothing.
     */
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--tune", 6))
            setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
    latency_main(argc, argv, &program, &o, &things, &(struct collectives){.o = &o});
}
