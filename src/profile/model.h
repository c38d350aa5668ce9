/* The representation of a profile, for src/profile: rows.h drives merging, sorting, and writing
 * and reading of profile.json, by way of fields.c. */
#pragma once

#include "profile/profile.h"

/* Limit of rows of collective instances: there is one for each rank and instance. */
#define PROFILE_MAX_INSTANCES 65536u

/* Limit of a trace's events, summed over all ranks; beyond it time windows are removed. */
#define PROFILE_MAX_EVENTS ((size_t)1 << 20)

/* Limits of rows: of the communication matrix; of samples of all ranks; of p->balances. */
#define PROFILE_MAX_PEERS 65536u
#define PROFILE_MAX_SAMPLES 16384u
#define PROFILE_MAX_BALANCES 65536u

#define TABLE_ID(id, ...) TABLE_##id,
enum profile_table { PROFILE_TABLES(TABLE_ID) TABLES };

enum field_kind {
    FIELD_U32,
    FIELD_I32,
    FIELD_U64, /* times, counts and sizes are at most FAR_NS */
    FIELD_I64, /* magnitude at most FAR_NS */
    FIELD_REAL,
    FIELD_BOOL,
    FIELD_TEXT,   /* char[size] */
    FIELD_STRING, /* char *, owned by the row; NULL is not written */
    FIELD_HEX,    /* uint64_t, as "0x..." */
    FIELD_NAME,   /* uint32_t, written as a name */
    FIELD_JSON,   /* json_t *, owned by the row; NULL is not written */

    /* If the key is missing in profile.json, members of these kinds are reset: */
    FIELD_MAYBE,     /* int64_t; negative (unknown) is written as null */
    FIELD_SPREAD,    /* struct spread */
    FIELD_HISTOGRAM, /* uint64_t *, HISTOGRAM_BUCKETS elements owned by the row */
    FIELD_FRAMES,    /* the frames of a struct profile_site */
    FIELD_INDEX,     /* a rank, uint32_t; PROFILE_NONE is written as null */
    FIELD_ROW        /* index of a row, uint32_t; PROFILE_NONE is written as null */
};

/* How a member is merged when two rows have the same key. */
enum field_merge {
    MERGE_FIRST,    /* the first nonzero value */
    MERGE_KEY,      /* part of the key; rows are sorted by their keys, member by member */
    MERGE_KEY_DOWN, /* part of the key, sorted in descending order */
    MERGE_PATH,     /* part of the key if the row's first member is empty; otherwise MERGE_LEAST */
    MERGE_LEAST,    /* the smallest nonzero value, or the nonempty text that sorts first */
    MERGE_SUM,
    MERGE_MIN,
    MERGE_MAX,
    MERGE_OR, /* bitwise or */
    MERGE_AND
};

struct field {
    const char *key; /* name in profile.json; NULL: not written */
    enum field_kind kind;
    enum field_merge merge;
    size_t offset, size;
    const struct names *names; /* for FIELD_NAME */
    enum profile_table table;  /* for FIELD_ROW */
    bool needed;               /* FIELD_ROW: PROFILE_NONE is invalid */
};

struct fields {
    const struct field *at;
    size_t n;
};
const struct fields *profile_fields(void), *profile_trace_fields(void), *spread_fields(void),
    *profile_frame_fields(void);

enum table_how {
    SOUGHT = 1, /* an added row is merged into the row with its key; otherwise appended */
    SORTED = 2, /* rows are sorted by key in a complete profile */
    OF_RUN = 4  /* written inside of "run" in profile.json */
};

struct table_info {
    const char *key; /* name in profile.json; NULL: not there, or written specially */
    const struct fields *(*fields)(void);
    size_t list, size; /* LIST: offset in struct profile; SIZE: of a row */
    unsigned how;      /* bits of enum table_how */
};
extern const struct table_info profile_tables[TABLES];

/* Hash tables from keys to rows, for tables with SOUGHT. */
struct profile_index {
    struct index of[TABLES];
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

/* Adds a copy of ROW, or with SOUGHT merges it into the row that has its key. Takes over what ROW
 * points to. Returns the index. */
uint32_t profile_add(struct profile *p, enum profile_table t, const void *row);

#define profile_add_host(p, ...) profile_add(p, TABLE_HOSTS, __VA_ARGS__)
#define profile_add_module(p, ...) profile_add(p, TABLE_MODULES, __VA_ARGS__)
#define profile_add_comm(p, ...) profile_add(p, TABLE_COMMS, __VA_ARGS__)
#define profile_add_region(p, ...) profile_add(p, TABLE_REGIONS, __VA_ARGS__)
#define profile_add_site(p, ...) profile_add(p, TABLE_SITES, __VA_ARGS__)
uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family);
void profile_add_text(struct profile *p, enum profile_table t,
                      const char *text); /* ignored if empty */

/* Adds the counts of ENTRY, whose histogram (NULL: all zero) is copied. */
void profile_add_entry(struct profile *p, const struct profile_entry *entry);

/* The row of OPERATION at SITE, which is added if it is new. Borrowed until rows are added. */
struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation);

void spread_add(struct spread *s, uint32_t rank, uint64_t ns);
void spread_merge(struct spread *into, const struct spread *from);

/* Whether every index in P is valid. */
bool positions_valid(const struct profile *p);

/* Removes all rows of a table without SOUGHT. */
void table_clear(struct profile *p, enum profile_table t);

/* table_sort(): sorts a table to which no other one refers by index. profile_sort(): sorts all
 * tables and changes the indices, so that profile.json does not depend on the order of merging. */
void table_sort(struct profile *p, enum profile_table t);
void profile_sort(struct profile *p);

/* Moves all rows of FROM to INTO. profile_merge() also limits the tables. */
void profile_append(struct profile *into, struct profile *from);

/* Rebuilds p->index after rows have moved. */
void profile_reindex(struct profile *p);

/* Removes collective instances by ledger_is_sampled() until at most LIMIT rows are left. Which rows
 * remain depends only on the set of rows, not on the order of merging. */
void profile_thin_instances(struct profile *p, uint32_t limit);

/* Removes time windows from a trace until at most LIMIT events are left. */
void profile_thin_trace(struct profile *p, size_t limit);

/* Limits the communication matrix: first merges its call sites, then removes the pairs of ranks
 * with the least bytes. */
void profile_limit_peers(struct profile *p, size_t limit);

/* Above LIMIT rows, removes channels whose sends and receives agree in number and datatypes. If too
 * many rows remain, removes all and sets p->unbalanced. */
void profile_limit_balances(struct profile *p, size_t limit);

/* Computes p->arrivals from the events of collectives. */
void arrivals_find(struct profile *p);

/* Computes p->trace, p->waits, p->causes and p->below from the events of a trace. */
void trace_find(struct profile *p);

/* Computes p->slices from p->parts: none if a rank has no record, was killed in a call, has several
 * threads in MPI, or spent more than 1 % of its run in experiments, or if calls are few. */
void slices_find(struct profile *p);

/* A text: which figures of P contradict each other or are impossible; NULL: none. */
const char *profile_impossible(const struct profile *p);

/* fields_json(): a new object with all fields of ROW that have a key. field_json(): the value of
 * one field. */
json_t *fields_json(const struct fields *fields, const void *row);
json_t *field_json(const struct field *f, const void *row);

/* Reads a row or field from JSON. Members missing there are unchanged or, by enum field_kind,
 * reset. False for a value of a wrong kind or out of range: a time below 0 or above FAR_NS. */
bool fields_read(const json_t *object, const struct fields *fields, void *row);
bool field_read(const json_t *value, const struct field *f, void *row);
