#include "report/findings.h"

#include "base/array.h"
#include "base/format.h"
#include "base/text.h"
#include "report/findings_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the machine --- */

static void find_contention(struct making *m)
{
    const struct noise *n = &m->v->noise;
    char share[32], mean[32], time[32];
    if (n->level != NOISE_FELT && n->level != NOISE_SPOILED)
        return;
    m->voided = n->level == NOISE_SPOILED;
    struct diagnosis *d = finding_add(
        m, "cpu_contention", m->voided ? SEVERITY_ERROR : SEVERITY_DOUBT, n->mean * m->run, NAN,
        "CPU contention: rank %d was runnable but not scheduled for %s of the run (%s; mean of the "
        "ranks: %s). %s",
        n->worst_rank, format_share(share, n->share, 1), format_time(time, 1e9 * n->seconds),
        format_share(mean, n->mean, 1),
        m->voided ? "Waits and late ranks are not judged; counts and bytes are right."
                  : "Differences of that size mean nothing.");
    finding_rank(d, n->worst_rank);
    finding_number(d, "worst_percent", 100 * n->share);
    unsigned processors = 0;
    bool crowded = false;
    for (uint32_t i = 0; i < m->v->p->hosts.n; i++) {
        processors += m->v->p->hosts.at[i].processors;
        crowded = crowded || noise_crowded(m->v->p, i);
    }
    const char *launcher = *m->v->p->launcher ? m->v->p->launcher : "mpiexec";
    if (crowded)
        finding_advise(d, "use as many ranks as processors: %s -n %u collprof run ...", launcher,
                       processors);
    else
        finding_advise(d, "run again when no other process computes: %s -n %.0f collprof run ...",
                       launcher, m->n);
}

/* --- MPI at all --- */

static void find_little_mpi(struct making *m)
{
    char share[32];
    double mpi = 1e-9 * m->v->mpi_ns / m->n;
    if (!m->v->where.known || 1 - m->v->where.compute >= NOISE_MATTERS)
        return;
    finding_add(m, "mpi_is_little", SEVERITY_NOTE, mpi, NAN,
                "MPI takes %s of the run: nothing is to be gained there.",
                format_share(share, mpi, m->run));
    m->voided = true;
}

/* Calls whose place the table had no room for, or that none was found for. */
static void find_no_site(struct making *m)
{
    const struct profile *p = m->v->p;
    double time = 0;
    uint64_t dropped = 0;
    char share[32];
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (p->operations.at[e->operation].family != FAMILY_LIFECYCLE &&
            (e->site == PROFILE_NONE || !p->sites.at[e->site].depth))
            time += (double)e->time_ns;
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        dropped += p->ranks.at[i].dropped[LEDGER_SITES];
    if (p->stack_depth && time > 0 && time >= NOISE_MATTERS * m->v->mpi_ns)
        finding_number(finding_add(m, "no_call_site", SEVERITY_DOUBT, NAN, NAN,
                                   "%s of the time in MPI has no call site%s.",
                                   format_share(share, time, m->v->mpi_ns),
                                   dropped ? ": the table of call sites was full" : ""),
                       "share_percent", 100 * time / m->v->mpi_ns);
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
static void find_small_messages(struct making *m)
{
    enum { LEAST = 1000, SMALL = 256 };
    const struct profile *p = m->v->p;
    const struct profile_peer *most = NULL;
    double time = 0;
    char size[32], count[32];
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *x = &p->peers.at[i];
        if (!x->received && x->site != PROFILE_NONE && x->messages >= LEAST &&
            x->bytes <= x->messages * SMALL && (!most || x->messages > most->messages) &&
            !answers(p, x))
            most = x;
    }
    for (size_t i = 0; most && i < p->entries.n; i++)
        if (p->entries.at[i].site == most->site && p->entries.at[i].operation == most->operation)
            time += 1e-9 * (double)p->entries.at[i].time_ns / m->n;
    if (!most || !noise_matters(time, NAN, m->run))
        return;
    struct diagnosis *d = finding_add(m, "small_messages", SEVERITY_FINDING, time, NAN, "-");
    snprintf(d->text, sizeof d->text,
             "%s sends small messages one by one: %s of %s from rank %u to rank %u, which sends "
             "next to nothing back.",
             finding_place(m, d, most->operation, most->site), format_count(count, most->messages),
             format_bytes(size, (double)most->bytes / (double)most->messages), most->rank,
             most->peer);
    finding_rank(d, (int)most->rank);
    finding_number(d, "messages", (double)most->messages);
    finding_advise(d, "send several of these messages as one");
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
            strcmp(p->operations.at[e->operation].name, operation))
            continue;
        calls += (double)entry_timed(e);
        *sum += 1e-9 * (double)e->time_ns;
    }
    return calls > 0 ? *sum / calls : 0;
}

