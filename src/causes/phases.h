/* Parallel efficiency over time, and the part of the run in which it differs most from the rest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of equally long parts of the run; the first and the last may be shorter. */
struct run_slice {
    int64_t begin_ns, end_ns; /* since the start of the run */
    double efficiency;        /* time outside of MPI, mean of all ranks, as a share of the slice:
                                 POP's parallel efficiency */
    double most;   /* the largest such share of one rank: POP's communication efficiency, so that
                      efficiency / most is the load balance */
    uint32_t rank; /* that rank */
};

/* A run is cut into at most SLICES, in each of which a rank makes CALLS calls on average. With
 * fewer than LEAST slices efficiency over time is not computed. */
enum { PHASE_SLICES = 128, PHASE_CALLS = 4, PHASE_LEAST = 8 };

/* Consecutive slices FIRST to LAST - 1; means over these, and over all others. */
struct phase {
    size_t first, last;
    double efficiency, other_efficiency;
};

/* Finds the phase that differs most from the rest of N slices; if the run consists of two phases,
 * the less efficient one. False if its efficiency differs
 * by less than 0.1, or by less than 6 standard errors: the most of thousands of possible phases
 * seldom reaches that by chance. */
bool phase_find(const struct run_slice *slice, size_t n, struct phase *phase);
