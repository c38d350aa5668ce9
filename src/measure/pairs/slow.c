#include "measure/pairs/slow.h"

#include "base/array.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { KIND_LEAST = 3 }; /* pairs that a kind must have to compare with */

struct search {
    const struct pairs *p;
    int *group;      /* clusters of several hosts, by rank; -1: none */
    double *excess;  /* matrix: log of a pair's round trip over its kind's; NaN: not comparable */
    double *scratch; /* as large */
    struct slow *found;
    size_t n;
    double limit; /* log of the factor */
};

/* A host of its own is no cluster: whether it is slow is to be found out. */
static bool find_groups(struct search *w)
{
    int *cluster, n = w->p->n;
    if (!w->group || !pairs_clusters(w->p, &cluster))
        return false;
    for (int i = 0; i < n; i++) {
        w->group[i] = -1;
        for (int k = 0; cluster && k < n; k++)
            if (k != i && cluster[k] == cluster[i] && !pairs_same_host(w->p, k, i))
                w->group[i] = cluster[i];
    }
    free(cluster);
    return true;
}

static double pair_time(const struct pairs_size *s, size_t cell)
{
    double median = s->of[PAIRS_MEDIAN][cell];
    return isnan(median) ? s->of[PAIRS_MEAN][cell] : median;
}

/* A number for what the pair shares and between which clusters it lies. */
static long kind_of(const struct search *w, int i, int j)
{
    const struct pairs *p = w->p;
    int relation = p->relation ? p->relation[pairs_cell(p, i, j)] : -1;
    int a = w->group[i], b = w->group[j];
    if (relation < 0)
        relation = pairs_same_host(p, i, j);
    if (a < 0 || b < 0) /* as if it belonged to the other's cluster */
        a = b = a < 0 ? b : a;
    return relation + 16L * ((1L + (a < b ? a : b)) * (p->n + 1L) + (a < b ? b : a));
}

/* The largest excess over all sizes of the pairs of one kind; within three deviations it is 0. */
static void compare_kind(struct search *w, const struct pairs_size *s, long kind)
{
    const struct pairs *p = w->p;
    size_t n = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++)
            if (kind_of(w, i, j) == kind)
                w->scratch[n++] = log(pair_time(s, pairs_cell(p, i, j)));
    double usual = n >= KIND_LEAST ? stats_median(w->scratch, n) : NAN;
    for (size_t k = 0; k < n; k++)
        w->scratch[k] = fabs(w->scratch[k] - usual);
    double spread = 3 * 1.4826 * stats_median(w->scratch, n); /* of a normal distribution */
    for (int i = 0; i < p->n; i++) {
        for (int j = i + 1; j < p->n; j++) {
            double *at = &w->excess[pairs_cell(p, i, j)];
            double over = log(pair_time(s, pairs_cell(p, i, j))) - usual;
            if (kind_of(w, i, j) == kind && !isnan(over))
                *at = fmax(*at, over > spread ? over : 0);
            w->excess[pairs_cell(p, j, i)] = *at;
        }
    }
}

static void find_excess(struct search *w)
{
    const struct pairs *p = w->p;
    for (size_t c = 0; c < (size_t)p->n * (size_t)p->n; c++)
        w->excess[c] = NAN;
    for (int s = 0; s < p->n_sizes; s++) {
        for (int i = 0; i < p->n; i++) {
            for (int j = i + 1; j < p->n; j++) {
                bool first = true; /* pair of its kind */
                for (int a = 0; first && a <= i; a++)
                    for (int b = a + 1; first && b < (a < i ? p->n : j); b++)
                        first = kind_of(w, a, b) != kind_of(w, i, j);
                if (first)
                    compare_kind(w, &p->size[s], kind_of(w, i, j));
            }
        }
    }
}

/* The median excess of the pairs of rank I, or of its whole HOST with others. */
static double typical(const struct search *w, int i, bool host)
{
    const struct pairs *p = w->p;
    size_t n = 0;
    for (int a = 0; a < p->n; a++) {
        if (a != i && !(host && pairs_same_host(p, a, i)))
            continue;
        for (int b = 0; b < p->n; b++) {
            double over = w->excess[pairs_cell(p, a, b)];
            if (!isnan(over) && b != a && !(host && pairs_same_host(p, a, b)))
                w->scratch[n++] = over;
        }
    }
    return n >= KIND_LEAST ? stats_median(w->scratch, n) : 0;
}

static void report(struct search *w, enum slow_kind kind, int a, int b, double over)
{
    w->found[w->n++] = (struct slow){kind, a, b, exp(over)};
}

/* OF: by rank, what its host and itself explain of its pairs. */
static void find_slow(struct search *w, double *of)
{
    const struct pairs *p = w->p;
    for (int i = 0; i < p->n; i++) {
        double over = typical(w, i, true);
        bool first = true; /* of its host */
        for (int k = 0; k < i; k++)
            first = first && !pairs_same_host(p, k, i);
        of[i] = over > w->limit ? over : 0;
        if (of[i] > 0 && first)
            report(w, SLOW_HOST, i, -1, over);
    }
    for (int i = 0; i < p->n; i++) {
        double over = typical(w, i, false) - of[i];
        if (over > w->limit) {
            report(w, SLOW_RANK, i, -1, over);
            of[i] += over;
        }
    }
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++) {
            double over = w->excess[pairs_cell(p, i, j)] - fmax(of[i], of[j]);
            if (over > w->limit)
                report(w, SLOW_PAIR, i, j, over);
        }
}

static int compare_slow(const void *x, const void *y)
{
    const struct slow *a = x, *b = y;
    return ORDER(a->kind, b->kind) ?: ORDER(b->factor, a->factor);
}

struct slow *pairs_slow(const struct pairs *p, double factor, size_t *n)
{
    size_t ranks = (size_t)p->n, cells = ranks * ranks;
    struct search w = {.p = p, .limit = log(factor)};
    double *x = malloc((2 * cells + ranks + 1) * sizeof *x);
    w.found = malloc((cells + 2 * ranks + 1) * sizeof *w.found);
    w.group = malloc((ranks + 1) * sizeof *w.group);
    *n = 0;
    if (!x || !w.found || !find_groups(&w)) {
        free(x);
        free(w.group);
        free(w.found);
        return NULL;
    }
    w.excess = x;
    w.scratch = x + cells;
    if (p->n >= 4) {
        find_excess(&w);
        find_slow(&w, w.scratch + cells);
    }
    qsort(w.found, w.n, sizeof *w.found, compare_slow);
    *n = w.n;
    free(w.group);
    free(x);
    return w.found;
}
