/* The inside of a profile, for src/profile: how its tables are built, merged and sorted. */
#ifndef COLLPROF_PROFILE_MODEL_H
#define COLLPROF_PROFILE_MODEL_H

#include "profile/profile.h"

#include <string.h>

/* At most this many records of collective instances (one per rank and instance) are kept in a
 * merged profile, and this many in profile.json. */
#define PROFILE_MAX_EVENTS 131072u
#define PROFILE_MAX_SAVED_EVENTS 32768u

/* At most so many acts of all ranks are kept: thinned out by windows of time. */
#define PROFILE_MAX_ACTS ((size_t)1 << 20)

/* At most so many rows of the communication matrix. */
#define PROFILE_MAX_PEERS 65536u

struct profile_index {
    struct lookup sites, comms, entries, groups;
    /* Where communicators of the one ledger came first; NULL: it was made of something else. */
    uint32_t *comm_of_ledger;
    uint32_t n_comm_of_ledger;
};

/* The lists above, each in the order of profile.json. */
struct list {
    const char *key; /* in profile.json; NULL: written in some other way, or not at all */
    const struct fields *fields; /* of its elements */
    size_t list, size;           /* where it is in struct profile; of an element */
    unsigned how;
};
enum { LIST_PACKED = 1, LIST_APPENDED = 2 /* when merged; others are found anew */ };
extern const struct list profile_lists[];
extern const size_t n_profile_lists;

static inline struct array *list_in(const struct profile *p, const struct list *l)
{
    return (struct array *)((char *)p + l->list);
}

static inline void *list_at(const struct profile *p, const struct list *l, size_t i)
{
    return (char *)list_in(p, l)->at + i * l->size;
}

static inline void *list_push(struct profile *p, const struct list *l)
{
    return array_push(list_in(p, l), l->size);
}

/* With its communicator's position; a new reference. */
json_t *finding_json(const struct profile_finding *f);

struct profile *profile_new(void);

/* Find or add; the result is the index. What is not part of the key is merged in. */
uint32_t profile_add_host(struct profile *p, const struct profile_host *host);
uint32_t profile_add_module(struct profile *p, const struct profile_module *module);
uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family);
uint32_t profile_add_comm(struct profile *p, const struct profile_comm *comm);
uint32_t profile_add_region(struct profile *p, const struct profile_region *region);
uint32_t profile_add_site(struct profile *p, const struct profile_site *site);

/* Adds the counts of ENTRY, whose histogram is copied. */
void profile_add_entry(struct profile *p, const struct profile_entry *entry);
struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation);
void profile_add_program(struct profile *p, const char *path);
void profile_add_library(struct profile *p, const char *version);

void spread_add(struct spread *s, uint32_t rank, uint64_t ns);
void spread_merge(struct spread *into, const struct spread *from);

/* Thins the events out until at most LIMIT are left: of every communicator, those that
 * ledger_is_sampled() keeps. The result depends on the set of events only. */
bool event_is_sampled(const struct profile_event *e, uint32_t mask);
void events_limit(struct profile *p, uint32_t limit);
void events_sort(struct profile *p);
/* Fills p->arrivals from the events. */
void arrivals_find(struct profile *p);

/* Thins acts out to LIMIT of them, by windows. */
void acts_limit(struct profile *p, size_t limit);

/* Fills p->trace and p->waits from the acts. */
void trace_find(struct profile *p);

void peers_sort(struct profile *p);
void peers_limit(struct profile *p, size_t limit);

/* Adds to the warnings what the counts themselves give reason for: ranks that did not end well,
 * more ranks than processors, what was dropped. */
void profile_judge(struct profile *p);

/* In the order of communicators and sequence numbers; then what they say of a run that hangs. */
void stands_sort(struct profile *p);
void stands_judge(struct profile *p);
void misfits_judge(struct profile *p);

/* Everything in an order that depends on content alone. */
void profile_sort(struct profile *p);

/* Makes the look-ups anew, after elements have changed places. */
void profile_reindex(struct profile *p);

/* As profile_from_ledger(). RATE: ticks per second to use where the ledger cannot tell (it was
 * cut off right after the start), 0 if not known. */
struct profile *profile_from_cut_ledger(const struct ledger *l, double rate);

/* Ticks per second from the ledger's two pairs, 0 if they do not tell. */
double ledger_rate(const struct ledger_header *h);

uint64_t profile_hash(const void *data, size_t size);

#endif
