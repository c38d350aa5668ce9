/* collbench-collective: reduce, allreduce, barrier, allgather, alltoall and the like, measured
 * directly on one clock and pair by pair without one. */
#include "collective_bench.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A scan is neither fan-in nor fan-out nor symmetrical: rank i needs those before it only. A
 * reduce-scatter couples all. */
static const char *operation_name(size_t i)
{
    if (i >= n_operations)
        return NULL;
    return strcmp(operations[i].name, "scan") == 0 ? "" : operations[i].name;
}

static const char *method_name(size_t i)
{
    static const char *const names[] = {"direct", "mirrored", NULL};
    return names[i];
}

static const struct option_registry chooses = {"operation", operation_name, NULL, NULL},
                                    method = {"method", method_name, NULL, NULL};

/* "max", or "user:NS". */
static error_t take_op(struct option_parser *parser, const struct option_entry *option,
                       const char *arg, void *value)
{
    struct operation_data *data = value;
    size_t length = strcspn(arg, ":");
    char *end = "";
    (void)option;
    for (data->op = 0; operation_ops[data->op]; data->op++)
        if (strlen(operation_ops[data->op]) == length &&
            !strncmp(operation_ops[data->op], arg, length))
            break;
    if (data->op == OP_USER && arg[length])
        data->cost = 1e-9 * strtod(arg + length + 1, &end);
    bool right = operation_ops[data->op] && (!arg[length] || data->op == OP_USER) && !*end &&
                 (!arg[length] || arg[length + 1]) && data->cost >= 0 && data->cost <= 1e-3;
    return right ? 0
                 : option_refuse(parser,
                                 "impossible --op=%s: bxor, sum, max, or user:NS, NS up to a "
                                 "million nanoseconds a byte",
                                 arg);
}

/* Whether an element of the datatype can be what it has to. */
static error_t check_data(struct option_parser *parser, struct options *o)
{
    const char *type = operation_types[o->data.type];
    for (int op = 0; o->data.op < 0; op++)
        if (operation_combines(o->data.type, op))
            o->data.op = op;
    error_t error = bench_check_sizes(parser, &o->bench, type, operation_element(o->data.type));
    for (size_t i = 0; !error && i < o->operations.n; i++)
        if (chosen_operation(o, i)->reduces && !operation_combines(o->data.type, o->data.op))
            return option_refuse(parser, "--op=%s is not for --datatype=%s: --op=user is%s",
                                 operation_ops[o->data.op], type,
                                 operation_combines(o->data.type, OP_SUM) ? ", and sum and max"
                                                                          : "");
    return error;
}

/* Whether they are enough for so many communicators. */
static error_t check_communicators(struct option_parser *parser, struct options *o)
{
    int least = (int)o->bench.ranks.min / o->communicators;
    if (o->communicators == 1)
        return 0;
    if (o->methods.n && o->mirrored)
        return option_refuse(parser, "--communicators: among several there is no last rank that "
                                     "all wait for: --method=direct");
    if (least < 2 || o->root >= least)
        return option_refuse(parser, "--communicators=%d: each needs two ranks and the root",
                             o->communicators);
    o->direct = true;
    o->mirrored = false;
    return 0;
}

static error_t check_together(struct option_parser *parser, void *options)
{
    struct options *o = options;
    o->direct = o->mirrored = o->methods.n == 0;
    for (size_t i = 0; i < o->methods.n; i++)
        *(o->methods.at[i] == 0 ? &o->direct : &o->mirrored) = true;
    if (o->operations.n == 0)
        option_choose(NULL, &chooses,
                      o->guidelines ? "broadcast,scatter,gather,allgather,reduce,allreduce,alltoall"
                                    : "reduce,allreduce,barrier,allgather,alltoall",
                      &o->operations);
    error_t error = bench_check_ranks(parser, &o->bench, "a collective", o->root);
    if (!error)
        error = check_data(parser, o);
    if (!error)
        error = check_communicators(parser, o);
    if (error)
        return error;
    if (o->guidelines && cvar_values() > 1)
        return option_refuse(parser, "--guidelines compares operations, not values of --cvar: "
                                     "give it one");
    if (o->pairs && !o->mirrored)
        return option_refuse(parser, "--pairs lists what the method mirrored finds: add it");
    return 0;
}

