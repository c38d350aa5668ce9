/* Benchmark mode: applies the measuring methods to the application's own signatures (operation,
 * communicator, root, bytes), just before the application's call. It uses the layer's communicator
 * and the application's arguments, except for receive buffers of its own (broadcasts need none),
 * and the arrival times of the application's ranks. The application's call follows unchanged, so
 * its results cannot change. --benchmark-budget limits the time; the first rank of a communicator
 * decides for all. */
#include "inject/signature.h"

#include "base/format.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/try.h"
#include "document/json.h"
#include "record/operations.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LATER: after this many calls the operation is also measured with its ranks' arrival times. */
enum { LATER = ARRIVALS };

enum { METHODS_MAX = 32 };
static struct methods {
    const struct latency_method *at[METHODS_MAX];
    size_t n;
} chosen;

/* ASKED: number of destinations, for methods that measure each of them; otherwise 0. */
static json_t *method_row(const char *method, struct estimate time, int measured, int asked,
                          const char *meaning)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s", meaning, time.value <= 0 ? "; 0 or less: no result" : "");
    if (time.value <= 0) /* a time of 0 or less is not a measurement */
        time = ESTIMATE_UNKNOWN;
    json_t *share = asked ? json_sprintf("%d of %d", measured, asked) : json_string("");
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "method", method, "time_us",
                     json_finite(1e6 * time.value), "low_us", json_finite(1e6 * time.low),
                     "high_us", json_finite(1e6 * time.high), "destinations", share, "measures",
                     text);
}

/* --- with the ranks' arrival times --- */

/* A measurement begins only if this many operations fit: warm-up and a pilot. */
enum { OPERATIONS_LEAST = 24, OPERATIONS_OF_ARRIVAL = 6 };

/* The case of U with a budget of LEFT seconds. */
static struct latency_case case_of(const struct subject *u, double left)
{
    struct latency_case c = u->c;
    c.plan = plan_default();
    c.plan.repetitions = 20;
    c.plan.warmup = 3;
    c.plan.budget = left;
    c.plan.until = clock_now() + left;
    return c;
}

/* Measures the operation with the median arrival times of the last calls, for LEFT seconds. */
static int measure_arrivals(const struct subject *u, const struct signature *g, double left,
                            json_t *f)
{
    double median, apart;
    char text[120];
    struct latency_outcome out = {0};
    TRY(subject_arrivals(u, g, &median, &apart));
    struct latency_case c = case_of(u, left);
    c.together = true;
    c.check = NULL;
    c.after = median;
    int rc = MPI_SUCCESS;
    if (apart * (c.plan.warmup + OPERATIONS_OF_ARRIVAL) < left)
        rc = latency_measure_direct(&c, &out);
    if (rc == MPI_SUCCESS && u->on->rank == 0) {
        const struct latency_result *direct = out.n_results ? &out.result[0] : NULL;
        bool known = direct && estimate_known(direct->value);
        snprintf(text, sizeof text, "%sarrival spread %s%s",
                 known ? "last exit - last entry; " : "", AS_TIME(1e9 * apart),
                 known ? "" : ": too long for the budget");
        json_t *row =
            method_row("median arrival", known ? direct->value : ESTIMATE_UNKNOWN, 0, 0, text);
        json_object_set_new(row, "recorded_apart_us", json_finite(1e6 * apart));
        json_object_set_new(row, "replayed_apart_us",
                            json_finite(known ? 1e6 * direct->entry_spread : NAN));
        json_array_append_new(json_object_get(f, "methods"), row);
    }
    latency_outcome_free(&out);
    return rc;
}

/* --- by the methods --- */

/* Text of what a row's figure means, and why it may be wrong. */
static void explain(const struct subject *u, const struct latency_result *r, char text[200])
{
    const struct latency_figure *f = r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
    const char *doubt = latency_unsettled(r)  ? "; not settled: an upper bound"
                        : f && f->has_message ? "; perhaps with the latency of its message"
                                              : "";
    if (u->is_broadcast || r->method->meaning != MEANS_LATENCY)
        snprintf(text, 200, "%s%s", r->method->value, doubt);
    else if (f)
        snprintf(text, 200, "exit of rank %d - last entry (rank %d)%s", f->to, f->from, doubt);
    else
        snprintf(text, 200, "last exit - last entry");
}

/* A row for each method that has a figure, and one for all others. */
static void describe(const struct subject *u, json_t *rows, const struct latency_outcome *out)
{
    char text[200], left_out[256] = "";
    for (const struct latency_result *r = out->result; r < out->result + out->n_results; r++) {
        size_t used = strlen(left_out);
        if (!estimate_known(r->value) && r->impossible == 0) {
            snprintf(left_out + used, sizeof left_out - used, "%s %s",
                     used ? "," : "no time was left for", r->method->name);
            continue;
        }
        explain(u, r, text);
        json_array_append_new(rows,
                              method_row(r->method->name, r->value, r->measured, r->asked, text));
    }
    if (*left_out)
        json_array_append_new(rows, method_row("(others)", ESTIMATE_UNKNOWN, 0, 0, left_out));
}

