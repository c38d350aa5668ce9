/* Benchmark mode: the measuring methods at the application's own signatures (operation,
 * communicator, root, bytes), run right before its call, on the layer's communicator. The
 * application's call follows as if nothing had been, so its results cannot change; the time is
 * bounded by --benchmark-budget, which the first rank of a communicator keeps for all. */
#include "inject/list.h"

#include "measure/bcast/bcast.h"
#include "measure/collective/collective.h"
#include "measure/collective/operation.h"
#include "wrappers/operations.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_MAX = 32, SHARES = 6, SIGNATURES_MAX = 64 };

/* What a call to be benchmarked is known by. */
struct signature {
    unsigned operation;
    int root;
    uint64_t bytes, calls;
};

/* What is kept for a communicator. */
struct signatures {
    struct signature at[SIGNATURES_MAX];
    int n;
};

static const struct bcast_method *methods[METHODS_MAX];
static size_t n_methods;
static double spent;                    /* seconds, of this process */
static uint64_t left_out[N_OPERATIONS]; /* calls that there is no method for */

static bool start(void)
{
    const char *list = layer.settings.benchmark;
    bool all = !strcmp(list, "all");
    n_methods = 0;
    for (size_t i = 0; all && i < n_bcast_methods && n_methods < METHODS_MAX; i++)
        methods[n_methods++] = bcast_methods[i];
    while (!all && *list && n_methods < METHODS_MAX) {
        char name[64];
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        const struct bcast_method *m = bcast_method_find(name);
        if (m)
            methods[n_methods++] = m;
        list += length + (list[length] == ',');
    }
    return n_methods > 0;
}

/* Whether this call of the signature is to be measured; all members count alike. */
static bool is_due(struct shadow *s, unsigned operation, int root, uint64_t bytes)
{
    struct signatures *known = injection_kept(&benchmark_injection, s, sizeof(struct signatures));
    if (!known)
        return false;
    struct signature *g = known->at, *end = g + known->n;
    while (g < end && (g->operation != operation || g->root != root || g->bytes != bytes))
        g++;
    if (g == end && known->n == SIGNATURES_MAX) {
        injection_untreated(&benchmark_injection);
        return false;
    }
    if (g == end) {
        *g = (struct signature){operation, root, bytes, 0};
        known->n++;
    }
    uint64_t call = g->calls++;
    long every = layer.settings.benchmark_every;
    return call == 0 || (every > 0 && call % (uint64_t)every == 0);
}

/* Seconds that this measurement may take, decided by one rank; 0: the budget is used up. A part
 * of what is left, so that signatures that come late are measured too, if more roughly. */
static double agree_on_share(const struct shadow *s)
{
    double share = (layer.settings.benchmark_budget - spent) / SHARES;
    if (share < 0.005)
        share = 0;
    PMPI_Bcast(&share, 1, MPI_DOUBLE, 0, s->comm);
    return share;
}

static struct plan plan_for(double share)
{
    struct plan plan = plan_default();
    plan.repetitions = 20;
    plan.warmup = 3;
    plan.budget = share;
    return plan;
}

static json_t *describe_signature(const struct shadow *s, const char *operation, int root,
                                  uint64_t bytes, double seconds)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:I, s:f}", "operation", operation, "communicator",
                     s->name, "ranks", s->size, "root", root < 0 ? json_null() : json_integer(root),
                     "bytes", (json_int_t)bytes, "measured_in_seconds", seconds);
}

static json_t *microseconds(double seconds)
{
    return isnan(seconds) ? json_null() : json_real(seconds * 1e6);
}

/* ASKED: destinations that the method goes through one by one; 0: it does not. */
static json_t *method_row(const char *method, struct estimate time, int measured, int asked,
                          const char *meaning)
{
    json_t *share = asked ? json_sprintf("%d of %d", measured, asked) : json_string("");
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "method", method, "time_us",
                     microseconds(time.value), "low_us", microseconds(time.low), "high_us",
                     microseconds(time.high), "destinations", share, "measures", meaning);
}

/* --- broadcast, by all methods --- */

