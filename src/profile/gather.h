/* Inside of gather.c and gather_trace.c: from the indices and ticks of one rank's ledger to those
 * of a profile. */
#ifndef COLLPROF_PROFILE_GATHER_H
#define COLLPROF_PROFILE_GATHER_H

#include "profile/model.h"

/* Ledger index to profile index. */
struct maps {
    uint32_t *module, *operation, *comm, *region, *site;
};

static inline uint32_t count_of(const struct ledger *l, enum ledger_section section)
{
    return l->header->section[section].count;
}

static inline uint32_t mapped(const uint32_t *map, uint32_t index, const struct ledger *l,
                              enum ledger_section section)
{
    return index < count_of(l, section) ? map[index] : PROFILE_NONE;
}

/* Times on the clock of this host, then on the one that all share. */
static inline int64_t global_ns(const struct ledger_header *h, uint64_t ticks, double rate)
{
    double since = (double)(int64_t)(ticks - h->pair[0].ticks) / rate;
    double shift = h->synchronized ? h->global_offset + h->global_drift * since : 0;
    return whole_ns(h->pair[0].seconds + since + shift);
}

/* From the beginning of the record to the last that it knows of, in seconds. */
double wall_time(const struct ledger_header *h);

/* The profile's operation for one of the ledger; it is there from now on. */
uint32_t operation_of(struct profile *p, const struct ledger *l, struct maps *m, uint32_t i);

/* What was traced, if it was. */
void gather_trace(struct profile *p, const struct ledger *l, struct maps *m, double rate);

#endif
