/* How much of a communication was overlapped with computation: equation (1) of Denis and Trahay,
 * "MPI Overlap: Benchmark and Analysis". */
#pragma once

#include <math.h>

/* (measured - max(comm, comp)) / min(comm, comp): 0 is perfect overlap, 1 is serialised, above 1 is
 * slower than serialised. All times have the same unit. NaN if COMM or COMP is not positive, since
 * then nothing can overlap. */
static inline double overlap_ratio(double measured, double comm, double comp)
{
    if (!(comm > 0) || !(comp > 0))
        return NAN;
    return (measured - fmax(comm, comp)) / fmin(comm, comp);
}
