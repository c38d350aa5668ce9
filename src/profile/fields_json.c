/* Converts members of a row to JSON and back. */
#include "profile/model.h"

#include <math.h>
#include <stdlib.h>

static json_t *histogram_json(const uint64_t *histogram)
{
    json_t *array = json_array();
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (histogram[b]) {
            json_push(array, json_integer((json_int_t)histogram_floor(b)));
            json_push(array, json_integer((json_int_t)histogram[b]));
        }
    }
    return array;
}

static json_t *frames_json(const struct profile_site *s)
{
    json_t *frames = json_array();
    for (uint32_t f = 0; f < s->depth; f++)
        json_push(frames, fields_json(profile_frame_fields(), &s->frame[f]));
    return frames;
}

json_t *field_json(const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    char hex[24];
    switch (f->kind) {
    case FIELD_U32:
        return json_integer(*(const uint32_t *)at);
    case FIELD_I32:
        return json_integer(*(const int32_t *)at);
    case FIELD_U64:
    case FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case FIELD_MAYBE:
        return *(const int64_t *)at < 0 ? json_null() : json_integer(*(const int64_t *)at);
    case FIELD_REAL:
        return json_finite(*(const double *)at);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_TEXT:
        return json_text(at, f->size);
    case FIELD_HEX:
        snprintf(hex, sizeof hex, "0x%016llx", *(const unsigned long long *)at);
        return json_string(hex);
    case FIELD_INDEX:
    case FIELD_ROW:
        return *(const uint32_t *)at == PROFILE_NONE ? json_null()
                                                     : json_integer(*(const uint32_t *)at);
    case FIELD_STRING:
        return json_text(*(char *const *)at, SIZE_MAX);
    case FIELD_JSON:
        return json_incref(*(json_t *const *)at);
    case FIELD_FRAMES:
        return frames_json(at);
    case FIELD_SPREAD:
        return fields_json(spread_fields(), at);
    case FIELD_HISTOGRAM:
        return histogram_json(*(uint64_t *const *)at);
    default:
        return json_string(names_at(f->names, *(const uint32_t *)at));
    }
}

json_t *fields_json(const struct fields *fields, const void *row)
{
    json_t *object = json_object();
    for (EACH(const struct field, f, *fields))
        if (f->key && !((f->kind == FIELD_STRING || f->kind == FIELD_JSON) &&
                        !*(void *const *)((const char *)row + f->offset)))
            json_put(object, f->key, field_json(f, row));
    return object;
}

static bool set_histogram(uint64_t **histogram, const json_t *array)
{
    if (!*histogram)
        *histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof **histogram);
    for (size_t i = 0; i + 1 < json_array_size(array); i += 2) {
        json_int_t floor = json_integer_value(json_array_get(array, i));
        json_int_t count = json_integer_value(json_array_get(array, i + 1));
        if (floor < 0 || count < 0)
            return false;
        (*histogram)[histogram_bucket((uint64_t)floor)] += (uint64_t)count;
    }
    return true;
}

static bool set_index(uint32_t *index, const json_t *value)
{
    json_int_t number = json_integer_value(value);
    *index = json_is_integer(value) ? (uint32_t)number : PROFILE_NONE;
    return !value || json_is_null(value) ||
           (json_is_integer(value) && number >= 0 && number < PROFILE_NONE);
}

static bool set_frames(struct profile_site *s, const json_t *frames)
{
    bool good = json_array_size(frames) <= LEDGER_MAX_DEPTH;
    for (size_t k = 0; good && k < json_array_size(frames); k++)
        good =
            fields_read(json_array_get(frames, k), profile_frame_fields(), &s->frame[s->depth++]);
    return good;
}

static bool set_name(const struct names *names, uint32_t *value, const char *name)
{
    for (*value = 0; name && *value < names->n; ++*value)
        if (!strcmp(names->at[*value], name))
            return true;
    return false;
}

static bool set_integer(const struct field *f, void *at, const json_t *value, json_int_t least,
                        json_int_t most)
{
    json_int_t number = json_integer_value(value);
    if (f->size == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)number;
    else
        *(int64_t *)at = number;
    return json_is_integer(value) && number >= least && number <= most;
}

bool field_read(const json_t *value, const struct field *f, void *row)
{
    void *at = (char *)row + f->offset;
    const char *text = json_string_value(value);
    switch (f->kind) {
    case FIELD_U32:
        return set_integer(f, at, value, 0, UINT32_MAX);
    case FIELD_I32:
        return set_integer(f, at, value, INT32_MIN, INT32_MAX);
    case FIELD_U64:
        return set_integer(f, at, value, 0, FAR_NS);
    case FIELD_I64:
        return set_integer(f, at, value, -FAR_NS, FAR_NS);
    case FIELD_MAYBE:
        *(int64_t *)at = -1;
        return !value || json_is_null(value) || set_integer(f, at, value, 0, FAR_NS);
    case FIELD_REAL:
        *(double *)at = json_is_null(value) ? NAN : json_number_value(value);
        return json_is_null(value) ||
               (json_is_number(value) && fabs(json_number_value(value)) < (double)FAR_NS);
    case FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_TEXT:
        snprintf(at, f->size, "%s", text ? text : "");
        return text != NULL;
    case FIELD_HEX:
        *(uint64_t *)at = text ? strtoull(text, NULL, 16) : 0;
        return text != NULL;
    case FIELD_INDEX:
    case FIELD_ROW:
        return set_index(at, value);
    case FIELD_STRING:
        *(char **)at = text ? memory_strdup(text) : NULL;
        return text != NULL;
    case FIELD_JSON:
        *(json_t **)at = json_incref((json_t *)value);
        return true;
    case FIELD_FRAMES:
        return set_frames(at, value);
    case FIELD_SPREAD:
        *(struct spread *)at = (struct spread){0};
        return !value || fields_read(value, spread_fields(), at);
    case FIELD_HISTOGRAM:
        return set_histogram(at, value);
    default:
        return set_name(f->names, at, text);
    }
}

bool fields_read(const json_t *object, const struct fields *fields, void *row)
{
    bool good = json_is_object(object);
    for (const struct field *f = fields->at; good && f < fields->at + fields->n; f++) {
        const json_t *value = f->key ? json_object_get(object, f->key) : NULL;
        if (value || (f->key && f->kind >= FIELD_MAYBE))
            good = field_read(value, f, row);
    }
    return good;
}
