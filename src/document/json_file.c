#include "document/json_file.h"

#include "base/input.h"

#include <fcntl.h>

json_t *json_file_load(const char *path, char *why, size_t size)
{
    json_error_t error;
    const char *reason;
    FILE *in = input_file(AT_FDCWD, path, &reason);
    if (!in) {
        snprintf(why, size, "%s: %s", path, reason);
        return NULL;
    }
    json_t *json = json_loadf(in, 0, &error);
    fclose(in);
    if (!json)
        snprintf(why, size, "%s: no JSON: line %d: %s", path, error.line, error.text);
    return json;
}
