#include "base/histogram.h"

#include <math.h>

double histogram_quantile(const uint64_t *count, double q, uint64_t min, uint64_t max)
{
    uint64_t total = 0, below = 0;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        total += count[b];
    double wanted = q * (double)total, value = (double)max;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (count[b] && (double)(below + count[b]) >= wanted) {
            double from = (double)histogram_floor(b), to = (double)histogram_floor(b + 1);
            value = from + (to - from) * (wanted - (double)below) / (double)count[b];
            break;
        }
        below += count[b];
    }
    return fmax((double)min, fmin(value, (double)max));
}
