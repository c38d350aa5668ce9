#include "document/json_file.h"

#include "base/input.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

/* What collbench-overlap has measured so far, a line for each cell (bench/overlap_journal.c). */
static bool is_journal(FILE *in)
{
    static const char begins[] = "{\"collbench-overlap-part/";
    char text[sizeof begins] = "";
    bool is = fread(text, 1, sizeof begins - 1, in) && !strcmp(text, begins);
    rewind(in);
    return is;
}

json_t *json_file_load(const char *path, char *why, size_t size)
{
    json_error_t error;
    const char *reason;
    FILE *in = input_file(AT_FDCWD, path, &reason);
    if (!in) {
        snprintf(why, size, "%s: %s", path, reason);
        return NULL;
    }
    bool unfinished = is_journal(in);
    json_t *json = unfinished ? NULL : json_loadf(in, 0, &error);
    fclose(in);
    if (unfinished)
        snprintf(why, size,
                 "%s: the journal of a collbench-overlap that did not end: the same command again "
                 "goes on with it",
                 path);
    else if (!json)
        snprintf(why, size, "%s: no JSON: line %d: %s", path, error.line, error.text);
    return json;
}

json_t *json_numbers(const double *x, size_t n, double factor)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_finite(factor * x[i]));
    return array;
}
