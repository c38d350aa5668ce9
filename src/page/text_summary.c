/* The answer in short: a sentence to each question. */
#include "page/text.h"

#include "base/format.h"
#include "page/rows.h"
#include "profile/arrivals.h"

#include <stdlib.h>
#include <string.h>

static void most_time(const struct profile *p, FILE *out)
{
    struct profile *operations = rows_of(p, ROWS_BY_OPERATION), *sites = rows_of(p, ROWS_BY_SITE);
    char share[32], label[300];
    double mpi = text_mpi_ns(p);
    ROWS_SORT(operations, time_ns);
    ROWS_SORT(sites, time_ns);
    const struct profile_entry *o = &operations->entries.at[0], *s = &sites->entries.at[0];
    fprintf(out, "Most time in MPI goes to %s (%s)", p->operations.at[o->operation].name,
            format_share(share, (double)o->time_ns, mpi));
    if (p->stack_depth && p->sites.at[s->site].depth) {
        site_label(p, s->site, label, sizeof label);
        if (s->operation == o->operation && s->time_ns == o->time_ns)
            fprintf(out, ", all of it at %s", label);
        else if (s->operation == o->operation)
            fprintf(out, ", %s of that at %s",
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

static void most_late(const struct profile *p, FILE *out)
{
    uint64_t instances = 0, time = 0, wait = 0;
    const struct profile_rank *last = NULL;
    char share[32], of[32];
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        instances += a->instances;
        /* Of the others, as the non-blocking ones, nobody knows who waited for whom. */
        if (arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        time += a->time_ns;
        wait += a->wait_ns;
    }
    for (size_t i = 0; i < p->ranks.n; i++)
        if (!last || p->ranks.at[i].late > last->late)
            last = &p->ranks.at[i];
    if (!instances || !last)
        return;
    if (time)
        fprintf(out,
                "In collectives, %s of the time is waiting for a rank that comes late; the one ",
                format_share(share, (double)wait, (double)time));
    else
        fputs("The rank ", out);
    fprintf(out, "most often last to enter %sis rank %d (%s).\n", time ? "" : "collectives ",
            last->rank, format_share(of, (double)last->late, (double)instances));
}

static void most_waiting(const struct profile *p, FILE *out)
{
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    uint64_t completed = 0, hidden = 0, wait = 0;
    char share[32], time[32], label[300];
    ROWS_SORT(rows, wait_ns);
    for (size_t i = 0; i < rows->entries.n; i++) {
        completed += rows->entries.at[i].completed;
        hidden += rows->entries.at[i].hidden;
        wait += rows->entries.at[i].wait_ns;
    }
    if (completed) {
        fprintf(out, "Of the non-blocking requests, %s were done when they were waited for",
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

void text_summary(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    char *text = NULL, *save = NULL;
    size_t size;
    FILE *sentences = open_memstream(&text, &size);
    if (!sentences)
        return;
    most_time(p, sentences);
    most_late(p, sentences);
    most_waiting(p, sentences);
    text_most_waited(v, sentences);
    fclose(sentences);
    fputs("\nIn short\n", out);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        text_paragraph(out, "  - ", line);
    free(text);
}