static json_t *describe_broadcast(const struct shadow *s, int root, uint64_t bytes,
                                  const struct bcast_outcome *out)
{
    json_t *f = describe_signature(s, "MPI_Bcast", root, bytes, out->seconds);
    json_t *rows = json_array();
    bool cut_short = false;
    for (size_t i = 0; f && i < out->n_results; i++) {
        const struct bcast_result *r = &out->result[i];
        json_array_append_new(
            rows, method_row(r->method->name, r->value, r->measured, r->asked, r->method->value));
        cut_short |= r->over_budget;
        if (r->at_least)
            json_object_set_new(json_array_get(rows, i), "at_least", json_true());
        if (r->slowest >= 0 && r->method->meaning == BCAST_LATENCY)
            json_object_set_new(f, "slowest_destination", json_integer(r->slowest));
        if (r->violations > 0)
            json_object_set_new(f, "violations", json_integer(r->violations));
    }
    if (cut_short)
        json_object_set_new(f, "cut_short_by_budget", json_true());
    if (out->wrong_ranks)
        json_object_set_new(f, "wrong_ranks", json_integer(out->wrong_ranks));
    json_object_set_new(f, "methods", rows);
    return f;
}

/* What the application runs with: the library's broadcast, or its replacement. */
static int as_application(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          const void *arg)
{
    struct call unused;
    const struct collective c = {.call = &unused,
                                 .on = (struct shadow *)arg,
                                 .comm = comm,
                                 .root = root,
                                 .bytes = call_bytes(count, type),
                                 .is_broadcast = true,
                                 .buffer = buffer,
                                 .count = count,
                                 .type = type};
    return injection_pass(&benchmark_injection, &c);
}

static void measure_broadcast(const struct collective *b)
{
    struct shadow *s = b->on;
    /* Without data nobody waits for anybody: there is nothing to measure. */
    if (b->bytes == 0 || !is_due(s, OP_Bcast, b->root, b->bytes))
        return;
    double share = agree_on_share(s), started = clock_now();
    if (share <= 0)
        return;
    struct bcast own = {.name = "application", .run = as_application, .arg = s};
    struct bcast_case c = {.comm = s->comm,
                           .bcast = &own,
                           .buffer = b->buffer,
                           .count = b->count,
                           .type = b->type,
                           .root = b->root,
                           .plan = plan_for(share),
                           .collector = 0,
                           /* An application broadcasts what it has just computed. */
                           .fresh = true,
                           .clock = injection_clock()};
    struct bcast_outcome out;
    if (bcast_measure(&c, methods, n_methods, &out) == MPI_SUCCESS) {
        if (s->rank == 0)
            injection_found(&benchmark_injection, describe_broadcast(s, b->root, b->bytes, &out));
        bcast_outcome_free(&out);
    }
    spent += clock_now() - started;
}

/* --- the others, by their completion on one clock --- */

static const struct {
    unsigned operation;
    const char *name;
    enum collective_pattern pattern;
} measured[] = {
    {OP_Barrier, "barrier", COLLECTIVE_SYMMETRIC},
    {OP_Allreduce, "allreduce", COLLECTIVE_SYMMETRIC},
    {OP_Reduce, "reduce", COLLECTIVE_FAN_IN},
    {OP_Allgather, "allgather", COLLECTIVE_SYMMETRIC},
    {OP_Gather, "gather", COLLECTIVE_FAN_IN},
    {OP_Scatter, "scatter", COLLECTIVE_FAN_OUT},
    {OP_Alltoall, "alltoall", COLLECTIVE_SYMMETRIC},
#ifdef HAVE_MPI_Allreduce_c
    {OP_Allreduce_c, "allreduce", COLLECTIVE_SYMMETRIC},
    {OP_Reduce_c, "reduce", COLLECTIVE_FAN_IN},
    {OP_Allgather_c, "allgather", COLLECTIVE_SYMMETRIC},
    {OP_Gather_c, "gather", COLLECTIVE_FAN_IN},
    {OP_Scatter_c, "scatter", COLLECTIVE_FAN_OUT},
    {OP_Alltoall_c, "alltoall", COLLECTIVE_SYMMETRIC},
#endif
};

static int run_operation(void *arg)
{
    return operation_run(arg);
}

/* A reduction as the application calls it: its own type, count and operation, on copies of its
 * values, since its operation may be made for these alone. */
struct reducing {
    const struct reduction *r;
    char *copy, *result;
    MPI_Aint offset; /* of the first byte from the address that MPI is given */
    MPI_Comm comm;
    int root; /* -1: allreduce */
};

static int run_reduction(void *arg)
{
    const struct reducing *d = arg;
    const void *send = d->copy - d->offset;
    void *receive = d->result - d->offset;
    int count = (int)d->r->count;
    return d->root < 0 ? PMPI_Allreduce(send, receive, count, d->r->type, d->r->op, d->comm)
                       : PMPI_Reduce(send, receive, count, d->r->type, d->r->op, d->root, d->comm);
}

