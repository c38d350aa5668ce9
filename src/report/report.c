#include "report/report.h"

#include "base/format.h"
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t report_width(FILE *out)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int file = fileno(out), width = columns ? atoi(columns) : 0;
    if (file >= 0 && isatty(file) && !ioctl(file, TIOCGWINSZ, &size) && size.ws_col)
        width = size.ws_col;
    return width > REPORT_LEAST_WIDTH && width < 1000 ? (size_t)width : REPORT_LEAST_WIDTH;
}

/* The layer's overhead: in calls, which is part of the run time, and in MPI_Init and MPI_Finalize,
 * which is not. */
static void put_overhead(struct document *d, const struct profile *p)
{
    double start = 0, merge = 0, calls = 0, cost = 0;
    for (EACH(const struct profile_rank, r, p->ranks)) {
        start = fmax(start, (double)r->init_ns);
        merge = fmax(merge, (double)r->merge_ns);
        calls += (double)r->calls;
        cost += (double)r->calls * r->call_ns;
    }
    if (start > 0)
        document_fact(d, "profiler start and end", "%s in MPI_Init and MPI_Finalize",
                      AS_TIME(start + merge));
    if (cost > 0)
        document_fact(d, "profiler overhead", "%s of the run in %s calls of %s each",
                      AS_SHARE(cost, profile_wall_ns(p)), AS_COUNT(whole_count(calls)),
                      AS_TIME(cost / calls));
    else if (start > 0)
        document_fact(d, "profiler overhead", "unknown in each call");
}

const char *mpi_text(const struct view *v, char text[EFFICIENCY_TEXT])
{
    if (isnan(v->mpi_ns))
        return "unknown: ranks were killed in MPI calls";
    snprintf(text, EFFICIENCY_TEXT, "%s per rank, %s of the run%s", AS_TIME(v->mpi_ns / v->ranks),
             AS_SHARE(v->mpi_ns, profile_wall_ns(v->p)),
             v->p->threads_at_once ? ", summed over its threads" : "");
    return text;
}

static void put_times(struct document *d, const struct view *v)
{
    const struct profile *p = v->p;
    const struct efficiency *e = &v->where;
    double lifecycle = 0;
    char factors[EFFICIENCY_TEXT];
    if (e->known && p->ranks.n > 1)
        document_fact(d, "parallel efficiency",
                      "%s; waiting for other ranks: %.1f %%, other time in MPI: %.1f %%",
                      efficiency_text(e, factors), 100 * e->waiting, 100 * e->other);
    for (size_t i = 0; i < p->ranks.n; i++)
        lifecycle = fmax(lifecycle, (double)p->ranks.at[i].lifecycle_ns);
    document_fact(d, "wall time", "%s%s from MPI_Init to %s; %s in MPI_Init and MPI_Finalize",
                  profile_longest_known(p) ? "" : "at least ", AS_TIME(profile_longest_ns(p)),
                  p->crashed ? "the last call that was recorded" : "MPI_Finalize",
                  AS_TIME(lifecycle));
    document_fact(d, "time in MPI", "%s", mpi_text(v, factors));
}

static void put_trace(struct document *d, const struct profile *p)
{
    static const char *const unseen[] = {
        [LEDGER_NETWORK_MISSING] =
            "unseen: libcollprof-transport.so is not in the process (collprof run preloads it; a "
            "static program cannot have it)",
        [LEDGER_NETWORK_NO_UCX] = "only system calls: collprof was built without libucx-dev"};
    const struct profile_trace *t = &p->trace;
    uint64_t all = t->sends > t->receives ? t->sends : t->receives;
    if (!t->on)
        return;
    document_fact(d, "traced", "%s of the run", AS_SHARE(t->covered, 1));
    if (t->time_mask)
        document_fact(d, "windows of the trace", "%s", AS_TIME(noise_window_ns(p)));
    if (all)
        document_fact(d, "messages matched", "%s of %s", AS_SHARE((double)t->matched, (double)all),
                      AS_COUNT(all));
    if (t->error_ns > 0)
        document_fact(d, "shortest wait seen", "%s, the error bound between two clocks",
                      AS_TIME(t->error_ns));
    if (t->network == LEDGER_NETWORK_ON)
        document_fact(
            d, "transport", "the start of %llu of %llu messages was seen%s",
            (unsigned long long)t->below, (unsigned long long)t->sends,
            t->below || !t->sends ? "" : ": this MPI moves them without UCX and the C library");
    else if (t->network != LEDGER_NETWORK_OFF)
        document_fact(d, "transport", "%s", unseen[t->network]);
    if (t->replay.state > REPLAY_GOOD)
        document_fact(d, "predictions", "none: %s", replay_names[t->replay.state]);
}

static void put_facts(struct document *d, const struct view *v)
{
    const struct profile *p = v->p;
    char text[80];
    for (size_t i = 0; i < p->programs.n; i++)
        document_fact(d, i ? "application 2" : "application", "%s", p->programs.at[i].text);
    document_fact(d, "ranks", "%d", p->size > 0 ? p->size : (int)p->ranks.n);
    if (p->libraries.n)
        document_fact(d, "MPI", "%s", p->libraries.at[0].text);
    if (*profile_started(p, "%Y-%m-%d %H:%M:%S", text))
        document_fact(d, "started", "%s", text);
    document_fact(d, "hosts", "%s", hosts_text(p, text));
    put_times(d, v);
    document_fact(d, "clock", "%s", names_at(&clock_list, p->clock));
    if (p->synchronized && p->clock_bound > 0)
        document_fact(d, "clocks of the hosts", "agree within %s", AS_TIME(p->clock_bound * 1e9));
    put_overhead(d, p);
    put_trace(d, p);
}

struct document *report_document(const struct profile *p, const struct report_options *o)
{
    struct view v;
    struct document *d = document_new("collprof-report/1");
    view_open(&v, p);
    put_facts(d, &v);
    findings_add(d, &v, o->directory);
    for (size_t i = 0; i < n_report_tables; i++)
        report_table_add(d, &report_tables[i], &v);
    view_close(&v);
    return d;
}

void report_json_write(const struct profile *p, FILE *out)
{
    struct view v;
    struct document *d = document_new("collprof-report/1");
    view_open(&v, p);
    findings_add(d, &v, NULL);
    view_close(&v);
    profile_write(p, out, json_incref((json_t *)document_finding_list(d)));
    document_free(d);
}
