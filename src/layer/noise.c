/* How undisturbed the run is, from time to time between its start and its end. */
#include "base/noise.h"
#include "base/clock.h"
#include "layer/parts.h"

/* Some 20 us, every 50 ms; of a longer run so much less often that the moments have room. */
static uint64_t between_looks;
static void look(uint64_t now)
{
    struct ledger_header *h = layer.ledger.header;
    uint64_t due = __atomic_load_n(&layer.look_at, __ATOMIC_RELAXED);
    if (now < due || !__atomic_compare_exchange_n(&layer.look_at, &due, UINT64_MAX, false,
                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return; /* another thread's */
    if (h->n_moments == LEDGER_MOMENTS) {
        for (uint32_t i = 0; i < LEDGER_MOMENTS / 2; i++)
            h->moment[i] = h->moment[2 * i + 1];
        h->n_moments = LEDGER_MOMENTS / 2;
        between_looks *= 2;
    }
    struct ledger_moment *m = &h->moment[h->n_moments];
    *m = (struct ledger_moment){.ticks = now, .cpu_khz = noise_khz()};
    noise_read(&m->noise);
    __atomic_store_n(&h->n_moments, h->n_moments + 1, __ATOMIC_RELEASE);
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
