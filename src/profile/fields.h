/* The members of the model, described once: profile.json, both ways, the packed form, and what
 * merging and sorting do to positions follow from these tables. Without a key: not in profile.json.
 * Of size 0: not packed by itself. */
#ifndef COLLPROF_PROFILE_FIELDS_H
#define COLLPROF_PROFILE_FIELDS_H

#include "profile/model.h"

enum field_kind {
    FIELD_U32,
    FIELD_I32,
    FIELD_U64,
    FIELD_I64,
    FIELD_REAL,
    FIELD_SHARE, /* double from 0 to 1 */
    FIELD_BOOL,
    FIELD_TEXT,    /* char[size] */
    FIELD_HEX,     /* uint64_t, as "0x..." */
    FIELD_PLAIN,   /* bytes as they are: packed only */
    FIELD_CLOCK,   /* uint32_t, enum clock_source, by name */
    FIELD_STATE,   /* uint32_t, enum ledger_state, by name */
    FIELD_FAMILY,  /* uint32_t, enum call_family, by name */
    FIELD_WAIT,    /* uint32_t, enum wait_state, by name */
    FIELD_NETWORK, /* uint32_t, enum ledger_network_state, by name */

    /* These are set even where the key is not there. */
    FIELD_MAYBE,     /* int64_t, negative: not known, null */
    FIELD_SPREAD,    /* struct spread: must be there */
    FIELD_HISTOGRAM, /* uint64_t *, HISTOGRAM_BUCKETS of them */
    FIELD_DROPPED,   /* uint64_t[LEDGER_SECTIONS] */
    FIELD_INDEX,     /* uint32_t, PROFILE_NONE as null: a rank */
    FIELD_HOST,      /* the same: a position in a list of the profile */
    FIELD_OPERATION,
    FIELD_COMM,
    FIELD_REGION,
    FIELD_SITE,
    FIELD_KINDS
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, size;
    bool needed; /* of a position: not PROFILE_NONE */
};

struct fields {
    const struct field *at;
    size_t n;
};

extern const struct fields fields_run, fields_host, fields_rank, fields_module, fields_operation,
    fields_comm, fields_region, fields_entry, fields_group, fields_spread, fields_event,
    fields_arrival, fields_stand, fields_peer, fields_act, fields_trace, fields_wait, fields_net,
    fields_below, fields_finding;

/* Of the kinds that are told by name. */
const char *field_name(enum field_kind kind, uint32_t value);
bool field_named(enum field_kind kind, uint32_t *value, const char *name);

/* Where the elements of lists are now, by kinds of positions in them. */
struct moves {
    uint32_t *to[FIELD_KINDS];
};
void positions_follow(const struct fields *fields, void *data, const struct moves *moves);

/* Whether every position in P is one of an element. */
bool positions_valid(const struct profile *p);

/* As jansson's own, which take over VALUE; NULL, or no memory for it, is no memory at all. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

/* A text of at most SIZE bytes, with ? for what is not UTF-8. */
json_t *json_text(const char *text, size_t size);

/* A new object with every field of the structure at DATA that has a key. */
json_t *fields_json(const struct fields *fields, const void *data);

/* The way back. What is missing stays as it is, but for the kinds that say otherwise; false for a
 * value of a wrong kind, or one that cannot be: a time below zero or beyond FAR_NS, a share that is
 * none. */
bool fields_read(const json_t *object, const struct fields *fields, void *data);

/* The key that fields_read() refused since this was last asked; NULL: none. */
const char *fields_fault(void);

#endif
