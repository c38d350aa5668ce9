#include "page/compare.h"

#include "base/format.h"
#include "page/layout.h"
#include "page/rows.h"
#include "page/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 2300 };

static double per_rank(const struct profile *p, const struct profile_entry *e)
{
    return e && p->ranks.n ? (double)e->time_ns / (double)p->ranks.n : 0;
}

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

static int largest_change(const void *a, const void *b)
{
    double x = fabs(((const struct compared *)a)->change);
    double y = fabs(((const struct compared *)b)->change);
    return x > y ? -1 : x < y;
}

void compare_profiles(struct comparison *c, const struct profile *before,
                      const struct profile *after, bool by_site)
{
    *c = (struct comparison){.rows = {rows_of(before, by_site ? ROWS_BY_SITE : ROWS_BY_OPERATION),
                                      rows_of(after, by_site ? ROWS_BY_SITE : ROWS_BY_OPERATION)}};
    bool *taken = profile_alloc(c->rows[1]->entries.n + 1);
    rows_sort(c->rows[0], NULL);
    rows_sort(c->rows[1], NULL);
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
            per_rank(after, c->list.at[i].after) - per_rank(before, c->list.at[i].before);
    if (c->list.n)
        qsort(c->list.at, c->list.n, sizeof *c->list.at, largest_change);
    free(taken);
}

void compare_free(struct comparison *c)
{
    profile_free(c->rows[0]);
    profile_free(c->rows[1]);
    free(c->list.at);
}

static void change_cells(struct layout *l, double before, double after)
{
    char text[32];
    double change = after - before;
    format_time(text, fabs(change));
    size_t figure = strcspn(text, " "); /* without the space before the unit */
    layout_cell(l, "%s%.*s%s", change < 0 ? "-" : (change > 0 ? "+" : ""), (int)figure, text,
                text[figure] ? text + figure + 1 : "");
    if (!(before > 0) || !(after > 0))
        layout_cell(l, "%s", after > 0 ? "new" : (before > 0 ? "gone" : ""));
    else if (after < 10 * before)
        layout_cell(l, "%+.1f%%", 100 * change / before);
    else
        layout_cell(l, "x%.0f", after / before);
}

static void count_cell(struct layout *l, const struct profile_entry *e)
{
    if (e)
        layout_count(l, e->calls);
    else
        layout_cell(l, "-");
}

static void time_cell(struct layout *l, const struct profile *p, const struct profile_entry *e)
{
    if (e)
        layout_time(l, per_rank(p, e));
    else
        layout_cell(l, "-");
}

static void print_rows(const struct profile *before, const struct profile *after, bool by_site,
                       FILE *out, long top)
{
    struct comparison c;
    compare_profiles(&c, before, after, by_site);
    struct layout *l = layout_new(by_site ? "lrrrrrrrrL" : "lrrrrrrrr");
    layout_heading(l, by_site ? "operation|calls|then|time|then|change||mean|then|call site"
                              : "operation|calls|then|time|then|change||mean|then");
    size_t shown = c.list.n < (size_t)top ? c.list.n : (size_t)top;
    for (size_t i = 0; i < shown; i++) {
        const struct compared *row = &c.list.at[i];
        const struct profile *p = row->after ? after : before;
        const struct profile_entry *e = row->after ? row->after : row->before;
        char label[300];
        layout_cell(l, "%s", text_operation(p, e->operation));
        count_cell(l, row->before);
        count_cell(l, row->after);
        time_cell(l, before, row->before);
        time_cell(l, after, row->after);
        change_cells(l, per_rank(before, row->before), per_rank(after, row->after));
        for (int k = 0; k < 2; k++) {
            const struct profile_entry *one = k ? row->after : row->before;
            if (one && one->calls)
                layout_time(l, (double)one->time_ns / (double)one->calls);
            else
                layout_cell(l, "-");
        }
        if (by_site) {
            site_label(p, e->site, label, sizeof label);
            layout_cell(l, "%s", label);
        }
    }
    fprintf(out, "\n%s\n",
            by_site ? "Changes by call site" : "Changes by operation (time: per rank)");
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, c.list.n, shown, by_site ? "call site" : "operation");
    compare_free(&c);
}

static double mean_wall_ns(const struct profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        sum += p->ranks.at[i].wall * 1e9;
    return p->ranks.n ? sum / (double)p->ranks.n : 0;
}

static void print_facts(const struct profile *before, const struct profile *after,
                        const char *name_before, const char *name_after, FILE *out)
{
    const struct profile *p[] = {before, after};
    const char *name[] = {name_before, name_after};
    double wall[2], mpi[2];
    struct layout *l = layout_new("Lrrrrrl");
    layout_heading(l, "run|ranks|wall|in MPI|% in MPI|MPI calls|application");
    for (int k = 0; k < 2; k++) {
        uint64_t calls = 0;
        for (size_t i = 0; i < p[k]->ranks.n; i++)
            calls += p[k]->ranks.at[i].calls;
        wall[k] = mean_wall_ns(p[k]);
        mpi[k] = p[k]->ranks.n ? text_mpi_ns(p[k]) / (double)p[k]->ranks.n : 0;
        layout_cell(l, "%s", name[k]);
        layout_cell(l, "%zu", p[k]->ranks.n);
        layout_time(l, wall[k]);
        layout_time(l, mpi[k]);
        layout_cell(l, "%.1f", wall[k] > 0 ? 100 * mpi[k] / wall[k] : 0);
        layout_count(l, calls);
        layout_cell(l, "%s", p[k]->programs.n ? p[k]->programs.at[0] : "");
    }
    layout_cell(l, "change");
    layout_cell(l, "%s", "");
    layout_cell(l, "%+.1f%%", wall[0] > 0 ? 100 * (wall[1] / wall[0] - 1) : 0);
    layout_cell(l, "%+.1f%%", mpi[0] > 0 ? 100 * (mpi[1] / mpi[0] - 1) : 0);
    for (int k = 0; k < 3; k++)
        layout_cell(l, "%s", "");
    layout_print(l, out, TEXT_WIDTH);
}

void compare_text(const struct profile *before, const struct profile *after,
                  const char *name_before, const char *name_after, FILE *out, long top)
{
    fputs("collprof: what changed (times per rank)\n", out);
    print_facts(before, after, name_before, name_after, out);
    print_rows(before, after, false, out, top);
    if (before->stack_depth && after->stack_depth)
        print_rows(before, after, true, out, top);
    for (int k = 0; k < 2; k++) {
        const struct profile *p = k ? after : before;
        for (size_t i = 0; i < p->warnings.n; i++)
            fprintf(out, "%s  ! %s: %s\n", k + i ? "" : "\n", k ? name_after : name_before,
                    p->warnings.at[i]);
    }
}
