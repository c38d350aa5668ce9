#include "measure/pairs/slow.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS_LEAST = 4 };

struct slow_search {
    const struct pairs *p;
    double limit;    /* logarithm of the argument FACTOR of pairs_slow() */
    double *fastest; /* by rank: logarithm of its fastest pair's time */
    double *usual;   /* by rank: threshold for a slow pair: median of its pairs' logarithms plus the
                        larger of 3 deviations and LIMIT */
    double *scratch; /* N values */
    double *excess;  /* by rank, if it is slow: log of its fastest pair's time over the nearest
                        ranks' median; largest of all sizes; else 0 */
    double *pair;    /* by pair, if slow: log of its time over USUAL, plus LIMIT; else 0 */
};

/* Whether pair I, J counts for rank I. Pairs within a host do only if I has no others. */
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

/* A rank is slow if its fastest pair is slower than the fastest pairs of all other ranks, and than
 * those of the ranks nearest to it, over whose median the excess is computed. */
static void compare_ranks(const struct slow_search *w, const struct pairs_size *s)
{
    for (int i = 0; i < w->p->n; i++) {
        double median = 0, above = 0;
        bool slow = true;
        for (int nearest = 0; nearest < 2; nearest++) {
            const double most = nearest ? w->fastest[i] + w->limit : INFINITY;
            size_t n = 0;
            for (int j = 0; j < w->p->n; j++)
                if (counts(w->p, i, j) &&
                    log(pairs_value(s, PAIRS_MIN, pairs_cell(w->p, i, j))) < most)
                    w->scratch[n++] = w->fastest[j];
            median = median_and_above(w->scratch, n, w->limit, &above);
            slow = slow && w->fastest[i] > above;
        }
        if (slow)
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

/* The smallest excess of all ranks on the host of I; 0 if I's host is unknown. *FIRST: the lowest
 * of these ranks. */
static double host_excess(const struct slow_search *w, int i, int *first)
{
    double least = INFINITY;
    *first = -1;
    for (int k = w->p->n - 1; k >= 0; k--)
        if (pairs_same_host(w->p, i, k)) {
            *first = k;
            least = fmin(least, w->excess[k]);
        }
    return *first < 0 ? 0 : least;
}

COMPARISON(by_factor, struct slow, ORDER(x->kind, y->kind) ?: ORDER(y->factor, x->factor))

static struct slow *list(const struct slow_search *w, size_t *n)
{
    const struct pairs *p = w->p;
    struct slow *found = memory_alloc(((size_t)p->n * (size_t)p->n + 1) * sizeof *found);
    *n = 0;
    for (int i = 0; i < p->n; i++) {
        int first;
        double host = host_excess(w, i, &first);
        if (host > 0 && i == first)
            found[(*n)++] = (struct slow){SLOW_HOST, i, -1, exp(host)};
        else if (host == 0 && w->excess[i] > 0)
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
    FREED double *x = memory_alloc((4 * ranks + ranks * ranks) * sizeof *x);
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
    return list(&w, n);
}
