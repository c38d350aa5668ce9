/* Benchmark mode's measuring: the methods at one operation of the application, with its arguments
 * or with copies of them, and as its ranks arrive. */
#include "inject/benchmark_inner.h"

#include "base/format.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/bcast/bcast.h"
#include "measure/collective/collective.h"
#include "measure/collective/operation.h"
#include "measure/crew.h"
#include "wrappers/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_MAX = 32 };
static const struct bcast_method *methods[METHODS_MAX];
static size_t n_methods;

bool benchmark_choose(const char *list)
{
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

/* Some seconds; and when the measurement that they are a part of has to be over. */
static struct plan plan_for(double share, double until)
{
    struct plan plan = plan_default();
    plan.repetitions = 20;
    plan.warmup = 3;
    plan.budget = share;
    plan.until = until;
    return plan;
}

/* CALL: the number of the call, from 1, that this was measured before; 0: none. */
static json_t *describe_signature(const struct shadow *s, const char *operation, int root,
                                  uint64_t bytes, uint64_t call, double seconds)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:I, s:o, s:f}", "operation", operation, "communicator",
                     s->name, "ranks", s->size, "root", root < 0 ? json_null() : json_integer(root),
                     "bytes", (json_int_t)bytes, "before_call",
                     call ? json_integer((json_int_t)call) : json_null(), "measured_in_seconds",
                     seconds);
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

/* --- as the ranks arrive --- */

/* One operation of the application, to be measured on the layer's communicator. */
struct subject {
    struct shadow *on;
    int (*run)(void *arg);
    void *arg;
    enum collective_kind pattern;
    int root;     /* 0 where there is none */
    double until; /* clock_now() */
};

/* The least that a measurement is worth beginning with: its warm-up, a scout, checks of data. */
enum { OPERATIONS_LEAST = 24 };

/* Told by one rank. */
static bool is_over(const struct subject *u)
{
    int over = clock_now() > u->until;
    PMPI_Bcast(&over, 1, MPI_INT, 0, u->on->comm);
    return over;
}

/* Whether as many fit into SHARE, by the slowest rank of one operation, which is made whatever the
 * budget; why not, in WHY_NOT. */
static int look(const struct subject *u, double share, bool *fits, char why_not[120])
{
    char one[32], part[32];
    double mine, most = 0;
    TRY(PMPI_Barrier(u->on->comm));
    mine = clock_now();
    TRY(u->run(u->arg));
    mine = clock_now() - mine;
    TRY(PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, u->on->comm));
    PMPI_Bcast(&share, 1, MPI_DOUBLE, 0, u->on->comm);
    *fits = OPERATIONS_LEAST * most <= share;
    snprintf(why_not, 120, "one takes %s, its part of the budget is %s",
             format_time(one, 1e9 * most), format_time(part, 1e9 * share));
    return MPI_SUCCESS;
}

static struct collective_case case_of(const struct subject *u, double share)
{
    return (struct collective_case){.comm = u->on->comm,
                                    .run = u->run,
                                    .arg = u->arg,
                                    .pattern = u->pattern,
                                    .root = u->root,
                                    .plan = plan_for(share, u->until),
                                    .collector = 0,
                                    .clock = injection_clock()};
}

/* Entering so long after the first one; APART: the last one does. */
static int measure_arrival(const struct subject *u, const char *name, double after, double apart,
                           double share, json_t *rows)
{
    char room[32], text[120];
    struct collective_direct out = {0};
    struct collective_case c = case_of(u, share);
    c.after = after;
    /* A measurement of fewer than a few operations would say nothing. */
    bool fits = apart * (c.plan.warmup + 6) < share;
    int rc = fits ? collective_measure_direct(&c, &out) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS && u->on->rank == 0) {
        snprintf(text, sizeof text,
                 fits ? "last exit - last entry; ranks enter %s apart"
                      : "ranks enter %s apart: too long for the budget",
                 format_time(room, 1e9 * apart));
        struct estimate none = {NAN, NAN, NAN};
        bool measured = fits && out.completion.samples.n;
        json_t *row =
            method_row(name, measured ? series_estimate(&out.completion) : none, 0, 0, text);
        json_object_set_new(row, "recorded_apart_us", microseconds(apart));
        json_object_set_new(row, "replayed_apart_us", microseconds(measured ? out.apart : NAN));
        json_array_append_new(rows, row);
    }
    if (fits)
        collective_direct_free(&out);
    return rc;
}

