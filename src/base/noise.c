#include "base/noise.h"

#include "base/clock.h"
#include "base/input.h"

#include <inttypes.h>

void noise_read(struct noise_totals *noise)
{
    char text[256];
    *noise = (struct noise_totals){-1, -1};
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    noise->cpu_ns = (int64_t)(1e9 * clock_seconds(CLOCK_PROCESS_CPUTIME_ID));
    input_read("/proc/thread-self/schedstat", text, sizeof text);
    sscanf(text, "%*u %" SCNd64, &noise->delayed_ns);
}