/* A collective that takes far less with all ranks there than it takes in the application. */
static void find_slower_than_measured(struct making *m)
{
    const struct profile *p = m->v->p;
    char alone[32], seen[32], bytes[32];
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *f = p->findings.at[i].value, *row;
        double sum, mean, high = 0;
        size_t k;
        if (strcmp(p->findings.at[i].kind, "benchmark"))
            continue;
        json_array_foreach(json_object_get(f, "methods"), k, row)
        {
            const char *method = json_string_value(json_object_get(row, "method"));
            if (method && !strcmp(method, "direct"))
                high = 1e-6 * json_number_value(json_object_get(row, "high_us"));
        }
        mean = seen_mean(p, &p->findings.at[i], &sum);
        /* Half as much again is beyond what a mean and a median may differ by. */
        double cost = mean > 0 ? sum / m->n * (1 - high / mean) : 0;
        if (high <= 0 || mean < 1.5 * high || !noise_matters(cost, NAN, m->run))
            continue;
        struct diagnosis *d = finding_add(
            m, "slower_than_measured", SEVERITY_FINDING, cost, NAN,
            "%s of %s on %s takes at most %s with all ranks there, as measured during the run; the "
            "application's calls took %s on average.",
            json_string_value(json_object_get(f, "operation")),
            format_bytes(bytes, json_number_value(json_object_get(f, "bytes"))),
            json_string_value(json_object_get(f, "communicator")), format_time(alone, 1e9 * high),
            format_time(seen, 1e9 * mean));
        finding_number(d, "measured_us", 1e6 * high);
        finding_number(d, "mean_us", 1e6 * mean);
    }
}

/* --- all of them, in the order in which they are found: what voids others comes first --- */

static void (*const finders[])(struct making *) = {
    find_contention, find_little_mpi,     find_no_site,
    find_waits,      find_imbalance,      find_late_arrivals,
    find_requests,   find_small_messages, find_slower_than_measured};

static int by_importance(const void *a, const void *b)
{
    const struct finding *x = &(*(struct diagnosis *const *)a)->f,
                         *y = &(*(struct diagnosis *const *)b)->f;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    return x->share > y->share ? -1 : x->share < y->share ? 1 : strcmp(x->key, y->key);
}

struct diagnoses *findings_of(const struct view *v, const char *directory)
{
    struct diagnoses *all = memory_alloc(sizeof *all);
    struct making m = {.v = v,
                       .all = all,
                       .directory = directory,
                       .run = 1e-9 * profile_longest_ns(v->p),
                       .n = v->ranks};
    enum { ALWAYS = 3 };
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (i < ALWAYS || !m.voided)
            finders[i](&m);
    if (all->n)
        qsort(all->at, all->n, sizeof *all->at, by_importance);
    return all;
}

void findings_free(struct diagnoses *d)
{
    for (size_t i = 0; d && i < d->n; i++)
        free(d->at[i]);
    free(d ? d->at : NULL);
    free(d);
}

static void put_real(json_t *to, const char *key, double value)
{
    if (isfinite(value))
        json_object_set_new(to, key, json_real(value));
}

static json_t *one_json(const struct view *v, const struct diagnosis *d)
{
    static const char *const severities[] = {[SEVERITY_ERROR] = "error",
                                             [SEVERITY_FINDING] = "finding",
                                             [SEVERITY_DOUBT] = "doubt",
                                             [SEVERITY_NOTE] = "note"};
    json_t *one = json_object(), *ranks = json_array();
    json_object_set_new(one, "key", json_string(d->f.key));
    json_object_set_new(one, "severity", json_string(severities[d->f.severity]));
    json_object_set_new(one, "text", json_text(d->text, sizeof d->text));
    put_real(one, "cost_seconds", d->f.cost.value);
    put_real(one, "cost_low_seconds", d->f.cost.low);
    put_real(one, "share_percent", 100 * d->f.share);
    if (d->operation != PROFILE_NONE)
        json_object_set_new(one, "operation", json_string(v->p->operations.at[d->operation].name));
    if (d->site != PROFILE_NONE)
        json_object_set_new(one, "call_site", json_string(v->label[d->site]));
    for (size_t i = 0; i < d->f.n_ranks; i++)
        json_array_append_new(ranks, json_integer(d->rank[i]));
    json_object_set_new(one, "ranks", ranks);
    for (size_t i = 0; i < FINDING_NUMBERS && d->f.number[i].name; i++)
        put_real(one, d->f.number[i].name, d->f.number[i].value);
    if (d->f.advice)
        json_object_set_new(one, "advice", json_string(d->f.advice));
    return one;
}

json_t *findings_json(const struct view *v, const struct diagnoses *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(list, one_json(v, d->at[i]));
    return list;
}
