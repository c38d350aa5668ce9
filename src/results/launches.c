#include "results/launches.h"

#include "base/stats.h"
#include "results/document_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *launches_load(json_t *all, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        return json_error_code(&error) == json_error_cannot_open_file ? "it cannot be read"
                                                                      : "it is no JSON";
    json_t *earlier = json_object_get(root, "launches");
    const char *why = NULL;
    if (!json_is_object(json_object_get(root, "tables")) || !json_object_get(root, "schema"))
        why = "it is no result of a collbench program, written with --format=json";
    if (!why && json_array_extend(all, earlier ? earlier : json_array()) && earlier)
        why = "its launches are no list";
    if (!why) {
        json_object_del(root, "launches");
        json_array_append(all, root);
    }
    json_decref(root);
    return why;
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
};
enum { N_COLUMNS = sizeof columns / sizeof *columns, KEY_ROOM = 160 };

/* The numbers before the first with a fraction, and the texts, say which row it is. Where that is
 * is a matter of the column: of no row does it hold a fraction. */
static size_t first_figure(const json_t *table)
{
    size_t n = json_array_size(json_object_get(table, "columns")), i, r;
    const json_t *row;
    for (i = 0; i < n; i++) {
        const json_t *column = json_array_get(json_object_get(table, "columns"), i);
        const char *name = json_string_value(json_object_get(column, "name"));
        json_array_foreach(json_object_get(table, "rows"), r,
                           row) if (name && json_is_real(json_object_get(row, name))) return i;
    }
    return n;
}

static const char *name_of(const json_t *table, size_t column)
{
    const json_t *c = json_array_get(json_object_get(table, "columns"), column);
    const char *name = json_string_value(json_object_get(c, "name"));
    return name ? name : "";
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

static void tell_figure(struct table *t, const char *key, const json_t *column, const double *x,
                        size_t n)
{
    double mean, low, high;
    struct summary s = stats_summarize(x, n);
    const char *unit = json_string_value(json_object_get(column, "unit"));
    stats_mean_interval(x, n, &mean, &low, &high);
    table_text(t, key);
    table_text(t, json_string_value(json_object_get(column, "name")));
    table_integer(t, (long long)n);
    table_real_within(t, mean, (high - low) / 2);
    table_real(t, low);
    table_real(t, high);
    table_real(t, s.min);
    table_real(t, s.max);
    table_text(t, unit);
}

/* A row of the first launch's table, with those of the others. X has room for one figure of each.
 */
static void tell_row(struct table *t, const json_t *all, const char *name, const json_t *first,
                     const json_t *row, double *x)
{
    size_t keys = first_figure(first), c, l;
    const json_t *column, *launch;
    char key[KEY_ROOM];
    row_key(first, row, keys, key);
    json_array_foreach(json_object_get(first, "columns"), c, column)
    {
        size_t n = 0;
        json_array_foreach(all, l, launch)
        {
            const json_t *table = json_object_get(json_object_get(launch, "tables"), name);
            const json_t *same = c < keys || is_end_of_interval(name_of(first, c))
                                     ? NULL
                                     : same_row(table, keys, key);
            const json_t *value = json_object_get(same, name_of(first, c));
            if (json_is_real(value))
                x[n++] = json_real_value(value);
        }
        if (n > 0)
            tell_figure(t, key, column, x, n);
    }
}

const char *launches_tell(const json_t *all, struct document *d)
{
    const json_t *first = json_array_get(all, 0), *launch, *table, *row;
    const char *schema = json_string_value(json_object_get(first, "schema")), *name;
    double *x = calloc(json_array_size(all) + 1, sizeof *x);
    size_t i;
    if (!first || !schema || !x) {
        free(x);
        return "there is no launch";
    }
    json_array_foreach(all, i, launch)
    {
        const char *other = json_string_value(json_object_get(launch, "schema"));
        if (!other || strcmp(other, schema) != 0) {
            free(x);
            return "the launches are of different programs";
        }
    }
    struct table *t = document_table(d, "between_launches", "between launches", columns, N_COLUMNS);
    json_object_foreach(json_object_get(first, "tables"), name, table)
    {
        if (strcmp(name, "statistics") == 0)
            break;
        json_array_foreach(json_object_get(table, "rows"), i, row)
            tell_row(t, all, name, table, row, x);
    }
    free(x);
    return NULL;
}
