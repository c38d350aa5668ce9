#include "report/tables.h"

#include "base/histogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void view_open(struct view *v, const struct profile *p)
{
    const struct efficiency where = efficiency_of(p);
    *v = (struct view){.p = p,
                       .mpi_ns = profile_mpi_ns(p),
                       .ranks = p->ranks.n ? (double)p->ranks.n : 1,
                       .noise = noise_of(p, where.most),
                       .where = where,
                       .label = site_labels(p)};
}

void view_close(struct view *v)
{
    site_labels_free(v->p, v->label);
}

const char *call_label(const struct view *v, uint32_t operation, uint32_t site, const char *none,
                       char text[CALL_LABEL])
{
    bool known = site != PROFILE_NONE && v->p->stack_depth && v->p->sites.at[site].depth;
    if (operation == PROFILE_NONE)
        return none;
    snprintf(text, CALL_LABEL, "%s%s%s", v->p->operations.at[operation].name, known ? " at " : "",
             known ? v->label[site] : "");
    return text;
}

#define OPERATION COLUMN("operation", TEXT, NULL, "the MPI function")
#define SITE                                                                                       \
    NAME("call_site", "call site",                                                                 \
         "file, line and function of the call; also its callers if rows differ only in these")

/* Seconds of NS; NaN if it is negative, which means unknown. */
static double seconds(int64_t ns)
{
    return ns < 0 ? NAN : 1e-9 * (double)ns;
}

static double rank_if(bool known, uint32_t rank)
{
    return known ? (double)rank : NAN;
}

static void put_operation(struct table *t, const struct view *v, uint32_t operation)
{
    table_text(t, operation == PROFILE_NONE ? NULL : v->p->operations.at[operation].name);
}

static void put_site(struct table *t, const struct view *v, uint32_t site)
{
    table_text(t, site == PROFILE_NONE ? NULL : v->label[site]);
}

#define CALLS                                                                                      \
    COLUMN("calls", COUNT, "calls", "number of calls of all ranks"),                               \
        OPTIONAL("excluded", COUNT, NULL,                                                          \
                 "calls that an experiment may have delayed: excluded from all times"),            \
        OPTIONAL("bytes", BYTES, NULL, "bytes by the calls' arguments, sum of all ranks"),         \
        COLUMN("time_per_rank", TIME, "time/rank", "time in these calls, mean of all ranks"),      \
        COLUMN("of_run", SHARE, "of run", "time in these calls as a share of the run"),            \
        OPTIONAL("share", SHARE, "of MPI", "time in these calls as a share of all time in MPI"),   \
        COLUMN("waiting", SHARE, NULL,                                                             \
               "share of the time in these calls in which ranks wait for others; '-': unknown; "   \
               "without --trace known for collectives only"),                                      \
        OPTIONAL("mean", TIME, NULL, "mean time of a call"),                                       \
        OPTIONAL("median", TIME, NULL, "median time of a call (within 6 %)"),                      \
        OPTIONAL("max", TIME, NULL, "time of the longest call"),                                   \
        OPTIONAL("slowest_rank", RANK, "slowest",                                                  \
                 "the rank with the longest time in these calls"),                                 \
        OPTIONAL("slowest_ratio", REAL, "x mean",                                                  \
                 "time of the slowest rank in these calls / mean of all ranks")

#define ALGORITHM                                                                                  \
    {                                                                                              \
        "algorithm", NULL, COLUMN_TEXT, 0,                                                         \
            "the operation's algorithm, detected from messages (--trace=transport)", NULL,         \
            COLUMN_OPTIONAL | COLUMN_SHORTEN                                                       \
    }

static const struct column operation_columns[] = {OPERATION, CALLS, ALGORITHM};
static const struct column site_columns[] = {OPERATION, CALLS, SITE, ALGORITHM};

