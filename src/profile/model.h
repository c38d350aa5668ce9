/* The inside of a profile, for src/profile: every member of its tables is described once, in
 * fields.c, from which merging, sorting and profile.json both ways follow. */
#ifndef COLLPROF_PROFILE_MODEL_H
#define COLLPROF_PROFILE_MODEL_H

#include "profile/profile.h"

#include <string.h>

/* At most this many records of collective instances (one per rank and instance) are kept. */
#define PROFILE_MAX_EVENTS 65536u

/* At most so many acts of all ranks are kept: thinned out by windows of time. */
#define PROFILE_MAX_ACTS ((size_t)1 << 20)

/* At most so many rows of the communication matrix. */
#define PROFILE_MAX_PEERS 65536u

/* --- members --- */

/* Each refers only to those before it. */
enum profile_table {
    TABLE_HOSTS,
    TABLE_RANKS,
    TABLE_MODULES,
    TABLE_OPERATIONS,
    TABLE_REGIONS,
    TABLE_SITES,
    TABLE_COMMS,
    TABLE_ENTRIES,
    TABLE_GROUPS,
    TABLE_ARRIVALS,
    TABLE_EVENTS,
    TABLE_PEERS,
    TABLE_WAITS,
    TABLE_CAUSES,
    TABLE_PREDICTIONS,
    TABLE_BELOW,
    TABLE_ACTS,
    TABLE_NETS,
    TABLE_PROGRAMS,
    TABLE_LIBRARIES,
    TABLE_WARNINGS,
    TABLE_FINDINGS,
    TABLES
};

enum field_kind {
    FIELD_U32,
    FIELD_I32,
    FIELD_U64, /* no time, count or size is beyond FAR_NS */
    FIELD_I64, /* the same, either way */
    FIELD_REAL,
    FIELD_BOOL,
    FIELD_TEXT,   /* char[size] */
    FIELD_STRING, /* char *, of its own; NULL is not written */
    FIELD_HEX,    /* uint64_t, as "0x..." */
    FIELD_PLAIN,  /* bytes as they are: not in profile.json */
    FIELD_NAME,   /* uint32_t, by the name of that value */
    FIELD_JSON,   /* json_t *, of its own */

    /* These are read even where the key is missing. */
    FIELD_MAYBE,     /* int64_t, negative: unknown, null */
    FIELD_SPREAD,    /* struct spread */
    FIELD_HISTOGRAM, /* uint64_t *, HISTOGRAM_BUCKETS of its own */
    FIELD_FRAMES,    /* the whole of a struct profile_site */
    FIELD_INDEX,     /* uint32_t, PROFILE_NONE as null: a rank */
    FIELD_ROW        /* the same: a position in a table */
};

/* What becomes of a member when two rows of one key are merged. */
enum field_merge {
    MERGE_FIRST,    /* the first that is not zero */
    MERGE_KEY,      /* part of the key; rows are sorted by their keys, member by member, */
    MERGE_KEY_DOWN, /* largest first here */
    MERGE_PATH,     /* part of the key where the row's first member is empty; else the least */
    MERGE_LEAST,    /* of two texts that are not empty the first in the alphabet */
    MERGE_SUM,
    MERGE_MIN, /* of reals that are positive */
    MERGE_MAX,
    MERGE_OR, /* bit by bit */
    MERGE_AND,
    MERGE_SHORTEST /* min_ns of a struct profile_entry */
};

/* Names of the values from 0 on. */
struct names {
    const char *const *at;
    uint32_t n;
};

struct field {
    const char *key; /* in profile.json; NULL: not there */
    enum field_kind kind;
    enum field_merge merge;
    size_t offset, size;
    const struct names *names; /* FIELD_NAME */
    enum profile_table table;  /* FIELD_ROW */
    bool needed;               /* FIELD_ROW: not PROFILE_NONE */
};

struct fields {
    const struct field *at;
    size_t n;
};
extern const struct fields fields_run, fields_trace, fields_spread, fields_frame;

/* --- tables --- */

