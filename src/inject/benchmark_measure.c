/* Benchmark mode's measuring: the methods at one operation of the application, with its arguments
 * or with copies of them, and as its ranks arrive. */
#include "inject/benchmark.h"

#include "base/format.h"
#include "base/stats.h"
#include "base/try.h"
#include "document/json_file.h"
#include "measure/bcast/bcast.h"
#include "measure/collective/collective.h"
#include "measure/crew.h"
#include "record/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_MAX = 32 };
static struct methods {
    const struct bcast_method *at[METHODS_MAX];
    size_t n;
} chosen;

bool benchmark_choose(const char *list)
{
    bool all = !strcmp(list, "all");
    chosen.n = 0;
    for (size_t i = 0; all && i < n_bcast_methods && chosen.n < METHODS_MAX; i++)
        if (bcast_methods[i]->meaning != BCAST_SUITE)
            chosen.at[chosen.n++] = bcast_methods[i];
    while (!all && *list && chosen.n < METHODS_MAX) {
        char name[64];
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        const struct bcast_method *m = bcast_method_find(name);
        if (m)
            chosen.at[chosen.n++] = m;
        list += length + (list[length] == ',');
    }
    return chosen.n > 0;
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

/* A finding without its figures. CALL: the number of the call, from 1, that it is measured before;
 * 0: none. */
static json_t *describe_signature(const struct internal_comm *s, const char *operation, int root,
                                  uint64_t bytes, uint64_t call)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:I, s:o, s:[]}", "operation", operation, "communicator",
                     s->name, "ranks", s->size, "root", root < 0 ? json_null() : json_integer(root),
                     "bytes", (json_int_t)bytes, "before_call",
                     call ? json_integer((json_int_t)call) : json_null(), "methods");
}

static const struct estimate not_known = {NAN, NAN, NAN};
static const char no_time[] = "no time was left for it";

/* ASKED: destinations that the method goes through one by one; 0: it does not. */
static json_t *method_row(const char *method, struct estimate time, int measured, int asked,
                          const char *meaning)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s", meaning, time.value <= 0 ? "; 0 or less: no result" : "");
    if (time.value <= 0) /* what takes no time was not measured */
        time = not_known;
    json_t *share = asked ? json_sprintf("%d of %d", measured, asked) : json_string("");
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "method", method, "time_us",
                     json_finite(1e6 * time.value), "low_us", json_finite(1e6 * time.low),
                     "high_us", json_finite(1e6 * time.high), "destinations", share, "measures",
                     text);
}

/* --- as the ranks arrive --- */

/* One operation of the application, to be measured on the layer's communicator. */
struct subject {
    struct internal_comm *on;
    int (*run)(void *arg);
    void *arg;
    enum collective_kind pattern;
    int root;                           /* 0 where there is none */
    const struct collective *broadcast; /* NULL: it is another operation */
    double until;                       /* clock_now() */
};

/* The least that a measurement is worth beginning with: its warm-up, a scout, checks of data. */
enum { OPERATIONS_LEAST = 24 };

