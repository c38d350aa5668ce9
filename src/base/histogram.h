/* Classes of sizes, and a log-linear histogram of durations: 8 buckets per power of two, so that a
 * value read back is within 6.25 % of the one counted. Covers 8 ns to 137 s; shorter and longer
 * ones are counted in the first and the last bucket. Unit: nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_2(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The size class of a message: 0 for no bytes, C for sizes from 2^(C-1) to below 2^C. */
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

/* The shortest duration of BUCKET; the bucket ends below that of BUCKET + 1. */
static inline uint64_t histogram_floor(unsigned bucket)
{
    if (bucket < 8)
        return (uint64_t)bucket << 3;
    unsigned e = bucket / 8 + 2;
    return (uint64_t)(8 + bucket % 8) << e;
}

/* The q-quantile, 0 <= q <= 1, interpolated inside its bucket and limited to [min, max]. */
double histogram_quantile(const uint64_t *count, double q, uint64_t min, uint64_t max);
