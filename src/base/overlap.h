/* The overlap ratio of communication and computation: equation (1) of Denis and Trahay, "MPI
 * Overlap: Benchmark and Analysis". */
#pragma once

#include <math.h>

/* 0: perfect overlap; 1: no overlap; above 1: slower than one after the other. MEASURED is the time
 * of both together, COMM and COMP those of each alone, all in one unit. NaN if COMM or COMP is not
 * positive. */
static inline double overlap_ratio(double measured, double comm, double comp)
{
    if (!(comm > 0) || !(comp > 0))
        return NAN;
    return (measured - fmax(comm, comp)) / fmin(comm, comp);
}
