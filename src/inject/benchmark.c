/* Benchmark mode (--benchmark): measures the application's own signatures (operation, communicator,
 * root, bytes) by the methods of src/measure/latency, just before a call of the application. The
 * measurement has its own communicator and receive buffers (a broadcast writes the application's,
 * as the call will do anyway), so the application's results cannot change. --benchmark-budget
 * limits the time; rank 0 of a communicator decides for all its ranks. */
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

/* After LATER calls a signature is also measured with the recorded arrival delays of its ranks. */
enum { LATER = ARRIVALS };

enum { METHODS_MAX = 32 };
static struct methods {
    const struct latency_method *at[METHODS_MAX];
    size_t n;
} chosen;

/* A row of "methods" in profile.json. MEASURED of ASKED destinations have a result; ASKED is 0 for
 * methods without destinations. */
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

/* --- with the ranks' arrival delays --- */

/* A measurement starts only if its budget allows for OPERATIONS_LEAST operations (warm-up, pilot)
 * and, with arrival delays, for the warm-up + OPERATIONS_OF_ARRIVAL times the arrival spread. */
enum { OPERATIONS_LEAST = 24, OPERATIONS_OF_ARRIVAL = 6 };

/* The measurement of U, with a budget of LEFT seconds. */
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

/* Measures U for up to LEFT seconds, while each rank enters with its median arrival delay in the
 * application's last calls; adds a row to finding F. */
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
                 known ? "" : " is too long for the budget");
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

/* Sets TEXT to what the time of R measures, and why it may be too high. */
static void explain(const struct subject *u, const struct latency_result *r, char text[200])
{
    const struct latency_figure *f = r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
    const char *doubt = latency_unsettled(r)  ? "; an upper bound: a longer hold time may lower it"
                        : f && f->has_message ? "; may contain the latency of a rendezvous message"
                                              : "";
    if (u->is_broadcast || r->method->meaning != MEANS_LATENCY)
        snprintf(text, 200, "%s%s", r->method->value, doubt);
    else if (f)
        snprintf(text, 200, "exit of rank %d - last entry (rank %d)%s", f->to, f->from, doubt);
    else
        snprintf(text, 200, "last exit - last entry");
}

/* Adds a row for each method with a result, and one row that names the methods without one. */
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
    /* RC may differ between ranks: only rank 0 allocates the outcome, and may have no memory. */
    rc = sync_all_have(u->on->comm, rc == MPI_SUCCESS);
    if (rc == MPI_SUCCESS && u->on->rank == 0)
        describe(u, json_object_get(f, "methods"), &out);
    latency_outcome_free(&out);
    return rc;
}

/* Measures U by all methods before its signature's first call, and with arrival delays later.
 * *WHY_NOT becomes the reason if nothing was measured. */
static int measure_now(const struct subject *u, const struct signature *g, double share,
                       char why_not[120])
{
    double left, one;
    struct methods by = methods_for(u);
    snprintf(why_not, 120, "none of the requested methods can measure this operation");
    if (by.n == 0)
        return MPI_SUCCESS;
    TRY(subject_budget(u, share, OPERATIONS_LEAST, 0, &left, &one));
    snprintf(why_not, 120, "one operation takes %s, the budget for this measurement is %s",
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
                            json_string(!all ? "a rank could not allocate its receive buffer"
                                        : rc ? "MPI returned an error"
                                             : why_not));
}

/* --- which calls are measured, when and for how long --- */

enum { SHARES = 6 }; /* a measurement may take 1/SHARES of the budget that is left */

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

/* Collective. Seconds for this measurement, as rank 0 decides; 0 if the budget is spent. Only a
 * part of the remaining budget, so that later signatures are also measured, if less precisely. */
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

/* Whether to measure C. Not if it has no data, as then no rank waits (except in a barrier), nor if
 * it is a broadcast that replace.c makes and times itself. */
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
    call_exclude(c->on->of->id, 1); /* the measurement delayed the call: exclude it from timing */
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