/* Told by one rank. Where time is up what is left out is said in F. */
static bool goes_on(const struct subject *u, json_t *f)
{
    int over = clock_now() > u->until;
    PMPI_Bcast(&over, 1, MPI_INT, 0, u->on->comm);
    if (over)
        json_object_set_new(f, "cut_short_by_budget", json_true());
    return !over;
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

/* From the first entry to the last one; *AT_ONCE: the last two are closer to each other than the
 * hundredth of that as which arrivals are replayed, so it is not known which of them is the last.
 */
static int find_apart(const struct subject *u, double after, double *apart, bool *at_once)
{
    struct {
        double after;
        int rank;
    } mine = {after, u->on->rank}, last;
    double other, second;
    TRY(PMPI_Allreduce(&mine, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, u->on->comm));
    other = mine.rank == last.rank ? 0 : after;
    TRY(PMPI_Allreduce(&other, &second, 1, MPI_DOUBLE, MPI_MAX, u->on->comm));
    *apart = last.after;
    *at_once = last.after > 0 && second > 0.99 * last.after;
    return MPI_SUCCESS;
}

/* Entering so long after the first one. */
static int measure_arrival(const struct subject *u, const char *name, double after, double share,
                           json_t *rows)
{
    char room[32], text[120];
    double apart;
    bool at_once;
    TRY(find_apart(u, after, &apart, &at_once));
    struct collective_direct out = {0};
    struct collective_case c = case_of(u, share);
    c.after = after;
    /* A measurement of fewer than a few operations would say nothing. */
    bool fits = apart * (c.plan.warmup + 6) < share;
    int rc = fits ? collective_measure_direct(&c, &out) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS && u->on->rank == 0) {
        snprintf(text, sizeof text, "%sranks enter %s apart%s%s",
                 fits ? "last exit - last entry; " : "", format_time(room, 1e9 * apart),
                 at_once ? ", the last two at once" : "", fits ? "" : ": too long for the budget");
        bool measured = fits && out.completion.samples.n;
        json_t *row =
            method_row(name, measured ? series_estimate(&out.completion) : not_known, 0, 0, text);
        json_object_set_new(row, "recorded_apart_us", json_finite(1e6 * apart));
        json_object_set_new(row, "replayed_apart_us",
                            json_finite(measured ? 1e6 * out.apart : NAN));
        json_array_append_new(rows, row);
    }
    if (fits)
        collective_direct_free(&out);
    return rc;
}

/* The arrivals of the last calls: their median, rank by rank, and the newest one as it was. */
static int measure_arrivals(const struct subject *u, const struct signature *g, double share,
                            json_t *f)
{
    double first[ARRIVALS], after[ARRIVALS], median, least, newest;
    MPI_Comm comm = u->on->comm;
    json_t *rows = json_object_get(f, "methods");
    if (g->calls < ARRIVALS || !goes_on(u, f))
        return MPI_SUCCESS;
    TRY(PMPI_Allreduce(g->entered, first, ARRIVALS, MPI_DOUBLE, MPI_MIN, comm));
    for (int k = 0; k < ARRIVALS; k++)
        after[k] = g->entered[k] - first[k];
    newest = after[(g->calls - 1) % ARRIVALS];
    median = stats_median(after, ARRIVALS);
    TRY(PMPI_Allreduce(&median, &least, 1, MPI_DOUBLE, MPI_MIN, comm));
    TRY(measure_arrival(u, "median arrival", median - least, share / 2, rows));
    return measure_arrival(u, "this arrival", newest, share / 2, rows);
}

/* --- by the methods of measuring broadcasts --- */

/* What the application runs with: the library's broadcast, or its replacement. */
static int as_application(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          const void *arg)
{
    struct call own = {.entry = clock_ticks()};
    const struct collective c = {.call = &own,
                                 .on = (struct internal_comm *)arg,
                                 .comm = comm,
                                 .root = root,
                                 .bytes = call_bytes(count, type),
                                 .is_broadcast = true,
                                 .is_measured = true,
                                 .buffer = buffer,
                                 .count = count,
                                 .type = type};
    return injection_pass(&benchmark_injection, &c);
}

/* One broadcast as above, for what measures any collective. */
static int run_broadcast(void *arg)
{
    const struct collective *b = arg;
    return as_application(b->buffer, (int)b->count, b->type, b->root, b->on->comm, b->on);
}

/* Another operation, for what measures broadcasts: it has its own buffers and root. */
static int run_as_broadcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                            const void *arg)
{
    const struct subject *u = arg;
    (void)buffer, (void)count, (void)type, (void)root, (void)comm;
    return u->run(u->arg);
}

static const char unsettled[] = "; not settled: an upper bound";

/* Where the processor's own time is that of a message's way, too, or may be; or where it is held
 * back for too short a time. */
