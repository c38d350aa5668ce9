/* Documents from files: protects what is drawn of several of them, and that a file that has nothing
 * to draw is refused in one line. */
#include "document/load.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[2][40];

static void write_file(int i, const char *text)
{
    strcpy(path[i], "/tmp/collprof-load-XXXXXX");
    FILE *file = fdopen(mkstemp(path[i]), "w");
    fputs(text, file);
    fclose(file);
}

#define MAPS(mpi, cell, picture)                                                                   \
    "{\"schema\": \"maps/1\", \"header\": {\"MPI\": \"" mpi "\"}, \"tables\": {\"cells\": "        \
    "{\"columns\": [{\"name\": \"benchmark\", \"kind\": \"text\"}, {\"name\": \"size\", "          \
    "\"kind\": "                                                                                   \
    "\"integer\"}], \"rows\": [{\"benchmark\": \"sender\", \"size\": " cell "}]}}, \"pictures\": " \
    "[{\"kind\": \"heat\", \"title\": \"t\", \"table\": \"" picture "\", \"x\": \"size\", "        \
    "\"y\": \"size\", \"panel\": \"benchmark\"}]}"

static json_t *load(const char *first, const char *second, char why[400])
{
    char *const paths[] = {path[0], path[1]};
    write_file(0, first);
    write_file(1, second ? second : "");
    json_t *d = document_load(paths, second ? 2 : 1, why, 400);
    unlink(path[0]);
    unlink(path[1]);
    return d;
}

Test(document_load, several_have_a_row_each)
{
    char why[400] = "";
    json_t *json = load(MAPS("A", "8", "cells"), MAPS("B", "8", "cells"), why);
    cr_assert(json, "%s", why);
    json_t *rows =
        json_object_get(json_object_get(json_object_get(json, "tables"), "cells"), "rows");
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 0), "benchmark")),
                     "A: sender");
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 1), "benchmark")),
                     "B: sender");
    json_t *picture = json_array_get(json_object_get(json, "pictures"), 0);
    cr_expect_eq(json_integer_value(json_object_get(picture, "files")), 2);
    json_decref(json);
}

Test(document_load, what_cannot_be_drawn_is_refused)
{
    static const char *const damaged[] = {"", "[]", "{\"schema\": \"maps/1\"}",
                                          "{\"pictures\": [1]}"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char why[400] = "";
        cr_expect_null(load(damaged[i], NULL, why), "%s", damaged[i]);
        cr_expect(strstr(why, "collprof-load-"), "%s: %s", damaged[i], why);
        cr_expect_null(load(MAPS("A", "8", "cells"), damaged[i], why), "%s", damaged[i]);
    }
    char why[400] = "";
    static const char other[] = "{\"schema\": \"lines/1\", \"pictures\": [1]}";
    cr_expect_null(load(MAPS("A", "8", "cells"), other, why));
    cr_expect(strstr(why, "it is of another program"), "%s", why);
}
