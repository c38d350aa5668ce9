/* The report's tables: which figures of which rows, from figures.c. */
#include "page/text.h"

#include "page/layout.h"
#include "profile/noise.h"

#include <stdlib.h>
#include <string.h>

/* FIGURES: keys in the order of the columns. One with ? before it gives way, the last of these
 * first, where the page is too narrow for the last column's names. */
struct page_table {
    const char *listing, *figures;
    const char *sort;        /* NULL: as the reader asked */
    const char *title, *row; /* what one row is, for "and 3 more" */
    const char *note;
    bool (*shown)(const struct profile *p, size_t rows);
    bool (*of_interest)(const void *row); /* NULL: every row */
};

static bool always(const struct profile *p, size_t rows)
{
    (void)p;
    return rows > 0;
}

static bool with_sites(const struct profile *p, size_t rows)
{
    return p->stack_depth && rows > 0;
}

static bool several(const struct profile *p, size_t rows)
{
    (void)p;
    return rows > 1;
}

static bool posts_requests(const void *row)
{
    return ((const struct profile_entry *)row)->completed > 0;
}

static bool is_sent(const void *row)
{
    return !((const struct profile_peer *)row)->received;
}

static const struct page_table tables[] = {
    {"operations", "operation calls ?bytes time_per_rank share mean ?median ?p99 max ?worst_rank",
     NULL, "Time in MPI, by operation", "operation",
     "calls, bytes: of all ranks. time: mean of all ranks. %: of all time in MPI. worst: the rank "
     "that spends most, against the mean.",
     always, NULL},
    {"call_sites",
     "operation calls ?bytes time_per_rank share mean ?median ?p99 max ?worst_rank call_site", NULL,
     "Time in MPI, by call site", "call site", NULL, with_sites, NULL},
    {"call_sites",
     "operation requests ?size ?open ?until_wait in_wait done wait_per_rank ?hidden_ratio overlap "
     "call_site",
     "wait", "Non-blocking requests, by the call that posted them", "call site",
     "Means per request. open: from post to completion. until wait: from the post to the call that "
     "completed it. done: complete by then. cost/rank: time in these calls, mean of all ranks; a "
     "call that completes several is shared out evenly.",
     always, posts_requests},
    {"collectives",
     "operation members instances skew ?skew_max late_rank waiting ?duration ?duration_max "
     "call_site",
     "wait", "Collective operations: who is late, and what it costs", "place",
     "Medians and maxima. skew: last minus first entry. last rank: the one that most often enters "
     "last. waiting: part of the time in these calls before the awaited rank had entered. "
     "duration: from that entry to the last exit.",
     always, NULL},
    {"waits", "state for_rank calls time ?mean share operation call_site", NULL,
     "Waiting, by what was waited for", "row",
     "time: of all ranks together. %: of all waiting. A call that completes several requests waits "
     "for the one that was possible last.",
     always, NULL},
    {"messages", "rank peer messages bytes ?size operation call_site", "bytes",
     "Messages, by sender and receiver", "row", NULL, always, is_sent},
    {"communicators", "communicator members groups made calls bytes time_per_rank share", NULL,
     "Time in MPI, by communicator", "communicator",
     "groups: with different members. time: mean of all ranks.", several, NULL},
    {"ranks", "rank wall mpi mpi_share ?calls ?cpu ?delayed preempted ?last_in ended ?host", "mpi",
     "Ranks, most time in MPI first", "rank",
     "kept off: ready to run, but without a processor. preempted: how often that began. last in: "
     "so "
     "many collectives.",
     several, NULL},
    {"regions", "region entered time_per_rank mpi_per_rank mpi_share calls", NULL, "Regions",
     "region", "times: mean of all ranks.", always, NULL},
};
enum { N_TABLES = sizeof tables / sizeof *tables, MAX_COLUMNS = 16 };

struct chosen {
    const struct figure *figure[MAX_COLUMNS];
    bool gives_way[MAX_COLUMNS];
    size_t n;
};

/* An unknown key is a mistake in the table above: tests/unit/page.c would see it. */
static void choose(struct chosen *c, const struct listing *l, const char *keys)
{
    c->n = 0;
    for (const char *at = keys; *at && c->n < MAX_COLUMNS; at += strspn(at, " ")) {
        char key[40];
        size_t length = strcspn(at, " ");
        c->gives_way[c->n] = *at == '?';
        snprintf(key, sizeof key, "%.*s", (int)(length - (*at == '?')), at + (*at == '?'));
        c->figure[c->n] = figure_find(l, key);
        c->n += c->figure[c->n] != NULL;
        at += length;
    }
}

static struct layout *fill(const struct chosen *c, const struct page_table *t, const struct view *v,
                           const struct listed *rows, size_t top, size_t *count)
{
    char align[MAX_COLUMNS + 1] = "";
    for (size_t i = 0; i < c->n; i++)
        align[i] = c->figure[i]->unit != UNIT_TEXT ? (c->gives_way[i] ? 'o' : 'r')
                                                   : (c->figure[i]->brief || i == 0 ? 'L' : 'l');
    struct layout *l = layout_new(align);
    for (size_t i = 0; i < c->n; i++)
        layout_cell(l, "%s", c->figure[i]->head);
    *count = 0;
    for (size_t k = 0; k < rows->n; k++) {
        const void *row = rows->at + k * rows->size;
        if ((t->of_interest && !t->of_interest(row)) || ++*count > top)
            continue;
        for (size_t i = 0; i < c->n; i++) {
            char text[512];
            figure_brief(c->figure[i], v, row, text, sizeof text);
            layout_cell(l, "%s", text);
        }
    }
    return l;
}

static void print_table(const struct page_table *t, const struct view *v, FILE *out,
                        const struct report_options *o)
{
    const struct listing *l = listing_find(t->listing);
    struct listed rows;
    struct chosen c;
    size_t count;
    choose(&c, l, t->figures);
    listed_open(&rows, l, v, t->sort ? t->sort : o->sort);
    struct layout *layout = fill(&c, t, v, &rows, (size_t)o->top, &count);
    bool shown = t->shown(v->p, count);
    if (shown) {
        fputc('\n', out);
        fprintf(out, "%s%s\n", t->title,
                noise_of(v->p).level == NOISE_SPOILED ? " (disturbed: times mean little)" : "");
    }
    layout_print(layout, shown ? out : NULL, (size_t)o->width);
    if (shown) {
        text_more(out, count, count < (size_t)o->top ? count : (size_t)o->top, t->row);
        if (o->explain)
            for (size_t i = 0; i < c.n; i++) {
                char mark[40];
                snprintf(mark, sizeof mark, "  %-10s  ", c.figure[i]->head);
                text_paragraph(out, mark, c.figure[i]->about);
            }
        else if (t->note)
            text_paragraph(out, "  ", t->note);
    }
    listed_close(&rows);
}

void text_tables(const struct view *v, FILE *out, const struct report_options *o, const char *first,
                 const char *last)
{
    bool on = false;
    for (size_t i = 0; i < N_TABLES; i++) {
        on = on || !strcmp(tables[i].listing, first);
        if (on)
            print_table(&tables[i], v, out, o);
        if (on && !strcmp(tables[i].listing, last) &&
            (i + 1 == N_TABLES || strcmp(tables[i + 1].listing, last)))
            return;
    }
}