static const char *doubt_of(const struct bcast_result *r)
{
    static const char *const doubts[] = {[PART_OWN] = "",
                                         [PART_OF_WAY] = "; here with the way of its message",
                                         [PART_UNKNOWN] = "; perhaps with the way of its message"};
    if (r->method->meaning == BCAST_OVERHEAD && r->slowest >= 0)
        return doubts[r->figure[r->slowest].part];
    return bcast_unsettled(r) ? unsettled : "";
}

static void describe(json_t *f, const struct bcast_outcome *out)
{
    bool cut_short = false;
    char text[120];
    for (size_t i = 0; i < out->n_results; i++) {
        const struct bcast_result *r = &out->result[i];
        if (r->over_budget && !estimate_known(r->value))
            snprintf(text, sizeof text, "%s", no_time);
        else
            snprintf(text, sizeof text, "%s%s", r->method->value, doubt_of(r));
        json_t *row = method_row(r->method->name, r->value, r->measured, r->asked, text);
        if (r->at_least && !bcast_unsettled(r))
            json_object_set_new(row, "at_least", json_true());
        json_array_append_new(json_object_get(f, "methods"), row);
        cut_short |= r->over_budget;
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
}

static int measure_as_broadcast(const struct subject *u, const struct methods *by, double share,
                                json_t *f)
{
    const struct collective *b = u->broadcast;
    struct internal_comm *s = u->on;
    struct bcast own = {.name = "application", .run = run_as_broadcast, .arg = u};
    struct bcast_case c = {.comm = s->comm,
                           .bcast = &own,
                           .type = MPI_BYTE,
                           .root = u->root,
                           .plan = plan_for(share, u->until),
                           .collector = 0,
                           .clock = injection_clock()};
    if (b) {
        own.run = as_application;
        own.arg = s;
        c.buffer = b->buffer;
        c.count = (int)b->count;
        c.type = b->type;
        c.fresh = true; /* an application broadcasts what it has just computed */
    }
    struct bcast_outcome out;
    int rc = bcast_measure(&c, by->at, by->n, &out);
    /* The collector alone may have had no room for the outcome. */
    rc = crew_agree(s->comm, rc == MPI_SUCCESS);
    if (rc == MPI_SUCCESS && s->rank == 0)
        describe(f, &out);
    bcast_outcome_free(&out);
    return rc;
}

/* --- by those of measuring any collective --- */

static int measure_direct(const struct subject *u, double share, json_t *rows)
{
    struct collective_direct out;
    struct collective_case c = case_of(u, share);
    TRY(collective_measure_direct(&c, &out));
    if (rows && !out.completion.samples.n)
        json_array_append_new(rows, method_row("direct", not_known, 0, 0, no_time));
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
    const struct collective_pair *slowest =
        collective_is_result(&out) ? collective_slowest(&out) : NULL;
    if (rows && !slowest)
        json_array_append_new(rows, method_row("held", not_known, 0, out.asked, no_time));
    if (rows && slowest) {
        char text[160];
        snprintf(text, sizeof text, "exit of rank %d - entry of rank %d, the last%s",
                 out.slowest_to, out.slowest_from, slowest->settled ? "" : unsettled);
        json_t *row = method_row("held", slowest->time, out.measured, out.asked, text);
        if (out.at_least && slowest->settled)
            json_object_set_new(row, "at_least", json_true());
        json_array_append_new(rows, row);
    }
    collective_mirrored_free(&out);
    return MPI_SUCCESS;
}

/* --- all of them --- */

/* Those chosen that have a meaning for the operation. */
static struct methods methods_for(const struct subject *u, bool *direct, bool *mirrored)
{
    struct methods by = {.n = 0};
    *direct = *mirrored = false;
    for (size_t i = 0; i < chosen.n; i++) {
        const struct bcast_method *m = chosen.at[i];
        if (u->broadcast || m->others >> u->pattern & 1)
            by.at[by.n++] = m;
        else if (!strcmp(m->name, "direct"))
            *direct = true;
        else if (!strcmp(m->name, "held"))
            *mirrored = true;
    }
    return by;
}

/* G: NULL where it is not known how the ranks arrive. */
static int measure_all(const struct subject *u, const struct signature *g, double share, json_t *f,
                       char why_not[120])
{
    bool later = g && g->calls > LATER, direct, mirrored, fits;
    struct methods by = methods_for(u, &direct, &mirrored);
    json_t *rows = json_object_get(f, "methods");
    snprintf(why_not, 120, "none of the methods asked for has a meaning for it");
    if (!direct && !mirrored && by.n == 0)
        return MPI_SUCCESS;
    double begin = clock_now();
    TRY(look(u, share, &fits, why_not));
    if (!fits)
        return MPI_SUCCESS;
    /* Told by one rank: one that finds nothing left would not take part in what others begin. */
    double left = fmax(share - (clock_now() - begin), 1e-3);
    PMPI_Bcast(&left, 1, MPI_DOUBLE, 0, u->on->comm);
    /* All methods of a broadcast are of one kind. */
    int many = u->broadcast ? 2 : 1;
    double part = left / (direct + mirrored + many * (by.n > 0) + later);
    if (direct)
        TRY(measure_direct(u, part, rows));
    if (mirrored && goes_on(u, f))
        TRY(measure_mirrored(u, part, rows));
    if (by.n > 0 && goes_on(u, f))
        TRY(measure_as_broadcast(u, &by, many * part, f));
    return later ? measure_arrivals(u, g, part, f) : MPI_SUCCESS;
}

/* F: of what is measured, on one rank. PREPARED: this rank has what it takes. */
static void measure(struct subject *u, const struct signature *g, double share, bool prepared,
                    json_t *f)
{
    char why_not[120] = "";
    double begin = clock_now();
    u->until = begin + share;
    bool all = crew_agree(u->on->comm, prepared) == MPI_SUCCESS;
    int rc = all ? measure_all(u, g, share, f, why_not) : MPI_SUCCESS;
    if (!f)
        return;
    if (json_array_size(json_object_get(f, "methods")) > 0) {
        json_object_set_new(f, "begun_seconds", json_real(sync_global(injection_clock(), begin)));
        json_object_set_new(f, "measured_in_seconds", json_real(clock_now() - begin));
    } else
        json_object_set_new(f, "not_measured",
                            json_string(!all ? "a rank's data could not be copied or made"
                                        : rc ? "MPI returned an error"
                                             : why_not));
    injection_found(&benchmark_injection, u->on->of->index, f);
}

void benchmark_broadcast(const struct collective *b, const struct signature *g, double share)
{
    struct subject u = {.on = b->on,
                        .run = run_broadcast,
                        .arg = (void *)b,
                        .pattern = COLLECTIVE_FROM_ROOT,
                        .root = b->root,
                        .broadcast = b};
    json_t *f =
        b->on->rank ? NULL : describe_signature(b->on, "MPI_Bcast", b->root, b->bytes, g->calls);
    measure(&u, g, share, true, f);
}

void benchmark_replica(const struct collective *c, const struct signature *g,
                       const struct replica_kind *kind, double share)
{
    struct replica replica;
    struct internal_comm *s = c->on;
    const char *name = mpi_functions[g->operation].name;
    uint64_t most = c->bytes;
    bool prepared = replica_make(&replica, kind, c->operands, c->root, s->comm);
    struct subject u = {.on = s,
                        .run = replica_run,
                        .arg = &replica,
                        .pattern = collective_kind(name),
                        .root = replica.root};
    if (replica_varies(kind))
        PMPI_Allreduce(&c->bytes, &most, 1, MPI_UINT64_T, MPI_MAX, s->comm);
    json_t *f = s->rank ? NULL : describe_signature(s, name, c->root, most, g->calls);
    json_object_set_new(f, "data",
                        json_string("copies of the application's, with its types and operation"));
    measure(&u, g, share, prepared, f);
    replica_free(&replica);
}
