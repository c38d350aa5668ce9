#include "base/noise.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The beginning of a file; empty if there is none. */
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

/* Of this thread, or of one that came before and was delayed more: of several that call MPI it is
 * the one that is worst off, as far as it was seen. */
static int64_t noise_delayed(void)
{
    static int64_t most = -1;
    char text[256];
    long long delayed = -1;
    sscanf(slurp("/proc/thread-self/schedstat", text), "%*u %lld", &delayed);
    if (delayed > __atomic_load_n(&most, __ATOMIC_RELAXED))
        __atomic_store_n(&most, delayed, __ATOMIC_RELAXED);
    return __atomic_load_n(&most, __ATOMIC_RELAXED);
}

void noise_read(struct noise_totals *noise)
{
    struct rusage usage;
    char text[256];
    *noise = (struct noise_totals){-1, -1, -1, -1, -1};
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (!getrusage(RUSAGE_SELF, &usage)) {
        noise->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
        noise->involuntary = usage.ru_nivcsw;
        noise->voluntary = usage.ru_nvcsw;
    }
    noise->delayed_ns = noise_delayed();
    if (*slurp("/proc/loadavg", text))
        noise->load = strtod(text, NULL);
}
