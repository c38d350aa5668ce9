/* Where the time goes: by operation, call site, size, communicator, rank, region. */
#include "report/text.h"

#include "report/format.h"
#include "report/layout.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

static void time_cells(struct layout *l, const struct profile *p, const struct profile_entry *e)
{
    char text[32];
    double ranks = p->ranks.n ? (double)p->ranks.n : 1;
    layout_cell(l, "%s", format_time(text, (double)e->time_ns / ranks));
    layout_cell(l, "%s", format_share(text, (double)e->time_ns, text_mpi_ns(p)));
    layout_cell(l, "%s", format_time(text, e->calls ? (double)e->time_ns / (double)e->calls : 0));
    layout_cell(l, "%s", format_time(text, entry_quantile(e, 0.5)));
    layout_cell(l, "%s", format_time(text, entry_quantile(e, 0.99)));
    layout_cell(l, "%s", format_time(text, (double)e->max_ns));
}

static void call_cells(struct layout *l, const struct profile_entry *e)
{
    char text[32];
    layout_cell(l, "%s", format_count(text, e->calls));
    layout_cell(l, "%s", e->bytes ? format_bytes(text, (double)e->bytes) : "");
}

static void worst_cells(struct layout *l, const struct profile *p, const struct spread *s)
{
    char rank[16], times[16];
    text_worst(p, s, rank, times);
    layout_cell(l, "%s", rank);
    layout_cell(l, "%s", times);
}

static void heading(struct layout *l, const char *const *names)
{
    for (; *names; names++)
        layout_cell(l, "%s", *names);
}

static size_t shown_of(const struct profile *rows, const struct report_options *o)
{
    return rows->entries.n < (size_t)o->top ? rows->entries.n : (size_t)o->top;
}

