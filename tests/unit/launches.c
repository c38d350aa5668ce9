/* Results of several launches side by side. */
#include "results/launches.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct column columns[] = {
    {"algorithm", NULL, COLUMN_TEXT, 0, NULL},  {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"held", "us", COLUMN_REAL, 2, NULL},       {"held_low", "us", COLUMN_REAL, 2, NULL},
    {"slowest", NULL, COLUMN_INTEGER, 0, NULL}, {"remarks", NULL, COLUMN_TEXT, 0, NULL}};

/* A launch in which size 8 took HELD; size 16 has a figure in those of more than 11 only. */
static json_t *launch(const char *schema, double held)
{
    struct document *d = document_new(schema);
    struct table *t = document_table(d, "methods", NULL, columns, 6);
    for (int size = 8; size <= 16; size *= 2) {
        table_text(t, "native");
        table_integer(t, size);
        table_real(t, size == 8 ? held : held > 11 ? 2 * held : 0.0 / 0.0);
        table_real(t, 1.5);
        table_integer(t, 3);
        table_text(t, held > 12 ? "held: busy" : NULL);
    }
    t = document_table(d, "statistics", NULL, columns + 2, 1);
    table_real(t, 5.5);
    json_t *of = launches_of(d);
    document_free(d);
    return of;
}

static json_t *told(const json_t *all)
{
    struct document *d = document_new("example/1");
    cr_assert_null(launches_tell(all, d));
    json_t *root = launches_of(d);
    document_free(d);
    json_t *table = json_object_get(json_object_get(root, "tables"), "between_launches");
    json_t *rows = json_deep_copy(json_object_get(table, "rows"));
    json_decref(root);
    return rows;
}

static double number(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

/* Of 10, 11 and 12 the mean is 11 +- 4.303 / sqrt 3. */
Test(launches, interval_between_launches)
{
    json_t *all = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(all, launch("example/1", 10.25 + i));
    json_t *rows = told(all), *row = json_array_get(rows, 0);
    cr_assert_eq(json_array_size(rows), 2);
    cr_assert_str_eq(json_string_value(json_object_get(row, "row")), "native size 8");
    cr_assert_str_eq(json_string_value(json_object_get(row, "figure")), "held");
    cr_assert_eq(number(row, "launches"), 3);
    cr_assert_float_eq(number(row, "mean"), 11.25, 1e-9);
    cr_assert_float_eq(number(row, "low"), 11.25 - 2.484, 2e-3);
    cr_assert_float_eq(number(row, "high"), 11.25 + 2.484, 2e-3);
    cr_assert_float_eq(number(row, "least"), 10.25, 1e-9);
    cr_assert_float_eq(number(row, "most"), 12.25, 1e-9);
    row = json_array_get(rows, 1);
    cr_assert_str_eq(json_string_value(json_object_get(row, "row")), "native size 16");
    cr_assert_eq(number(row, "launches"), 2);
    cr_assert_float_eq(number(row, "mean"), 23.5, 1e-9);
    cr_assert_str_eq(json_string_value(json_object_get(row, "remarks")),
                     "missing in 1 of 3; in 1 of 3: held: busy");
    json_decref(rows);
    json_decref(all);
}

Test(launches, of_different_programs)
{
    struct document *d = document_new("example/1");
    json_t *all = json_array();
    cr_assert_not_null(launches_tell(all, d), "none");
    json_array_append_new(all, launch("example/1", 10.25));
    json_array_append_new(all, launch("other/1", 10.25));
    cr_assert_not_null(launches_tell(all, d));
    json_array_set_new(all, 1, launch("example/1", 10.25));
    cr_assert_not_null(launches_tell(all, d), "the same twice");
    json_decref(all);
    document_free(d);
}

/* NULL: it was; otherwise why not. */
static const char *loaded(const char *text, json_t *all)
{
    static char why[200];
    char path[] = "/tmp/collprof-launches-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    bool good = launches_load(all, path, why, sizeof why);
    unlink(path);
    cr_assert(good || !strncmp(why, path, strlen(path)), "%s", why);
    return good ? NULL : why + strlen(path);
}

/* A file holds one launch, or those before it, too. */
Test(launches, from_files)
{
    json_t *all = json_array();
    cr_assert_null(loaded("{\"schema\": \"a\", \"tables\": {}, \"launches\": [{}, {}]}", all));
    cr_assert_eq(json_array_size(all), 3);
    cr_assert_null(json_object_get(json_array_get(all, 2), "launches"));
    cr_assert_null(loaded("{\"schema\": \"a\", \"tables\": {}}", all));
    cr_assert_eq(json_array_size(all), 4);
    cr_assert_not_null(strstr(loaded("{\"schema\": \"a\"}", all), ": it is no result"));
    cr_assert_not_null(strstr(loaded("{\"schema\": \"a\", \"tables\": {}, \"launches\": 3}", all),
                              ": its launches"));
    cr_assert_not_null(strstr(loaded("\nnonsense", all), ": no JSON: line 2: "));
    char why[200];
    cr_assert_not(launches_load(all, "/nowhere", why, sizeof why));
    cr_assert_str_eq(why, "/nowhere: No such file or directory");
    cr_assert_eq(json_array_size(all), 4);
    json_decref(all);
}

/* Measured in any order, written in the order of the places. */
Test(launches, rows_by_place)
{
    struct document *d = document_new("example/1");
    struct table *t = document_table(d, "t", NULL, columns, 2);
    static const int order[] = {3, 0, 2, 1, 2};
    for (int i = 0; i < 5; i++) {
        document_place(d, (size_t)order[i]);
        table_text(t, i == 4 ? "second" : "first");
        table_integer(t, order[i]);
    }
    json_t *root = launches_of(d);
    json_t *rows = json_object_get(json_object_get(json_object_get(root, "tables"), "t"), "rows");
    static const int sorted[] = {0, 1, 2, 2, 3};
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(number(json_array_get(rows, i), "size"), sorted[i]);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 3), "algorithm")),
                     "second");
    json_decref(root);
    document_free(d);
}
