#include "record/instances.h"

static uint32_t lock;

static void thin_out(struct ledger_header *h)
{
    uint32_t kept = 0, count = h->section[LEDGER_INSTANCES].count;
    uint32_t mask = 2 * h->sample_mask + 1;
    struct ledger_instance *log = layer.ledger.instances;
    for (uint32_t i = 0; i < count; i++)
        if ((log[i].sequence & mask) == 0)
            log[kept++] = log[i];
    h->section[LEDGER_INSTANCES].dropped += count - kept;
    h->section[LEDGER_INSTANCES].count = kept;
    h->sample_mask = mask;
}

void instance_add(const struct ledger_instance *instance)
{
    struct ledger_header *h = layer.ledger.header;
    spin_lock(&lock);
    /* Many short-lived communicators may fill the log with sequence number 0 alone, which no
     * mask thins out: then the mask grows until it is all ones, and the rest is dropped. */
    if (h->section[LEDGER_INSTANCES].count == h->section[LEDGER_INSTANCES].capacity &&
        h->sample_mask != UINT32_MAX)
        thin_out(h);
    if ((instance->sequence & h->sample_mask) == 0 &&
        h->section[LEDGER_INSTANCES].count < h->section[LEDGER_INSTANCES].capacity) {
        layer.ledger.instances[h->section[LEDGER_INSTANCES].count] = *instance;
        __atomic_store_n(&h->section[LEDGER_INSTANCES].count,
                         h->section[LEDGER_INSTANCES].count + 1, __ATOMIC_RELEASE);
    } else {
        h->section[LEDGER_INSTANCES].dropped++;
    }
    spin_unlock(&lock);
}
