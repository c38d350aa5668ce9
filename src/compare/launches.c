#include "compare/compare.h"

#include "base/memory.h"
#include "base/reason.h"
#include "base/text.h"
#include "compare/evidence.h"
#include "document/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 160, COLUMNS_OF_ONE_SET = 7, LAUNCHES_FOR_INTERVAL = 6 };

static const struct column columns[] = {
    {"row", NULL, COLUMN_TEXT, 0, "row in the first table of the launches' results"},
    {"figure", NULL, COLUMN_TEXT, 0, NULL},
    {"unit", NULL, COLUMN_TEXT, 0, NULL},
    {"launches", NULL, COLUMN_INTEGER, 0, "launches of A that have this figure",
     .flags = COLUMN_OPTIONAL},
    {"median", NULL, COLUMN_REAL, 3, "median over the launches A"},
    {"low", NULL, COLUMN_REAL, 3, "95 % interval of the median over launches",
     .flags = COLUMN_OPTIONAL},
    {"high", NULL, COLUMN_REAL, 3, NULL, .flags = COLUMN_OPTIONAL},
    {"b", NULL, COLUMN_REAL, 3, "median over the launches B"},
    {"change", NULL, COLUMN_REAL, 3,
     "median of all differences between a launch of B and a launch of A"},
    {"change_low", NULL, COLUMN_REAL, 3, "95 % interval of the change", "lowest"},
    {"change_high", NULL, COLUMN_REAL, 3, NULL, "highest"},
    {"p", NULL, COLUMN_REAL, 4,
     "p-value of the exact rank test of this row, not corrected for the number of rows"}};

struct launches {
    json_t *all; /* array of the launches' documents, those of A first */
    size_t before, after;
    struct table *t;
};

/* Values that only data files show are not compared either: their name explains nothing. */
static bool is_figure(const json_t *column)
{
    json_int_t flags = json_integer_value(json_object_get(column, "flags"));
    return text_has_word("real time share", json_text_at(column, "kind")) &&
           !(flags & COLUMN_DATA_ONLY);
}

/* Sets KEY to ROW's values before its first measured value: "binomial ranks 4 size 8 segment 2". */
static void row_key(const json_t *table, const json_t *row, char key[KEY_ROOM])
{
    size_t i, at = 0;
    const json_t *column;
    *key = '\0';
    json_array_foreach(json_object_get(table, "columns"), i, column) {
        const char *name = json_text_at(column, "name"), *between = at ? " " : "";
        const json_t *value = json_object_get(row, name);
        if (is_figure(column) || at >= KEY_ROOM)
            return;
        if (json_is_string(value))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s", between,
                                   json_string_value(value));
        else if (json_is_integer(value) && strcmp(json_text_at(column, "kind"), "count"))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s %lld", between, name,
                                   (long long)json_integer_value(value));
    }
}

/* The rows of table NAME in the I-th launch. */
static const json_t *rows_of(const struct launches *l, size_t i, const char *name)
{
    const json_t *tables = json_object_get(json_array_get(l->all, i), "tables");
    return json_object_get(json_object_get(tables, name), "rows");
}

/* The row with KEY of table NAME, whose columns are in TABLE, in the I-th launch; or NULL. */
static const json_t *find_row(const struct launches *l, size_t i, const char *name,
                              const json_t *table, const char *key)
{
    size_t r;
    const json_t *row;
    char other[KEY_ROOM];
    json_array_foreach(rows_of(l, i, name), r, row) {
        row_key(table, row, other);
        if (strcmp(other, key) == 0)
            return row;
    }
    return NULL;
}

/* Adds a row for the measured values in COLUMN. ROW: for each launch, its row with KEY. */
static void add_figure(const struct launches *l, const char *key, const json_t *const *row,
                       const json_t *column)
{
    size_t all = l->before + l->after, n[2] = {0};
    FREED double *values = memory_alloc(2 * all * sizeof *values);
    double *const x[2] = {values, values + all};
    for (size_t i = 0; i < all; i++) {
        int side = i >= l->before;
        double value = json_number_at(row[i], json_text_at(column, "name"));
        if (!isnan(value))
            x[side][n[side]++] = value;
    }
    if (!n[0] && !n[1])
        return;
    struct summary a = stats_summarize(x[0], n[0]);
    bool has_interval = n[0] >= LAUNCHES_FOR_INTERVAL, both = n[0] && n[1];
    table_text(l->t, key);
    table_text(l->t, json_text_at(column, "name"));
    table_text(l->t, json_text_at(column, "unit"));
    table_integer(l->t, (long long)n[0]);
    table_reals(l->t, a.median, has_interval ? a.median_low : NAN,
                has_interval ? a.median_high : NAN);
    if (l->after) {
        struct estimate e = both ? evidence_shift(x[0], n[0], x[1], n[1]) : ESTIMATE_UNKNOWN;
        table_reals(l->t, stats_summarize(x[1], n[1]).median, e.value, e.low, e.high,
                    both ? evidence_rank_test(x[0], n[0], x[1], n[1]) : NAN);
    }
}

