/* collbench-collective: reduce, allreduce, barrier, allgather, alltoall and the like, measured
 * directly on one clock and pair by pair without one. */
#include "collective_bench.h"
#include "sync/sync.h"

#include <stdlib.h>
#include <string.h>

enum key { KEY_OPERATION = 0x200, KEY_METHOD, KEY_ROOT, KEY_PAIRS };

static const struct argp_option argp_options[] = {
    {"operation", KEY_OPERATION, "LIST", 0,
     "the operations, or all; default: reduce,allreduce,barrier,allgather,alltoall", 1},
    {"method", KEY_METHOD, "LIST", 0,
     "direct (entries and exits on one clock), mirrored (pair by pair, without one), or all "
     "(default)",
     1},
    {"root", KEY_ROOT, "R", 0, "the root of rooted operations (0)", 1},
    {"pairs", KEY_PAIRS, NULL, 0, "every pair of the mirrored method, in a table of its own", 2},
    {0}};

static void add_operation(struct options *o, const struct operation *operation)
{
    for (size_t i = 0; i < o->n_operations; i++)
        if (o->operations[i] == operation)
            return;
    if (o->n_operations < MOST_OPERATIONS)
        o->operations[o->n_operations++] = operation;
}

/* A scan is neither fan-in nor fan-out nor symmetrical: rank i needs those before it only. A
 * reduce-scatter couples all. */
static bool can_measure(const struct operation *operation)
{
    return strcmp(operation->name, "scan") != 0;
}

static bool take_operation(const char *word, void *arg)
{
    bool twin = false, all = strcmp(word, "all") == 0;
    const struct operation *operation = all ? NULL : operation_find(word, &twin);
    if (!all && (!operation || twin || !can_measure(operation)))
        return false;
    for (size_t i = 0; all && i < n_operations; i++)
        if (can_measure(&operations[i]))
            add_operation(arg, &operations[i]);
    if (operation)
        add_operation(arg, operation);
    return true;
}

static bool take_method(const char *word, void *arg)
{
    struct options *o = arg;
    bool all = strcmp(word, "all") == 0, direct = strcmp(word, "direct") == 0,
         mirrored = strcmp(word, "mirrored") == 0;
    o->direct |= all || direct;
    o->mirrored |= all || mirrored;
    return all || direct || mirrored;
}

static const char *operation_name(size_t i)
{
    return i < n_operations ? (can_measure(&operations[i]) ? operations[i].name : "") : NULL;
}

static error_t check_together(struct argp_state *state, struct options *o)
{
    if (!o->direct && !o->mirrored)
        o->direct = o->mirrored = true;
    if (o->n_operations == 0)
        bench_each_word("reduce,allreduce,barrier,allgather,alltoall", take_operation, o);
    error_t error = bench_check_ranks(state, &o->bench, "a collective", o->root);
    if (error)
        return error;
    if (o->pairs && !o->mirrored)
        return bench_bad_option(state, "--pairs lists what the method mirrored finds: add it");
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_OPERATION:
        return bench_each_word(arg, take_operation, o)
                   ? 0
                   : bench_unknown(state, "operation", arg, operation_name);
    case KEY_METHOD:
        if (bench_each_word(arg, take_method, o))
            return 0;
        return bench_bad_option(state, "unknown method in '%s': all, direct, mirrored", arg);
    case KEY_ROOT:
        return bench_parse_root(state, arg, &o->bench, &o->root);
    case KEY_PAIRS:
        o->pairs = true;
        return 0;
    case ARGP_KEY_END:
        return check_together(state, o);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .doc = "Measures how long collective operations take: with all ranks entering at once, and "
           "from the last rank's entry to every other's exit.",
    .children = children,
};

struct sweep {
    struct options *o;
    struct results *results;
    struct sync_clock clock;
    size_t done, total;
    int wrong;
};

static enum collective_pattern pattern_of(const struct operation *operation)
{
    if (!operation->rooted)
        return COLLECTIVE_SYMMETRIC;
    return operation->recv_at_root ? COLLECTIVE_FAN_IN : COLLECTIVE_FAN_OUT;
}

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

