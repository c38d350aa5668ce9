#include "sync/local_clock.h"

#include "base/clock.h"
#include "base/hash.h"
#include "sync/sync.h"

#ifdef COLLPROF_SIMULATED
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct sync_options options;
static double offset, rate = 1;

static double simulated_now(void)
{
    return offset + rate * PMPI_Wtime();
}

/* The simulator's usleep passes simulated time; it takes whole microseconds only. */
static void simulated_hold(double seconds)
{
    seconds /= rate;
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = lround((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static void drift_apart(double ppm)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    PMPI_Get_processor_name(host, &length);
    options.now = simulated_now;
    options.domain = hash_bytes(HASH_START, host, strlen(host)) | 1;
    offset = 1e3 * sin((double)(options.domain % 997));
    rate = 1 + 1e-6 * ppm * sin((double)(options.domain % 1009));
}

void local_clock_start(void)
{
    const char *drift = getenv("SIM_DRIFT");
    if (drift)
        drift_apart(atof(drift));
    clock_use(simulated_now, simulated_hold);
    clock_start();
}

const struct sync_options *local_clock_options(void)
{
    return options.now ? &options : NULL;
}
#else
const struct sync_options *local_clock_options(void)
{
    return NULL;
}

void local_clock_start(void)
{
    clock_start();
}
#endif
