/* Which members of the model are in profile.json, under which keys: one table for both ways. */
#ifndef COLLPROF_PROFILE_FIELDS_H
#define COLLPROF_PROFILE_FIELDS_H

#include "profile/model.h"

enum field_kind {
    FIELD_U32,
    FIELD_I32,
    FIELD_U64,
    FIELD_I64,
    FIELD_REAL,
    FIELD_BOOL,
    FIELD_TEXT,  /* char[size] */
    FIELD_HEX,   /* uint64_t, as "0x..." */
    FIELD_INDEX, /* uint32_t, PROFILE_NONE as null */
    FIELD_CLOCK, /* uint32_t, enum clock_source, by name */
    FIELD_STATE, /* uint32_t, enum ledger_state, by name */
    FIELD_FAMILY /* uint32_t, enum call_family, by name */
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
    fields_comm, fields_region, fields_entry, fields_spread, fields_arrival;

/* Names of ledger sections as keys of "dropped"; NULL for one that nothing is dropped from. */
extern const char *const dropped_keys[LEDGER_SECTIONS];

const char *clock_name_of(uint32_t clock);
const char *state_name_of(uint32_t state);

/* A text of at most SIZE bytes, with ? for what is not UTF-8. */
json_t *json_text(const char *text, size_t size);

/* Sets in OBJECT every field of the structure at DATA. */
void fields_write(json_t *object, const struct fields *fields, const void *data);

/* The way back. What is missing stays as it is; false for a value of a wrong kind. */
bool fields_read(const json_t *object, const struct fields *fields, void *data);

#endif
