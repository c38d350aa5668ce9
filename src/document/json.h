/* Making, reading and writing JSON. If memory is short, functions leave the caller's memory_try()
 * (base/memory.h): they check for jansson's NULL, also if it is passed as VALUE. */
#pragma once

#include "base/stats.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Adds a member, or an element. VALUE's reference is taken over. KEY must be UTF-8. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

/* The first SIZE bytes of TEXT, or all if fewer, with ? for bytes that are not UTF-8. */
json_t *json_text(const char *text, size_t size);

/* X, or null if it is not finite, since JSON has no such numbers. */
static inline json_t *json_finite(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* OBJECT's member KEY; NaN if it is not a number. */
static inline double json_number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* OBJECT's member KEY; "" if it is not a text. */
static inline const char *json_text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Adds E in microseconds to OBJECT, as NAME_us, NAME_low_us and NAME_high_us; null if unknown. */
void json_put_estimate(json_t *object, const char *name, struct estimate e);

/* Makes every text in JSON printable, as quote_plain() does. */
void json_make_printable(json_t *json);

/* The content of the regular file PATH, a new reference; on failure NULL, with "PATH: reason" in
 * WHY, which has SIZE bytes. */
json_t *json_file_load(const char *path, char *why, size_t size);

/* Writes VALUE and a line break, and takes over VALUE's reference. Numbers have 15 digits: 0.1 is
 * "0.1", and times of ten days keep their nanoseconds. INDENTED: one member a line. On errors
 * ferror(OUT) is true. */
void json_write(json_t *value, FILE *out, bool indented);
