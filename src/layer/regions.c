/* The public functions of collprof.h, by which an application marks named regions of its code. */
#include "base/text.h"
#include "layer/parts.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void collprof_region_begin(const char *name);
EXPORT void collprof_region_end(void);

enum { DEEPEST = sizeof thread.region_stack };

static uint8_t region_of(const char *name)
{
    struct ledger_region named = {0};
    text_copy(named.name, sizeof named.name, name);
    pthread_mutex_lock(&layer.lock);
    uint32_t count = layer.ledger.header->section[LEDGER_REGIONS].count, i = 1;
    while (i < count && strcmp(layer.ledger.regions[i].name, named.name))
        i++;
    if (i == count && !ledger_append(&layer.ledger, LEDGER_REGIONS, &named))
        i = 0;
    pthread_mutex_unlock(&layer.lock);
    return (uint8_t)i;
}

void regions_count(void)
{
    uint64_t now = clock_ticks(), since = thread.region_since;
    if (thread.region)
        __atomic_fetch_add(&layer.ledger.regions[thread.region].time_ns, ticks_to_ns(now - since),
                           __ATOMIC_RELAXED);
    thread.region_since = now;
}

void collprof_region_begin(const char *name)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    if (thread.region_depth < DEEPEST) {
        regions_count();
        thread.region_stack[thread.region_depth] = thread.region;
        thread.region = region_of(name ? name : "");
        __atomic_fetch_add(&layer.ledger.regions[thread.region].entered, 1, __ATOMIC_RELAXED);
    }
    thread.region_depth++;
}

void collprof_region_end(void)
{
    if (layer.phase != LAYER_RUNNING || thread.region_depth == 0)
        return;
    if (--thread.region_depth >= DEEPEST)
        return;
    regions_count();
    thread.region = thread.region_stack[thread.region_depth];
}
