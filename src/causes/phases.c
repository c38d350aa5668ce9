#include "causes/phases.h"

#include <math.h>

static bool is_in(const struct phase *p, size_t i)
{
    return i >= p->first && i < p->last;
}

/* Sets the means, weighted by length, since the first and the last slice may be shorter. Returns
 * the standard error of the difference of the two efficiencies, which grows with the correlation of
 * neighbouring slices. */
static double set_means(const struct run_slice *slice, size_t n, struct phase *p)
{
    const double in = (double)(p->last - p->first), out = (double)n - in;
    double squares = 0, products = 0, before = 0, length[2] = {0};
    for (size_t i = 0; i < n; i++)
        length[is_in(p, i)] += (double)(slice[i].end_ns - slice[i].begin_ns);
    p->efficiency = p->other_efficiency = 0;
    for (size_t i = 0; i < n; i++) {
        const double part = (double)(slice[i].end_ns - slice[i].begin_ns) / length[is_in(p, i)];
        *(is_in(p, i) ? &p->efficiency : &p->other_efficiency) += part * slice[i].efficiency;
    }
    for (size_t i = 0; i < n; i++) {
        const double off =
            slice[i].efficiency - (is_in(p, i) ? p->efficiency : p->other_efficiency);
        squares += off * off;
        products += off * before;
        before = off;
    }
    const double correlation = squares > 0 ? fmax(0, products / squares) : 0;
    return sqrt(squares / (double)(n - 2) * (1 / in + 1 / out) * (1 + correlation) /
                (1 - fmin(correlation, 0.95)));
}

bool phase_find(const struct run_slice *slice, size_t n, struct phase *phase)
{
    static const double least_difference = 0.1, least_errors = 6;
    const size_t least = n / 10 > 3 ? n / 10 : 3; /* shorter phases do not matter */
    double all = 0, largest = 0;
    *phase = (struct phase){0};
    for (size_t i = 0; i < n; i++)
        all += slice[i].efficiency;
    for (size_t first = 0; first < n; first++) {
        double sum = 0;
        for (size_t last = first + 1; last <= n; last++) {
            const double in = (double)(last - first), out = (double)n - in;
            sum += slice[last - 1].efficiency;
            const double difference = sum / in - (all - sum) / out;
            const double between = difference * difference * in * out / (double)n;
            if (last - first >= least && n - (last - first) >= least && between > largest) {
                /* Of two phases the less efficient one. */
                const bool rest = difference > 0 && (!first || last == n);
                largest = between;
                phase->first = !rest ? first : first ? 0 : last;
                phase->last = !rest ? last : first ? first : n;
            }
        }
    }
    if (!(largest > 0))
        return false;
    const double error = set_means(slice, n, phase),
                 difference = fabs(phase->efficiency - phase->other_efficiency);
    return difference >= least_difference && difference >= least_errors * error;
}
