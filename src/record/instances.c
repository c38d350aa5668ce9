#include "record/instances.h"

static uint32_t lock;

static void thin_out(struct ledger_header *h)
{
    uint32_t kept = 0, count = h->section[LEDGER_INSTANCES].count;
    uint32_t mask = 2 * h->sample_mask + 1;
    struct ledger_instance *log = layer.ledger.instances;
    for (uint32_t i = 0; i < count; i++)
        if (ledger_is_sampled(log[i].comm_id, log[i].sequence, log[i].spared, mask))
            log[kept++] = log[i];
    h->section[LEDGER_INSTANCES].dropped += count - kept;
    h->section[LEDGER_INSTANCES].count = kept;
    h->sample_mask = mask;
}

void instance_add(const struct ledger_instance *i)
{
    struct ledger_header *h = layer.ledger.header;
    struct ledger_table *t = &h->section[LEDGER_INSTANCES];
    spin_lock(&lock);
    while (t->count == t->capacity && h->sample_mask != UINT32_MAX)
        thin_out(h);
    bool keep = ledger_is_sampled(i->comm_id, i->sequence, i->spared, h->sample_mask);
    if (keep && t->count < t->capacity) {
        layer.ledger.instances[t->count] = *i;
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    } else {
        t->dropped++;
    }
    spin_unlock(&lock);
}
