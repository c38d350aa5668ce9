#include "measure/pairs/suspect.h"

#include "base/array.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { KIND_LEAST = 3 }; /* pairs that a kind must have to expect anything of them */

/* What is worked on, for one size. */
struct search {
    const struct pairs *p;
    const struct pairs_size *size;
    int *group; /* of hosts, of each rank; -1: none */
    double factor;
    double *excess;  /* matrix: log of a pair's round trip over its kind's; NaN: not known */
    double *scratch; /* a matrix' worth */
    double *of_host, *of_rank; /* by rank: log of the factor, 0 where nothing stands out */
    struct suspect *found;
    size_t n;
};

static bool first_of_host(const struct pairs *p, int i)
{
    for (int k = 0; k < i; k++)
        if (pairs_same_host(p, k, i))
            return false;
    return true;
}

/* What is all on one host is no group of hosts: whether it stands apart is to be found out. */
static void find_groups(struct search *w, const int *group)
{
    for (int i = 0; i < w->p->n; i++) {
        w->group[i] = -1;
        for (int k = 0; group && k < w->p->n; k++)
            if (group[k] == group[i] && !pairs_same_host(w->p, k, i) && k != i)
                w->group[i] = group[i];
    }
}

/* What a pair shares, and between which groups it lies. */
struct kind {
    int relation, low, high;
};

static bool same_kind(struct kind a, struct kind b)
{
    return a.relation == b.relation && a.low == b.low && a.high == b.high;
}

static struct kind kind_of(const struct search *w, int i, int j)
{
    const struct pairs *p = w->p;
    int a = w->group[i], b = w->group[j];
    int relation = p->relation ? p->relation[pairs_cell(p, i, j)] : -1;
    if (a < 0 || b < 0) /* as one of the group that it might belong to */
        a = b = a < 0 ? b : a;
    return (struct kind){relation < 0 ? pairs_same_host(p, i, j) : relation, a < b ? a : b,
                         a < b ? b : a};
}

/* Of a kind: the usual round trip, and how far from it, by the logarithm, is still usual. Where all
 * pairs differ, as on a wide network, none stands out. */
static double median_of_kind(const struct search *w, struct kind kind, double *usual_spread)
{
    size_t n = 0;
    for (int i = 0; i < w->p->n; i++) {
        for (int j = i + 1; j < w->p->n; j++) {
            if (same_kind(kind_of(w, i, j), kind))
                w->scratch[n++] = w->size->median[pairs_cell(w->p, i, j)];
        }
    }
    double median = n >= KIND_LEAST ? stats_median(w->scratch, n) : NAN;
    for (size_t i = 0; i < n; i++)
        w->scratch[i] = fabs(log(w->scratch[i] / median));
    *usual_spread = 3 * 1.4826 * stats_median(w->scratch, n); /* three deviations, if normal */
    return median;
}

/* Pairs of one kind come together, so that each median is found once. */
static void find_excess(struct search *w)
{
    const struct pairs *p = w->p;
    for (size_t c = 0; c < (size_t)p->n * (size_t)p->n; c++)
        w->excess[c] = INFINITY; /* not yet */
    for (int i = 0; i < p->n; i++) {
        w->excess[pairs_cell(p, i, i)] = NAN;
        for (int j = i + 1; j < p->n; j++) {
            if (!isinf(w->excess[pairs_cell(p, i, j)]))
                continue;
            struct kind kind = kind_of(w, i, j);
            double spread, usual = median_of_kind(w, kind, &spread);
            for (int a = i; a < p->n; a++) {
                for (int b = a + 1; b < p->n; b++) {
                    if (!same_kind(kind_of(w, a, b), kind))
                        continue;
                    double over = log(w->size->median[pairs_cell(p, a, b)] / usual);
                    over = over > 0 && over <= spread ? 0 : over; /* NaN stays */
                    w->excess[pairs_cell(p, a, b)] = w->excess[pairs_cell(p, b, a)] = over;
                }
            }
        }
    }
}

/* The median excess of the pairs of rank I, or of its whole HOST with others. */
static double typical(const struct search *w, int i, bool host)
{
    size_t n = 0;
    for (int a = 0; a < w->p->n; a++) {
        if (a != i && !(host && pairs_same_host(w->p, a, i)))
            continue;
        for (int b = 0; b < w->p->n; b++) {
            double over = w->excess[pairs_cell(w->p, a, b)];
            if (!isnan(over) && b != a && !(host && pairs_same_host(w->p, a, b)))
                w->scratch[n++] = over;
        }
    }
    return n >= KIND_LEAST ? stats_median(w->scratch, n) : NAN;
}

static void report(struct search *w, enum suspect_kind kind, int a, int b, double over)
{
    struct suspect s = {kind, a, b, w->size->bytes, exp(over)};
    for (size_t i = 0; i < w->n; i++) {
        struct suspect *old = &w->found[i];
        if (old->kind == kind && old->a == a && old->b == b) {
            *old = s.factor > old->factor ? s : *old;
            return;
        }
    }
    w->found[w->n++] = s;
}

static void search_size(struct search *w)
{
    const struct pairs *p = w->p;
    double limit = log(w->factor);
    find_excess(w);
    for (int i = 0; i < p->n; i++) {
        double over = typical(w, i, true);
        w->of_host[i] = over > limit ? over : 0;
        if (w->of_host[i] > 0 && first_of_host(p, i))
            report(w, SUSPECT_HOST, i, -1, over);
    }
    for (int i = 0; i < p->n; i++) {
        double over = typical(w, i, false) - w->of_host[i];
        w->of_rank[i] = over > limit ? over : 0;
        if (w->of_rank[i] > 0)
            report(w, SUSPECT_RANK, i, -1, over);
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = i + 1; j < p->n; j++) {
            double known = fmax(w->of_host[i] + w->of_rank[i], w->of_host[j] + w->of_rank[j]);
            double over = w->excess[pairs_cell(p, i, j)] - known;
            if (over > limit)
                report(w, SUSPECT_PAIR, i, j, over);
        }
    }
}

static int by_kind(const void *x, const void *y)
{
    const struct suspect *a = x, *b = y;
    return ORDER(a->kind, b->kind) ?: ORDER(b->factor, a->factor);
}

struct suspect *pairs_suspects(const struct pairs *p, double factor, size_t *n)
{
    size_t ranks = (size_t)p->n, cells = ranks * ranks;
    struct search w = {.p = p, .factor = factor};
    int *sites = NULL;
    double *x = malloc((2 * cells + 2 * ranks + 1) * sizeof *x);
    w.found = malloc((cells + 2 * ranks + 1) * sizeof *w.found);
    w.group = malloc((ranks + 1) * sizeof *w.group);
    *n = 0;
    if (!x || !w.found || !w.group || !pairs_sites(p, false, &sites)) {
        free(x);
        free(w.group);
        free(w.found);
        return NULL;
    }
    find_groups(&w, sites);
    w.excess = x;
    w.scratch = x + cells;
    w.of_host = w.scratch + cells;
    w.of_rank = w.of_host + ranks;
    for (int s = 0; p->n >= 4 && s < p->n_sizes; s++) {
        w.size = &p->size[s];
        search_size(&w);
    }
    qsort(w.found, w.n, sizeof *w.found, by_kind);
    *n = w.n;
    free(sites);
    free(w.group);
    free(x);
    return w.found;
}
