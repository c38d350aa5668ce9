#include "compare/evidence.h"

#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_VALUES = 50, DEALS = 20000, RESAMPLES = 4000 };

/* splitmix64 (Vigna 2015): any state is a good one. */
static uint64_t drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)((unsigned __int128)drawn(state) * n >> 64);
}

/* In how many ways N of N + M can be chosen. */
static double ways(size_t n, size_t m)
{
    double w = 1;
    for (size_t i = 1; i <= n; i++)
        w = w * (double)(m + i) / (double)i;
    return w;
}

bool evidence_enough(size_t n, size_t m)
{
    return n && m && 2 / ways(n, m) <= EVIDENCE_LEVEL;
}

/* --- one row --- */

/* Twice the rank of VALUE[I] among all N: a whole number with ties, too. */
static size_t rank_of(const double *value, size_t n, size_t i)
{
    size_t twice = 1;
    for (size_t k = 0; k < n; k++)
        twice += value[k] < value[i] ? 2 : value[k] == value[i];
    return twice;
}

/* How many of the choices of N among ALL ranks have a sum as far from the middle as SEEN. Counted
 * one rank after the other, by number of those chosen and their sum. */
static double share_as_far(const size_t *rank, size_t all, size_t n, size_t seen)
{
    size_t most = all * (all + 1), width = most + 1;
    double *count = calloc((n + 1) * width, sizeof *count);
    if (!count)
        return 1;
    count[0] = 1;
    for (size_t i = 0; i < all; i++)
        for (size_t k = n; k-- > 0;)
            for (size_t s = most + 1 - rank[i]; s-- > 0;)
                count[(k + 1) * width + s + rank[i]] += count[k * width + s];
    double far = 0, sum = 0, middle = (double)n * (double)(all + 1);
    for (size_t s = 0; s <= most; s++) {
        sum += count[n * width + s];
        if (fabs((double)s - middle) >= fabs((double)seen - middle) - 0.5)
            far += count[n * width + s];
    }
    free(count);
    return far / sum;
}

double evidence_rank_test(const double *a, size_t n, const double *b, size_t m)
{
    size_t all = n + m, sum = 0;
    if (!n || !m)
        return 1;
    double *value = malloc(all * sizeof *value);
    size_t *rank = malloc(all * sizeof *rank);
    double p = 1;
    if (value && rank) {
        memcpy(value, a, n * sizeof *a);
        memcpy(value + n, b, m * sizeof *b);
        for (size_t i = 0; i < all; i++) {
            rank[i] = rank_of(value, all, i);
            sum += i < n ? rank[i] : 0;
        }
        if (all <= EXACT_VALUES) {
            p = share_as_far(rank, all, n, sum);
        } else {
            /* Variance of the rank sum, less what ties take from it; in whole ranks. */
            double N = (double)all, nm = (double)n * (double)m, excess = 0;
            for (size_t i = 0; i < all; i++) {
                double equal = 0;
                for (size_t k = 0; k < all; k++)
                    equal += value[k] == value[i];
                excess += equal * equal - 1; /* summed over the T members: T (T^2 - 1) */
            }
            double sd = sqrt(nm / 12 * (N + 1 - excess / (N * (N - 1))));
            double off = fabs((double)sum / 2 - (double)n * (N + 1) / 2) - 0.5;
            p = sd > 0 ? erfc(fmax(off, 0) / sd / sqrt(2)) : 1;
        }
    }
    free(value);
    free(rank);
    return p;
}

double evidence_superiority(const double *a, size_t n, const double *b, size_t m)
{
    double larger = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            larger += b[k] > a[i] ? 1 : (b[k] == a[i] ? 0.5 : 0);
    return larger / ((double)n * (double)m);
}

static double median_of_draw(const double *from, size_t n, double *room, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        room[i] = from[below(state, n)];
    return stats_median(room, n);
}

