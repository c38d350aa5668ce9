/* Converts one rank's ledger to rows of a profile: its indices to rows, its ticks to ns. Also finds
 * the files with the ledgers of a run. */
#pragma once

#include "base/input.h"
#include "profile/model.h"

struct gather {
    struct profile *p;
    const struct ledger *l;
    const struct ledger_header *h;
    double rate;                    /* ticks per second; 0 if unknown */
    uint32_t *row[LEDGER_SECTIONS]; /* row in the profile by index in the ledger */
};

static inline uint32_t count_of(const struct ledger *l, enum ledger_section section)
{
    return l->header->section[section].count;
}

/* The row in the profile of the ledger's row I; PROFILE_NONE if there is none. */
static inline uint32_t row_of(const struct gather *g, enum ledger_section section, uint32_t i)
{
    return i < count_of(g->l, section) ? g->row[section][i] : PROFILE_NONE;
}

/* Converts ticks to ns of the host's clock, and these to the clock that all ranks share. */
static inline int64_t global_ns(const struct gather *g, uint64_t ticks)
{
    const struct ledger_header *h = g->h;
    double since = (double)(int64_t)(ticks - h->pair[0].ticks) / g->rate;
    double shift = h->synchronized ? h->global_offset + h->global_drift * since : 0;
    return whole_ns(h->pair[0].seconds + since + shift);
}

/* Begins the conversion of L to P; nothing is copied yet. gather_end() releases the result, not L
 * and P. */
struct gather gather_begin(struct profile *p, const struct ledger *l);
void gather_end(struct gather *g);

/* The profile's row for the ledger's module or operation I, added if it is new. PROFILE_NONE if
 * unknown. */
uint32_t module_row(struct gather *g, uint32_t i);
uint32_t operation_row(struct gather *g, uint32_t i);

/* Adds p->balances: the messages of each channel up to now, and the incomplete requests. */
void gather_balances(struct gather *g);

/* Adds all rows but those of the functions below; those of gather_balances() if the rank has ended
 * its use of MPI. */
void gather_rows(struct gather *g);

/* Adds the rank's time outside of MPI in each interval of the run, for every length of intervals:
 * see struct profile_part. */
void gather_parts(struct gather *g);

void gather_samples(struct gather *g); /* copies the samples of --sample, if any */
void gather_trace(struct gather *g);   /* copies the trace, if any */

/* Lists the ledgers' files in DIRECTORY, sorted. Release by globfree(). False with a reason_give()
 * if DIRECTORY cannot be read. */
bool records_find(glob_t *records, const char *directory);

/* Warns that the file PATH is ignored because of FAULT. */
void records_ignore(struct profile *p, const char *path, const char *fault);