#define AT(member) offsetof(struct options, member)
static const struct option_entry option_list[] = {
    {"operation", 0, "LIST",
     "the operations, or all; default: reduce,allreduce,barrier,allgather,alltoall", 1,
     option_take_list, AT(operations), &chooses},
    {"method", 0, "LIST",
     "direct (entries and exits on one clock), mirrored (pair by pair, without one), or all "
     "(default)",
     1, option_take_list, AT(methods), &method},
    {"root", 0, "R", "the root of rooted operations (0)", 1, bench_take_root, AT(root), NULL},
    {"datatype", 0, "TYPE", "byte (default), int, double, or strided: 32 bytes of every 64", 1,
     option_take_word, AT(data.type), &(const struct option_words){operation_types}},
    {"op", 0, "OP",
     "of reductions: bxor, sum, max, or user:NS, an own one that is not commutative and takes NS "
     "nanoseconds a byte; default: the first of these that is for the datatype",
     1, take_op, AT(data), NULL},
    {"fresh", 0, NULL, "every rank writes what it sends anew before every operation", 1,
     option_take_flag, AT(fresh), NULL},
    {"rotate", 0, "N", "go through N sets of buffers, which caches have no room for", 1,
     option_take_count, AT(rotate), &(const struct option_limits){1, 1000000, "1 to 1000000"}},
    {"communicators", 0, "N",
     "deal the ranks to N communicators, which run the operation at the same time", 1,
     option_take_count, AT(communicators), &(const struct option_limits){1, 65536, "1 to 65536"}},
    {"guidelines", 0, NULL,
     "hold operations against others that do the same, and blocks against larger ones", 2,
     option_take_flag, AT(guidelines), NULL},
    {"pairs", 0, NULL, "every pair of the mirrored method, in a table of its own", 2,
     option_take_flag, AT(pairs), NULL},
    {0}};

static const struct option_program program = {
    "Measures how long collective operations take: with all ranks entering at once, and "
    "from the last rank's entry to every other's exit.",
    .options = option_list, .check = check_together};

struct sweep {
    struct options *o;
    struct results *results;
    struct sync_clock clock;
    MPI_Comm part;    /* of these ranks, one of the --communicators */
    char (*name)[80]; /* of each variant */
    int wrong;
};

/* One operation on several sets of buffers in turn. */
struct turns {
    const struct options *o;
    struct operation_call *call;
    int n, at;
};

static int run(void *arg)
{
    const struct turns *t = arg;
    return operation_run(&t->call[t->at]);
}

static void before(void *arg)
{
    struct turns *t = arg;
    t->at = (t->at + 1) % t->n;
    if (t->o->fresh)
        operation_refresh(&t->call[t->at]);
}

/* The operation once on each with known data; true on all ranks if it went wrong on one. */
static int data_is_wrong(struct turns *t, MPI_Comm comm)
{
    int wrong = 0;
    for (int i = 0; i < t->n; i++) {
        operation_fill(&t->call[i]);
        wrong |= operation_run(&t->call[i]) != MPI_SUCCESS || !operation_check(&t->call[i]);
    }
    return bench_worst(comm, wrong);
}

