/* The members of the model, described once: profile.json, both ways, and the packed form follow
 * from these tables. Without a key: packed only. */
#ifndef COLLPROF_PROFILE_FIELDS_H
#define COLLPROF_PROFILE_FIELDS_H

#include "profile/model.h"

enum field_kind {
    FIELD_U32,
    FIELD_I32,
    FIELD_U64,
    FIELD_I64,
    FIELD_MAYBE, /* int64_t, negative: not known, null */
    FIELD_REAL,
    FIELD_SHARE, /* double from 0 to 1 */
    FIELD_BOOL,
    FIELD_TEXT,   /* char[size] */
    FIELD_HEX,    /* uint64_t, as "0x..." */
    FIELD_INDEX,  /* uint32_t, PROFILE_NONE as null */
    FIELD_PLAIN,  /* bytes as they are: packed only */
    FIELD_CLOCK,  /* uint32_t, enum clock_source, by name */
    FIELD_STATE,  /* uint32_t, enum ledger_state, by name */
    FIELD_FAMILY, /* uint32_t, enum call_family, by name */
    FIELD_WAIT,   /* uint32_t, enum wait_state, by name */
    FIELD_NETWORK /* uint32_t, enum ledger_network_state, by name */
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, size;
};

struct fields {
    const struct field *at;
    size_t n;
};

extern const struct fields fields_run, fields_host, fields_rank, fields_module, fields_operation,
    fields_comm, fields_region, fields_entry, fields_spread, fields_event, fields_arrival,
    fields_stand, fields_peer, fields_act, fields_trace, fields_wait, fields_net, fields_below;

/* Names of ledger sections as keys of "dropped"; NULL for one that nothing is dropped from. */
extern const char *const dropped_keys[LEDGER_SECTIONS];

const char *clock_name_of(uint32_t clock);
const char *state_name_of(uint32_t state);

/* As jansson's own, which take over VALUE; NULL, or no memory for it, is no memory at all. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

/* A text of at most SIZE bytes, with ? for what is not UTF-8. */
json_t *json_text(const char *text, size_t size);

/* Sets in OBJECT every field of the structure at DATA. */
void fields_write(json_t *object, const struct fields *fields, const void *data);

/* The way back. What is missing stays as it is; false for a value of a wrong kind, or one that
 * cannot be: a time below zero or beyond FAR_NS, a share that is none. */
bool fields_read(const json_t *object, const struct fields *fields, void *data);

/* The key that fields_read() refused since this was last asked; NULL: none. */
const char *fields_fault(void);

#endif
