#include "pairs_results.h"

#include "base/stats.h"
#include "base/topology.h"
#include "measure/pairs/log.h"
#include "measure/pairs/slow.h"
#include "results/pairs_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks of the longest table of pairs, and of the longest that is shown as text. */
enum { TABLE_MAX = 256, TEXT_MAX = 8 };

static const struct column relation_columns[] = {
    {"relation", NULL, COLUMN_TEXT, 0, "closest thing that the two ranks share (hwloc, host)"},
    {"pairs", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"lowest", "us", COLUMN_REAL, 2, "smallest median round trip of these pairs"},
    {"median", "us", COLUMN_REAL, 2, "median of the pairs' medians"},
    {"highest", "us", COLUMN_REAL, 2, NULL},
};

/* One row, of pairs of one relation. TRIP has room for all pairs. */
static void add_relation(const struct pairs *p, int s, int relation, double *trip, struct table *t)
{
    size_t n = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++) {
            size_t k = pairs_cell(p, i, j);
            if ((p->relation ? p->relation[k] : -1) == relation)
                trip[n++] = 1e6 * p->size[s].of[PAIRS_MEDIAN][k];
        }
    if (n == 0)
        return;
    stats_sort(trip, n);
    table_text(t, pairs_relation_name(relation));
    table_integer(t, (long long)n);
    table_integer(t, (long long)p->size[s].bytes);
    table_real(t, trip[0]);
    table_real(t, stats_quantile(trip, n, 0.5));
    table_real(t, trip[n - 1]);
}

static void add_relations(const struct pairs *p, struct document *d)
{
    double *trip = malloc((size_t)p->n * (size_t)p->n * sizeof *trip);
    struct table *t =
        document_table_of(d, "relations", "By what the two ranks share", relation_columns);
    for (int s = 0; trip && s < p->n_sizes; s++)
        for (int relation = -1; relation <= OTHER_NODE; relation++)
            add_relation(p, s, relation, trip, t);
    free(trip);
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

void pairs_results(const struct pairs *p, struct document *d)
{
    add_relations(p, d);
    if (p->n <= TABLE_MAX)
        pairs_table(p, d, p->n <= TEXT_MAX);
    else
        document_finding(d, &(struct finding){.key = "too_many_ranks", .severity = SEVERITY_NOTE},
                         "Tables of %d ranks are too long: the log (--output) has all pairs.",
                         p->n);
    for (int s = 0; s < p->n_sizes; s++)
        add_bound(p, d, &p->size[s]);
}

static void add_slow(const struct pairs *p, const struct slow *slow, struct document *d)
{
    static const char *const key[] = {
        [SLOW_HOST] = "slow_host", [SLOW_RANK] = "slow_rank", [SLOW_PAIR] = "slow_pair"};
    struct finding f = {.key = key[slow->kind],
                        .severity = SEVERITY_FINDING,
                        .number = {{"factor", slow->factor}, {"rank", slow->a}}};
    const char *a = p->host[slow->a];
    if (slow->kind == SLOW_PAIR) {
        f.number[2].name = "other_rank";
        f.number[2].value = slow->b;
        document_finding(d, &f,
                         "Ranks %d on %s and %d on %s need %.3g times what is usual for both.",
                         slow->a, a, slow->b, p->host[slow->b], slow->factor);
    } else if (slow->kind == SLOW_HOST) {
        document_finding(d, &f,
                         "Host %s is slow: the fastest pair of its ranks takes %.3g times as long "
                         "as those of the ranks nearest to them.",
                         a, slow->factor);
    } else {
        document_finding(d, &f,
                         "Rank %d on %s is slow: its fastest pair takes %.3g times as long as that "
                         "of other ranks.",
                         slow->a, a, slow->factor);
    }
}

bool pairs_results_slow(const struct pairs *p, double factor, struct document *d)
{
    size_t n;
    struct slow *slow = pairs_slow(p, factor, &n);
    for (size_t i = 0; i < n; i++)
        add_slow(p, &slow[i], d);
    if (n == 0)
        document_finding(d, &(struct finding){.key = "nothing_slow", .severity = SEVERITY_NOTE},
                         "No host, rank or pair is slower than the others by %g and by more than "
                         "three standard deviations.",
                         factor);
    free(slow);
    return n > 0;
}
