#include "page/tables.h"

#include "results/document.h"
#include "profile/fields.h"
#include "page/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL_COLUMNS                                                                               \
    {"calls", NULL, COLUMN_INTEGER, 0, NULL}, {"errors", NULL, COLUMN_INTEGER, 0, NULL},           \
        {"bytes", "B", COLUMN_INTEGER, 0, NULL},                                                   \
        {"time", "us", COLUMN_REAL, 3, "of all ranks together"},                                   \
        {"mean", "us", COLUMN_REAL, 3, "per call"}, {"median", "us", COLUMN_REAL, 3, NULL},        \
        {"p99", "us", COLUMN_REAL, 3, NULL}, {"min", "us", COLUMN_REAL, 3, NULL},                  \
        {"max", "us", COLUMN_REAL, 3, NULL},                                                       \
        {"ranks", NULL, COLUMN_INTEGER, 0, "ranks that made such calls"},                          \
        {"rank_min", "us", COLUMN_REAL, 3, "time of the rank with least"},                         \
        {"rank_max", "us", COLUMN_REAL, 3, "time of the rank with most"},                          \
    {                                                                                              \
        "worst_rank", NULL, COLUMN_INTEGER, 0, NULL                                                \
    }

static void call_cells(struct table *t, const struct profile_entry *e)
{
    table_integer(t, (long long)e->calls);
    table_integer(t, (long long)e->errors);
    table_integer(t, (long long)e->bytes);
    table_real(t, (double)e->time_ns / 1e3);
    table_real(t, e->calls ? (double)e->time_ns / (double)e->calls / 1e3 : NAN);
    table_real(t, e->calls ? entry_quantile(e, 0.5) / 1e3 : NAN);
    table_real(t, e->calls ? entry_quantile(e, 0.99) / 1e3 : NAN);
    table_real(t, (double)e->min_ns / 1e3);
    table_real(t, (double)e->max_ns / 1e3);
    table_integer(t, e->spread.ranks);
    table_real(t, (double)e->spread.min / 1e3);
    table_real(t, (double)e->spread.max / 1e3);
    table_integer(t, e->spread.worst);
}

static void path_cell(struct table *t, const struct profile *p, uint32_t site)
{
    char text[2100];
    site_path(p, site, text, sizeof text);
    table_text(t, text);
}

static void add_operations(struct document *d, const struct profile *p, const char *sort)
{
    static const struct column columns[] = {{"operation", NULL, COLUMN_TEXT, 0, NULL},
                                            CALL_COLUMNS};
    struct table *t =
        document_table(d, "operations", NULL, columns, sizeof columns / sizeof *columns);
    struct profile *rows = rows_of(p, ROWS_BY_OPERATION);
    rows_sort(rows, sort);
    for (size_t i = 0; i < rows->entries.n; i++) {
        table_text(t, p->operations.at[rows->entries.at[i].operation].name);
        call_cells(t, &rows->entries.at[i]);
    }
    profile_free(rows);
}

static void add_sites(struct document *d, const struct profile *p, const char *sort)
{
    static const struct column columns[] = {
        {"call_site", NULL, COLUMN_TEXT, 0, "innermost first"},
        {"operation", NULL, COLUMN_TEXT, 0, NULL},
        CALL_COLUMNS,
        {"requests", NULL, COLUMN_INTEGER, 0, "completed"},
        {"open", "us", COLUMN_REAL, 3, "from post to completion, mean"},
        {"until_wait", "us", COLUMN_REAL, 3, "from the post to the completing call, mean"},
        {"in_wait", "us", COLUMN_REAL, 3, "in the completing call, mean"},
        {"done_before", NULL, COLUMN_INTEGER, 0, "requests found complete"}};
    struct table *t =
        document_table(d, "call_sites", NULL, columns, sizeof columns / sizeof *columns);
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    rows_sort(rows, sort);
    for (size_t i = 0; i < rows->entries.n; i++) {
        const struct profile_entry *e = &rows->entries.at[i];
        double n = e->completed ? (double)e->completed * 1e3 : NAN;
        path_cell(t, p, e->site);
        table_text(t, p->operations.at[e->operation].name);
        call_cells(t, e);
        table_integer(t, (long long)e->completed);
        table_real(t, (double)e->span_ns / n);
        table_real(t, (double)e->window_ns / n);
        table_real(t, (double)e->wait_ns / n);
        table_integer(t, (long long)e->hidden);
    }
    profile_free(rows);
}

