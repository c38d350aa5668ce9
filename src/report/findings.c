#include "report/findings.h"

#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding finding_of_cost(const struct finding_context *c, const char *key, double cost,
                               double low)
{
    return (struct finding){.key = key,
                            .severity = SEVERITY_FINDING,
                            .cost = {.value = cost, .low = low, .high = 2 * cost - low},
                            .share = c->run > 0 && cost > 0 ? cost / c->run : 0};
}

void call_label(const struct view *v, uint32_t operation, uint32_t site, char text[CALL_LABEL])
{
    bool known = site != PROFILE_NONE && v->p->stack_depth && v->p->sites.at[site].depth;
    snprintf(text, CALL_LABEL, "%s%s%s", v->p->operations.at[operation].name, known ? " at " : "",
             known ? v->label[site] : "");
}

/* --- the machine, and MPI at all --- */

static void find_contention(struct finding_context *c)
{
    const struct noise *n = &c->v->noise;
    char share[32], mean[32], time[32], advice[200];
    const char *launcher = *c->v->p->launcher ? c->v->p->launcher : "mpiexec";
    unsigned processors = 0;
    bool crowded = false;
    for (uint32_t i = 0; i < c->v->p->hosts.n; i++) {
        processors += c->v->p->hosts.at[i].processors;
        crowded = crowded || noise_crowded(c->v->p, i);
    }
    if (crowded)
        snprintf(advice, sizeof advice,
                 "use as many ranks as processors: %s -n %u collprof run ...", launcher,
                 processors);
    else
        snprintf(advice, sizeof advice,
                 "run again when no other process computes: %s -n %.0f collprof run ...", launcher,
                 c->ranks);
    c->voided = n->level == NOISE_SPOILED;
    struct finding f = {.key = "cpu_contention",
                        .severity = c->voided ? SEVERITY_ERROR : SEVERITY_DOUBT,
                        .ranks = &n->worst_rank,
                        .n_ranks = 1,
                        .advice = advice};
    f.number[0] = (struct finding_number){"worst_percent", 100 * n->share};
    if (n->level == NOISE_FELT || c->voided) {
        document_finding(
            c->d, &f,
            "CPU contention: rank %d was runnable but not scheduled for %s of the run (%s; mean of "
            "the ranks: %s). %s",
            n->worst_rank, format_share(share, n->share, 1), format_time(time, 1e9 * n->seconds),
            format_share(mean, n->mean, 1),
            c->voided ? "Waits and late ranks are not judged; counts and bytes are right."
                      : "Differences of that size mean nothing.");
        return;
    }
    f = (struct finding){.key = "oversubscribed", .severity = SEVERITY_DOUBT, .advice = advice};
    if (crowded)
        document_finding(c->d, &f, "%.0f ranks ran on %u processors: times mean little%s.",
                         c->ranks, processors,
                         c->v->p->yields ? ""
                                         : ", for ranks that wait keep the processor from those "
                                           "that they wait for (use: --yield)");
}

static void find_little_mpi(struct finding_context *c)
{
    char share[32];
    double mpi = 1e-9 * c->v->mpi_ns / c->ranks;
    if (!c->v->where.known || 1 - c->v->where.compute >= NOISE_MATTERS)
        return;
    struct finding f = finding_of_cost(c, "mpi_is_little", mpi, NAN);
    f.severity = SEVERITY_NOTE;
    document_finding(c->d, &f, "MPI takes %s of the run: nothing is to be gained there.",
                     format_share(share, mpi, c->run));
    c->voided = true;
}

/* --- messages --- */

static bool answers(const struct profile *p, const struct profile_peer *m)
{
    enum { ONE_WAY = 100 };
    uint64_t back = 0;
    for (size_t i = 0; i < p->peers.n; i++)
        if (!p->peers.at[i].received && p->peers.at[i].rank == m->peer &&
            p->peers.at[i].peer == m->rank)
            back += p->peers.at[i].messages;
    return back > m->messages / ONE_WAY;
}

/* Small messages sent one by one at one call site, with nothing coming back. */
static void find_small_messages(struct finding_context *c)
{
    enum { LEAST = 1000, SMALL = 256 };
    const struct profile *p = c->v->p;
    const struct profile_peer *most = NULL;
    double time = 0;
    char size[32], count[32], call[CALL_LABEL];
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *x = &p->peers.at[i];
        if (!x->received && x->site != PROFILE_NONE && x->messages >= LEAST &&
            x->bytes <= x->messages * SMALL && (!most || x->messages > most->messages) &&
            !answers(p, x))
            most = x;
    }
    for (size_t i = 0; most && i < p->entries.n; i++)
        if (p->entries.at[i].site == most->site && p->entries.at[i].operation == most->operation)
            time += 1e-9 * (double)p->entries.at[i].time_ns / c->ranks;
    if (!most || !noise_matters(time, NAN, c->run))
        return;
    struct finding f = finding_of_cost(c, "small_messages", time, NAN);
    call_label(c->v, most->operation, most->site, call);
    f.site = call;
    f.ranks = &(int){(int)most->rank};
    f.n_ranks = 1;
    f.number[0] = (struct finding_number){"messages", (double)most->messages};
    f.advice = "send several of these messages as one";
    document_finding(c->d, &f,
                     "%s sends small messages one by one: %s of %s from rank %u to rank %u, which "
                     "sends next to nothing back.",
                     call, format_count(count, most->messages),
                     format_bytes(size, (double)most->bytes / (double)most->messages), most->rank,
                     most->peer);
}

