#include "record/counts.h"

/* Entries that are reserved for when the table is full: further calls are counted by operation
 * only, without site and communicator, so that totals stay correct. */
enum { RESERVED = 64 };

/* Whether there is room for an entry besides the reserved ones; if not, counts that in DROPPED. */
static bool make_room(void)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_ENTRIES];
    pthread_mutex_lock(&layer.lock);
    bool room = t->count + RESERVED < t->capacity ||
                (ledger_extend(&layer.ledger, LEDGER_ENTRIES) && t->count + RESERVED < t->capacity);
    layer.ledger.header->section[LEDGER_ENTRIES].dropped += !room;
    pthread_mutex_unlock(&layer.lock);
    return room;
}

struct ledger_entry *entries_add(uint64_t key)
{
    if (!make_room())
        key = entry_key(LEDGER_NO_SITE, key >> 25 & 0x3ff, LEDGER_NO_COMM, 0, 0);
    return layer_row(&layer.entries, key, LEDGER_ENTRIES,
                     &(struct ledger_entry){.site = key >> 35 & 0xfffffff,
                                            .operation = key >> 25 & 0x3ff,
                                            .comm = key >> 14 & 0x7ff,
                                            .region = key >> 7 & 0x7f,
                                            .size_class = key & 0x7f,
                                            .min_ns = UINT64_MAX});
}

void messages_lose(void)
{
    __atomic_store_n(&layer.ledger.header->messages_lost, 1, __ATOMIC_RELAXED);
}

struct ledger_messages *messages_add(const struct ledger_messages *row)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_MESSAGES];
    struct ledger_messages made = *row;
    if (t->count >= t->limit / 2) {
        made.comm_id = 0;
        made.tag = MPI_ANY_TAG;
        messages_lose();
    }
    return layer_row(&layer.messages, messages_key(&made), LEDGER_MESSAGES, &made);
}

static uint32_t instances_lock;

/* Halves the log. */
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
    spin_lock(&instances_lock);
    while (t->count == t->capacity && h->sample_mask != UINT32_MAX)
        thin_out(h);
    bool keep = ledger_is_sampled(i->comm_id, i->sequence, i->spared, h->sample_mask);
    if (keep && t->count < t->capacity) {
        layer.ledger.instances[t->count] = *i;
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    } else {
        t->dropped++;
    }
    spin_unlock(&instances_lock);
}
