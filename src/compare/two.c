/* One run against another, figure by figure: what the differences leave out, since one run each
 * cannot tell them from noise. */
#include "compare/differences.h"

#include "base/array.h"
#include "base/text.h"
#include "compare/places.h"
#include "report/layout.h"
#include "report/listings.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One operation, or one operation at one call site, in both runs; NULL: not there. */
struct pair {
    const struct profile_entry *in[2];
    double change; /* of the figure */
};

struct pairs {
    struct view view[2];
    const struct figure *by;
    ARRAY(struct pair) list; /* largest change first, up or down */
};

/* What a run does not have is nothing there. */
static double value_of(const struct pairs *c, const struct pair *x, int run)
{
    double value = x->in[run] ? c->by->get(&c->view[run], x->in[run]) : 0;
    return isnan(value) ? 0 : value;
}

static int largest_change(const void *a, const void *b)
{
    double x = fabs(((const struct pair *)a)->change), y = fabs(((const struct pair *)b)->change);
    return ORDER(y, x);
}

static void add(struct pairs *c, const struct profile_entry *before,
                const struct profile_entry *after)
{
    struct pair *x = PUSH(&c->list);
    *x = (struct pair){.in = {before, after}};
    x->change = value_of(c, x, 1) - value_of(c, x, 0);
}

static const struct profile_entry *find_operation(const struct rows *rows, const struct profile *p,
                                                  const char *name)
{
    for (size_t i = 0; i < rows->n; i++)
        if (!strcmp(p->operations.at[rows->at[i].operation].name, name))
            return &rows->at[i];
    return NULL;
}

/* ROWS: of the two runs, by operation. */
static void pair_operations(struct pairs *c, const struct rows rows[2])
{
    for (int run = 0; run < 2; run++)
        for (size_t i = 0; i < rows[run].n; i++) {
            const struct profile_entry *e = &rows[run].at[i],
                                       *other = find_operation(
                                           &rows[!run], c->view[!run].p,
                                           c->view[run].p->operations.at[e->operation].name);
            if (!run)
                add(c, e, other);
            else if (!other)
                add(c, NULL, e);
        }
}

static void pair_places(struct pairs *c, const struct places *s)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (!s->list.at[i]->gone)
            add(c, s->list.at[i]->entry[0], s->list.at[i]->entry[1]);
}

/* By how much, with its sign, and in percent of what it was. */
static void change_cells(struct layout *l, const struct pairs *c, const struct pair *x)
{
    char text[64];
    double before = value_of(c, x, 0), after = value_of(c, x, 1);
    figure_show(c->by, fabs(after - before), text, sizeof text);
    layout_cell(l, "%s%s", after < before ? "-" : (after > before ? "+" : ""), text);
    if (!(before > 0) || !(after > 0))
        layout_cell(l, "%s", after > 0 ? "new" : (before > 0 ? "gone" : ""));
    else if (after < 10 * before)
        layout_cell(l, "%+.1f%%", 100 * (after - before) / before);
    else
        layout_cell(l, "x%.0f", after / before);
}

static void figure_cells(struct layout *l, const struct pairs *c, const struct figure *f,
                         const struct pair *x)
{
    for (int run = 0; run < 2; run++) {
        char text[512] = "-";
        if (x->in[run])
            figure_brief(f, &c->view[run], x->in[run], text, sizeof text);
        layout_cell(l, "%s", text);
    }
}