const char *algorithm_of(const struct profile *p, uint32_t operation)
{
    const char *found = NULL;
    for (EACH(const struct profile_finding, f, p->findings))
        if (operation != PROFILE_NONE && !strcmp(f->kind, "algorithms") &&
            !strcmp(json_text_at(f->value, "operation"), p->operations.at[operation].name)) {
            const char *name = json_text_at(f->value, "algorithm");
            if (!strcmp(name, "unknown"))
                return NULL;
            found = found && strcmp(found, name) != 0 ? "several" : name;
        }
    return found;
}

/* Whether a trace shows the waits in calls of OPERATION. A poll has none: it returns at once. */
static bool is_traced(const struct profile *p, uint32_t operation)
{
    const struct profile_operation *o = &p->operations.at[operation];
    return !profile_operation_polls(o->name) &&
           ((o->family >= FAMILY_SEND && o->family <= FAMILY_PROBE) ||
            arrivals_kind(p, operation) != COLLECTIVE_OTHER);
}

/* Percent of E's time that is waiting, from a trace or from arrivals; NaN if unknown. */
static double waiting_of(const struct profile *p, const struct profile_entry *e, bool any_site)
{
    double wait = 0, time = 0;
    if (p->trace.on && p->trace.covered > 0) {
        for (size_t i = 0; i < p->waits.n; i++)
            if (p->waits.at[i].operation == e->operation &&
                (any_site || p->waits.at[i].site == e->site))
                wait += (double)p->waits.at[i].wait_ns / p->trace.covered;
        time = is_traced(p, e->operation) ? (double)e->time_ns : 0;
        return time > 0 ? fmin(100, 100 * wait / time) : NAN;
    }
    for (EACH(const struct profile_arrival, a, p->arrivals)) {
        if (a->operation != e->operation || !(any_site || a->site == e->site) ||
            arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        wait += (double)a->wait_ns;
        time += (double)a->time_ns;
    }
    return time > 0 ? fmin(100, 100 * wait / time) : NAN;
}

static void fill_calls(struct table *t, const struct view *v)
{
    const bool by_site = v->table->columns == site_columns;
    const double wall = profile_wall_ns(v->p);
    struct profile *sums = profile_sums(v->p, by_site);
    for (EACH(const struct profile_entry, e, sums->entries)) {
        const struct profile_group *group = profile_group_find(v->p, e->site, e->operation);
        const struct spread s = group ? group->spread : (struct spread){0};
        uint64_t timed = entry_timed_calls(e);
        /* The time of calls that never returned is unknown: they were left by longjmp(), or ranks
         * were killed in them. */
        const uint64_t returned = timed + e->excluded;
        const bool known = returned >= e->calls || (returned && !isnan(v->mpi_ns));
        double time = known ? (double)e->time_ns : NAN;
        const double median =
            timed ? histogram_quantile(e->histogram, 0.5, e->min_ns, e->max_ns) : NAN;
        put_operation(t, v, e->operation);
        table_reals(t, (double)e->calls, e->excluded ? (double)e->excluded : NAN, (double)e->bytes,
                    1e-9 * time / v->ranks, 100 * time / wall, 100 * time / v->mpi_ns,
                    waiting_of(v->p, e, !by_site), 1e-9 * (double)e->time_ns / (double)timed,
                    1e-9 * median, timed && known ? 1e-9 * (double)e->max_ns : NAN,
                    rank_if(s.ranks, s.worst), (double)s.max * v->ranks / (double)s.sum);
        if (by_site)
            put_site(t, v, e->site);
        table_text(t, algorithm_of(v->p, e->operation));
    }
    profile_free(sums);
}

static const struct column request_columns[] = {
    OPERATION,
    COLUMN("requests", COUNT, NULL, "requests posted by these calls and seen to complete"),
    OPTIONAL("compute", TIME, NULL,
             "mean time from the post of a request to the call that completed it"),
    COLUMN("complete", SHARE, NULL,
           "share of the requests that were complete when a call tested or waited for them"),
    COLUMN("wait_per_rank", TIME, "wait/rank",
           "time in the calls that completed the requests, mean of all ranks; requests completed "
           "by one call share its time equally"),
    SITE,
};

static void fill_requests(struct table *t, const struct view *v)
{
    struct profile *sums = profile_sums(v->p, true);
    for (EACH(const struct profile_entry, e, sums->entries)) {
        const double n = (double)e->completed, all = n + (double)e->excluded_requests;
        if (!(all > 0))
            continue;
        put_operation(t, v, e->operation);
        table_reals(t, all, 1e-9 * (double)e->post_to_wait_ns / n,
                    100 * (double)e->complete_at_wait / n, 1e-9 * (double)e->wait_ns / v->ranks);
        put_site(t, v, e->site);
    }
    profile_free(sums);
}

static const struct column arrival_columns[] = {
    OPERATION,
    COLUMN("members", COUNT, "ranks", "ranks in the communicator"),
    COLUMN("instances", COUNT, NULL,
           "number of collectives that all members recorded; medians are of these"),
    OPTIONAL("population", COUNT, "of",
             "number of collectives in the run; an estimate if not all were recorded"),
    OPTIONAL("skew", TIME, NULL, "last minus first arrival, median of the collectives"),
    COLUMN("cost_rank", RANK, "late rank",
           "the rank for which the others waited longest; '-': none, or unknown for non-blocking "
           "and neighbourhood calls"),
    COLUMN("waiting", SHARE, NULL,
           "share of the call time until the last needed rank arrived; the wait of a root for its "
           "receivers is unknown"),
    COLUMN("wait", TIME, "wait", "wait until the last needed rank arrived, sum of all ranks"),
    OPTIONAL("duration", TIME, NULL,
             "median time from the arrival of the awaited rank to the last exit"),
    {"communicator", NULL, COLUMN_TEXT, 0, "the collectives' communicator", NULL,
     COLUMN_OPTIONAL | COLUMN_SHORTEN},
    SITE,
};

static void fill_arrivals(struct table *t, const struct view *v)
{
    char comm[COMM_LABEL];
    for (EACH(const struct profile_arrival, a, v->p->arrivals)) {
        bool known = arrivals_kind(v->p, a->operation) != COLLECTIVE_OTHER;
        double wait = known ? (double)a->wait_ns : NAN;
        put_operation(t, v, a->operation);
        table_reals(t, v->p->comms.at[a->comm].size, (double)a->instances, (double)a->population,
                    1e-9 * (double)a->skew_median_ns, rank_if(known && a->cost_ns, a->cost_rank),
                    100 * wait / (double)a->time_ns, 1e-9 * wait,
                    1e-9 * (double)a->duration_median_ns);
        comm_label(v->p, a->comm, comm);
        table_text(t, comm);
        put_site(t, v, a->site);
    }
}

static const struct column wait_columns[] = {
    COLUMN("state", TEXT, "waiting",
           "wait state; late sender or receiver: the call waits for the other side of a message; "
           "wrong order: for a late sender, although the message of a later blocking receive has "
           "arrived; others: for a rank that the collective needs (n-to-n: for all ranks)"),
    COLUMN("for_rank", RANK, "for rank", "the late rank for which the calls wait"),
    OPTIONAL("calls", COUNT, NULL, "number of calls in this wait state"),
    COLUMN("time", TIME, NULL, "waiting time in these calls, sum of all ranks"),
    OPERATION,
    SITE,
};

static void fill_waits(struct table *t, const struct view *v)
{
    for (EACH(const struct wait, w, v->p->waits)) {
        table_text(t, wait_names[w->state < WAIT_STATES ? w->state : WAIT_NONE]);
        table_reals(t, w->rank, (double)w->calls, 1e-9 * (double)w->wait_ns);
        put_operation(t, v, w->operation);
        put_site(t, v, w->site);
    }
}

static const struct column cause_columns[] = {
    COLUMN(
        "kind", TEXT, "cause",
        "computation: time outside of MPI between two calls; transfer: time in a call without its "
        "wait; unknown: edges of the trace's time windows, or calls whose waits are unknown"),
    COLUMN("rank", RANK, NULL, "the rank on which the cause occurs"),
    COLUMN("caused", TIME, NULL, "waiting time that results from this cause, sum of all ranks"),
    OPTIONAL("error", TIME, "+-",
             "half of the 95 % interval of this waiting time, if the trace has only time "
             "windows; '-': fewer than 4 windows"),
    COLUMN("share", SHARE, "of waits", "waiting from this cause as a share of all waiting"),
    OPTIONAL(
        "passed_on", SHARE, "passed on",
        "share of this waiting that is indirect: ranks waited for the cause, then others for them"),
    OPTIONAL("waits", COUNT, NULL, "number of calls whose wait results mainly from this cause"),
    OPTIONAL("path", TIME, "critical", "time of the cause on the critical path"),
    NAME("left", NULL, "the call before the computation; if the cause is unknown, the reason"),
    NAME("entered", NULL, "the call after the computation, or the call of the transfer"),
};

static void fill_causes(struct table *t, const struct view *v)
{
    for (EACH(const struct root_cause, c, v->p->causes)) {
        const double cost = (double)c->direct_ns + (double)c->passed_ns;
        const bool outside = c->kind == CAUSE_COMPUTATION;
        const char *unknown = c->operation == PROFILE_NONE ? "(edge of a window, or analysis limit)"
                                                           : "(a call whose wait is unknown)";
        table_text(t, cause_names[c->kind < CAUSE_KINDS ? c->kind : CAUSE_UNKNOWN]);
        table_reals(t, rank_if(c->rank != PROFILE_NONE, c->rank), 1e-9 * cost, 1e-9 * c->error_ns,
                    100 * cost / (double)v->p->trace.wait_ns, 100 * (double)c->passed_ns / cost,
                    (double)c->waits, 1e-9 * (double)c->path_ns);
        table_text(t, AS_CALL(v, c->from_operation, c->from_site,
                              outside                    ? "MPI_Init"
                              : c->kind == CAUSE_UNKNOWN ? unknown
                                                         : NULL));
        table_text(t, AS_CALL(v, c->operation, c->site, outside ? "MPI_Finalize" : NULL));
    }
}

static const struct column transport_columns[] = {
    OPERATION,
    COLUMN("sends", COUNT, NULL, "sends that these calls started in the transport"),
    COLUMN("receives", COUNT, NULL, "receives that these calls started in the transport"),
    COLUMN("same_call", SHARE, "in it",
           "share of the transfers with a known end that ended in the call that started them"),
    COLUMN("other_call", SHARE, "later",
           "share of these transfers that ended in a later MPI call: MPI made progress only there"),
    COLUMN("outside", SHARE, NULL, "share of these transfers that ended outside of MPI calls"),
    SITE,
};

static void fill_transport(struct table *t, const struct view *v)
{
    for (EACH(const struct net_row, e, v->p->below)) {
        double ended = (double)(e->same_call + e->other_call + e->outside);
        if (!e->sends && !e->receives && !(ended > 0))
            continue;
        put_operation(t, v, e->operation);
        table_reals(t, (double)e->sends, (double)e->receives, 100 * (double)e->same_call / ended,
                    100 * (double)e->other_call / ended, 100 * (double)e->outside / ended);
        put_site(t, v, e->site);
    }
}

static const struct column message_columns[] = {
    COLUMN("rank", RANK, NULL, "the rank that sent or received"),
    COLUMN("direction", TEXT, NULL, "whether the rank sent or received"),
    COLUMN("peer", RANK, NULL, "the rank that received or sent"),
    COLUMN("messages", COUNT, NULL, "number of messages"),
    COLUMN("bytes", BYTES, NULL, "payload of the messages"),
    OPERATION,
    SITE,
};

static void fill_messages(struct table *t, const struct view *v)
{
    for (EACH(const struct profile_peer, m, v->p->peers)) {
        table_integer(t, m->rank);
        table_text(t, m->received ? "received" : "sent");
        table_reals(t, m->peer, (double)m->messages, (double)m->bytes);
        put_operation(t, v, m->operation);
        put_site(t, v, m->site);
    }
}

static const struct column rank_columns[] = {
    COLUMN("rank", RANK, NULL, "in MPI_COMM_WORLD"),
    COLUMN("wall", TIME, NULL, "from MPI_Init to MPI_Finalize"),
    COLUMN("mpi", TIME, "in MPI", "time in MPI, all threads together"),
    COLUMN("mpi_share", SHARE, "of run", "time in MPI as a share of the rank's wall time"),
    OPTIONAL("calls", COUNT, NULL, "number of MPI calls"),
    OPTIONAL("cpu", TIME, "processor", "processor time, all threads together"),
    OPTIONAL("delayed", TIME, "contention",
             "time in which the rank was runnable but not scheduled, in MPI and outside"),
    OPTIONAL("outside", TIME, "outside of MPI", "time outside of MPI"),
    OPTIONAL("waiting", TIME, NULL, "waiting for other ranks in MPI: a lower bound"),
    OPTIONAL("messages", TIME, NULL, "time in calls for messages and requests, without waiting"),
    OPTIONAL("collectives", TIME, NULL, "time in collectives, without waiting"),
    OPTIONAL("other", TIME, "other MPI calls", "time in all other MPI calls"),
    OPTIONAL("measuring", TIME, NULL,
             "experiments of collprof: part of the wall time, not of the time in MPI"),
    COLUMN("ended", TEXT, NULL, "how the process ended"),
    NAME("host", NULL, "the host on which the rank ran"),
};

static void fill_ranks(struct table *t, const struct view *v)
{
    for (EACH(const struct profile_rank, r, v->p->ranks)) {
        const double mpi = r->in_call ? NAN : 1e-9 * (double)r->mpi_ns;
        double part[RANK_PARTS];
        rank_parts(r, v->where.most, part);
        table_reals(t, r->rank, r->wall, mpi, r->wall > 0 ? 100 * mpi / r->wall : 0,
                    (double)r->calls, seconds(r->cpu_ns), seconds(r->delayed_ns));
        for (size_t k = 0; k < RANK_PARTS; k++)
            table_real(t, 1e-9 * part[k]);
        table_text(t, names_at(&state_list, r->state));
        table_text(t, v->p->hosts.at[r->host].name);
    }
}

static const struct column region_columns[] = {
    NAME("region", NULL, "the name that the application gave"),
    COLUMN("entered", COUNT, NULL, "number of entries into the region, sum of all ranks"),
    COLUMN("time_per_rank", TIME, "time/rank",
           "time in the region, without inner regions, mean of all ranks"),
    COLUMN("mpi_per_rank", TIME, "MPI/rank", "time in MPI in the region, mean of all ranks"),
    COLUMN("mpi_share", SHARE, "in MPI", "share of the region's time that is in MPI"),
    COLUMN("efficiency", SHARE, NULL,
           "parallel efficiency: mean time outside of MPI as a share of the longest time in the "
           "region, over the ranks that entered it"),
    OPTIONAL("load_balance", SHARE, "balance",
             "mean time outside of MPI as a share of that of the slowest rank"),
    OPTIONAL("slowest", RANK, NULL, "the rank with the longest time outside of MPI"),
    COLUMN("calls", COUNT, "MPI calls", "number of MPI calls in the region, of all ranks"),
};

static void fill_regions(struct table *t, const struct view *v)
{
    for (size_t i = 0; i < v->p->regions.n; i++) {
        const struct profile_region *r = &v->p->regions.at[i];
        double mpi = 0, time = (double)r->time_ns;
        uint64_t calls = 0;
        for (EACH(const struct profile_entry, e, v->p->entries)) {
            if (e->region != i)
                continue;
            mpi += (double)e->time_ns;
            calls += e->calls;
        }
        /* The time in a region that was open when its rank was killed is unknown. */
        time = time < mpi ? NAN : time;
        table_text(t, r->name);
        double mean = (double)r->time_ns < mpi ? NAN : (double)r->outside.sum / r->outside.ranks;
        table_reals(t, (double)r->entered, 1e-9 * time / v->ranks, 1e-9 * mpi / v->ranks,
                    100 * mpi / time, 100 * mean / (double)r->longest_ns,
                    100 * mean / (double)r->outside.max,
                    rank_if(r->outside.ranks, r->outside.worst), (double)calls);
    }
}

static const struct column slice_columns[] = {
    COLUMN("begin", TIME, "from", "begin of the slice since the start of the run"),
    COLUMN("end", TIME, "to", "end of the slice since the start of the run"),
    COLUMN("efficiency", SHARE, NULL,
           "parallel efficiency: time outside of MPI as a share of the slice, mean of all ranks"),
    COLUMN("load_balance", SHARE, "load balance",
           "mean time outside of MPI as a share of that of the slowest rank"),
    COLUMN("communication", SHARE, NULL,
           "time of the slowest rank outside of MPI as a share of the slice"),
    COLUMN("slowest", RANK, NULL, "the rank with the longest time outside of MPI"),
};

static void fill_slices(struct table *t, const struct view *v)
{
    for (EACH(const struct run_slice, s, v->p->slices))
        table_reals(t, 1e-9 * (double)s->begin_ns, 1e-9 * (double)s->end_ns, 100 * s->efficiency,
                    100 * s->efficiency / s->most, 100 * s->most, s->rank);
}

#define COLUMNS(of) of##_columns, sizeof of##_columns / sizeof *of##_columns

const struct report_table report_tables[] = {
    {"operations", "Time in MPI, by operation", NULL, COLUMNS(operation), fill_calls,
     "time_per_rank"},
    {"call_sites", "Time in MPI, by call site", NULL, COLUMNS(site), fill_calls, "time_per_rank"},
    {"requests", "Non-blocking requests, by the call that posted them", NULL, COLUMNS(request),
     fill_requests, "wait_per_rank"},
    {"collectives", "Arrival at collective operations", NULL, COLUMNS(arrival), fill_arrivals,
     "wait"},
    {"waits", "Wait states", "--trace", COLUMNS(wait), fill_waits, "time"},
    {"causes", "Causes of waiting, and the critical path", "--trace", COLUMNS(cause), fill_causes,
     "caused"},
    {"samples", "Functions between calls", "--sample", COLUMNS(sample), fill_samples, "time"},
    {"transport", "Transport operations, by the call that started them", "--trace=transport",
     COLUMNS(transport), fill_transport, "sends"},
    {"algorithms", "Algorithms of the collectives", "--trace=transport", COLUMNS(algorithm),
     fill_measured, "calls", NULL},
    {"messages", "Messages, by sender and receiver", NULL, COLUMNS(message), fill_messages,
     "bytes"},
    {"ranks", "Ranks", NULL, COLUMNS(rank), fill_ranks, "mpi"},
    {"regions", "Regions that the application named", NULL, COLUMNS(region), fill_regions,
     "time_per_rank"},
    {"slices", "Efficiency over time", NULL, COLUMNS(slice), fill_slices, NULL},
    {"ack", "Broadcast latency by injected acknowledgements", "--ack", COLUMNS(ack), fill_measured,
     NULL, "destinations"},
    {"benchmark", "Times of the application's collectives, by method", "--benchmark",
     COLUMNS(benchmark), fill_measured, NULL, "methods"},
    {"tune", "The library's algorithms for the application's collectives", "--tune=all",
     COLUMNS(tune), fill_measured, "saves", NULL},
    {"broadcast", "Replaced broadcasts", "--bcast=NAME", COLUMNS(broadcast), fill_measured, NULL,
     NULL},
};
const size_t n_report_tables = sizeof report_tables / sizeof *report_tables;

const struct report_table *report_table_find(const char *name)
{
    for (size_t i = 0; i < n_report_tables; i++)
        if (!strcmp(report_tables[i].name, name))
            return &report_tables[i];
    return NULL;
}

struct table *report_table_add(struct document *d, const struct report_table *which,
                               const struct view *v)
{
    char title[120];
    snprintf(title, sizeof title, "%s%s%s%s", which->title, which->option ? " (" : "",
             which->option ? which->option : "", which->option ? ")" : "");
    struct table *t = document_table(d, which->name, title, which->columns, which->n_columns);
    struct view of = *v;
    of.table = which;
    which->fill(t, &of);
    if (which->sort)
        table_sort_by(t, which->sort);
    return t;
}
