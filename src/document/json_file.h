/* JSON that a user names, to be read. */
#ifndef COLLPROF_DOCUMENT_JSON_FILE_H
#define COLLPROF_DOCUMENT_JSON_FILE_H

#include <jansson.h>
#include <math.h>

/* What is in the regular file PATH; NULL, with "PATH: what is wrong" in WHY, if it is no JSON. */
json_t *json_file_load(const char *path, char *why, size_t size);

/* OBJECT's member KEY; NaN if that is no number. */
static inline double json_number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* X, or null where it is not finite: for that JSON has no number. */
static inline json_t *json_finite(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

#endif
