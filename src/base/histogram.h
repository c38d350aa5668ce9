/* Size classes of messages, and a log-linear histogram of durations in ns: 8 buckets per power of
 * two, so that the middle of a bucket is within 6.25 % of each duration in it. The buckets cover 8
 * ns to 137 s; the first and the last one also count shorter and longer durations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_2(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The size class of a message: 0 if it is empty, C from 2^(C-1) to below 2^C bytes. */
static inline unsigned size_class_of(uint64_t bytes)
{
    return bytes ? 64u - (unsigned)__builtin_clzll(bytes) : 0;
}

enum { HISTOGRAM_BUCKETS = 256 };

static inline unsigned histogram_bucket(uint64_t ns)
{
    uint64_t v = ns >> 3;
    if (v < 8)
        return (unsigned)v;
    unsigned e = 63u - (unsigned)__builtin_clzll(v);
    unsigned bucket = 8 * (e - 2) + (unsigned)((v >> (e - 3)) & 7);
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* The shortest duration that BUCKET counts, in ns; all are below histogram_floor(bucket + 1). */
static inline uint64_t histogram_floor(unsigned bucket)
{
    if (bucket < 8)
        return (uint64_t)bucket << 3;
    unsigned e = bucket / 8 + 2;
    return (uint64_t)(8 + bucket % 8) << e;
}

/* The Q-quantile in ns, 0 <= Q <= 1, of the durations counted in COUNT[HISTOGRAM_BUCKETS]:
 * interpolated within the quantile's bucket, and limited to MIN to MAX, the extreme durations. */
double histogram_quantile(const uint64_t *count, double q, uint64_t min, uint64_t max);
