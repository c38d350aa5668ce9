/* CPU contention, read from time to time: what is known of a process that will be killed. */
#include "base/noise.h"
#include "base/clock.h"
#include "layer/parts.h"

/* Some 20 us, every 50 ms. */
static void look(uint64_t now)
{
    struct ledger_header *h = layer.ledger.header;
    uint64_t due = __atomic_load_n(&layer.look_at, __ATOMIC_RELAXED);
    if (now < due || !__atomic_compare_exchange_n(&layer.look_at, &due, UINT64_MAX, false,
                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return; /* another thread's */
    noise_read(&h->noise[1]);
    __atomic_store_n(&layer.look_at, now + (uint64_t)(0.05 * h->ticks_per_second),
                     __ATOMIC_RELEASE);
}

void noise_watch(void)
{
    struct ledger_header *h = layer.ledger.header;
    bool watched = clock_source != CLOCK_SOURCE_EXTERNAL && h->ticks_per_second > 20;
    layer.look = look;
    layer.look_at = watched ? clock_ticks() + (uint64_t)(0.05 * h->ticks_per_second) : UINT64_MAX;
}
