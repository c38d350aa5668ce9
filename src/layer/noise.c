/* How undisturbed this process runs: what the kernel counts anyway, read at the start and the end.
 */
#include "base/clock.h"
#include "layer/life_inner.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The beginning of a file of /proc; empty if there is none. */
static const char *slurp(const char *path, char text[256])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, text, 255) : 0;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static int64_t ns_of(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

void noise_read(struct ledger_noise *noise)
{
    struct rusage usage;
    char text[256];
    long long delayed, pressure;
    *noise = (struct ledger_noise){-1, -1, -1, -1, -1, -1};
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return; /* all simulated ranks are one process */
    if (!getrusage(RUSAGE_SELF, &usage)) {
        noise->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
        noise->involuntary = usage.ru_nivcsw;
        noise->voluntary = usage.ru_nvcsw;
    }
    if (sscanf(slurp("/proc/self/schedstat", text), "%*u %lld", &delayed) == 1)
        noise->delayed_ns = delayed;
    const char *total = strstr(slurp("/proc/pressure/cpu", text), "total=");
    if (total && sscanf(total, "total=%lld", &pressure) == 1)
        noise->pressure_ns = 1000 * pressure;
    if (*slurp("/proc/loadavg", text))
        noise->load = strtod(text, NULL);
}
