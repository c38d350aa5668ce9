/* How undisturbed this process runs: what the kernel counts anyway, read at the start, at the end
 * and from time to time in between. */
#include "base/clock.h"
#include "layer/life_inner.h"

#include <fcntl.h>
#include <sched.h>
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

/* Of this thread, or of one that came before and was delayed more: of several that call MPI, the
 * one that is worst off, as far as it was seen. */
static int64_t delayed_now(void)
{
    static int64_t most = -1;
    char text[256];
    long long delayed = -1;
    sscanf(slurp("/proc/thread-self/schedstat", text), "%*u %lld", &delayed);
    if (delayed > __atomic_load_n(&most, __ATOMIC_RELAXED))
        __atomic_store_n(&most, delayed, __ATOMIC_RELAXED);
    return __atomic_load_n(&most, __ATOMIC_RELAXED);
}

static int64_t khz_now(void)
{
    char path[96], text[256];
    long long khz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             sched_getcpu());
    return sscanf(slurp(path, text), "%lld", &khz) == 1 ? khz : -1;
}

/* Some 20 us, every 50 ms; of a longer run so much less often that the moments have room. */
static uint64_t between_looks;
static void look(uint64_t now)
{
    struct ledger_header *h = layer.ledger.header;
    uint64_t due = layer.look_at;
    if (now < due || !__atomic_compare_exchange_n(&layer.look_at, &due, UINT64_MAX, false,
                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return; /* another thread's */
    if (h->n_moments == LEDGER_MOMENTS) {
        for (uint32_t i = 0; i < LEDGER_MOMENTS / 2; i++)
            h->moment[i] = h->moment[2 * i + 1];
        h->n_moments = LEDGER_MOMENTS / 2;
        between_looks *= 2;
    }
    h->moment[h->n_moments++] = (struct ledger_moment){now, delayed_now(), khz_now()};
    __atomic_store_n(&layer.look_at, now + between_looks, __ATOMIC_RELEASE);
}

void noise_watch(void)
{
    layer.look = look;
    layer.ledger.header->n_moments = 0;
    between_looks = (uint64_t)(0.05 * layer.ledger.header->ticks_per_second);
    layer.look_at = clock_source == CLOCK_SOURCE_EXTERNAL || !between_looks
                        ? UINT64_MAX
                        : clock_ticks() + between_looks;
}

void noise_read(struct ledger_noise *noise)
{
    struct rusage usage;
    char text[256];
    long long pressure;
    *noise = (struct ledger_noise){-1, -1, -1, -1, -1, -1};
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return; /* all simulated ranks are one process */
    if (!getrusage(RUSAGE_SELF, &usage)) {
        noise->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
        noise->involuntary = usage.ru_nivcsw;
        noise->voluntary = usage.ru_nvcsw;
    }
    noise->delayed_ns = delayed_now();
    const char *total = strstr(slurp("/proc/pressure/cpu", text), "total=");
    if (total && sscanf(total, "total=%lld", &pressure) == 1)
        noise->pressure_ns = 1000 * pressure;
    if (*slurp("/proc/loadavg", text))
        noise->load = strtod(text, NULL);
}
