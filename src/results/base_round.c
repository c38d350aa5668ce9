#include "results/base_round.h"
#include "document/json_file.h"
#include "document/save.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const schema = "collprof-base-round/1";
static const char *const keys[N_BASE_KINDS] = {"contiguous_us", "vector_us", "cpu_us"};

json_t *base_round_json(const struct base_round *base, const struct base_origin *origin)
{
    json_t *points = json_array();
    for (size_t i = 0; i < base->n; i++) {
        json_t *point = json_pack("{s:I}", "bytes", (json_int_t)base->point[i].bytes);
        for (int k = 0; k < N_BASE_KINDS; k++) { /* a simulated send may take no time */
            double us = 1e6 * base->point[i].time[k];
            json_object_set_new(point, keys[k], json_finite(us > 0 ? us : NAN));
        }
        json_array_append_new(points, point);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "schema", schema, "mpi", origin->mpi,
                     "hosts", origin->hosts, "date", origin->date, "latency_us",
                     json_finite(1e6 * base->latency), "latency_error_us",
                     json_real(1e6 * base->latency_error), "points", points);
}

static void copy_string(char *to, size_t size, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(to, size, "%s", text ? text : "");
}

/* Of a message that takes longer, or is larger, nobody could have measured a series. */
#define MOST_SECONDS 1e6
#define MOST_BYTES ((json_int_t)1 << 40)

/* A time is a positive number or null; anything else is damage. */
static bool read_time(const json_t *value, double *seconds)
{
    if (!value || json_is_null(value)) {
        *seconds = NAN;
        return true;
    }
    *seconds = 1e-6 * json_number_value(value);
    return json_is_number(value) && *seconds > 0 && *seconds <= MOST_SECONDS;
}

static bool read_point(const json_t *json, struct base_point *point)
{
    json_int_t bytes = json_integer_value(json_object_get(json, "bytes"));
    point->bytes = (size_t)bytes;
    for (int k = 0; k < N_BASE_KINDS; k++)
        if (!read_time(json_object_get(json, keys[k]), &point->time[k]))
            return false;
    return bytes > 0 && bytes <= MOST_BYTES;
}

bool base_round_from_json(const json_t *json, struct base_round *base, struct base_origin *origin,
                          const char **why)
{
    const char *ignored, **reason = why ? why : &ignored;
    *base = (struct base_round){0};
    const json_t *inside = json_object_get(json, "base_round");
    if (inside)
        json = inside;
    const char *found = json_string_value(json_object_get(json, "schema"));
    *reason = "it is no base round: save one by collbench-overlap --save-base=FILE";
    if (!found || strcmp(found, schema) != 0)
        return false;
    *reason = "its latency_us is no possible time";
    if (!read_time(json_object_get(json, "latency_us"), &base->latency) || isnan(base->latency))
        return false;
    base->latency_error = 1e-6 * json_number_value(json_object_get(json, "latency_error_us"));
    *reason = "its latency_error_us is no possible time";
    if (!(base->latency_error >= 0 && base->latency_error <= MOST_SECONDS))
        return false;
    const json_t *points = json_object_get(json, "points"), *item;
    size_t i;
    json_array_foreach(points, i, item)
    {
        struct base_point point;
        if (!read_point(item, &point)) {
            *reason = "a point has an impossible size or time";
            base_round_free(base);
            return false;
        }
        base_round_add(base, point);
    }
    *reason = "it has no points";
    if (base->n == 0)
        return false;
    if (origin) {
        copy_string(origin->mpi, sizeof origin->mpi, json, "mpi");
        copy_string(origin->hosts, sizeof origin->hosts, json, "hosts");
        copy_string(origin->date, sizeof origin->date, json, "date");
    }
    *reason = NULL;
    return true;
}

bool base_round_load(const char *path, struct base_round *base, struct base_origin *origin,
                     char *why, size_t size)
{
    const char *reason;
    *base = (struct base_round){0};
    json_t *json = json_file_load(path, why, size);
    if (!json)
        return false;
    bool loaded = base_round_from_json(json, base, origin, &reason);
    if (!loaded)
        snprintf(why, size, "%s: %s", path, reason);
    json_decref(json);
    return loaded;
}

bool base_round_save(const struct base_round *base, const struct base_origin *origin,
                     const char *path)
{
    return save_json(base_round_json(base, origin), path, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}