/* The arrivals of the last calls: their median, rank by rank, and the newest one as it was. */
static int measure_arrivals(const struct subject *u, const struct signature *g, double share,
                            json_t *rows)
{
    double first[ARRIVALS], after[ARRIVALS], median, least, apart, newest;
    MPI_Comm comm = u->on->comm;
    if (g->calls < ARRIVALS || is_over(u))
        return MPI_SUCCESS;
    TRY(PMPI_Allreduce(g->entered, first, ARRIVALS, MPI_DOUBLE, MPI_MIN, comm));
    for (int k = 0; k < ARRIVALS; k++)
        after[k] = g->entered[k] - first[k];
    newest = after[(g->calls - 1) % ARRIVALS];
    median = stats_median(after, ARRIVALS);
    TRY(PMPI_Allreduce(&median, &least, 1, MPI_DOUBLE, MPI_MIN, comm));
    median -= least;
    TRY(PMPI_Allreduce(&median, &apart, 1, MPI_DOUBLE, MPI_MAX, comm));
    TRY(measure_arrival(u, "median arrival", median, apart, share / 2, rows));
    TRY(PMPI_Allreduce(&newest, &apart, 1, MPI_DOUBLE, MPI_MAX, comm));
    return measure_arrival(u, "this arrival", newest, apart, share / 2, rows);
}

/* --- broadcast, by all methods --- */

static json_t *describe_broadcast(const struct shadow *s, int root, uint64_t bytes, uint64_t call,
                                  const struct bcast_outcome *out)
{
    json_t *f = describe_signature(s, "MPI_Bcast", root, bytes, call, out->seconds);
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
    if (!out->validated)
        json_object_set_new(f, "data", json_string("not checked: it cannot be packed"));
    if (out->wrong_ranks)
        json_object_set_new(f, "wrong_ranks", json_integer(out->wrong_ranks));
    json_object_set_new(f, "methods", rows);
    return f;
}

