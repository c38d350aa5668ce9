/* Where the time goes: by operation, call site, size, communicator, rank, region. */
#include "page/text.h"

#include "base/format.h"
#include "page/layout.h"
#include "page/rows.h"

#include <stdlib.h>
#include <string.h>

/* Beside the figures, what tells how far they hold for every rank: who spends most, and how many
 * times the mean of all ranks that is. */
static void call_row(struct layout *l, const struct profile *p, const struct profile_entry *e)
{
    char text[32];
    double ranks = p->ranks.n ? (double)p->ranks.n : 1, mpi = text_mpi_ns(p);
    layout_cell(l, "%s", text_operation(p, e->operation));
    layout_count(l, e->calls);
    layout_bytes(l, (double)e->bytes);
    layout_time(l, (double)e->time_ns / ranks);
    layout_cell(l, "%.1f", mpi > 0 ? 100 * (double)e->time_ns / mpi : 0);
    layout_time(l, e->calls ? (double)e->time_ns / (double)e->calls : 0);
    layout_time(l, entry_quantile(e, 0.5));
    layout_time(l, entry_quantile(e, 0.99));
    layout_time(l, (double)e->max_ns);
    layout_cell(l, "%s", text_worst(p, &e->spread, text));
}

static size_t shown_of(const struct profile *rows, const struct report_options *o)
{
    return rows->entries.n < (size_t)o->top ? rows->entries.n : (size_t)o->top;
}

void text_operations(const struct profile *p, FILE *out, const struct report_options *o)
{
    struct profile *rows = rows_of(p, ROWS_BY_OPERATION);
    struct layout *l = layout_new("lrrrrrrrrr");
    rows_sort(rows, o->sort);
    layout_heading(l, "operation|calls|bytes|time|%|mean|median|p99|max|worst");
    for (size_t i = 0; i < shown_of(rows, o); i++)
        call_row(l, p, &rows->entries.at[i]);
    fputs("\nTime in MPI, by operation (time: per rank; worst: rank that spends most, against the "
          "mean)\n",
          out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, rows->entries.n, shown_of(rows, o), "operation");
    profile_free(rows);
}

void text_sites(const struct profile *p, FILE *out, const struct report_options *o)
{
    if (!p->stack_depth)
        return;
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    struct layout *l = layout_new("lrrrrrrrrrL");
    rows_sort(rows, o->sort);
    layout_heading(l, "operation|calls|bytes|time|%|mean|median|p99|max|worst|call site");
    for (size_t i = 0; i < shown_of(rows, o); i++) {
        char label[300];
        call_row(l, p, &rows->entries.at[i]);
        site_label(p, rows->entries.at[i].site, label, sizeof label);
        layout_cell(l, "%s", label);
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
            layout_bytes(l, (double)sum[k][c].bytes);
        }
    }
    if (layout_rows(l) > 1)
        fputs("\nMessage sizes\n", out);
    layout_print(l, layout_rows(l) > 1 ? out : NULL, TEXT_WIDTH);
}

static void comm_row(struct layout *l, const struct profile *p, const struct profile_entry *e,
                     const uint32_t *kind)
{
    const struct profile_comm *first = &p->comms.at[e->comm];
    uint64_t groups = 0, created = 0;
    for (uint32_t i = 0; i < p->comms.n; i++) {
        if (kind[i] == e->comm) {
            groups++;
            created += p->comms.at[i].created;
        }
    }
    layout_cell(l, "%s", *first->name ? first->name : "(no name)");
    layout_cell(l, "%u", first->size);
    layout_count(l, groups);
    layout_count(l, created);
    layout_count(l, e->calls);
    layout_bytes(l, (double)e->bytes);
    layout_time(l, (double)e->time_ns / (double)p->ranks.n);
    layout_cell(l, "%.1f", 100 * (double)e->time_ns / text_mpi_ns(p));
}

