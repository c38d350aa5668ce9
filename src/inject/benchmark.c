/* Benchmark mode: the measuring methods at the application's own signatures (operation,
 * communicator, root, bytes), run right before its call, on the layer's communicator. The
 * application's call follows as if nothing had been, so its results cannot change; the time is
 * bounded by --benchmark-budget, which the first rank of a communicator keeps for all. */
#include "inject/again.h"
#include "inject/list.h"

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

/* LATER: the call that is measured besides the first one, when caches and connections are warm and
 * it is known how the ranks arrive. */
enum { METHODS_MAX = 32, SHARES = 6, SIGNATURES_MAX = 64, ARRIVALS = 8, LATER = ARRIVALS };

/* What a call to be benchmarked is known by, and when this rank came to it. */
struct signature {
    unsigned operation;
    int root;
    uint64_t bytes, calls;
    double entered[ARRIVALS]; /* global seconds, of the last ones: call k's at k % ARRIVALS */
};

/* What is kept for a communicator. */
struct signatures {
    struct signature at[SIGNATURES_MAX];
    int n;
};

static const struct bcast_method *methods[METHODS_MAX];
static size_t n_methods;
static double spent, began;             /* seconds, of this process */
static uint64_t too_late;               /* measurements that the budget had nothing left for */
static uint64_t too_few;                /* communicators on which members never met often enough */
static uint64_t left_out[N_OPERATIONS]; /* calls that there is no method for */