/* What the application runs with: the library's broadcast, or its replacement. */
static int as_application(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          const void *arg)
{
    struct call own = {.entry = clock_ticks()};
    const struct collective c = {.call = &own,
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

/* One broadcast as above, for what measures any collective. */
struct broadcasting {
    const struct collective *b;
    struct shadow *on;
};

static int run_broadcast(void *arg)
{
    const struct broadcasting *d = arg;
    return as_application(d->b->buffer, (int)d->b->count, d->b->type, d->b->root, d->on->comm,
                          d->on);
}

static json_t *measure_broadcast(const struct subject *u, const struct collective *b,
                                 const struct signature *g, double share)
{
    struct shadow *s = u->on;
    bool later = g->calls > LATER;
    struct bcast own = {.name = "application", .run = as_application, .arg = s};
    struct bcast_case c = {.comm = s->comm,
                           .bcast = &own,
                           .buffer = b->buffer,
                           .count = (int)b->count,
                           .type = b->type,
                           .root = b->root,
                           .plan = plan_for(later ? share * 2 / 3 : share, u->until),
                           .collector = 0,
                           /* An application broadcasts what it has just computed. */
                           .fresh = true,
                           .clock = injection_clock()};
    struct bcast_outcome out;
    int rc = bcast_measure(&c, methods, n_methods, &out);
    /* The collector alone may have had no room for the outcome. */
    if (crew_agree(s->comm, rc == MPI_SUCCESS) != MPI_SUCCESS) {
        bcast_outcome_free(&out);
        return NULL;
    }
    json_t *f = s->rank == 0 ? describe_broadcast(s, b->root, b->bytes, g->calls, &out) : NULL;
    bcast_outcome_free(&out);
    if (later)
        measure_arrivals(u, g, share / 3, f ? json_object_get(f, "methods") : NULL);
    return f;
}

void benchmark_broadcast(const struct collective *b, const struct signature *g, double share)
{
    struct broadcasting broadcasting = {b, b->on};
    double begin = clock_now();
    struct subject u = {b->on,   run_broadcast, &broadcasting, COLLECTIVE_FROM_ROOT,
                        b->root, begin + share};
    char why_not[120];
    bool fits = false;
    if (look(&u, share, &fits, why_not))
        return;
    /* Told by one rank: one that finds nothing left would not take part in what others begin. */
    double left = fmax(share - (clock_now() - begin), 1e-3);
    PMPI_Bcast(&left, 1, MPI_DOUBLE, 0, b->on->comm);
    json_t *f = fits ? measure_broadcast(&u, b, g, left) : NULL;
    if (!fits && b->on->rank == 0) {
        f = describe_signature(b->on, "MPI_Bcast", b->root, b->bytes, g->calls,
                               clock_now() - begin);
        json_object_set_new(f, "not_measured", json_string(why_not));
        json_object_set_new(f, "methods", json_array());
    }
    if (b->on->rank == 0)
        injection_found(&benchmark_injection, f);
}

/* --- the others --- */

static bool wants(const char *method)
{
    const struct bcast_method *m = bcast_method_find(method);
    for (size_t i = 0; i < n_methods; i++)
        if (methods[i] == m)
            return true;
    return false;
}

static int measure_direct(const struct subject *u, double share, json_t *rows)
{
    struct collective_direct out;
    struct collective_case c = case_of(u, share);
    TRY(collective_measure_direct(&c, &out));
    if (rows && out.completion.samples.n) {
        json_array_append_new(rows, method_row("direct", series_estimate(&out.completion), 0, 0,
                                               "last exit - last entry"));
        json_array_append_new(
            rows, method_row("span", series_estimate(&out.span), 0, 0, "last exit - first entry"));
    }
    collective_direct_free(&out);
    return MPI_SUCCESS;
}

/* "held" turned round: what does not trust the clock either. */
static int measure_mirrored(const struct subject *u, double share, json_t *rows)
{
    struct collective_mirrored out;
    struct collective_case c = case_of(u, share);
    TRY(collective_measure_mirrored(&c, &out));
    if (rows && out.slowest_from >= 0) {
        char text[80];
        const struct estimate *e =
            &out.pair[(size_t)out.slowest_from * (size_t)out.size + (size_t)out.slowest_to];
        snprintf(text, sizeof text, "exit of rank %d - last entry (of rank %d), the largest",
                 out.slowest_to, out.slowest_from);
        json_t *row = method_row("held", *e, out.measured, out.asked, text);
        if (out.measured < out.asked)
            json_object_set_new(row, "at_least", json_true());
        json_array_append_new(rows, row);
    }
    collective_mirrored_free(&out);
    return MPI_SUCCESS;
}

/* G: NULL where it is not known how the ranks arrive. */
static int measure_all(const struct subject *u, const struct signature *g, double share,
                       json_t *rows, char why_not[120])
{
    bool later = g && g->calls > LATER, held = wants("held"), fits;
    TRY(look(u, share, &fits, why_not));
    if (!fits)
        return MPI_SUCCESS;
    double part = share / (1 + later + held);
    TRY(measure_direct(u, part, rows));
    if (held && !is_over(u))
        TRY(measure_mirrored(u, part, rows));
    return later ? measure_arrivals(u, g, part, rows) : MPI_SUCCESS;
}

/* PREPARED: all ranks had what it takes. */
static void keep_measured(json_t *f, json_t *rows, const char *data, bool prepared, int rc,
                          const char *why_not)
{
    json_object_set_new(f, "data", json_string(data));
    if (json_array_size(rows) == 0)
        json_object_set_new(f, "not_measured",
                            json_string(!prepared ? "a rank's data could not be copied or made"
                                        : rc      ? "MPI returned an error"
                                                  : why_not));
    json_object_set_new(f, "methods", rows);
    injection_found(&benchmark_injection, f);
}

void benchmark_again(const struct collective *c, const struct signature *g,
                     const struct again_kind *kind, double share)
{
    struct again again;
    struct shadow *s = c->on;
    double started = clock_now();
    int all = 0, ok = again_prepare(&again, kind, c->operands, c->root, s->comm);
    uint64_t most = c->bytes;
    int rc = PMPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, s->comm);
    if (!rc && again_varies(kind))
        rc = PMPI_Allreduce(&c->bytes, &most, 1, MPI_UINT64_T, MPI_MAX, s->comm);
    struct subject u = {s,          again_run,
                        &again,     collective_kind(mpi_functions[g->operation].name),
                        again.root, started + share};
    char why_not[120] = "";
    json_t *rows = s->rank == 0 ? json_array() : NULL;
    if (!rc && all)
        rc = measure_all(&u, g, share, rows, why_not);
    if (s->rank == 0) {
        json_t *f = describe_signature(s, mpi_functions[g->operation].name, c->root, most, g->calls,
                                       clock_now() - started);
        keep_measured(f, rows, "copies of the application's, with its types and operation", all, rc,
                      why_not);
    }
    again_release(&again);
}

/* --- operations that were only started --- */

static const struct operation *twin_of(unsigned operation)
{
    for (size_t i = 0; i < n_operations; i++)
        if (!strcmp(operations[i].mpi_twin, mpi_functions[operation].name))
            return &operations[i];
    return NULL;
}

bool benchmark_can_start(unsigned operation)
{
    return twin_of(operation) != NULL;
}

static int run_twin(void *arg)
{
    MPI_Request request;
    TRY(operation_start(arg, &request));
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

void benchmark_started(struct shadow *s, const struct started *w, double share)
{
    struct operation_call call;
    const struct operation *o = twin_of(w->operation);
    double begin = clock_now();
    int root = w->root < 0 ? 0 : w->root, all = 0;
    int ok = operation_prepare(&call, o, s->comm, root, w->bytes);
    int rc = PMPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, s->comm);
    struct subject u = {s, run_twin, &call, operation_pattern(o), root, begin + share};
    char why_not[120] = "";
    json_t *rows = s->rank == 0 ? json_array() : NULL;
    if (!rc && all)
        rc = measure_all(&u, NULL, share, rows, why_not);
    if (s->rank == 0)
        keep_measured(describe_signature(s, o->mpi_twin, w->root, w->bytes, 0, clock_now() - begin),
                      rows, "bytes of the layer's own, started and waited for at once", all, rc,
                      why_not);
    if (ok)
        operation_release(&call);
}
