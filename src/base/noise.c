#include "base/noise.h"

#include "base/clock.h"
#include "base/input.h"

#include <sys/resource.h>

static int64_t ns_of(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* As struct noise_totals. */
static int64_t noise_delayed(void)
{
    char text[256];
    long long delayed = -1;
    input_read("/proc/thread-self/schedstat", text, sizeof text);
    sscanf(text, "%*u %lld", &delayed);
    return delayed;
}

void noise_read(struct noise_totals *noise)
{
    struct rusage usage;
    *noise = (struct noise_totals){-1, -1};
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (!getrusage(RUSAGE_SELF, &usage))
        noise->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
    noise->delayed_ns = noise_delayed();
}
