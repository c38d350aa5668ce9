#include "base/clock.h"
#include "base/hash.h"
#include "sync/sync.h"

static uint64_t domain;

#ifdef COLLPROF_SIMULATED
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double offset, rate = 1;

static double simulated_now(void)
{
    return offset + rate * PMPI_Wtime();
}

/* nanosleep() advances simulated time; usleep() would take only whole microseconds. */
static void simulated_hold(double seconds)
{
    seconds /= rate;
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = lround((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

/* Gives each simulated host a clock of its own, which depends on the host's name only: its offset
 * is up to 1000 s, its rate is off by up to PPM. */
static void drift(double ppm)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    PMPI_Get_processor_name(host, &length);
    domain = hash_bytes(HASH_START, host, strlen(host)) | 1;
    offset = 1e3 * sin((double)(domain % 997));
    rate = 1 + 1e-6 * ppm * sin((double)(domain % 1009));
}

#endif

void local_clock_start(void)
{
#ifdef COLLPROF_SIMULATED
    const char *ppm = getenv("SIM_DRIFT");
    if (ppm)
        drift(atof(ppm));
    clock_use_external(simulated_now, simulated_hold);
#endif
    clock_start();
}

uint64_t local_clock_domain(void)
{
    return domain;
}