/* Whether column FIGURE is an end of an interval that covers the variation in one launch only. */
static bool is_interval_end(const char *figure)
{
    const char *last = strrchr(figure, '_');
    return text_has_word("low high", last ? last + 1 : figure);
}

/* Adds the rows of launch FIRST that launch 0 does not have: all of launch 0, or B's own. */
static void add_rows(const struct launches *l, size_t first, const char *name, const json_t *table)
{
    size_t r, i, all = l->before + l->after;
    const json_t *row, *column;
    FREED const json_t **rows = memory_alloc(all * sizeof *rows);
    char key[KEY_ROOM];
    json_array_foreach(rows_of(l, first, name), r, row) {
        row_key(table, row, key);
        for (i = 0; i < all; i++)
            rows[i] = find_row(l, i, name, table, key);
        if (first && rows[0])
            continue;
        json_array_foreach(json_object_get(table, "columns"), i, column) {
            if (is_figure(column) && !is_interval_end(json_text_at(column, "name")))
                add_figure(l, key, rows, column);
        }
    }
}

/* For each kind of remark on rows of table NAME, adds a finding: how many of the launches FIRST to
 * END - 1 have such a remark, and one remark's text. OF names these launches, or is "". */
static void add_remarks(const struct launches *l, const char *name, size_t first, size_t end,
                        const char *of, struct document *d)
{
    json_auto_t *kinds = json_object(); /* remark's key: object of launches with this remark */
    json_t *launch, *row, *remark;
    size_t r, k;
    const char *key;
    for (size_t i = first; i < end; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        json_array_foreach(rows_of(l, i, name), r, row) {
            json_array_foreach(json_object_get(row, "remarks"), k, remark) {
                key = json_text_at(remark, "key");
                if (!json_object_get(kinds, key))
                    json_put(kinds, key, json_object());
                json_put(json_object_get(kinds, key), number, json_incref(remark));
            }
        }
    }
    json_object_foreach(kinds, key, launch) {
        remark = json_object_iter_value(json_object_iter(launch));
        document_finding(d, &(struct finding){.key = key, .severity = document_severity(remark)},
                         "%zu of %zu launches%s have remarks such as: %s.",
                         json_object_size(launch), end - first, of, json_text_at(remark, "text"));
    }
}

/* Reads N files into an array; NULL with a reason if one is not a benchmark's result. */
static json_t *load(const char *const *path, size_t n)
{
    json_t *all = json_array();
    char why[1000] = "";
    for (size_t i = 0; i < n && !*why; i++) {
        json_t *launch = json_file_load(path[i], why, sizeof why);
        const char *schema = json_text_at(launch, "schema");
        if (launch && !json_is_object(json_object_get(launch, "tables")))
            snprintf(why, sizeof why, "%s: expected JSON written by a collbench program", path[i]);
        else if (i && strcmp(schema, json_text_at(json_array_get(all, 0), "schema")) != 0)
            snprintf(why, sizeof why,
                     "%s: expected results of the same program as in the other files", path[i]);
        if (launch)
            json_push(all, launch);
    }
    if (!*why)
        return all;
    reason_give("%s", why);
    json_decref(all);
    return NULL;
}

struct document *launches_document(const char *const *path, size_t before, size_t after)
{
    struct launches l = {load(path, before + after), before, after, NULL};
    const char *name;
    json_t *table;
    struct document *d = l.all ? document_new("collprof-launches/2") : NULL;
    if (d) {
        size_t n = after ? sizeof columns / sizeof *columns : COLUMNS_OF_ONE_SET;
        l.t = document_table(d, "launches", "Medians over launches, 95 % intervals", columns, n);
        if (!after && before < LAUNCHES_FOR_INTERVAL)
            document_finding(d, FINDING("few_launches", NOTE),
                             "An interval needs %d launches: use: collprof repeat -n %d.",
                             LAUNCHES_FOR_INTERVAL, LAUNCHES_FOR_INTERVAL);
        json_object_foreach(json_object_get(json_array_get(l.all, 0), "tables"), name, table) {
            add_rows(&l, 0, name, table);
            if (after)
                add_rows(&l, before, name, table);
            add_remarks(&l, name, 0, before, after ? " of A" : "", d);
            add_remarks(&l, name, before, before + after, " of B", d);
            break; /* only the first table is compared */
        }
    }
    json_decref(l.all);
    return d;
}