static void check(const struct sweep *s, int error, const struct point *p)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "%s: %s of %zu bytes among %d ranks: %s\n", s->o->bench.program,
            p->operation->name, p->bytes, p->ranks, text);
    MPI_Abort(s->o->bench.comm, 1);
}

static void measure(struct sweep *s, const struct point *p, struct operation_call *call)
{
    const struct options *o = s->o;
    struct collective_direct direct = {0};
    struct collective_mirrored mirrored = {0};
    struct collective_case c = {.comm = call->comm,
                                .run = run,
                                .arg = call,
                                .pattern = pattern_of(p->operation),
                                .root = o->root,
                                .plan = o->bench.plan,
                                .clock = &s->clock};
    if (o->direct && o->mirrored)
        c.plan.budget /= 2;
    s->wrong += data_is_wrong(call);
    if (o->direct)
        check(s, collective_measure_direct(&c, &direct), p);
    if (o->mirrored)
        check(s, collective_measure_mirrored(&c, &mirrored), p);
    s->wrong += data_is_wrong(call);
    if (s->results)
        results_add(s->results, p, o->direct ? &direct : NULL, o->mirrored ? &mirrored : NULL);
    collective_direct_free(&direct);
    collective_mirrored_free(&mirrored);
}

static void run_point(struct sweep *s, const struct point *p, MPI_Comm comm)
{
    struct operation_call call;
    int failed = !operation_prepare(&call, p->operation, comm, s->o->root, p->bytes), any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    if (any && s->results)
        fprintf(stderr, "%s: no memory for %s of %zu bytes among %d ranks: left out\n",
                s->o->bench.program, p->operation->name, p->bytes, p->ranks);
    if (!any)
        measure(s, p, &call);
    if (!failed)
        operation_release(&call);
}

/* A barrier has no size: it is measured once. */
static void sweep_sizes(struct sweep *s, const struct operation *operation, int ranks,
                        MPI_Comm comm)
{
    const struct bench *b = &s->o->bench;
    bool sizes = operation->send != EXTENT_NONE || operation->recv != EXTENT_NONE;
    struct point p = {operation, ranks, sizes ? b->sizes.min : 0};
    do {
        char what[96];
        snprintf(what, sizeof what, "%s, %d ranks, %zu B", operation->name, ranks, p.bytes);
        bench_progress(b, s->done++, s->total, what);
        if (comm != MPI_COMM_NULL)
            run_point(s, &p, comm);
    } while (sizes && bench_next(&b->sizes, &p.bytes));
}

static void sweep_ranks(struct sweep *s)
{
    const struct bench *b = &s->o->bench;
    size_t ranks = b->ranks.min;
    do {
        MPI_Comm comm;
        MPI_Comm_split(b->comm, (size_t)b->rank < ranks ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm != MPI_COMM_NULL) {
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            sync_start(&s->clock, comm, NULL);
            for (size_t k = 0; k < s->o->n_operations; k++)
                sweep_sizes(s, s->o->operations[k], (int)ranks, comm);
        }
        bench_wait(b->comm);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    } while (bench_next(&b->ranks, &ranks));
    bench_progress_end(b);
}

int main(int argc, char **argv)
{
    static struct options o;
    struct sweep s = {.o = &o};
    bench_start(&o.bench, &argc, &argv, MPI_THREAD_SINGLE, &argp);
    struct document *d = bench_document(&o.bench, "collbench-collective/1");
    s.total = bench_steps(&o.bench.sizes) * bench_steps(&o.bench.ranks) * o.n_operations;
    if (d) {
        document_fact(d, "root", "%d", o.root);
        s.results = results_new(&o, d);
    }
    sweep_ranks(&s);
    if (d && s.wrong)
        document_note(d, "WRONG DATA %d times: these operations do not work", s.wrong);
    int status = s.wrong > 0;
    if (s.results)
        status |= !results_end(s.results);
    MPI_Bcast(&status, 1, MPI_INT, 0, o.bench.comm);
    bench_finish(&o.bench, d, status);
}