/* --- measurements made during the run --- */

/* Mean time of the application's calls of the measured kind in seconds, and their sum. */
static double seen_mean(const struct profile *p, const struct profile_finding *f, double *sum)
{
    const char *operation = json_string_value(json_object_get(f->value, "operation"));
    json_int_t bytes = json_integer_value(json_object_get(f->value, "bytes"));
    double calls = 0;
    *sum = 0;
    for (size_t i = 0; operation && bytes >= 0 && i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (e->comm != f->comm || e->size_class != size_class_of((uint64_t)bytes) ||
            strcmp(p->operations.at[e->operation].name, operation) != 0)
            continue;
        calls += (double)entry_timed(e);
        *sum += 1e-9 * (double)e->time_ns;
    }
    return calls > 0 ? *sum / calls : 0;
}

/* The upper end of what method "direct" has measured, in seconds; 0: it has not. */
static double measured_high(const json_t *finding)
{
    const json_t *row;
    size_t k;
    double high = 0;
    json_array_foreach(json_object_get(finding, "methods"), k, row)
    {
        const char *method = json_string_value(json_object_get(row, "method"));
        if (method && !strcmp(method, "direct"))
            high = 1e-6 * json_number_value(json_object_get(row, "high_us"));
    }
    return high;
}

/* What src/verdict has found, in this run or in its records. */
static void find_verdicts(struct finding_context *c)
{
    for (size_t i = 0; i < c->v->p->findings.n; i++) {
        const json_t *f = c->v->p->findings.at[i].value, *ranks = json_object_get(f, "ranks");
        const char *key = json_string_value(json_object_get(f, "kind")),
                   *text = json_string_value(json_object_get(f, "text"));
        if (strcmp(c->v->p->findings.at[i].kind, "verdict") != 0 || !key || !text)
            continue;
        int *rank = memory_alloc((json_array_size(ranks) + 1) * sizeof *rank);
        for (size_t k = 0; k < json_array_size(ranks); k++)
            rank[k] = (int)json_integer_value(json_array_get(ranks, k));
        document_finding(c->d,
                         &(struct finding){.key = key,
                                           .severity = SEVERITY_ERROR,
                                           .ranks = rank,
                                           .n_ranks = json_array_size(ranks)},
                         "%s", text);
        free(rank);
    }
}

/* A collective that takes far less with all ranks there than it takes in the application; and what
 * could not be measured. */
static void find_measurements(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    char alone[32], seen[32], bytes[32];
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *f = p->findings.at[i].value;
        const char *missing = json_string_value(json_object_get(f, "not_measured"));
        double sum, mean = seen_mean(p, &p->findings.at[i], &sum), high = measured_high(f);
        if (missing)
            document_finding(c->d,
                             &(struct finding){.key = "not_measured", .severity = SEVERITY_NOTE},
                             "Not measured in the run: %s.", missing);
        /* Half as much again is beyond what a mean and a median may differ by. */
        double cost = mean > 0 ? sum / c->ranks * (1 - high / mean) : 0;
        if (c->voided || high <= 0 || mean < 1.5 * high || !noise_matters(cost, NAN, c->run))
            continue;
        struct finding found = finding_of_cost(c, "slower_than_measured", cost, NAN);
        found.number[0] = (struct finding_number){"measured_us", 1e6 * high};
        found.number[1] = (struct finding_number){"mean_us", 1e6 * mean};
        document_finding(
            c->d, &found,
            "%s of %s on %s takes at most %s with all ranks there, as measured during the run; the "
            "application's calls took %s on average.",
            json_string_value(json_object_get(f, "operation")),
            format_bytes(bytes, json_number_value(json_object_get(f, "bytes"))),
            json_string_value(json_object_get(f, "communicator")), format_time(alone, 1e9 * high),
            format_time(seen, 1e9 * mean));
    }
}

/* --- all of them, in the order in which they are found: what voids others comes first --- */

static const struct {
    void (*find)(struct finding_context *c);
    bool always; /* also where times cannot be judged */
} finders[] = {
    {find_verdicts, true},       {find_ends, true},      {find_contention, true},
    {find_little_mpi, true},     {find_doubts, true},    {find_measurements, true},
    {find_imbalance, false},     {find_waits, false},    {find_untraced_imbalance, false},
    {find_late_arrivals, false}, {find_requests, false}, {find_small_messages, false}};

void findings_add(struct document *d, const struct view *v, const char *directory)
{
    struct finding_context c = {.d = d,
                                .v = v,
                                .directory = directory,
                                .run = 1e-9 * profile_longest_ns(v->p),
                                .ranks = v->ranks};
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (finders[i].always || !c.voided)
            finders[i].find(&c);
}