static void add_collectives(struct document *d, const struct profile *p)
{
    static const struct column columns[] = {
        {"call_site", NULL, COLUMN_TEXT, 0, NULL},
        {"operation", NULL, COLUMN_TEXT, 0, NULL},
        {"communicator", NULL, COLUMN_TEXT, 0, NULL},
        {"instances", NULL, COLUMN_INTEGER, 0, NULL},
        {"skew_median", "us", COLUMN_REAL, 3, NULL},
        {"skew_max", "us", COLUMN_REAL, 3, NULL},
        {"duration_median", "us", COLUMN_REAL, 3, NULL},
        {"duration_max", "us", COLUMN_REAL, 3, NULL},
        {"time", "us", COLUMN_REAL, 3, "of all ranks together"},
        {"waiting", "us", COLUMN_REAL, 3, "of it, before the awaited rank had entered"},
        {"late_rank", NULL, COLUMN_INTEGER, 0, "most often last to enter"},
        {"late_count", NULL, COLUMN_INTEGER, 0, NULL}};
    struct table *t =
        document_table(d, "collectives", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        char text[100];
        path_cell(t, p, a->site);
        table_text(t, p->operations.at[a->operation].name);
        comm_label(p, a->comm, text, sizeof text);
        table_text(t, text);
        table_integer(t, (long long)a->instances);
        table_real(t, (double)a->skew_median_ns / 1e3);
        table_real(t, (double)a->skew_max_ns / 1e3);
        table_real(t, (double)a->duration_median_ns / 1e3);
        table_real(t, (double)a->duration_max_ns / 1e3);
        table_real(t, (double)a->time_ns / 1e3);
        table_real(t, (double)a->wait_ns / 1e3);
        table_integer(t, a->late_rank);
        table_integer(t, (long long)a->late_count);
    }
}

static void add_ranks(struct document *d, const struct profile *p)
{
    static const struct column columns[] = {
        {"rank", NULL, COLUMN_INTEGER, 0, NULL},  {"host", NULL, COLUMN_TEXT, 0, NULL},
        {"wall", "s", COLUMN_REAL, 6, NULL},      {"mpi", "s", COLUMN_REAL, 6, NULL},
        {"calls", NULL, COLUMN_INTEGER, 0, NULL}, {"preempted", NULL, COLUMN_INTEGER, 0, NULL},
        {"ended", NULL, COLUMN_TEXT, 0, NULL}};
    struct table *t = document_table(d, "ranks", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        table_integer(t, r->rank);
        table_text(t, p->hosts.at[r->host].name);
        table_real(t, r->wall);
        table_real(t, (double)r->mpi_ns / 1e9);
        table_integer(t, (long long)r->calls);
        table_integer(t, (long long)r->involuntary_switches);
        table_text(t, state_name_of(r->state));
    }
}

static struct document *document_of(const struct profile *p)
{
    struct document *d = document_new("collprof-tables/1");
    for (size_t i = 0; i < p->programs.n; i++)
        document_fact(d, "application", "%s", p->programs.at[i]);
    for (size_t i = 0; i < p->libraries.n; i++)
        document_fact(d, "MPI", "%s", p->libraries.at[i]);
    document_fact(d, "ranks", "%zu", p->ranks.n);
    document_fact(d, "clock", "%s", clock_name_of(p->clock));
    for (size_t i = 0; i < p->warnings.n; i++)
        document_note(d, "%s", p->warnings.at[i]);
    return d;
}

void tables_csv(const struct profile *p, FILE *out, const char *sort)
{
    struct document *d = document_of(p);
    add_operations(d, p, sort);
    add_sites(d, p, sort);
    add_collectives(d, p);
    add_ranks(d, p);
    document_write(d, out, FORMAT_CSV);
    document_free(d);
}

static void key_cells(struct table *t, const struct profile *p, const struct profile_entry *e)
{
    char text[100];
    path_cell(t, p, e->site);
    table_text(t, p->operations.at[e->operation].name);
    comm_label(p, e->comm, text, sizeof text);
    table_text(t, text);
    table_text(t, e->region == PROFILE_NONE ? "" : p->regions.at[e->region].name);
    table_integer(t, e->size_class ? 1ll << (e->size_class - 1) : 0);
}

