/* Finds the raw records of a run, and converts the indices and ticks of one rank's ledger to those
 * of a profile: also used by src/verdict, which reads a part of the ledger. */
#pragma once

#include "base/input.h"
#include "profile/model.h"

struct gather {
    struct profile *p;
    const struct ledger *l;
    const struct ledger_header *h;
    double rate;                    /* ticks per second; 0 if unknown */
    uint32_t *row[LEDGER_SECTIONS]; /* indices in the profile, by index in the ledger */
};

static inline uint32_t count_of(const struct ledger *l, enum ledger_section section)
{
    return l->header->section[section].count;
}

/* PROFILE_NONE if the ledger has none. */
static inline uint32_t row_of(const struct gather *g, enum ledger_section section, uint32_t i)
{
    return i < count_of(g->l, section) ? g->row[section][i] : PROFILE_NONE;
}

static inline uint32_t site_of(const struct gather *g, uint32_t i)
{
    return row_of(g, LEDGER_SITES, i);
}

static inline uint32_t comm_of(const struct gather *g, uint32_t i)
{
    return row_of(g, LEDGER_COMMS, i);
}

/* Converts ticks to the clock of this host, and then to the clock that all ranks share. */
static inline int64_t global_ns(const struct gather *g, uint64_t ticks)
{
    const struct ledger_header *h = g->h;
    double since = (double)(int64_t)(ticks - h->pair[0].ticks) / g->rate;
    double shift = h->synchronized ? h->global_offset + h->global_drift * since : 0;
    return whole_ns(h->pair[0].seconds + since + shift);
}

/* Begins the conversion of L to P; nothing is copied yet. End it by gather_end(), which leaves L
 * and P. */
struct gather gather_begin(struct profile *p, const struct ledger *l);
void gather_end(struct gather *g);

/* The profile's row for the ledger's module or operation I, added if it is new. PROFILE_NONE if
 * unknown. */
uint32_t module_of(struct gather *g, uint32_t i);
uint32_t operation_of(struct gather *g, uint32_t i);

/* Adds the numbers of messages of each channel, and the open requests, as they are now. */
void gather_balances(struct gather *g);

/* Adds the rank's time outside of MPI by intervals of time, for every width of an interval. */
void gather_parts(struct gather *g);

/* Copies the samples of --sample, if there are some. */
void gather_samples(struct gather *g);

/* Copies the trace, if there is one. */
void gather_trace(struct gather *g);

/* Lists the raw records in DIRECTORY, sorted, for globfree(). False with a reason_give() if it
 * cannot be read. */
bool records_find(glob_t *records, const char *directory);

/* Warns that the file PATH is ignored because of FAULT. */
void records_ignore(struct profile *p, const char *path, const char *fault);
