/* The answer in short: a sentence to each question. */
#include "report/text.h"

#include "report/format.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

static void most_time(const struct profile *p, FILE *out)
{
    struct profile *operations = rows_of(p, ROWS_BY_OPERATION), *sites = rows_of(p, ROWS_BY_SITE);
    char share[32], label[300];
    double mpi = text_mpi_ns(p);
    rows_sort(operations, "time");
    rows_sort(sites, "time");
    const struct profile_entry *o = &operations->entries.at[0], *s = &sites->entries.at[0];
    fprintf(out, "  Most time in MPI goes to %s (%s)", p->operations.at[o->operation].name,
            format_share(share, (double)o->time_ns, mpi));
    if (p->stack_depth && p->sites.at[s->site].depth) {
        site_label(p, s->site, label, sizeof label);
        if (s->operation == o->operation)
            fprintf(out, ", %s of it at %s",
                    format_share(share, (double)s->time_ns, (double)o->time_ns), label);
        else
            fprintf(out, "; the costliest call is %s at %s (%s)",
                    p->operations.at[s->operation].name, label,
                    format_share(share, (double)s->time_ns, mpi));
    }
    fputs(".\n", out);
    profile_free(operations);
    profile_free(sites);
}

struct lateness {
    uint32_t rank;
    uint64_t count;
};

static int most_often(const void *a, const void *b)
{
    const struct lateness *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1)
                                : (x->rank < y->rank ? -1 : x->rank > y->rank);
}

/* Instances of communicators that all share, so that "late" compares all ranks. */
static void most_late(const struct profile *p, FILE *out)
{
    ARRAY(struct lateness) late = {0};
    uint64_t instances = 0, time = 0, wait = 0;
    char share[32], of[32];
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        size_t k = 0;
        instances += a->instances;
        time += a->time_ns;
        wait += a->wait_ns;
        while (k < late.n && late.at[k].rank != a->late_rank)
            k++;
        if (k == late.n)
            PUSH(&late)->rank = a->late_rank;
        late.at[k].count += a->late_count;
    }
    if (instances) {
        qsort(late.at, late.n, sizeof *late.at, most_often);
        fprintf(out,
                "  In collectives, %s of the time is waiting for a rank that comes late; rank "
                "%u is last in %s of %s.\n",
                format_share(share, (double)wait, (double)time), late.at[0].rank,
                format_share(of, (double)late.at[0].count, (double)instances),
                instances == 1 ? "one" : "them");
    }
    free(late.at);
}

static void most_waiting(const struct profile *p, FILE *out)
{
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    uint64_t completed = 0, hidden = 0, wait = 0;
    char share[32], time[32], label[300];
    rows_sort(rows, "wait");
    for (size_t i = 0; i < rows->entries.n; i++) {
        completed += rows->entries.at[i].completed;
        hidden += rows->entries.at[i].hidden;
        wait += rows->entries.at[i].wait_ns;
    }
    if (completed) {
        fprintf(out, "  Of the non-blocking requests, %s were done when they were waited for",
                format_share(share, (double)hidden, (double)completed));
        const struct profile_entry *e = &rows->entries.at[0];
        if (wait && p->stack_depth) {
            site_label(p, e->site, label, sizeof label);
            fprintf(out, "; those of %s at %s cost %s of waiting per rank",
                    p->operations.at[e->operation].name, label,
                    format_time(time, (double)e->wait_ns / (double)p->ranks.n));
        }
        fputs(".\n", out);
    }
    profile_free(rows);
}

void text_summary(const struct profile *p, FILE *out)
{
    fputs("\nIn short\n", out);
    most_time(p, out);
    most_late(p, out);
    most_waiting(p, out);
}