void text_communicators(const struct profile *p, FILE *out, const struct report_options *o)
{
    struct profile *rows = rows_of(p, ROWS_BY_COMM), *sums = profile_new();
    uint32_t *kind = comm_kinds(p);
    for (size_t i = 0; i < rows->entries.n; i++) {
        struct profile_entry *e = &rows->entries.at[i];
        if (e->comm == PROFILE_NONE)
            continue;
        e->operation = 0;
        e->comm = kind[e->comm];
        profile_add_entry(sums, e);
    }
    rows_sort(sums, o->sort);
    struct layout *l = layout_new("Lrrrrrrr");
    layout_heading(l, "communicator|members|groups|made|calls|bytes|time|%");
    for (size_t i = 0; i < shown_of(sums, o); i++)
        comm_row(l, p, &sums->entries.at[i], kind);
    if (sums->entries.n > 1)
        fputs("\nTime in MPI, by communicator (groups: with different members)\n", out);
    layout_print(l, sums->entries.n > 1 ? out : NULL, TEXT_WIDTH);
    text_more(out, sums->entries.n, shown_of(sums, o), "communicator");
    profile_free(rows);
    profile_free(sums);
    free(kind);
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
    if (p->ranks.n < 2)
        return;
    struct profile_rank *rank = profile_alloc(p->ranks.n * sizeof *rank);
    memcpy(rank, p->ranks.at, p->ranks.n * sizeof *rank);
    qsort(rank, p->ranks.n, sizeof *rank, most_mpi_first);
    struct layout *l = layout_new("rrrrrrrlL");
    layout_heading(l, p->arrivals.n ? "rank|wall|in MPI|%|calls|preempted|last in|ended|host"
                                    : "rank|wall|in MPI|%|calls|preempted||ended|host");
    size_t shown = p->ranks.n < (size_t)o->top ? p->ranks.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++) {
        const struct profile_rank *r = &rank[i];
        char text[32];
        layout_cell(l, "%d", r->rank);
        layout_time(l, r->wall * 1e9);
        layout_time(l, (double)r->mpi_ns);
        layout_cell(l, "%.1f", r->wall > 0 ? (double)r->mpi_ns / r->wall / 1e7 : 0);
        layout_count(l, r->calls);
        layout_count(l, r->involuntary_switches);
        layout_cell(l, "%s", p->arrivals.n ? format_count(text, r->late) : "");
        layout_cell(l, "%s", state_name_of(r->state));
        layout_cell(l, "%s", p->hosts.at[r->host].name);
    }
    fputs("\nRanks, most time in MPI first (preempted: lost the processor without waiting; last "
          "in: so "
          "many collectives)\n",
          out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, p->ranks.n, shown, "rank");
    free(rank);
}

void text_regions(const struct profile *p, FILE *out, const struct report_options *o)
{
    if (!p->regions.n)
        return;
    struct layout *l = layout_new("Lrrrrr");
    layout_heading(l, "region|entered|time|in MPI|%|MPI calls");
    size_t shown = p->regions.n < (size_t)o->top ? p->regions.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++) {
        const struct profile_region *r = &p->regions.at[i];
        uint64_t calls = 0, mpi = 0;
        for (size_t k = 0; k < p->entries.n; k++) {
            if (p->entries.at[k].region == i) {
                calls += p->entries.at[k].calls;
                mpi += p->entries.at[k].time_ns;
            }
        }
        double ranks = p->ranks.n ? (double)p->ranks.n : 1;
        layout_cell(l, "%s", r->name);
        layout_count(l, r->entered);
        layout_time(l, (double)r->time_ns / ranks);
        layout_time(l, (double)mpi / ranks);
        layout_cell(l, "%.1f", r->time_ns ? 100 * (double)mpi / (double)r->time_ns : 0);
        layout_count(l, calls);
    }
    fputs("\nRegions\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, p->regions.n, shown, "region");
}
