#include "measure/pairs/slow.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS_LEAST = 4 };

struct slow_search {
    const struct pairs *p;
    double limit;    /* on the logarithm */
    double *fastest; /* by rank: logarithm of its fastest pair's time */
    double *usual;   /* by rank: the median over its pairs, plus the larger of 3 deviations and the
                        limit */
    double *scratch; /* N values */
    double *excess; /* by rank: log of its fastest pair's time over the other ranks' median; largest
                       of all sizes */
    double *pair;   /* the same by pair */
};

/* Whether pair I, J counts for rank I. A pair within the host does only if there are no others. */
static bool counts(const struct pairs *p, int i, int j)
{
    if (i == j || !pairs_same_host(p, i, j))
        return i != j;
    for (int k = 0; k < p->n; k++)
        if (!pairs_same_host(p, i, k))
            return false;
    return true;
}

/* The median of the N logarithms X (which are reordered). *ABOVE: the threshold, above the median
 * by three deviations of a normal distribution and at least by LIMIT. */
static double median_and_above(double *x, size_t n, double limit, double *above)
{
    double median = stats_median(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - median);
    *above = median + fmax(limit, 3 * 1.4826 * stats_median(x, n));
    return median;
}

static void look_at_rows(const struct slow_search *w, const struct pairs_size *s)
{
    const struct pairs *p = w->p;
    for (int i = 0; i < p->n; i++) {
        size_t n = 0;
        w->fastest[i] = INFINITY;
        for (int j = 0; j < p->n; j++) {
            double trip = log(pairs_value(s, PAIRS_MIN, pairs_cell(p, i, j)));
            if (!counts(p, i, j) || isnan(trip))
                continue;
            w->scratch[n++] = trip;
            w->fastest[i] = fmin(w->fastest[i], trip);
        }
        median_and_above(w->scratch, n, w->limit, &w->usual[i]);
    }
}

/* Compares the fastest pair of rank I with those of all other ranks, or only of the NEAREST ones.
 * Returns the median; *ABOVE as in median_and_above(). */
static double compare_rank(const struct slow_search *w, const struct pairs_size *s, int i,
                           bool nearest, double *above)
{
    size_t n = 0;
    for (int j = 0; j < w->p->n; j++)
        if (counts(w->p, i, j) &&
            (!nearest ||
             log(pairs_value(s, PAIRS_MIN, pairs_cell(w->p, i, j))) < w->fastest[i] + w->limit))
            w->scratch[n++] = w->fastest[j];
    return median_and_above(w->scratch, n, w->limit, above);
}

static void compare_ranks(const struct slow_search *w, const struct pairs_size *s)
{
    for (int i = 0; i < w->p->n; i++) {
        double of_all, of_nearest;
        compare_rank(w, s, i, false, &of_all);
        double median = compare_rank(w, s, i, true, &of_nearest);
        if (w->fastest[i] > of_all && w->fastest[i] > of_nearest)
            w->excess[i] = fmax(w->excess[i], w->fastest[i] - median);
    }
}

static void compare_pairs(const struct slow_search *w, const struct pairs_size *s)
{
    const struct pairs *p = w->p;
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++) {
            double above = fmax(w->usual[i], w->usual[j]), *pair = &w->pair[pairs_cell(p, i, j)];
            double trip = log(pairs_value(s, PAIRS_MIN, pairs_cell(p, i, j)));
            if (trip > above)
                *pair = fmax(*pair, trip - above + w->limit);
        }
}

/* Whether I is the first rank of a host on which all ranks are slow. *LEAST: smallest excess. */
static bool is_slow_host(const struct slow_search *w, int i, double *least)
{
    *least = INFINITY;
    for (int k = 0; k < w->p->n; k++)
        if (pairs_same_host(w->p, i, k)) {
            if (k < i || w->excess[k] == 0)
                return false;
            *least = fmin(*least, w->excess[k]);
        }
    return !isinf(*least);
}

static bool is_of_slow_host(const struct slow_search *w, int i)
{
    double least;
    for (int k = 0; k <= i; k++)
        if (pairs_same_host(w->p, i, k) && is_slow_host(w, k, &least))
            return true;
    return false;
}

COMPARISON(by_factor, struct slow, ORDER(x->kind, y->kind) ?: ORDER(y->factor, x->factor))

static struct slow *list(const struct slow_search *w, size_t *n)
{
    const struct pairs *p = w->p;
    struct slow *found = memory_alloc(((size_t)p->n * (size_t)p->n + 1) * sizeof *found);
    double over;
    *n = 0;
    for (int i = 0; i < p->n; i++) {
        if (is_slow_host(w, i, &over))
            found[(*n)++] = (struct slow){SLOW_HOST, i, -1, exp(over)};
        else if (w->excess[i] > 0 && !is_of_slow_host(w, i))
            found[(*n)++] = (struct slow){SLOW_RANK, i, -1, exp(w->excess[i])};
        for (int j = i + 1; j < p->n; j++)
            if (w->excess[i] == 0 && w->excess[j] == 0 && w->pair[pairs_cell(p, i, j)] > 0)
                found[(*n)++] = (struct slow){SLOW_PAIR, i, j, exp(w->pair[pairs_cell(p, i, j)])};
    }
    qsort(found, *n, sizeof *found, by_factor);
    return found;
}

struct slow *pairs_slow(const struct pairs *p, double factor, size_t *n)
{
    size_t ranks = (size_t)p->n;
    double *x = memory_alloc((4 * ranks + ranks * ranks) * sizeof *x);
    struct slow_search w = {.p = p,
                            .limit = log(factor),
                            .fastest = x,
                            .usual = x + ranks,
                            .scratch = x + 2 * ranks,
                            .excess = x + 3 * ranks,
                            .pair = x + 4 * ranks};
    for (int s = 0; s < p->n_sizes && p->n >= RANKS_LEAST; s++) {
        look_at_rows(&w, &p->size[s]);
        compare_ranks(&w, &p->size[s]);
        compare_pairs(&w, &p->size[s]);
    }
    struct slow *found = list(&w, n);
    free(x);
    return found;
}
