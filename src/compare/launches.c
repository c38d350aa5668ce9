#include "compare/launches.h"

#include "base/memory.h"
#include "base/reason.h"
#include "base/stats.h"
#include "document/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 160 };

static const struct column columns[] = {
    {"command", NULL, COLUMN_TEXT, 0, NULL, .flags = COLUMN_SHORTEN},
    {"row", NULL, COLUMN_TEXT, 0, "of the tables of each launch"},
    {"figure", NULL, COLUMN_TEXT, 0, NULL},
    {"launches", NULL, COLUMN_INTEGER, 0, "that have this figure"},
    {"median", NULL, COLUMN_REAL, 3, "of the launches' figures"},
    {"low", NULL, COLUMN_REAL, 3, "95 % interval of the median over launches"},
    {"high", NULL, COLUMN_REAL, 3, NULL},
    {"least", NULL, COLUMN_REAL, 3, NULL, .flags = COLUMN_OPTIONAL},
    {"most", NULL, COLUMN_REAL, 3, NULL, .flags = COLUMN_OPTIONAL},
    {"unit", NULL, COLUMN_TEXT, 0, NULL}};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool is_figure(const json_t *column)
{
    const char *kind = text_of(column, "kind");
    return !strcmp(kind, "real") || !strcmp(kind, "time") || !strcmp(kind, "share");
}

/* Intervals within a launch say nothing of those between. */
static bool is_end_of_interval(const char *name)
{
    size_t n = strlen(name);
    return (n >= 3 && !strcmp(name + n - 3, "low")) || (n >= 4 && !strcmp(name + n - 4, "high"));
}

/* What stands before the first figure of a row: "binomial ranks 4 size 8". */
static void row_key(const json_t *table, const json_t *row, char key[KEY_ROOM])
{
    size_t i, at = 0;
    const json_t *column;
    *key = '\0';
    json_array_foreach(json_object_get(table, "columns"), i, column)
    {
        const char *name = text_of(column, "name"), *between = at ? " " : "";
        const json_t *value = json_object_get(row, name);
        if (is_figure(column) || at >= KEY_ROOM)
            return;
        if (json_is_string(value))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s", between,
                                   json_string_value(value));
        else if (json_is_integer(value))
            at += (size_t)snprintf(key + at, KEY_ROOM - at, "%s%s %lld", between, name,
                                   (long long)json_integer_value(value));
    }
}

/* The row of that KEY in LAUNCH's table NAME; NULL: it has none. */
static const json_t *find_row(const json_t *launch, const char *name, const char *key)
{
    size_t r;
    const json_t *row, *table = json_object_get(json_object_get(launch, "tables"), name);
    char other[KEY_ROOM];
    json_array_foreach(json_object_get(table, "rows"), r, row)
    {
        row_key(table, row, other);
        if (strcmp(other, key) == 0)
            return row;
    }
    return NULL;
}

static void add_figure(struct table *t, const char *name, const char *key, const json_t *column,
                       double *x, size_t n)
{
    size_t low, high;
    struct summary s = stats_summarize(x, n);
    stats_sort(x, n);
    stats_median_bounds(n, &low, &high);
    bool has_interval = n >= 6;
    table_text(t, name);
    table_text(t, key);
    table_text(t, text_of(column, "name"));
    table_integer(t, (long long)n);
    table_real(t, s.median);
    table_real(t, has_interval ? x[low] : NAN);
    table_real(t, has_interval ? x[high] : NAN);
    table_real(t, s.min);
    table_real(t, s.max);
    table_text(t, text_of(column, "unit"));
}

static void add_row(struct table *t, const char *name, const json_t *all, const char *table,
                    const json_t *column_list, const char *key)
{
    size_t c, l;
    const json_t *column, *launch;
    double *x = memory_alloc((json_array_size(all) + 1) * sizeof *x);
    json_array_foreach(column_list, c, column)
    {
        size_t n = 0;
        const char *figure = text_of(column, "name");
        if (!is_figure(column) || is_end_of_interval(figure))
            continue;
        json_array_foreach(all, l, launch)
        {
            const json_t *value = json_object_get(find_row(launch, table, key), figure);
            if (json_is_number(value))
                x[n++] = json_number_value(value);
        }
        if (n)
            add_figure(t, name, key, column, x, n);
    }
    free(x);
}

static json_t *load(const char *const *path, size_t n)
{
    json_t *all = json_array();
    char why[1000] = "";
    for (size_t i = 0; i < n && !*why; i++) {
        json_t *launch = json_file_load(path[i], why, sizeof why);
        const char *schema = text_of(launch, "schema");
        if (launch && !json_is_object(json_object_get(launch, "tables")))
            snprintf(why, sizeof why, "%s: no results of a collbench program", path[i]);
        else if (i && strcmp(schema, text_of(json_array_get(all, 0), "schema")) != 0)
            snprintf(why, sizeof why, "%s: the launches are of different programs", path[i]);
        json_array_append_new(all, launch);
    }
    if (!*why)
        return all;
    reason_give("%s", why);
    json_decref(all);
    return NULL;
}

bool launches_add(struct launches *l, const char *name, const char *const *path, size_t n)
{
    json_t *all = load(path, n), *table, *tables;
    const char *of;
    if (!all)
        return false;
    if (!l->t)
        l->t = document_table_of(l->d, "launches", "Between launches", columns);
    tables = json_object_get(json_array_get(all, 0), "tables");
    json_object_foreach(tables, of, table)
    {
        size_t r;
        const json_t *row;
        char key[KEY_ROOM];
        json_array_foreach(json_object_get(table, "rows"), r, row)
        {
            row_key(table, row, key);
            add_row(l->t, name, all, of, json_object_get(table, "columns"), key);
        }
    }
    json_decref(all);
    return true;
}