static bool reduction_prepare(struct reducing *d, const struct reduction *r, const struct shadow *s,
                              int root)
{
    MPI_Aint bound, extent, first, span;
    *d = (struct reducing){.r = r, .comm = s->comm, .root = root};
    if (r->op == MPI_OP_NULL || r->count > INT_MAX ||
        PMPI_Type_get_extent(r->type, &bound, &extent) ||
        PMPI_Type_get_true_extent(r->type, &first, &span) || extent < 0)
        return false;
    size_t bytes = (size_t)span + (size_t)(r->count - 1) * (size_t)extent;
    bool in_place = r->send == MPI_IN_PLACE;
    d->offset = first;
    d->copy = malloc(bytes);
    d->result = malloc(bytes);
    if (!d->copy || !d->result)
        return false;
    memcpy(d->copy, (const char *)(in_place ? r->receive : r->send) + first, bytes);
    return true;
}

static void measure_operation(const struct collective *a, size_t which, double share)
{
    bool twin;
    struct shadow *s = a->on;
    int root = a->root;
    uint64_t bytes = a->bytes;
    const struct operation *o = operation_find(measured[which].name, &twin);
    struct operation_call call;
    struct reducing reducing = {0};
    double started = clock_now();
    int all, ok = a->reduction
                      ? reduction_prepare(&reducing, a->reduction, s, root)
                      : o && operation_prepare(&call, o, s->comm, root < 0 ? 0 : root, bytes);
    PMPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, s->comm);
    struct collective_direct out;
    struct collective_case c = {.comm = s->comm,
                                .run = a->reduction ? run_reduction : run_operation,
                                .arg = a->reduction ? (void *)&reducing : &call,
                                .pattern = measured[which].pattern,
                                .root = root < 0 ? 0 : root,
                                .plan = plan_for(share),
                                .collector = 0,
                                .clock = injection_clock()};
    if (all && collective_measure_direct(&c, &out) == MPI_SUCCESS) {
        if (s->rank == 0 && out.completion.samples.n) {
            json_t *f = describe_signature(s, o->mpi_name, root, bytes, clock_now() - started);
            json_t *rows = json_array();
            json_array_append_new(rows, method_row("direct", series_estimate(&out.completion), 0, 0,
                                                   "last exit - last entry"));
            json_array_append_new(rows, method_row("span", series_estimate(&out.span), 0, 0,
                                                   "last exit - first entry"));
            json_object_set_new(f, "data",
                                json_string(a->reduction ? "the application's values, type and "
                                                           "operation"
                                                         : "bytes of the layer's own"));
            json_object_set_new(f, "methods", rows);
            injection_found(&benchmark_injection, f);
        }
        collective_direct_free(&out);
    }
    if (ok && !a->reduction)
        operation_release(&call);
    free(reducing.copy);
    free(reducing.result);
}

static void measure_collective(const struct collective *c)
{
    unsigned operation = c->call->operation;
    size_t n = sizeof measured / sizeof *measured, which = 0;
    while (which < n && measured[which].operation != operation)
        which++;
    if (which == n)
        left_out[operation]++;
    if (which == n || (c->bytes == 0 && operation != OP_Barrier) ||
        !is_due(c->on, operation, c->root, c->bytes))
        return;
    double share = agree_on_share(c->on), started = clock_now();
    if (share > 0)
        measure_operation(c, which, share);
    spent += clock_now() - started;
}

static void before(const struct collective *c)
{
    if (c->is_broadcast)
        measure_broadcast(c);
    else
        measure_collective(c);
}

static void close_shadow(struct shadow *s)
{
    free(s->kept[benchmark_injection.index]);
}

/* What rank 0 measured and what it passed over. */
static void finish(void)
{
    char *text = benchmark_injection.remark;
    size_t room = sizeof benchmark_injection.remark;
    if (layer.rank != 0)
        return;
    snprintf(text, room, "benchmark: measuring took %.3g s of the run's time (rank 0)", spent);
    for (unsigned i = 0, any = 0; i < N_OPERATIONS; i++) {
        size_t at = strlen(text);
        if (left_out[i])
            snprintf(text + at, room - at, "%s%s", any++ ? ", " : "; there is no method for ",
                     mpi_functions[i].name);
    }
}

struct injection benchmark_injection = {
    .name = "benchmark", .start = start, .before = before, .close = close_shadow, .finish = finish};