#define KEY_COLUMNS                                                                                \
    {"call_site", NULL, COLUMN_TEXT, 0, "innermost first"},                                        \
        {"operation", NULL, COLUMN_TEXT, 0, NULL}, {"communicator", NULL, COLUMN_TEXT, 0, NULL},   \
        {"region", NULL, COLUMN_TEXT, 0, NULL},                                                    \
    {                                                                                              \
        "size_from", "B", COLUMN_INTEGER, 0, "up to below twice that"                              \
    }

void tables_entries_csv(const struct profile *p, FILE *out)
{
    static const struct column columns[] = {KEY_COLUMNS, CALL_COLUMNS};
    struct document *d = document_of(p);
    struct table *t = document_table(d, "entries", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->entries.n; i++) {
        key_cells(t, p, &p->entries.at[i]);
        call_cells(t, &p->entries.at[i]);
    }
    document_write(d, out, FORMAT_CSV);
    document_free(d);
}

void tables_histograms_csv(const struct profile *p, FILE *out)
{
    static const struct column columns[] = {KEY_COLUMNS,
                                            {"from", "ns", COLUMN_INTEGER, 0, NULL},
                                            {"below", "ns", COLUMN_INTEGER, 0, NULL},
                                            {"calls", NULL, COLUMN_INTEGER, 0, NULL}};
    struct document *d = document_of(p);
    struct table *t =
        document_table(d, "histograms", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->entries.n; i++) {
        for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
            if (!p->entries.at[i].histogram[b])
                continue;
            key_cells(t, p, &p->entries.at[i]);
            table_integer(t, (long long)histogram_floor(b));
            table_integer(t, (long long)histogram_floor(b + 1));
            table_integer(t, (long long)p->entries.at[i].histogram[b]);
        }
    }
    document_write(d, out, FORMAT_CSV);
    document_free(d);
}

/* Thousands of bars are of one site: its label is made once. */
static const char *cached_label(const struct profile *p, uint32_t site, char **cache)
{
    char text[400];
    if (site == PROFILE_NONE)
        return "-";
    if (!cache[site]) {
        site_label(p, site, text, sizeof text);
        cache[site] = profile_strdup(text);
    }
    return cache[site];
}

static json_t *bar_of(const struct profile *p, const struct profile_event *e, int64_t origin,
                      char **labels)
{
    char comm[100];
    const char *site = cached_label(p, e->site, labels);
    comm_label(p, e->comm, comm, sizeof comm);
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:{s:s, s:s, s:I, s:I, s:i}}", "name",
                     p->operations.at[e->operation].name, "cat", "collective", "ph", "X", "ts",
                     (double)(e->entry_ns - origin) / 1e3, "dur",
                     (double)(e->exit_ns - e->entry_ns) / 1e3, "pid", 0, "tid", (int)e->rank,
                     "args", "call site", site, "communicator", comm, "sequence",
                     (json_int_t)e->sequence, "bytes", (json_int_t)e->bytes, "root", (int)e->root);
}

size_t tables_trace(const struct profile *p, FILE *out)
{
    int64_t origin = INT64_MAX;
    json_t *bars = json_array();
    char **labels = profile_alloc((p->sites.n + 1) * sizeof *labels);
    for (size_t i = 0; i < p->ranks.n; i++) {
        char name[100];
        snprintf(name, sizeof name, "rank %d", p->ranks.at[i].rank);
        json_array_append_new(bars, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name",
                                              "thread_name", "ph", "M", "pid", 0, "tid",
                                              p->ranks.at[i].rank, "args", "name", name));
    }
    for (size_t i = 0; i < p->events.n; i++)
        if (p->events.at[i].entry_ns < origin)
            origin = p->events.at[i].entry_ns;
    for (size_t i = 0; i < p->events.n; i++)
        json_array_append_new(bars, bar_of(p, &p->events.at[i], origin, labels));
    for (size_t i = 0; i < p->sites.n; i++)
        free(labels[i]);
    free(labels);
    json_t *trace = json_pack("{s:o, s:s}", "traceEvents", bars, "displayTimeUnit", "ns");
    json_dumpf(trace, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(trace);
    return p->events.n;
}
