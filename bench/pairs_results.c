#include "pairs_results.h"

#include "base/stats.h"
#include "base/topology.h"
#include "measure/pairs/hierarchy.h"
#include "measure/pairs/log.h"
#include "results/pairs_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks of the widest matrix, of the longest table of pairs, and of the longest that is shown as
 * text. */
enum { MATRIX_MAX = 32, TABLE_MAX = 256, LOGGP_MAX = 8 };

static const struct {
    enum pairs_quantity what;
    const char *table, *title;
} matrices[] = {
    {PAIRS_MEAN, "mean", "Mean of the round trip"},
    {PAIRS_SD, "sd", "Standard deviation of the round trip"},
    {PAIRS_MEDIAN, "median", "Median of the round trip"},
    {PAIRS_ONE_WAY, "one_way", "Shortest one-way latency, the sender at the left"},
};

/* Columns "rank" and one per rank. Documents keep the columns of their tables. */
static const struct column *rank_columns(int n)
{
    static struct column column[MATRIX_MAX + 1];
    static char name[MATRIX_MAX][12];
    column[0] = (struct column){.name = "rank", .kind = COLUMN_INTEGER};
    for (int i = 0; i < n; i++) {
        snprintf(name[i], sizeof name[i], "%d", i);
        column[i + 1] =
            (struct column){.name = name[i], .unit = "us", .kind = COLUMN_REAL, .decimals = 2};
    }
    return column;
}

/* Of the smallest size, for a person. */
static void add_matrices(const struct pairs *p, struct document *d)
{
    const struct pairs_size *s = &p->size[0];
    for (size_t q = 0; q < sizeof matrices / sizeof *matrices; q++) {
        char name[64], title[96];
        snprintf(name, sizeof name, "%s_%zu", matrices[q].table, s->bytes);
        snprintf(title, sizeof title, "%s, %zu B (us)", matrices[q].title, s->bytes);
        struct table *t = document_table(d, name, title, rank_columns(p->n), (size_t)p->n + 1);
        for (int i = 0; i < p->n; i++) {
            table_integer(t, i);
            for (int j = 0; j < p->n; j++)
                table_real(t, 1e6 * s->of[matrices[q].what][pairs_cell(p, i, j)]);
        }
    }
}

static const struct column hierarchy_columns[] = {
    {"level", NULL, COLUMN_INTEGER, 0, "1 is the closest"},
    {"groups", NULL, COLUMN_INTEGER, 0, NULL},
    {"inside", "us", COLUMN_REAL, 2, "longest round trip needed to join a group"},
    {"outside", "us", COLUMN_REAL, 2, "shortest round trip between two groups"},
    {"is", NULL, COLUMN_TEXT, 0, "what divides the ranks the same way, by hwloc or host names"},
    {"members", NULL, COLUMN_TEXT, 0, "ranks, a group between bars"},
};

static bool in_group(const struct hierarchy_level *level, int n, int v, int group)
{
    return v < n && level->group[v] == group;
}

/* "0-3 | 4-7"; shortened, since a large machine has many. */
static void describe_groups(const struct hierarchy_level *level, int n, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    for (int g = 0; out && g < level->groups; g++) {
        const char *between = g ? " | " : "";
        if (ftell(out) > (long)size - 40) {
            fprintf(out, " | ...");
            break;
        }
        for (int v = 0; v < n && ftell(out) < (long)size - 30; v++) {
            if (!in_group(level, n, v, g))
                continue;
            int first = v;
            while (in_group(level, n, v + 1, g))
                v++;
            fprintf(out, v > first ? "%s%d-%d" : "%s%d", between, first, v);
            between = ",";
        }
    }
    if (out)
        fclose(out);
}

static void add_hierarchy(const struct pairs *p, struct document *d)
{
    struct hierarchy h;
    if (!hierarchy_find(p, &p->size[0], 1.5, &h))
        return;
    if (h.n_levels == 0 && p->n > 2)
        document_finding(d, &(struct finding){.key = "no_hierarchy", .severity = SEVERITY_NOTE},
                         "No hierarchy: round trips between groups of ranks are less than 1.5 "
                         "times those inside.");
    struct table *t = NULL;
    if (h.n_levels > 0)
        t = document_table_of(d, "hierarchy", "The hierarchy that the latencies show",
                              hierarchy_columns);
    for (int i = 0; i < h.n_levels; i++) {
        char members[120] = "";
        const struct hierarchy_level *level = &h.level[i];
        describe_groups(level, h.n, members, sizeof members);
        table_integer(t, i + 1);
        table_integer(t, level->groups);
        table_real(t, 1e6 * level->inside);
        table_real(t, 1e6 * level->outside);
        table_text(t, level->seen_as ? level->seen_as : "-");
        table_text(t, members);
    }
    hierarchy_free(&h);
}

static void add_bound(const struct pairs *p, struct document *d, const struct pairs_size *s)
{
    double bound = 0;
    for (size_t k = 0; k < (size_t)p->n * (size_t)p->n; k++)
        bound = fmax(bound, s->of[PAIRS_BOUND][k]);
    if (bound > 0)
        document_finding(d, &(struct finding){.key = "one_way_bound", .severity = SEVERITY_DOUBT},
                         "%zu B: the clocks bound one-way latencies to +-%.2f us.", s->bytes,
                         1e6 * bound);
}

void pairs_results(const struct pairs *p, struct document *d, enum format format)
{
    if (format == FORMAT_TEXT && p->n <= MATRIX_MAX)
        add_matrices(p, d);
    if (p->n <= TABLE_MAX)
        pairs_table(p, d, p->n <= LOGGP_MAX);
    else
        document_finding(d, &(struct finding){.key = "too_many_ranks", .severity = SEVERITY_NOTE},
                         "Tables of %d ranks are too long: the log (--output) has all pairs.",
                         p->n);
    for (int s = 0; s < p->n_sizes; s++)
        add_bound(p, d, &p->size[s]);
    add_hierarchy(p, d);
}