/* The chosen methods that apply to the operation. */
static struct methods methods_for(const struct subject *u)
{
    struct methods by = {.n = 0};
    for (size_t i = 0; i < chosen.n; i++)
        if (u->is_broadcast || chosen.at[i]->kinds >> u->c.kind & 1)
            by.at[by.n++] = chosen.at[i];
    return by;
}

static int measure_methods(const struct subject *u, const struct methods *by, double left,
                           json_t *f)
{
    struct latency_case c = case_of(u, left);
    struct latency_outcome out;
    int rc = latency_measure(&c, by->at, by->n, &out);
    /* Only rank 0 may have lacked memory for the outcome. */
    rc = sync_all_have(u->on->comm, rc == MPI_SUCCESS);
    if (rc == MPI_SUCCESS && u->on->rank == 0)
        describe(u, json_object_get(f, "methods"), &out);
    latency_outcome_free(&out);
    return rc;
}

/* Before the first call: by the methods; before a later one: with the ranks' arrival times. */
static int measure_now(const struct subject *u, const struct signature *g, double share,
                       char why_not[120])
{
    double left, one;
    struct methods by = methods_for(u);
    snprintf(why_not, 120, "none of the methods asked for has a meaning for it");
    if (by.n == 0)
        return MPI_SUCCESS;
    TRY(subject_budget(u, share, OPERATIONS_LEAST, 0, &left, &one));
    snprintf(why_not, 120, "one operation takes %s, its part of the budget is %s",
             AS_TIME(1e9 * one), AS_TIME(1e9 * share));
    if (left <= 0)
        return MPI_SUCCESS;
    return g->calls > LATER ? measure_arrivals(u, g, left, g->found)
                            : measure_methods(u, &by, left, g->found);
}

static void measure(const struct collective *c, struct signature *g, double share)
{
    char why_not[120] = "";
    struct subject u;
    const struct internal_comm *s = c->on;
    if (s->rank == 0 && !g->found) {
        g->found = json_pack("{s:s, s:s, s:i, s:o, s:I, s:[]}", "operation", g->operation->mpi_name,
                             "communicator", s->name, "ranks", s->size, "root",
                             g->root < 0 ? json_null() : json_integer(g->root), "bytes",
                             (json_int_t)c->bytes, "methods");
        injection_found(&benchmark_injection, s->of->index, json_incref(g->found));
    }
    bool all = subject_open(&u, c);
    int rc = all ? measure_now(&u, g, share, why_not) : MPI_SUCCESS;
    subject_close(&u);
    if (json_array_size(json_object_get(g->found, "methods")) > 0)
        json_object_del(g->found, "not_measured");
    else if (g->found)
        json_object_set_new(g->found, "not_measured",
                            json_string(!all ? "a rank has no receive buffer of its own for it"
                                        : rc ? "MPI returned an error"
                                             : why_not));
}

/* --- which calls are measured, when and for how long --- */

enum { SHARES = 6 };

static bool start(void)
{
    const char *list = layer.settings.benchmark;
    bool all = !strcmp(list, "all");
    for (size_t i = 0; i < n_latency_methods && chosen.n < METHODS_MAX; i++)
        if (all ? latency_methods[i]->meaning != MEANS_SUITE
                : text_has_word(list, latency_methods[i]->name))
            chosen.at[chosen.n++] = latency_methods[i];
    return chosen.n > 0;
}

/* Seconds that this measurement may take, decided by rank 0; 0 if the budget is spent. It is a part
 * of what is left, so late signatures are also measured, though less precisely. */
static double agree_on_share(const struct internal_comm *s)
{
    double share =
        injection_budget(&benchmark_injection, layer.settings.benchmark_budget, 0) / SHARES;
    if (share < 0.005)
        share = 0;
    PMPI_Bcast(&share, 1, MPI_DOUBLE, 0, s->comm);
    if (share <= 0)
        __atomic_fetch_add(&benchmark_injection.left_out, 1, __ATOMIC_RELAXED);
    return share;
}

/* Without data no rank waits for another (except in a barrier), so there is nothing to measure.
 * replace.c times the broadcasts that it makes, so they are left out here. */
static bool wants(const struct collective *c)
{
    bool can =
        c->is_broadcast ? c->bytes <= INT_MAX && !replace_injection.on : c->operation != NULL;
    return can && (c->bytes > 0 || c->call->operation == OP_Barrier);
}

static bool due(const struct collective *c)
{
    const struct signature *g = signature_count(&benchmark_injection, c);
    return g && (g->calls == 1 || g->calls == LATER + 1);
}

static void before(const struct collective *c)
{
    struct signature *g = signature_of(&benchmark_injection, c);
    double share = agree_on_share(c->on);
    if (share <= 0)
        return;
    measure(c, g, share);
    call_exclude(c->on->of->id, 1); /* excludes this call from timing: it is delayed */
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct signatures *known = s->kept[benchmark_injection.index];
    (void)all;
    for (int i = 0; known && i < known->n; i++)
        json_decref(known->at[i].found);
    free(known);
}

INJECTION(benchmark, "benchmark", struct signatures, .due = due, .before = before);
