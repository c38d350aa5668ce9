#include "results/launches.h"

#include "base/stats.h"
#include "document/document.h"
#include "document/json_file.h"

#include <stdlib.h>
#include <string.h>

bool launches_load(json_t *all, const char *path, char *why, size_t size)
{
    json_t *root = json_file_load(path, why, size);
    if (!root)
        return false;
    json_t *earlier = json_object_get(root, "launches");
    const char *wrong = NULL;
    if (!json_is_object(json_object_get(root, "tables")) || !json_object_get(root, "schema"))
        wrong = "it is no result of a collbench program, written with --format=json";
    if (!wrong && earlier && json_array_extend(all, earlier))
        wrong = "its launches are no list";
    if (!wrong) {
        json_object_del(root, "launches");
        json_array_append(all, root);
    } else {
        snprintf(why, size, "%s: %s", path, wrong);
    }
    json_decref(root);
    return !wrong;
}

json_t *launches_of(const struct document *d)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool whole = out && document_write(d, out, FORMAT_JSON);
    if (out)
        fclose(out);
    json_t *root = whole ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return root;
}

static const struct column columns[] = {
    {"row", NULL, COLUMN_TEXT, 0, "of the tables of each launch"},
    {"figure", NULL, COLUMN_TEXT, 0, NULL},
    {"launches", NULL, COLUMN_INTEGER, 0, "that have this figure"},
    {"mean", NULL, COLUMN_REAL, 3, "of the launches' figures"},
    {"low", NULL, COLUMN_REAL, 3, "95 % interval of it, Student's"},
    {"high", NULL, COLUMN_REAL, 3, NULL},
    {"least", NULL, COLUMN_REAL, 3, NULL},
    {"most", NULL, COLUMN_REAL, 3, NULL},
    {"unit", NULL, COLUMN_TEXT, 0, NULL},
    {"remarks", NULL, COLUMN_TEXT, 0, "launches without the figure, and with a remark on the row"},
};
enum { KEY_ROOM = 160 };

static const char *name_of(const json_t *table, size_t column)
{
    const json_t *c = json_array_get(json_object_get(table, "columns"), column);
    const char *name = json_string_value(json_object_get(c, "name"));
    return name ? name : "";
}

static const json_t *table_of(const json_t *launch, const char *name)
{
    return json_object_get(json_object_get(launch, "tables"), name);
}

/* The numbers before the first with a fraction, and the texts, say which row it is. Where that is
 * is a matter of the column: of no row of any launch does it hold a fraction. */
static size_t first_figure(const json_t *all, const char *table)
{
    size_t l, r, first = 0;
    const json_t *launch, *row;
    bool found = false;
    while (!found && *name_of(table_of(json_array_get(all, 0), table), first)) {
        const char *name = name_of(table_of(json_array_get(all, 0), table), first);
        json_array_foreach(all, l, launch)
            json_array_foreach(json_object_get(table_of(launch, table), "rows"), r, row) found =
                found || json_is_real(json_object_get(row, name));
        first += !found;
    }
    return first;
}

static void row_key(const json_t *table, const json_t *row, size_t n, char key[KEY_ROOM])
{
    size_t at = 0;
    key[0] = '\0';
    for (size_t i = 0; i < n && at < KEY_ROOM; i++) {
        const json_t *value = json_object_get(row, name_of(table, i));
        const char *between = i ? " " : "";
        if (json_is_string(value))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s", between,
                                   json_string_value(value));
        else if (json_is_integer(value))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s %lld", between, name_of(table, i),
                                   (long long)json_integer_value(value));
    }
}

/* The same row of another launch's table; NULL: it has none. */
static const json_t *same_row(const json_t *table, size_t keys, const char *key)
{
    size_t r;
    const json_t *row;
    char other[KEY_ROOM];
    json_array_foreach(json_object_get(table, "rows"), r, row)
    {
        row_key(table, row, keys, other);
        if (strcmp(other, key) == 0)
            return row;
    }
    return NULL;
}

/* Intervals within a launch say nothing of those between. */
static bool is_end_of_interval(const char *name)
{
    size_t n = strlen(name);
    return (n >= 3 && strcmp(name + n - 3, "low") == 0) ||
           (n >= 4 && strcmp(name + n - 4, "high") == 0);
}