enum table_how {
    TABLE_SOUGHT = 1, /* one row a key: others are appended */
    TABLE_SORTED = 2,
    TABLE_OF_RUN = 4,   /* in profile.json inside of "run" */
    TABLE_BY_COLUMN = 8 /* in profile.json an array a member: a run has tens of thousands of rows */
};

struct table_info {
    const char *key; /* in profile.json; NULL: not there, or in a form of its own */
    struct fields fields;
    size_t list, size; /* where it is in struct profile; of a row */
    unsigned how;      /* enum table_how */
};
extern const struct table_info profile_tables[TABLES];

struct profile_index {
    struct lookup of[TABLES];
};

static inline struct array *rows_in(const struct profile *p, enum profile_table t)
{
    return (struct array *)((char *)p + profile_tables[t].list);
}

static inline void *row_at(const struct profile *p, enum profile_table t, size_t i)
{
    return (char *)rows_in(p, t)->at + i * profile_tables[t].size;
}

struct profile *profile_new(void);

/* Adds a copy of ROW, or merges ROW into the one with its key where there is one a key; takes over
 * what ROW points to. Returns the position. */
uint32_t profile_add(struct profile *p, enum profile_table t, const void *row);

#define profile_add_host(p, ...) profile_add(p, TABLE_HOSTS, __VA_ARGS__)
#define profile_add_module(p, ...) profile_add(p, TABLE_MODULES, __VA_ARGS__)
#define profile_add_comm(p, ...) profile_add(p, TABLE_COMMS, __VA_ARGS__)
#define profile_add_region(p, ...) profile_add(p, TABLE_REGIONS, __VA_ARGS__)
#define profile_add_site(p, ...) profile_add(p, TABLE_SITES, __VA_ARGS__)
uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family);
void profile_add_text(struct profile *p, enum profile_table t,
                      const char *text); /* unless it is empty */

/* Adds the counts of ENTRY, whose histogram (NULL: all zero) is copied. */
void profile_add_entry(struct profile *p, const struct profile_entry *entry);

/* Found or added. */
struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation);

void spread_add(struct spread *s, uint32_t rank, uint64_t ns);
void spread_merge(struct spread *into, const struct spread *from);

/* Whether every position in P is one of a row. */
bool positions_valid(const struct profile *p);

/* Sorts one table, of which nothing knows positions; all of them, so that the order depends on
 * content alone. */
void table_sort(struct profile *p, enum profile_table t);
void profile_sort(struct profile *p);

/* Makes the look-ups anew, after rows have changed places. */
void profile_reindex(struct profile *p);

/* --- what grows with the run, and is limited --- */

/* Thins the events out until at most LIMIT are left: of every communicator, those that
 * ledger_is_sampled() keeps. The result depends on the set of events only. */
void events_limit(struct profile *p, uint32_t limit);

/* Thins acts out to LIMIT of them, by windows. */
void acts_limit(struct profile *p, size_t limit);

/* Gives up call sites first, then the lightest pairs. */
void peers_limit(struct profile *p, size_t limit);

/* --- what follows from the merged profile --- */

/* Fills p->arrivals from the events. */
void arrivals_find(struct profile *p);

/* Fills p->trace, p->waits, p->causes and p->below from the acts. */
void trace_find(struct profile *p);

/* --- forms --- */

/* Ticks per second from the ledger's two pairs, 0 if they do not tell. */
double ledger_rate(const struct ledger_header *h);

/* From the beginning of the record to the last that it knows of, in seconds. */
double wall_time(const struct ledger_header *h);

/* Why figures that are each possible cannot be together; NULL: they can. */
const char *profile_impossible(const struct profile *p);

/* "unknown": VALUE has none. */
const char *name_of(const struct names *names, uint32_t value);

/* A new object with every field of the row that has a key; one of them. */
json_t *fields_json(const struct fields *fields, const void *row);
json_t *field_json(const struct field *f, const void *row);

/* The way back. What is missing stays as it is, but for the kinds that say otherwise; false for a
 * value of a wrong kind, or one that cannot be: a time below zero or beyond FAR_NS. */
bool fields_read(const json_t *object, const struct fields *fields, void *row);
bool field_read(const json_t *value, const struct field *f, void *row);

/* The key that these refused since this was last asked; NULL: none. */
const char *fields_fault(void);

#endif
