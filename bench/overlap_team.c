/* --work=openmp: the computation is that of a team of OpenMP threads, from fork to join. Compiled
 * with OpenMP where the compiler has it. */
#include "overlap_options.h"

#ifdef _OPENMP
#include <omp.h>

static void team(uint64_t units)
{
#pragma omp parallel
    work_part(units);
}

int overlap_team(void)
{
    work_by(team);
    return omp_get_max_threads();
}
#else
int overlap_team(void)
{
    return 0;
}
#endif