static void put_pairs(struct pairs *c, bool by_site, size_t top, FILE *out)
{
    const struct listing *sites = listing_find("call_sites");
    const char *head = c->by->column.head ? c->by->column.head : c->by->column.name;
    struct layout *l = layout_new(by_site ? "loorrrrL" : "loorrrr");
    char headings[160];
    snprintf(headings, sizeof headings, "operation|calls A|B|%s A|B|change|%s", head,
             by_site ? "|call site" : "");
    layout_heading(l, headings);
    if (c->list.n)
        qsort(c->list.at, c->list.n, sizeof *c->list.at, largest_change);
    size_t shown = c->list.n < top ? c->list.n : top;
    for (size_t i = 0; i < shown; i++) {
        const struct pair *x = &c->list.at[i];
        int run = x->in[1] != NULL;
        char text[512];
        layout_cell(l, "%s",
                    text_without_mpi(c->view[run].p->operations.at[x->in[run]->operation].name));
        figure_cells(l, c, figure_find(sites, "calls"), x);
        figure_cells(l, c, c->by, x);
        change_cells(l, c, x);
        if (by_site) {
            figure_brief(figure_find(sites, "site"), &c->view[run], x->in[run], text, sizeof text);
            layout_cell(l, "%s", text);
        }
    }
    fprintf(out, "\nChanges by %s\n", by_site ? "call site" : "operation");
    layout_print(l, out, text_width());
    text_more(out, c->list.n, shown, by_site ? "call site" : "operation");
    char mark[64];
    snprintf(mark, sizeof mark, "  %s: ", head);
    text_paragraph(out, mark, c->by->column.meaning);
    text_paragraph(out, "  change: ", "from A, the first run, to B, the second");
    c->list.n = 0;
}

static void put_facts(struct profile *const *p, const char *const *name, FILE *out)
{
    double wall[2] = {0}, mpi[2];
    struct layout *l = layout_new("Lrrrrrl");
    layout_heading(l, "run|ranks|wall|in MPI|% in MPI|MPI calls|application");
    for (int k = 0; k < 2; k++) {
        uint64_t calls = 0;
        double sum = profile_wall_ns(p[k]);
        wall[k] = profile_longest_ns(p[k]);
        for (size_t i = 0; i < p[k]->ranks.n; i++)
            calls += p[k]->ranks.at[i].calls;
        mpi[k] = p[k]->ranks.n ? profile_mpi_ns(p[k]) / (double)p[k]->ranks.n : 0;
        layout_cell(l, "%s", name[k]);
        layout_cell(l, "%zu", p[k]->ranks.n);
        layout_time(l, wall[k]);
        if (isnan(mpi[k])) {
            layout_cell(l, "not known");
            layout_cell(l, "-");
        } else {
            layout_time(l, mpi[k]);
            layout_cell(l, "%.1f", sum > 0 ? 100 * profile_mpi_ns(p[k]) / sum : 0);
        }
        layout_count(l, calls);
        layout_cell(l, "%s", p[k]->programs.n ? p[k]->programs.at[0] : "");
    }
    layout_cell(l, "change");
    layout_cell(l, "%s", "");
    layout_cell(l, "%+.1f%%", wall[0] > 0 ? 100 * (wall[1] / wall[0] - 1) : 0);
    if (isnan(mpi[0]) || isnan(mpi[1]))
        layout_cell(l, "-");
    else
        layout_cell(l, "%+.1f%%", mpi[0] > 0 ? 100 * (mpi[1] / mpi[0] - 1) : 0);
    for (int k = 0; k < 3; k++)
        layout_cell(l, "%s", "");
    text_title(out, "The two runs (times per rank)");
    layout_print(l, out, text_width());
}

void differences_two(const struct differences_page *page, const char *figure, FILE *out)
{
    const struct places *s = page->d->memory;
    struct pairs c = {
        .by = figure_find(listing_find("call_sites"), figure ? figure : "time_per_rank")};
    struct rows rows[2];
    for (int k = 0; k < 2; k++) {
        view_open(&c.view[k], s->run[k]);
        rows[k] = rows_of(s->run[k], ROWS_BY_OPERATION);
    }
    put_facts(s->run, page->name, out);
    pair_operations(&c, rows);
    put_pairs(&c, false, (size_t)page->top, out);
    if (s->run[0]->stack_depth && s->run[1]->stack_depth) {
        pair_places(&c, s);
        put_pairs(&c, true, (size_t)page->top, out);
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < s->run[k]->warnings.n; i++)
            fprintf(out, "%s  ! %s: %s\n", k + i ? "" : "\n", page->name[k],
                    s->run[k]->warnings.at[i]);
        view_close(&c.view[k]);
        rows_free(&rows[k]);
    }
    free(c.list.at);
}