static void measure(struct sweep *s, const struct bench_point *p, struct turns *t, MPI_Comm comm)
{
    const struct options *o = s->o;
    struct collective_direct direct = {0};
    struct collective_mirrored mirrored = {0};
    struct collective_case c = {.comm = comm,
                                .run = run,
                                .before = before,
                                .arg = t,
                                .pattern = operation_pattern(t->call->operation),
                                .root = o->root,
                                .plan = o->bench.plan,
                                .every = o->pairs,
                                .clock = &s->clock};
    if (o->direct && o->mirrored)
        c.plan.budget /= 2;
    s->wrong += data_is_wrong(t, comm);
    if (o->direct)
        bench_check(&o->bench, collective_measure_direct(&c, &direct), "", p);
    if (o->mirrored)
        bench_check(&o->bench, collective_measure_mirrored(&c, &mirrored), "", p);
    s->wrong += data_is_wrong(t, comm);
    struct disturbance disturbed = bench_disturbed(comm);
    if (s->results)
        results_add(s->results, p, o->direct ? &direct : NULL, o->mirrored ? &mirrored : NULL,
                    disturbed);
    collective_direct_free(&direct);
    collective_mirrored_free(&mirrored);
}

static void run_point(void *arg, const struct bench_point *p, MPI_Comm comm)
{
    struct sweep *s = arg;
    const struct options *o = s->o;
    cvar_use(p->which / o->operations.n);
    struct turns t = {.o = o, .call = calloc((size_t)o->rotate, sizeof *t.call)};
    const struct operation *operation = chosen_operation(o, p->which);
    while (t.call && t.n < o->rotate &&
           operation_prepare_as(&t.call[t.n], operation, s->part, o->root, p->bytes, &o->data))
        t.n++;
    int failed = bench_worst(comm, t.n < o->rotate);
    if (failed && s->results)
        reason_say(o->bench.program, "no memory for %s of %zu bytes among %d ranks: left out",
                   p->name, p->bytes, p->ranks);
    if (!failed)
        measure(s, p, &t, comm);
    while (t.n > 0)
        operation_release(&t.call[--t.n]);
    free(t.call);
}

static const char *name_of(const void *arg, size_t which)
{
    const struct sweep *s = arg;
    return variant_name(s->o, which, s->name[which], sizeof *s->name);
}

/* A barrier has no size: it is measured once. */
static bool is_sized(const void *arg, size_t which)
{
    const struct operation *o = chosen_operation(((const struct sweep *)arg)->o, which);
    return o->send != EXTENT_NONE || o->recv != EXTENT_NONE;
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    struct sweep *s = arg;
    bench_clocks(&s->clock, comm);
    if (s->part != MPI_COMM_NULL)
        MPI_Comm_free(&s->part);
    MPI_Comm_split(comm, s->o->bench.rank % s->o->communicators, 0, &s->part);
}

int main(int argc, char **argv)
{
    static struct options o = {
        .bench.in_turn = true, .data.op = -1, .rotate = 1, .communicators = 1};
    struct sweep s = {.o = &o, .part = MPI_COMM_NULL};
    bench_begin(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    s.name = calloc(chosen_variants(&o), sizeof *s.name);
    if (!s.name)
        bench_refuse(&o.bench, "no memory");
    struct document *d = bench_document(&o.bench, "collbench-collective/1");
    if (d) {
        document_fact(d, "root", "%d", o.root);
        document_fact(d, "data", "%s, op %s%s", operation_types[o.data.type],
                      operation_ops[o.data.op],
                      o.fresh ? ", written anew before every operation" : "");
        if (o.rotate > 1)
            document_fact(d, "buffers", "%d sets in turn", o.rotate);
        if (o.communicators > 1)
            document_fact(d, "communicators", "%d at the same time, rank r is in number r mod %d",
                          o.communicators, o.communicators);
        s.results = results_new(&o, d);
    }
    bench_keep(&o.bench, &(struct bench_so_far){.document = d});
    bench_visit(&o.bench,
                &(const struct bench_visit){.n = chosen_variants(&o),
                                            .name = name_of,
                                            .sized = is_sized,
                                            .enter = start_clocks,
                                            .measure = run_point},
                &s);
    if (d && s.wrong)
        document_note(d, "WRONG DATA %d times: these operations do not work", s.wrong);
    int status = s.wrong > 0;
    if (s.results)
        status |= !results_end(s.results);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    free(s.name);
    bench_finish(&o.bench, d, status);
}
