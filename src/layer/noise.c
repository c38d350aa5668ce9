/* How undisturbed the run is, from time to time between its start and its end. */
#include "base/noise.h"
#include "base/clock.h"
#include "layer/parts.h"

/* Some 20 us, every 50 ms. The one before the last stays whole while the last is written. */
static void look(uint64_t now)
{
    struct ledger_header *h = layer.ledger.header;
    uint64_t due = __atomic_load_n(&layer.look_at, __ATOMIC_RELAXED);
    if (now < due || !__atomic_compare_exchange_n(&layer.look_at, &due, UINT64_MAX, false,
                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return; /* another thread's */
    struct ledger_moment *m = &h->moment[(h->n_moments + 1) % LEDGER_MOMENTS];
    m->ticks = now;
    noise_read(&m->noise);
    __atomic_store_n(&h->n_moments, h->n_moments + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&layer.look_at, now + (uint64_t)(0.05 * h->ticks_per_second),
                     __ATOMIC_RELEASE);
}

void noise_watch(void)
{
    struct ledger_header *h = layer.ledger.header;
    bool watched = clock_source != CLOCK_SOURCE_EXTERNAL && h->ticks_per_second > 20;
    layer.look = look;
    h->n_moments = 0;
    h->moment[0] = (struct ledger_moment){.ticks = h->pair[0].ticks, .noise.load = -1};
    layer.look_at = watched ? clock_ticks() + (uint64_t)(0.05 * h->ticks_per_second) : UINT64_MAX;
}
