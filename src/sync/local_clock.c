#include "sync/local_clock.h"

#include "base/clock.h"

#ifdef COLLPROF_SIMULATED
#include <math.h>
#include <mpi.h>
#include <time.h>

static double simulated_now(void)
{
    return PMPI_Wtime();
}

/* The simulator's usleep passes simulated time; it takes whole microseconds only. */
static void simulated_hold(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = lround((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

void local_clock_start(void)
{
    clock_use(simulated_now, simulated_hold);
    clock_start();
}
#else
void local_clock_start(void)
{
    clock_start();
}
#endif
