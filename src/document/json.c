#include "document/json.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/quote.h"

#include <stdlib.h>
#include <string.h>

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value))
        memory_exhausted();
}

void json_push(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value))
        memory_exhausted();
}

json_t *json_text(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    json_t *value = json_stringn(text, length);
    if (value)
        return value;
    char *plain = memory_alloc(length + 1);
    for (size_t i = 0; i < length; i++)
        plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    value = json_stringn(plain, length);
    free(plain);
    return value;
}

void json_make_printable(json_t *json)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_string(json)) {
        char *text = memory_strdup(json_string_value(json));
        quote_plain(text);
        if (strcmp(text, json_string_value(json)) != 0)
            json_string_set(json, text);
        free(text);
    } else if (json_is_object(json)) {
        json_object_foreach(json, key, value)
            json_make_printable(value);
    } else {
        json_array_foreach(json, i, value)
            json_make_printable(value);
    }
}

void json_put_estimate(json_t *object, const char *name, struct estimate e)
{
    const double part[] = {e.value, e.low, e.high};
    static const char *const ends[] = {"", "low_", "high_"};
    for (int i = 0; i < 3; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s_%sus", name, ends[i]);
        json_put(object, key, json_finite(1e6 * part[i]));
    }
}

json_t *json_file_load(const char *path, char *why, size_t size)
{
    json_error_t error;
    const char *reason;
    FILE *in = input_file(path, &reason);
    if (!in) {
        snprintf(why, size, "%s: %s", path, reason);
        return NULL;
    }
    /* json_loadfd() would make a system call for each byte. */
    json_t *json = json_loadf(in, 0, &error);
    fclose(in);
    if (!json && (!error.position || json_error_code(&error) == json_error_premature_end_of_input))
        snprintf(why, size, "%s: the file is truncated: use a complete copy, or run again", path);
    else if (!json)
        snprintf(why, size, "%s: no JSON: line %d: %s", path, error.line, error.text);
    return json;
}

void json_write(json_t *value, FILE *out, bool indented)
{
    size_t form = indented ? JSON_INDENT(1) : JSON_COMPACT;
    if (!value ||
        (json_dumpf(value, out, form | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) && !ferror(out)))
        memory_exhausted();
    if (indented)
        fputc('\n', out);
    json_decref(value);
}
