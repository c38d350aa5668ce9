#include "pairs_results.h"

#include "base/stats.h"
#include "base/topology.h"
#include "measure/pairs/hierarchy.h"
#include "measure/pairs/log.h"
#include "measure/pairs/slow.h"
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

static const struct column relation_columns[] = {
    {"relation", NULL, COLUMN_TEXT, 0, "closest thing that the two ranks share (hwloc, host)"},
    {"pairs", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"lowest", "us", COLUMN_REAL, 2, "smallest median round trip of these pairs"},
    {"median", "us", COLUMN_REAL, 2, "median of the pairs' medians"},
    {"highest", "us", COLUMN_REAL, 2, NULL},
    {"latency", "us", COLUMN_REAL, 2, "one way, fitted over all sizes; median of the pairs"},
    {"injection", "us", COLUMN_REAL, 3, "the send call, smallest size; median of the pairs"},
    {"bandwidth", "MB/s", COLUMN_REAL, 1, "one way, fitted over all sizes; median of the pairs"},
};

/* One row, of pairs of one relation. VALUE: four times as many numbers as there are pairs. */
static void add_relation(const struct pairs *p, int s, int relation, double *value, struct table *t)
{
    size_t n = 0, cells = (size_t)p->n * (size_t)p->n;
    double *trip = value, *fitted[] = {value + cells, value + 2 * cells, value + 3 * cells};
    for (int i = 0; i < p->n; i++) {
        for (int j = i + 1; j < p->n; j++) {
            size_t k = pairs_cell(p, i, j);
            if ((p->relation ? p->relation[k] : -1) != relation)
                continue;
            struct pairs_fit fit = pairs_fit(p, i, j);
            trip[n] = p->size[s].of[PAIRS_MEDIAN][k];
            fitted[0][n] = 1e6 * fit.latency;
            fitted[1][n] = 1e6 * fit.injection;
            fitted[2][n++] = 1e-6 * fit.bandwidth;
        }
    }
    if (n == 0)
        return;
    table_text(t, pairs_relation_name(relation));
    table_integer(t, (long long)n);
    table_integer(t, (long long)p->size[s].bytes);
    stats_sort(trip, n);
    table_real(t, 1e6 * trip[0]);
    table_real(t, 1e6 * stats_quantile(trip, n, 0.5));
    table_real(t, 1e6 * trip[n - 1]);
    for (int k = 0; k < 3; k++) {
        double middle = stats_median(fitted[k], n);
        table_real(t, s == 0 && isfinite(middle) ? middle : NAN);
    }
}

static void add_relations(const struct pairs *p, struct document *d)
{
    double *value = malloc(4 * (size_t)p->n * (size_t)p->n * sizeof *value);
    struct table *t =
        document_table_of(d, "relations", "By what the two ranks share", relation_columns);
    for (int s = 0; value && s < p->n_sizes; s++)
        for (int relation = -1; relation <= OTHER_NODE; relation++)
            add_relation(p, s, relation, value, t);
    free(value);
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

/* One delayed exchange moves a mean, not a median. */
static void add_outliers(const struct pairs *p, struct document *d, const struct pairs_size *s)
{
    double all = 0, most = 0;
    int pairs = 0, a = 0, b = 0;
    for (int i = 0; i < p->n; i++) {
        for (int j = i + 1; j < p->n; j++) {
            double here = s->of[PAIRS_OUTLIERS][pairs_cell(p, i, j)];
            all += here;
            pairs += here > 0;
            if (here > most)
                most = here, a = i, b = j;
        }
    }
    if (pairs > 0)
        document_finding(
            d, &(struct finding){.key = "outliers", .severity = SEVERITY_DOUBT},
            "%zu B: %.0f exchanges of %d pairs took more than 5 times their pair's "
            "median, most of them (%.0f) between ranks %d and %d; they are in means and "
            "standard deviations.",
            s->bytes, all, pairs, most, a, b);
}

/* The two directions that differ most, beyond what clocks and noise leave unknown. */
static void add_directions(const struct pairs *p, struct document *d, const struct pairs_size *s)
{
    const double *one_way = s->of[PAIRS_ONE_WAY], *bounds = s->of[PAIRS_BOUND];
    double most = 1.2, bound = 0;
    int a = -1, b = -1;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            size_t k = pairs_cell(p, i, j), l = pairs_cell(p, j, i);
            double noise = bounds[k] + (s->of[PAIRS_MEDIAN][k] - s->of[PAIRS_MIN][k]);
            double least = (one_way[k] - noise) / fmax(1e-9, one_way[l] + bounds[l]);
            bound = fmax(bound, bounds[k]);
            if (i != j && least > most)
                most = least, a = i, b = j;
        }
    }
    if (a >= 0)
        document_finding(
            d, &(struct finding){.key = "directions_differ", .severity = SEVERITY_FINDING},
            "%zu B: from rank %d to %d it takes %.2f us, back %.2f us.", s->bytes, a, b,
            1e6 * one_way[pairs_cell(p, a, b)], 1e6 * one_way[pairs_cell(p, b, a)]);
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
    for (int s = 0; s < p->n_sizes; s++) {
        add_outliers(p, d, &p->size[s]);
        add_directions(p, d, &p->size[s]);
    }
    add_relations(p, d);
    add_hierarchy(p, d);
}

static const struct column slow_columns[] = {
    {"what", NULL, COLUMN_TEXT, 0, "host, rank or pair"},
    {"who", NULL, COLUMN_TEXT, 0, "its name, or the ranks and their hosts"},
    {"factor", NULL, COLUMN_REAL, 2,
     "times slower than pairs of the same kind; of a host or rank the median of its pairs"},
};

size_t pairs_results_slow(const struct pairs *p, double factor, struct document *d)
{
    static const char *const kinds[] = {
        [SLOW_HOST] = "host", [SLOW_RANK] = "rank", [SLOW_PAIR] = "pair"};
    size_t n;
    struct slow *list = pairs_slow(p, factor, &n);
    if (!list)
        document_finding(d, &(struct finding){.key = "no_memory", .severity = SEVERITY_DOUBT},
                         "No memory to look for slow pairs.");
    else if (n == 0)
        document_finding(
            d, &(struct finding){.key = "nothing_slow", .severity = SEVERITY_NOTE},
            "No host, rank or pair is slower than its kind by %g and by more than three "
            "standard deviations.",
            factor);
    struct table *t = n ? document_table_of(d, "suspects", "What is slow", slow_columns) : NULL;
    for (size_t i = 0; i < n; i++) {
        char who[320];
        const char *a = p->host[list[i].a];
        if (list[i].kind == SLOW_HOST)
            snprintf(who, sizeof who, "%s", a);
        else if (list[i].kind == SLOW_RANK)
            snprintf(who, sizeof who, "%d on %s", list[i].a, a);
        else
            snprintf(who, sizeof who, "%d on %s, %d on %s", list[i].a, a, list[i].b,
                     p->host[list[i].b]);
        table_text(t, kinds[list[i].kind]);
        table_text(t, who);
        table_real(t, list[i].factor);
    }
    free(list);
    return n;
}
