/* The public functions of collprof.h. */
#include "base/text.h"
#include "config.h"
#include "layer/life_inner.h"
#include "record/entries.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void collprof_region_begin(const char *name);
EXPORT void collprof_region_end(void);
EXPORT void collprof_control(int level);
EXPORT const char *collprof_version(void);

enum { DEEPEST = sizeof thread.region_stack };

void regions_start(void)
{
    layer.ledger.header->section[LEDGER_REGIONS].count = 1;
}

static uint8_t region_of(const char *name)
{
    struct ledger_header *h = layer.ledger.header;
    pthread_mutex_lock(&layer.lock);
    uint32_t count = h->section[LEDGER_REGIONS].count, i = 1;
    while (i < count &&
           strncmp(layer.ledger.regions[i].name, name, sizeof layer.ledger.regions[i].name - 1))
        i++;
    if (i == count && count < h->section[LEDGER_REGIONS].capacity) {
        text_copy(layer.ledger.regions[i].name, sizeof layer.ledger.regions[i].name, name);
        h->section[LEDGER_REGIONS].count = count + 1;
    } else if (i == count) {
        h->section[LEDGER_REGIONS].dropped++;
        i = 0;
    }
    pthread_mutex_unlock(&layer.lock);
    return (uint8_t)i;
}

void collprof_region_begin(const char *name)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    if (thread.region_depth < DEEPEST) {
        thread.region_stack[thread.region_depth] = thread.region;
        thread.region = region_of(name);
        thread.region_entry[thread.region_depth] = clock_ticks();
    }
    thread.region_depth++;
}

void collprof_region_end(void)
{
    if (layer.phase != LAYER_RUNNING || thread.region_depth == 0)
        return;
    if (--thread.region_depth >= DEEPEST)
        return;
    struct ledger_region *r = &layer.ledger.regions[thread.region];
    uint64_t ns = ticks_to_ns(clock_ticks() - thread.region_entry[thread.region_depth]);
    __atomic_fetch_add(&r->entered, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->time_ns, ns, __ATOMIC_RELAXED);
    thread.region = thread.region_stack[thread.region_depth];
}

void collprof_control(int level)
{
    life_switch(level);
}

const char *collprof_version(void)
{
    return PACKAGE_VERSION;
}
