#include "record/instances.h"

static uint32_t lock;

static void thin_out(struct ledger_header *h)
{
    uint32_t kept = 0, count = h->section[LEDGER_INSTANCES].count;
    uint32_t mask = 2 * h->sample_mask + 1;
    struct ledger_instance *log = layer.ledger.instances;
    for (uint32_t i = 0; i < count; i++)
        if (ledger_is_sampled(log[i].comm_id, log[i].sequence, mask))
            log[kept++] = log[i];
    h->section[LEDGER_INSTANCES].dropped += count - kept;
    h->section[LEDGER_INSTANCES].count = kept;
    h->sample_mask = mask;
}

void instance_add(const struct ledger_instance *instance)
{
    struct ledger_header *h = layer.ledger.header;
    spin_lock(&lock);
    while (h->section[LEDGER_INSTANCES].count == h->section[LEDGER_INSTANCES].capacity &&
           h->sample_mask != UINT32_MAX)
        thin_out(h);
    if (ledger_is_sampled(instance->comm_id, instance->sequence, h->sample_mask) &&
        h->section[LEDGER_INSTANCES].count < h->section[LEDGER_INSTANCES].capacity) {
        layer.ledger.instances[h->section[LEDGER_INSTANCES].count] = *instance;
        __atomic_store_n(&h->section[LEDGER_INSTANCES].count,
                         h->section[LEDGER_INSTANCES].count + 1, __ATOMIC_RELEASE);
    } else {
        h->section[LEDGER_INSTANCES].dropped++;
    }
    spin_unlock(&lock);
}
