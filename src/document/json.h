/* JSON, as everything that has any makes, reads and writes it. Memory as in base/memory.h: what
 * jansson returns for want of memory, NULL, may be given to any of these. */
#ifndef COLLPROF_DOCUMENT_JSON_H
#define COLLPROF_DOCUMENT_JSON_H

#include "base/stats.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As jansson's own, which take over VALUE. KEY has to be UTF-8. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

/* A text of at most SIZE bytes, with ? for what is not UTF-8. */
json_t *json_text(const char *text, size_t size);

/* X, or null where it is not finite: for that JSON has no number. */
static inline json_t *json_finite(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* OBJECT's member KEY; NaN if that is no number. */
static inline double json_number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* E in microseconds as NAME_us, NAME_low_us and NAME_high_us of OBJECT; null: not known. */
void json_put_estimate(json_t *object, const char *name, struct estimate e);

/* Every text in it as it may be shown: see quote_plain(). */
void json_make_plain(json_t *json);

/* What is in the regular file PATH; NULL, with "PATH: what is wrong" in WHY, if it is no JSON. */
json_t *json_file_load(const char *path, char *why, size_t size);

/* Writes VALUE, which it takes over, with 15 digits: a nanosecond in ten days, and 0.1 is "0.1".
 * In one line, or (INDENTED) a member a line, with a line's end. OUT keeps the error if it cannot
 * be written. */
void json_write(json_t *value, FILE *out, bool indented);

#endif