static bool start(void)
{
    const char *list = layer.settings.benchmark;
    bool all = !strcmp(list, "all");
    n_methods = 0;
    began = clock_now();
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

/* NULL: there are too many, or the layer has no communicator for this one. All members agree. */
static struct signature *signature_of(struct shadow *s, unsigned operation, int root,
                                      uint64_t bytes)
{
    struct signatures *known = injection_kept(&benchmark_injection, s, sizeof(struct signatures));
    if (!known)
        return NULL;
    struct signature *g = known->at, *end = g + known->n;
    while (g < end && (g->operation != operation || g->root != root || g->bytes != bytes))
        g++;
    if (g == end && known->n == SIGNATURES_MAX) {
        injection_untreated(&benchmark_injection);
        return NULL;
    }
    if (g == end) {
        *g = (struct signature){.operation = operation, .root = root, .bytes = bytes};
        known->n++;
    }
    return g;
}

/* Counts this call of the signature; whether it is to be measured. All members count alike. */
static bool is_due(struct signature *g)
{
    uint64_t call = g->calls++, every = (uint64_t)layer.settings.benchmark_every;
    g->entered[call % ARRIVALS] = sync_global(injection_clock(), clock_now());
    return call == 0 || call == LATER || (every > 0 && call % every == 0);
}

/* Seconds that this measurement may take, decided by one rank; 0: the budget is used up. A part
 * of what is left, so that signatures that come late are measured too, if more roughly. */
static double agree_on_share(const struct shadow *s)
{
    double share = (layer.settings.benchmark_budget - spent) / SHARES;
    if (share < 0.005)
        share = 0;
    PMPI_Bcast(&share, 1, MPI_DOUBLE, 0, s->comm);
    too_late += share <= 0;
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
    int root; /* 0 where there is none */
};

static struct collective_case case_of(const struct subject *u, double share)
{
    return (struct collective_case){.comm = u->on->comm,
                                    .run = u->run,
                                    .arg = u->arg,
                                    .pattern = u->pattern,
                                    .root = u->root,
                                    .plan = plan_for(share),
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
    if (g->calls < ARRIVALS)
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
    return as_application(d->b->buffer, d->b->count, d->b->type, d->b->root, d->on->comm, d->on);
}

static void measure_broadcast(const struct collective *b, const struct signature *g, double share)
{
    struct shadow *s = b->on;
    bool later = g->calls > LATER;
    struct bcast own = {.name = "application", .run = as_application, .arg = s};
    struct bcast_case c = {.comm = s->comm,
                           .bcast = &own,
                           .buffer = b->buffer,
                           .count = b->count,
                           .type = b->type,
                           .root = b->root,
                           .plan = plan_for(later ? share * 2 / 3 : share),
                           .collector = 0,
                           /* An application broadcasts what it has just computed. */
                           .fresh = true,
                           .clock = injection_clock()};
    struct bcast_outcome out;
    int rc = bcast_measure(&c, methods, n_methods, &out);
    /* The collector alone may have had no room for the outcome. */
    if (crew_agree(s->comm, rc == MPI_SUCCESS) != MPI_SUCCESS) {
        bcast_outcome_free(&out);
        return;
    }
    json_t *f = s->rank == 0 ? describe_broadcast(s, b->root, b->bytes, g->calls, &out) : NULL;
    bcast_outcome_free(&out);
    struct broadcasting broadcasting = {b, s};
    struct subject u = {s, run_broadcast, &broadcasting, COLLECTIVE_FROM_ROOT, b->root};
    json_t *rows = f ? json_object_get(f, "methods") : NULL;
    if (later)
        measure_arrivals(&u, g, share / 3, rows);
    if (s->rank == 0)
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
                       json_t *rows)
{
    bool later = g && g->calls > LATER, held = wants("held");
    double part = share / (1 + later + held);
    TRY(measure_direct(u, part, rows));
    if (held)
        TRY(measure_mirrored(u, part, rows));
    return later ? measure_arrivals(u, g, part, rows) : MPI_SUCCESS;
}

/* PREPARED: all ranks had what it takes. */
static void keep_measured(json_t *f, json_t *rows, const char *data, bool prepared, int rc)
{
    json_object_set_new(f, "data", json_string(data));
    if (json_array_size(rows) == 0)
        json_object_set_new(f, "not_measured",
                            json_string(!prepared ? "a rank's data could not be copied or made"
                                        : rc      ? "MPI returned an error"
                                                  : "the budget was used up"));
    json_object_set_new(f, "methods", rows);
    injection_found(&benchmark_injection, f);
}

static void measure_again(const struct collective *c, const struct signature *g,
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
    struct subject u = {s, again_run, &again, collective_kind(mpi_functions[g->operation].name),
                        again.root};
    json_t *rows = s->rank == 0 ? json_array() : NULL;
    if (!rc && all)
        rc = measure_all(&u, g, share, rows);
    if (s->rank == 0) {
        json_t *f = describe_signature(s, mpi_functions[g->operation].name, c->root, most, g->calls,
                                       clock_now() - started);
        keep_measured(f, rows, "copies of the application's, with its types and operation", all,
                      rc);
    }
    again_release(&again);
}

/* --- operations that were only started --- */

/* Nobody need meet in these, so they are measured where all members meet the next time, on data of
 * the layer's own: the application's may be gone by then. */
static const struct operation *twin_of(unsigned operation)
{
    for (size_t i = 0; i < n_operations; i++)
        if (!strcmp(operations[i].mpi_twin, mpi_functions[operation].name))
            return &operations[i];
    return NULL;
}

static struct injected *started(const struct collective *c)
{
    struct shadow *s = c->on;
    unsigned operation = c->call->operation;
    int k = 0;
    if (!twin_of(operation)) {
        left_out[operation]++;
        return NULL;
    }
    while (k < s->n_started && (s->started[k].operation != operation ||
                                s->started[k].root != c->root || s->started[k].bytes != c->bytes))
        k++;
    if (k == STARTED_MAX)
        injection_untreated(&benchmark_injection);
    else if (k == s->n_started)
        s->started[s->n_started++] = (struct started){operation, c->root, c->bytes, false};
    return NULL;
}

static int run_twin(void *arg)
{
    MPI_Request request;
    TRY(operation_start(arg, &request));
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure_started(struct shadow *s, const struct started *w, double share)
{
    struct operation_call call;
    const struct operation *o = twin_of(w->operation);
    double begin = clock_now();
    int root = w->root < 0 ? 0 : w->root, all = 0;
    int ok = operation_prepare(&call, o, s->comm, root, w->bytes);
    int rc = PMPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, s->comm);
    struct subject u = {s, run_twin, &call, operation_pattern(o), root};
    json_t *rows = s->rank == 0 ? json_array() : NULL;
    if (!rc && all)
        rc = measure_all(&u, NULL, share, rows);
    if (s->rank == 0)
        keep_measured(describe_signature(s, o->mpi_twin, w->root, w->bytes, 0, clock_now() - begin),
                      rows, "bytes of the layer's own, started and waited for at once", all, rc);
    if (ok)
        operation_release(&call);
}

static void measure_all_started(struct shadow *s)
{
    for (int k = 0; k < s->n_started; k++) {
        struct started *w = &s->started[k];
        if (w->measured || injection_comm(s) == MPI_COMM_NULL)
            continue;
        w->measured = true;
        double share = agree_on_share(s), begin = clock_now();
        if (share > 0)
            measure_started(s, w, share);
        spent += clock_now() - begin;
    }
}

/* --- a call --- */

/* Without data nobody waits for anybody, but in a barrier: there is nothing to measure. Where ranks
 * may give different amounts, no rank knows the others' bytes. */
static void before(const struct collective *c)
{
    unsigned operation = c->call->operation;
    const struct again_kind *kind = c->is_broadcast ? NULL : again_find(operation);
    bool varies = kind && again_varies(kind);
    measure_all_started(c->on);
    if (!c->is_broadcast && !kind) {
        left_out[operation]++;
        return;
    }
    if (c->bytes == 0 && !varies && operation != OP_Barrier)
        return;
    struct signature *g = signature_of(c->on, operation, c->root, varies ? 0 : c->bytes);
    if (!g || !is_due(g))
        return;
    double share = agree_on_share(c->on), begin = clock_now();
    if (share > 0 && c->is_broadcast)
        measure_broadcast(c, g, share);
    else if (share > 0)
        measure_again(c, g, kind, share);
    spent += clock_now() - begin;
    /* The ranks come to this call from the measurement. */
    c->on->of->disturbed = c->on->of->sequence;
}

/* Where nobody ever met the others, nobody knows whether all are able to: it is not measured. All
 * ranks have a record of MPI_COMM_WORLD. */
static void close_shadow(struct shadow *s)
{
    if (s->has_met || s->of->handle == MPI_COMM_WORLD)
        measure_all_started(s);
    else
        too_few += s->n_started > 0;
    free(s->kept[benchmark_injection.index]);
}

/* What rank 0 measured and what it passed over. */
static void finish(void)
{
    char *text = benchmark_injection.remark;
    size_t room = sizeof benchmark_injection.remark;
    if (layer.rank != 0)
        return;
    snprintf(text, room,
             "benchmark: measuring took %.3g s, %.0f %% of the run (rank 0): times outside of "
             "collectives contain it",
             spent, 100 * spent / (clock_now() - began));
    if (too_late)
        snprintf(text + strlen(text), room - strlen(text),
                 "; %llu measurements were left out, the budget (--benchmark-budget) was used up",
                 (unsigned long long)too_late);
    if (too_few)
        snprintf(text + strlen(text), room - strlen(text),
                 "; what was only started on %llu communicators is not measured: their members "
                 "never met in enough blocking collectives",
                 (unsigned long long)too_few);
    for (unsigned i = 0, any = 0; i < N_OPERATIONS; i++) {
        size_t at = strlen(text);
        if (left_out[i])
            snprintf(text + at, room - at, "%s%s", any++ ? ", " : "; there is no method for ",
                     mpi_functions[i].name);
    }
}

struct injection benchmark_injection = {.name = "benchmark",
                                        .together = true,
                                        .start = start,
                                        .before = before,
                                        .started = started,
                                        .close = close_shadow,
                                        .finish = finish};
