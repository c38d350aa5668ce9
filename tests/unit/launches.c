/* Protects what is shown of several launches of a benchmark: which rows are the same, which
 * launches belong to which side, and that intervals need enough of them. */
#include "base/memory.h"
#include "base/reason.h"
#include "compare/compare.h"
#include "unit.h"

enum { EACH = 6 };

static const char *second = "binomial"; /* algorithm */

/* The I-th launch: a table of two rows, which change places from launch to launch and whose second
 * figure is an end of an interval, its third for data files only; and a second table. */
static const char *launch(int i, const char *schema)
{
    static char path[2 * EACH][64];
    snprintf(path[i], sizeof *path, "/tmp/collprof-launch-%d-%d.json", (int)getpid(), i);
    struct document *d = document_new(schema);
    static const struct column columns[] = {
        {"algorithm", NULL, COLUMN_TEXT, 0, NULL, NULL, 0},
        {"size", "B", COLUMN_BYTES, 0, NULL, NULL, 0},
        {"direct", "us", COLUMN_REAL, 2, NULL, NULL, 0},
        {"low", "us", COLUMN_REAL, 2, NULL, NULL, 0},
        {"raw", "us", COLUMN_REAL, 2, NULL, NULL, COLUMN_DATA_ONLY}};
    struct table *t = document_table_of(d, "methods", NULL, columns);
    for (int row = 0; row < 2; row++) {
        int which = (row + i) % 2;
        table_text(t, which ? second : "native");
        table_integer(t, 8);
        table_reals(t, which ? 100 : 10 + i, 1, 1);
        if (i % 3 == 0)
            table_remark(t, FINDING("wrong_data", ERROR), "wrong data %d", i);
    }
    t = document_table_of(d, "others", NULL, columns);
    table_text(t, "native");
    table_integer(t, 8);
    table_reals(t, 5, 5, 5);
    cr_assert(document_save(d, path[i], FORMAT_JSON));
    document_free(d);
    return path[i];
}

static json_t *rows, *findings; /* of the last comparison */

/* Compares, and returns row I. */
static const json_t *row_of(size_t i, const char *const *path, size_t before, size_t after)
{
    struct document *d = launches_document(path, before, after);
    cr_assert(d);
    json_t *json = document_json(d), *tables = json_object_get(json, "tables");
    json_decref(rows);
    rows = json_incref(json_object_get(json_object_get(tables, "launches"), "rows"));
    json_decref(findings);
    findings = json_incref(json_object_get(json, "findings"));
    json_decref(json);
    document_free(d);
    return json_array_get(rows, i);
}

#define FOUND(i, key) json_text_at(json_array_get(findings, i), key)
#define NUMBER(row, key) json_number_value(json_object_get(row, key))
#define IS_EMPTY(row, key) json_is_null(json_object_get(row, key))

Test(launches, figures_of_the_same_row_are_compared)
{
    const char *path[2 * EACH];
    for (int i = 0; i < 2 * EACH; i++)
        path[i] = launch(i, "collbench-bcast/2");
    const json_t *row = row_of(0, path, EACH, EACH);
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_eq(json_array_size(findings), 2, "a remark on several rows is shown once a side");
    cr_expect_str_eq(FOUND(1, "text"), "2 of 6 launches of B have remarks such as: wrong data 6.");
    cr_expect_str_eq(FOUND(1, "severity"), "error");
    cr_expect_str_eq(json_text_at(row, "row"), "native size 8");
    cr_expect_eq(NUMBER(row, "launches"), EACH);
    cr_expect_float_eq(NUMBER(row, "median"), 12.5, 1e-9); /* of 10 to 15 */
    cr_expect_float_eq(NUMBER(row, "low"), 10, 1e-9);
    cr_expect_float_eq(NUMBER(row, "high"), 15, 1e-9);
    cr_expect_float_eq(NUMBER(row, "b"), 18.5, 1e-9); /* of 16 to 21 */
    cr_expect_float_eq(NUMBER(row, "change"), 6, 1e-9);
    cr_expect_float_eq(NUMBER(row, "p"), 2.0 / 924, 1e-9); /* all of B are larger */
    row = json_array_get(rows, 1);
    cr_expect_str_eq(json_text_at(row, "row"), "binomial size 8");
    cr_expect(NUMBER(row, "change") == 0 && NUMBER(row, "p") == 1);

    second = "chain";
    for (int i = EACH; i < 2 * EACH; i++)
        launch(i, "collbench-bcast/2");
    row = row_of(1, path, EACH, EACH);
    cr_expect_str_eq(json_text_at(row, "row"), "binomial size 8");
    cr_expect(IS_EMPTY(row, "change") && NUMBER(json_array_get(rows, 0), "change") == 6);
    row = row_of(2, path, EACH, EACH);
    cr_expect_str_eq(json_text_at(row, "row"), "chain size 8");
    cr_expect(IS_EMPTY(row, "median") && NUMBER(row, "b") == 100);
    row = row_of(0, path, EACH - 1, 0);
    cr_expect(IS_EMPTY(row, "low") && !json_object_get(row, "b"), "five have no interval");
    cr_expect_str_eq(FOUND(1, "key"), "few_launches");
    cr_expect_float_eq(NUMBER(row_of(0, path, 3, 3), "p"), 2.0 / 20, 1e-9);
    cr_expect_str_eq(FOUND(1, "key"), "wrong_data", "a comparison has intervals of few launches");
    launch(1, "collbench-tree/2");
    cr_expect_null(launches_document(path, 2, 0), "of different programs");
    for (int i = 0; i < 2 * EACH; i++)
        unlink(path[i]);
    cr_expect_null(launches_document(path, 2, 0), "no such file");
}