void evidence_interval(const double *a, size_t n, const double *b, size_t m, double *low,
                       double *high)
{
    struct summary x = stats_summarize(a, n), y = stats_summarize(b, m);
    *low = y.min - x.max;
    *high = y.max - x.min;
    double *change = n > 2 && m > 2 ? malloc(RESAMPLES * sizeof *change) : NULL;
    double *room = change ? malloc((n + m) * sizeof *room) : NULL;
    uint64_t state = 1;
    if (room) {
        for (size_t i = 0; i < RESAMPLES; i++) {
            double then = median_of_draw(b, m, room, &state);
            change[i] = then - median_of_draw(a, n, room, &state);
        }
        stats_sort(change, RESAMPLES);
        *low = stats_quantile(change, RESAMPLES, 0.025);
        *high = stats_quantile(change, RESAMPLES, 0.975);
    }
    free(room);
    free(change);
}

/* --- all rows together --- */

/* The values of a row, those that lie far out pulled in to three median distances of the median of
 * all runs: one run that something fell upon decides nothing. Of which side a run is makes no
 * difference here, so that dealing out anew stays exact. */
static void pull_in(const double *value, size_t n, double floor, double *to)
{
    memcpy(to, value, n * sizeof *to);
    double middle = stats_median(to, n);
    for (size_t i = 0; i < n; i++)
        to[i] = fabs(value[i] - middle);
    double far = 3 * (stats_median(to, n) + floor);
    for (size_t i = 0; i < n; i++)
        to[i] = fmin(fmax(value[i], middle - far), middle + far);
}

/* How far the values whose IN is set are from the others. */
static double apart(const double *value, const bool *in, size_t all, double floor)
{
    double n[2] = {0}, sum[2] = {0}, squares[2] = {0}, variance = 0;
    for (size_t i = 0; i < all; i++) {
        n[in[i]]++;
        sum[in[i]] += value[i];
    }
    for (size_t i = 0; i < all; i++) {
        double off = value[i] - sum[in[i]] / n[in[i]];
        squares[in[i]] += off * off;
    }
    for (int side = 0; side < 2; side++)
        variance += n[side] > 1 ? squares[side] / (n[side] - 1) / n[side] : 0;
    return fabs(sum[1] / n[1] - sum[0] / n[0]) / (sqrt(variance) + floor);
}

/* The next choice of as many of N, in the order of binary numbers; false after the last. */
static bool next_choice(bool *in, size_t n)
{
    size_t ones = 0, i = 0;
    while (i < n && !in[i])
        i++;
    while (i + 1 < n && in[i] && in[i + 1]) {
        i++;
        ones++;
    }
    if (i + 1 >= n)
        return false;
    in[i + 1] = true;
    for (size_t k = 0; k <= i; k++)
        in[k] = k < ones;
    return true;
}

static void shuffle(bool *in, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = below(state, i);
        bool kept = in[i - 1];
        in[i - 1] = in[k];
        in[k] = kept;
    }
}

void evidence_together(const double *value, size_t rows, size_t n, size_t m, double floor,
                       double *p)
{
    size_t all = n + m;
    double *seen = malloc((rows + 1) * sizeof *seen);
    double *tame = malloc((rows * all + 1) * sizeof *tame);
    bool *in = calloc(all + 1, sizeof *in), exact = ways(n, m) <= DEALS;
    for (size_t r = 0; r < rows; r++)
        p[r] = 1;
    if (seen && tame && in) {
        uint64_t state = 1;
        double deals = 0;
        for (size_t i = 0; i < n; i++)
            in[i] = true;
        for (size_t r = 0; r < rows; r++) {
            pull_in(value + r * all, all, floor, tame + r * all);
            seen[r] = apart(tame + r * all, in, all, floor);
            p[r] = 0;
        }
        do { /* the first deal is the one that was seen */
            double most = 0;
            for (size_t r = 0; r < rows; r++)
                most = fmax(most, apart(tame + r * all, in, all, floor));
            for (size_t r = 0; r < rows; r++)
                p[r] += most >= seen[r] * (1 - 1e-9);
            deals++;
            if (!exact)
                shuffle(in, all, &state);
        } while (exact ? next_choice(in, all) : deals < DEALS);
        for (size_t r = 0; r < rows; r++)
            p[r] /= deals;
    }
    free(seen);
    free(tame);
    free(in);
}
