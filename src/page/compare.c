#include "page/compare.h"

#include "page/layout.h"
#include "page/rows.h"
#include "page/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 2300 };

/* What makes a row the same in the other run: EXACT with lines, otherwise the functions only. */
static void key_of(const struct profile *p, const struct profile_entry *e, bool by_site, bool exact,
                   char key[KEY_ROOM])
{
    size_t at = (size_t)snprintf(key, KEY_ROOM, "%s ", p->operations.at[e->operation].name);
    if (!by_site)
        return;
    if (exact)
        site_path(p, e->site, key + at, KEY_ROOM - at);
    else
        site_functions(p, e->site, key + at, KEY_ROOM - at);
}

/* Pairs rows that have no partner yet, in the order of their time. */
static void match(struct comparison *c, const struct profile *before, const struct profile *after,
                  bool by_site, bool exact, bool *taken)
{
    char key[KEY_ROOM], other[KEY_ROOM];
    for (size_t i = 0; i < c->list.n; i++) {
        struct compared *row = &c->list.at[i];
        if (row->after)
            continue;
        key_of(before, row->before, by_site, exact, key);
        for (size_t k = 0; k < c->rows[1]->entries.n && !row->after; k++) {
            const struct profile_entry *e = &c->rows[1]->entries.at[k];
            if (taken[k])
                continue;
            key_of(after, e, by_site, exact, other);
            if (!strcmp(key, other)) {
                row->after = e;
                taken[k] = true;
            }
        }
    }
}

/* A row that a run does not have is nothing there. */
static double value_of(const struct comparison *c, int run, const struct profile_entry *row)
{
    double value = row ? c->by->get(&c->view[run], row) : 0;
    return isnan(value) ? 0 : value;
}

static int largest_change(const void *a, const void *b)
{
    double x = fabs(((const struct compared *)a)->change);
    double y = fabs(((const struct compared *)b)->change);
    return x > y ? -1 : x < y;
}

void compare_profiles(struct comparison *c, const struct profile *before,
                      const struct profile *after, bool by_site, const char *figure)
{
    const struct listing *l = listing_find("call_sites");
    *c = (struct comparison){.rows = {rows_of(before, by_site ? ROWS_BY_SITE : ROWS_BY_OPERATION),
                                      rows_of(after, by_site ? ROWS_BY_SITE : ROWS_BY_OPERATION)},
                             .by = figure_find(l, figure ? figure : "time_per_rank")};
    view_open(&c->view[0], before, NULL);
    view_open(&c->view[1], after, NULL);
    bool *taken = profile_alloc(c->rows[1]->entries.n + 1);
    ROWS_SORT(c->rows[0], time_ns);
    ROWS_SORT(c->rows[1], time_ns);
    for (size_t i = 0; i < c->rows[0]->entries.n; i++)
        PUSH(&c->list)->before = &c->rows[0]->entries.at[i];
    match(c, before, after, by_site, true, taken);
    if (by_site)
        match(c, before, after, by_site, false, taken);
    for (size_t i = 0; i < c->rows[1]->entries.n; i++)
        if (!taken[i])
            PUSH(&c->list)->after = &c->rows[1]->entries.at[i];
    for (size_t i = 0; i < c->list.n; i++)
        c->list.at[i].change =
            value_of(c, 1, c->list.at[i].after) - value_of(c, 0, c->list.at[i].before);
    if (c->list.n)
        qsort(c->list.at, c->list.n, sizeof *c->list.at, largest_change);
    free(taken);
}

void compare_free(struct comparison *c)
{
    profile_free(c->rows[0]);
    profile_free(c->rows[1]);
    view_close(&c->view[0]);
    view_close(&c->view[1]);
    free(c->list.at);
}

/* By how much, with its sign, and in percent of what it was. */
static void change_cells(struct layout *l, const struct comparison *c, const struct compared *row)
{
    char text[64];
    double before = value_of(c, 0, row->before), after = value_of(c, 1, row->after);
    figure_show(c->by, fabs(after - before), text, sizeof text);
    layout_cell(l, "%s%s", after < before ? "-" : (after > before ? "+" : ""), text);
    if (!(before > 0) || !(after > 0))
        layout_cell(l, "%s", after > 0 ? "new" : (before > 0 ? "gone" : ""));
    else if (after < 10 * before)
        layout_cell(l, "%+.1f%%", 100 * (after - before) / before);
    else
        layout_cell(l, "x%.0f", after / before);
}

