/* collbench-collective: reduce, allreduce, barrier, allgather, alltoall and the like, measured
 * directly on one clock and pair by pair without one. */
#include "collective_bench.h"

#include <stddef.h>
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

static const struct bench_registry chooses = {"operation", operation_name, NULL, NULL},
                                   method = {"method", method_name, NULL, NULL};

static error_t check_together(struct argp_state *state, void *options)
{
    struct options *o = options;
    o->direct = o->mirrored = o->methods.n == 0;
    for (size_t i = 0; i < o->methods.n; i++)
        *(o->methods.at[i] == 0 ? &o->direct : &o->mirrored) = true;
    if (o->operations.n == 0)
        bench_choose(NULL, &chooses, "reduce,allreduce,barrier,allgather,alltoall", &o->operations);
    error_t error = bench_check_ranks(state, &o->bench, "a collective", o->root);
    if (error)
        return error;
    if (o->pairs && !o->mirrored)
        return bench_bad_option(state, "--pairs lists what the method mirrored finds: add it");
    return 0;
}

#define AT(member) offsetof(struct options, member)
static const struct bench_option option_list[] = {
    {"operation", 0, "LIST",
     "the operations, or all; default: reduce,allreduce,barrier,allgather,alltoall", 1,
     bench_take_list, AT(operations), &chooses},
    {"method", 0, "LIST",
     "direct (entries and exits on one clock), mirrored (pair by pair, without one), or all "
     "(default)",
     1, bench_take_list, AT(methods), &method},
    {"root", 0, "R", "the root of rooted operations (0)", 1, bench_take_root, AT(root), NULL},
    {"pairs", 0, NULL, "every pair of the mirrored method, in a table of its own", 2,
     bench_take_flag, AT(pairs), NULL},
    {0}};

static const struct bench_program program = {
    "Measures how long collective operations take: with all ranks entering at once, and "
    "from the last rank's entry to every other's exit.",
    NULL, option_list, NULL, check_together};

struct sweep {
    struct options *o;
    struct results *results;
    struct sync_clock clock;
    int wrong;
};

static int run(void *arg)
{
    return operation_run(arg);
}

/* The operation once with known data; true on all ranks if it went wrong on one. */
static int data_is_wrong(const struct operation_call *call)
{
    operation_fill(call);
    int wrong = operation_run(call) != MPI_SUCCESS || !operation_check(call), any = 1;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, call->comm);
    return any;
}

static void measure(struct sweep *s, const struct bench_point *p, struct operation_call *call)
{
    const struct options *o = s->o;
    struct collective_direct direct = {0};
    struct collective_mirrored mirrored = {0};
    struct collective_case c = {.comm = call->comm,
                                .run = run,
                                .arg = call,
                                .pattern = operation_pattern(call->operation),
                                .root = o->root,
                                .plan = o->bench.plan,
                                .clock = &s->clock};
    if (o->direct && o->mirrored)
        c.plan.budget /= 2;
    s->wrong += data_is_wrong(call);
    if (o->direct)
        bench_check(&o->bench, collective_measure_direct(&c, &direct), "", p);
    if (o->mirrored)
        bench_check(&o->bench, collective_measure_mirrored(&c, &mirrored), "", p);
    s->wrong += data_is_wrong(call);
    const char *disturbed = bench_disturbed(call->comm);
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
    struct operation_call call;
    int failed = !operation_prepare(&call, chosen_operation(o, p->which), comm, o->root, p->bytes),
        any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    if (any && s->results)
        fprintf(stderr, "%s: no memory for %s of %zu bytes among %d ranks: left out\n",
                o->bench.program, p->name, p->bytes, p->ranks);
    if (!any)
        measure(s, p, &call);
    if (!failed)
        operation_release(&call);
}

static const char *name_of(const void *arg, size_t which)
{
    return chosen_operation(((const struct sweep *)arg)->o, which)->name;
}

/* A barrier has no size: it is measured once. */
static bool is_sized(const void *arg, size_t which)
{
    const struct operation *o = chosen_operation(((const struct sweep *)arg)->o, which);
    return o->send != EXTENT_NONE || o->recv != EXTENT_NONE;
}

static void start_clocks(void *arg, MPI_Comm comm)
{
    bench_clocks(&((struct sweep *)arg)->clock, comm);
}

int main(int argc, char **argv)
{
    static struct options o;
    struct sweep s = {.o = &o};
    bench_begin(&o.bench, &o, &argc, &argv, MPI_THREAD_SINGLE, &program);
    struct document *d = bench_document(&o.bench, "collbench-collective/1");
    if (d) {
        document_fact(d, "root", "%d", o.root);
        s.results = results_new(&o, d);
    }
    bench_keep(&o.bench, &(struct bench_so_far){.document = d});
    bench_visit(&o.bench,
                &(const struct bench_visit){.n = o.operations.n,
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
    bench_finish(&o.bench, d, status);
}