/* How many launches have not the figure, and how many have a remark on ROWS, one of each launch. */
static void put_remarks(struct table *t, size_t n, const json_t *const *row, size_t launches)
{
    char text[320] = "";
    const char *first = NULL;
    size_t with = 0, at = 0;
    for (size_t l = 0; l < launches; l++) {
        const char *remark = json_string_value(json_object_get(row[l], "remarks"));
        first = first ? first : remark;
        with += remark != NULL;
    }
    if (n < launches)
        at = (size_t)snprintf(text, sizeof text, "missing in %zu of %zu%s", launches - n, launches,
                              with ? "; " : "");
    if (with)
        snprintf(text + at, sizeof text - at, "in %zu of %zu: %s", with, launches, first);
    table_text(t, *text ? text : NULL);
}

static void tell_figure(struct table *t, const char *key, const json_t *column, const double *x,
                        size_t n)
{
    double mean, low, high;
    struct summary s = stats_summarize(x, n);
    stats_mean_interval(x, n, &mean, &low, &high);
    table_text(t, key);
    table_text(t, json_string_value(json_object_get(column, "name")));
    table_integer(t, (long long)n);
    table_real_within(t, mean, (high - low) / 2);
    table_real(t, low);
    table_real(t, high);
    table_real(t, s.min);
    table_real(t, s.max);
    table_text(t, json_string_value(json_object_get(column, "unit")));
}

/* The row of that KEY. X and ROW have room for one of each launch. */
static void tell_row(struct table *t, const json_t *all, const char *name, size_t keys,
                     const char *key, double *x, const json_t **row)
{
    size_t c, l;
    const json_t *columns_of = json_object_get(table_of(json_array_get(all, 0), name), "columns");
    const json_t *column, *launch;
    json_array_foreach(all, l, launch) row[l] = same_row(table_of(launch, name), keys, key);
    json_array_foreach(columns_of, c, column)
    {
        size_t n = 0;
        const char *figure = json_string_value(json_object_get(column, "name"));
        if (c < keys || !figure || is_end_of_interval(figure))
            continue;
        for (l = 0; l < json_array_size(all); l++) {
            const json_t *value = json_object_get(row[l], figure);
            if (json_is_real(value))
                x[n++] = json_real_value(value);
        }
        if (n == 0)
            continue;
        tell_figure(t, key, column, x, n);
        put_remarks(t, n, row, json_array_size(all));
    }
}

/* Each row that any launch has, once. */
static void tell_table(struct table *t, const json_t *all, const char *name, double *x,
                       const json_t **row)
{
    size_t keys = first_figure(all, name), l, r;
    const json_t *launch, *one;
    char key[KEY_ROOM];
    json_array_foreach(all, l, launch)
        json_array_foreach(json_object_get(table_of(launch, name), "rows"), r, one)
    {
        bool told = false;
        row_key(table_of(launch, name), one, keys, key);
        for (size_t before = 0; before < l; before++)
            told = told || same_row(table_of(json_array_get(all, before), name), keys, key);
        if (!told)
            tell_row(t, all, name, keys, key, x, row);
    }
}

/* NULL, or why these are no launches of one program. */
static const char *different(const json_t *all)
{
    const char *schema = json_string_value(json_object_get(json_array_get(all, 0), "schema"));
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *launch = json_array_get(all, i);
        const char *other = json_string_value(json_object_get(launch, "schema"));
        if (!schema || !other || strcmp(other, schema) != 0)
            return "the launches are of different programs";
        for (size_t k = 0; k < i; k++)
            if (json_equal(json_array_get(all, k), launch))
                return "one of the launches is there twice";
    }
    return schema ? NULL : "there is no launch";
}

const char *launches_tell(const json_t *all, struct document *d)
{
    size_t n = json_array_size(all);
    double *x = calloc(n + 1, sizeof *x);
    const json_t **row = calloc(n + 1, sizeof *row), *table;
    const char *name, *why = x && row ? different(all) : "there is no memory for it";
    struct table *t =
        why ? NULL : document_table_of(d, "between_launches", "between launches", columns);
    json_object_foreach(json_object_get(json_array_get(all, 0), "tables"), name, table)
    {
        if (!t || strcmp(name, "statistics") == 0)
            break;
        if (strcmp(name, "between_launches") != 0)
            tell_table(t, all, name, x, row);
    }
    free(x);
    free(row);
    return why;
}