void text_operations(const struct profile *p, FILE *out, const struct report_options *o)
{
    static const char *const alone[] = {"operation", "calls", "bytes", "time", "of MPI", "mean",
                                        "median",    "p99",   "max",   "",     "",       NULL};
    static const char *const names[] = {"operation", "calls",      "bytes",  "time/rank",
                                        "of MPI",    "mean",       "median", "p99",
                                        "max",       "worst rank", "x mean", NULL};
    struct profile *rows = rows_of(p, ROWS_BY_OPERATION);
    struct layout *l = layout_new("lrrrrrrrrrr");
    rows_sort(rows, o->sort);
    heading(l, p->ranks.n > 1 ? names : alone);
    for (size_t i = 0; i < shown_of(rows, o); i++) {
        const struct profile_entry *e = &rows->entries.at[i];
        layout_cell(l, "%s", text_operation(p, e->operation));
        call_cells(l, e);
        time_cells(l, p, e);
        worst_cells(l, p, &e->spread);
    }
    fputs("\nTime in MPI, by operation\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, rows->entries.n, shown_of(rows, o), "operation");
    profile_free(rows);
}

void text_sites(const struct profile *p, FILE *out, const struct report_options *o)
{
    static const char *const alone[] = {"call site", "operation", "calls",  "bytes", "time",
                                        "of MPI",    "mean",      "median", "p99",   "max",
                                        "",          "",          NULL};
    static const char *const names[] = {"call site", "operation", "calls",  "bytes", "time/rank",
                                        "of MPI",    "mean",      "median", "p99",   "max",
                                        "worst",     "x mean",    NULL};
    if (!p->stack_depth)
        return;
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    struct layout *l = layout_new("llrrrrrrrrrr");
    rows_sort(rows, o->sort);
    heading(l, p->ranks.n > 1 ? names : alone);
    for (size_t i = 0; i < shown_of(rows, o); i++) {
        const struct profile_entry *e = &rows->entries.at[i];
        char label[300];
        site_label(p, e->site, label, sizeof label);
        layout_cell(l, "%s", label);
        layout_cell(l, "%s", text_operation(p, e->operation));
        call_cells(l, e);
        time_cells(l, p, e);
        worst_cells(l, p, &e->spread);
    }
    fputs("\nTime in MPI, by call site\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, rows->entries.n, shown_of(rows, o), "call site");
    profile_free(rows);
}

enum size_column { SIZE_SENT, SIZE_COLLECTIVE, SIZE_OTHER, SIZE_COLUMNS };

/* Receives are left out: their messages were sent by someone. */
static int size_column_of(uint32_t family)
{
    switch (family) {
    case FAMILY_SEND:
    case FAMILY_ISEND:
    case FAMILY_SENDRECV:
        return SIZE_SENT;
    case FAMILY_COLLECTIVE:
    case FAMILY_ICOLLECTIVE:
        return SIZE_COLLECTIVE;
    case FAMILY_ONE_SIDED:
    case FAMILY_IO:
        return SIZE_OTHER;
    default:
        return -1;
    }
}

void text_sizes(const struct profile *p, FILE *out, const struct report_options *o)
{
    enum { CLASSES = 65 };
    struct {
        uint64_t calls, bytes;
    } sum[CLASSES][SIZE_COLUMNS] = {0}, total[SIZE_COLUMNS] = {0};
    (void)o;
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        int column = size_column_of(p->operations.at[e->operation].family);
        if (column < 0 || e->size_class >= CLASSES)
            continue;
        sum[e->size_class][column].calls += e->calls;
        sum[e->size_class][column].bytes += e->bytes;
        total[column].calls += e->calls;
        total[column].bytes += e->bytes;
    }
    static const char *const names[] = {"sent messages", "collectives", "one-sided, I/O"};
    struct layout *l = layout_new("lrrrrrr");
    layout_cell(l, "size");
    for (int c = 0; c < SIZE_COLUMNS; c++) {
        layout_cell(l, "%s", total[c].calls ? names[c] : "");
        layout_cell(l, "%s", total[c].calls ? "bytes" : "");
    }
    for (uint32_t k = 0; k < CLASSES; k++) {
        char text[32];
        if (!sum[k][SIZE_SENT].calls && !sum[k][SIZE_COLLECTIVE].calls && !sum[k][SIZE_OTHER].calls)
            continue;
        layout_cell(l, "%s", format_size_class(text, k));
        for (int c = 0; c < SIZE_COLUMNS; c++) {
            layout_cell(l, "%s", sum[k][c].calls ? format_count(text, sum[k][c].calls) : "");
            layout_cell(l, "%s",
                        sum[k][c].bytes ? format_bytes(text, (double)sum[k][c].bytes) : "");
        }
    }
    if (layout_rows(l) > 1)
        fputs("\nMessage sizes\n", out);
    layout_print(l, layout_rows(l) > 1 ? out : NULL, TEXT_WIDTH);
}

void text_communicators(const struct profile *p, FILE *out, const struct report_options *o)
{
    if (p->comms.n < 2)
        return;
    struct profile *rows = rows_of(p, ROWS_BY_COMM), *sums = profile_new();
    for (size_t i = 0; i < rows->entries.n; i++) {
        rows->entries.at[i].operation = 0;
        profile_add_entry(sums, &rows->entries.at[i]);
    }
    rows_sort(sums, o->sort);
    struct layout *l = layout_new("lrrrrrr");
    static const char *const names[] = {"communicator", "members",   "made",   "calls",
                                        "bytes",        "time/rank", "of MPI", NULL};
    heading(l, names);
    size_t shown = 0, with_comm = 0;
    for (size_t i = 0; i < sums->entries.n; i++) {
        const struct profile_entry *e = &sums->entries.at[i];
        char text[100];
        if (e->comm == PROFILE_NONE)
            continue;
        with_comm++;
        if (shown == (size_t)o->top)
            continue;
        shown++;
        comm_label(p, e->comm, text, sizeof text);
        layout_cell(l, "%s", text);
        layout_cell(l, "%u", p->comms.at[e->comm].size);
        layout_cell(l, "%s", format_count(text, p->comms.at[e->comm].created));
        call_cells(l, e);
        layout_cell(l, "%s", format_time(text, (double)e->time_ns / (double)p->ranks.n));
        layout_cell(l, "%s", format_share(text, (double)e->time_ns, text_mpi_ns(p)));
    }
    fputs("\nTime in MPI, by communicator\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, with_comm, shown, "communicator");
    profile_free(rows);
    profile_free(sums);
}

static int most_mpi_first(const void *a, const void *b)
{
    const struct profile_rank *x = a, *y = b;
    if (x->mpi_ns != y->mpi_ns)
        return x->mpi_ns > y->mpi_ns ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void text_ranks(const struct profile *p, FILE *out, const struct report_options *o)
{
    static const char *const names[] = {
        "rank",  "host", "wall time", "in MPI", "share", "calls", "sent off the processor",
        "ended", NULL};
    if (p->ranks.n < 2)
        return;
    struct profile_rank *rank = profile_alloc(p->ranks.n * sizeof *rank);
    memcpy(rank, p->ranks.at, p->ranks.n * sizeof *rank);
    qsort(rank, p->ranks.n, sizeof *rank, most_mpi_first);
    struct layout *l = layout_new("rlrrrrrl");
    heading(l, names);
    size_t shown = p->ranks.n < (size_t)o->top ? p->ranks.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++) {
        const struct profile_rank *r = &rank[i];
        char text[32];
        layout_cell(l, "%d", r->rank);
        layout_cell(l, "%s", p->hosts.at[r->host].name);
        layout_cell(l, "%s", format_time(text, r->wall * 1e9));
        layout_cell(l, "%s", format_time(text, (double)r->mpi_ns));
        layout_cell(l, "%s", format_share(text, (double)r->mpi_ns, r->wall * 1e9));
        layout_cell(l, "%s", format_count(text, r->calls));
        layout_cell(l, "%s", format_count(text, r->involuntary_switches));
        layout_cell(l, "%s", state_name_of(r->state));
    }
    fputs("\nRanks, most time in MPI first\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, p->ranks.n, shown, "rank");
    free(rank);
}

void text_regions(const struct profile *p, FILE *out, const struct report_options *o)
{
    static const char *const names[] = {"region", "entered",   "time/rank", "in MPI",
                                        "share",  "MPI calls", NULL};
    if (!p->regions.n)
        return;
    struct layout *l = layout_new("lrrrrr");
    heading(l, names);
    size_t shown = p->regions.n < (size_t)o->top ? p->regions.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++) {
        const struct profile_region *r = &p->regions.at[i];
        uint64_t calls = 0, mpi = 0;
        char text[32];
        for (size_t k = 0; k < p->entries.n; k++) {
            if (p->entries.at[k].region == i) {
                calls += p->entries.at[k].calls;
                mpi += p->entries.at[k].time_ns;
            }
        }
        double ranks = p->ranks.n ? (double)p->ranks.n : 1;
        layout_cell(l, "%s", r->name);
        layout_cell(l, "%s", format_count(text, r->entered));
        layout_cell(l, "%s", format_time(text, (double)r->time_ns / ranks));
        layout_cell(l, "%s", format_time(text, (double)mpi / ranks));
        layout_cell(l, "%s", format_share(text, (double)mpi, (double)r->time_ns));
        layout_cell(l, "%s", format_count(text, calls));
    }
    fputs("\nRegions\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, p->regions.n, shown, "region");
}