/* The figure in both runs. */
static void figure_cells(struct layout *l, const struct comparison *c, const struct figure *f,
                         const struct compared *row)
{
    const struct profile_entry *one[] = {row->before, row->after};
    for (int run = 0; run < 2; run++) {
        char text[512] = "-";
        if (one[run])
            figure_brief(f, &c->view[run], one[run], text, sizeof text);
        layout_cell(l, "%s", text);
    }
}

static void print_rows(const struct profile *before, const struct profile *after, bool by_site,
                       FILE *out, const struct compare_options *o)
{
    const struct listing *sites = listing_find("call_sites");
    struct comparison c;
    compare_profiles(&c, before, after, by_site, o->figure);
    const struct figure *calls = figure_find(sites, "calls"), *mean = figure_find(sites, "mean");
    struct layout *l = layout_new(by_site ? "loorrrrooL" : "loorrrroo");
    layout_heading(l, "operation|calls|then");
    layout_heading(l, c.by->head ? c.by->head : c.by->key);
    layout_heading(l, by_site ? "then|change||mean|then|call site" : "then|change||mean|then");
    size_t shown = c.list.n < (size_t)o->top ? c.list.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++) {
        const struct compared *row = &c.list.at[i];
        int run = row->after != NULL;
        const struct profile_entry *e = run ? row->after : row->before;
        char text[512];
        layout_cell(l, "%s", text_operation(c.view[run].p, e->operation));
        figure_cells(l, &c, calls, row);
        figure_cells(l, &c, c.by, row);
        change_cells(l, &c, row);
        figure_cells(l, &c, mean, row);
        if (by_site) {
            figure_brief(figure_find(sites, "call_site"), &c.view[run], e, text, sizeof text);
            layout_cell(l, "%s", text);
        }
    }
    fprintf(out, "\n%s\n", by_site ? "Changes by call site" : "Changes by operation");
    layout_print(l, out, text_width());
    text_more(out, c.list.n, shown, by_site ? "call site" : "operation");
    char mark[64];
    snprintf(mark, sizeof mark, "  %s: ", c.by->head ? c.by->head : c.by->key);
    text_paragraph(out, mark, c.by->about);
    compare_free(&c);
}

static void print_facts(const struct profile *before, const struct profile *after,
                        const char *name_before, const char *name_after, FILE *out)
{
    const struct profile *p[] = {before, after};
    const char *name[] = {name_before, name_after};
    double wall[2] = {0}, mpi[2];
    struct layout *l = layout_new("Lrrrrrl");
    layout_heading(l, "run|ranks|wall|in MPI|% in MPI|MPI calls|application");
    for (int k = 0; k < 2; k++) {
        uint64_t calls = 0;
        double sum = 0;
        for (size_t i = 0; i < p[k]->ranks.n; i++) {
            calls += p[k]->ranks.at[i].calls;
            sum += 1e9 * p[k]->ranks.at[i].wall;
            wall[k] = fmax(wall[k], 1e9 * p[k]->ranks.at[i].wall);
        }
        mpi[k] = p[k]->ranks.n ? text_mpi_ns(p[k]) / (double)p[k]->ranks.n : 0;
        layout_cell(l, "%s", name[k]);
        layout_cell(l, "%zu", p[k]->ranks.n);
        layout_time(l, wall[k]);
        layout_time(l, mpi[k]);
        layout_cell(l, "%.1f", sum > 0 ? 100 * text_mpi_ns(p[k]) / sum : 0);
        layout_count(l, calls);
        layout_cell(l, "%s", p[k]->programs.n ? p[k]->programs.at[0] : "");
    }
    layout_cell(l, "change");
    layout_cell(l, "%s", "");
    layout_cell(l, "%+.1f%%", wall[0] > 0 ? 100 * (wall[1] / wall[0] - 1) : 0);
    layout_cell(l, "%+.1f%%", mpi[0] > 0 ? 100 * (mpi[1] / mpi[0] - 1) : 0);
    for (int k = 0; k < 3; k++)
        layout_cell(l, "%s", "");
    layout_print(l, out, text_width());
}

void compare_text(const struct profile *before, const struct profile *after,
                  const char *name_before, const char *name_after, FILE *out,
                  const struct compare_options *o)
{
    text_title(out, "The two runs (times per rank)");
    print_facts(before, after, name_before, name_after, out);
    print_rows(before, after, false, out, o);
    if (before->stack_depth && after->stack_depth)
        print_rows(before, after, true, out, o);
    for (int k = 0; k < 2; k++) {
        const struct profile *p = k ? after : before;
        for (size_t i = 0; i < p->warnings.n; i++)
            fprintf(out, "%s  ! %s: %s\n", k + i ? "" : "\n", k ? name_after : name_before,
                    p->warnings.at[i]);
    }
}
