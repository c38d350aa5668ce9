#include "document/read.h"
#include "document/parts.h"

#include <stdlib.h>
#include <string.h>

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Without a kind: of the first value that is there. */
static enum column_kind kind_of(const json_t *column, const json_t *rows)
{
    const char *kind = json_string_value(json_object_get(column, "kind"));
    size_t i;
    json_t *row;
    for (int k = 0; kind && column_kinds[k]; k++)
        if (strcmp(kind, column_kinds[k]) == 0)
            return (enum column_kind)k;
    json_array_foreach(rows, i, row)
    {
        const json_t *value =
            json_object_get(row, json_string_value(json_object_get(column, "name")));
        if (json_is_integer(value))
            return COLUMN_INTEGER;
        if (json_is_real(value))
            return COLUMN_REAL;
        if (json_is_string(value))
            return COLUMN_TEXT;
    }
    return COLUMN_TEXT;
}

/* The columns of a table; their strings are those of JSON. */
static struct column *columns_of(const json_t *list, const json_t *rows)
{
    struct column *columns = calloc(json_array_size(list) + 1, sizeof *columns);
    for (size_t i = 0; columns && i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i), *decimals = json_object_get(from, "decimals");
        const char *name = string_at(from, "name");
        columns[i] = (struct column){
            .name = name ? name : "",
            .unit = string_at(from, "unit"),
            .kind = kind_of(from, rows),
            .decimals = json_is_integer(decimals) ? (int)json_integer_value(decimals) & 15 : 3,
            .meaning = string_at(from, "meaning"),
            .head = string_at(from, "head"),
            .flags = (unsigned)json_integer_value(json_object_get(from, "flags"))};
    }
    return columns;
}

static bool cell_fits(const struct column *c, const json_t *cell)
{
    if (!cell || json_is_null(cell))
        return true;
    return c->kind == COLUMN_TEXT ? json_is_string(cell) : json_is_number(cell);
}

static bool row_fits(const struct table *t, const json_t *row)
{
    for (size_t c = 0; c < t->n_columns; c++)
        if (!cell_fits(&t->columns[c], json_object_get(row, t->columns[c].name)))
            return false;
    return json_is_object(row);
}

static bool read_table(struct document *d, const char *name, const json_t *json)
{
    const json_t *list = json_object_get(json, "columns"), *rows = json_object_get(json, "rows");
    size_t n = json_array_size(list), i;
    struct column *columns = n && json_is_array(rows) ? columns_of(list, rows) : NULL;
    struct table *t =
        columns ? document_table(d, name, string_at(json, "title"), columns, n) : NULL;
    json_t *row;
    if (!t) {
        free(columns);
        return n == 0;
    }
    t->own = columns;
    json_array_foreach(rows, i, row)
    {
        if (!row_fits(t, row))
            return false;
        table_add_row(t, row);
    }
    return true;
}

/* Whether it has what those who draw it do not look for. */
static bool picture_fits(const struct document *d, const json_t *json)
{
    const char *kind = string_at(json, "kind"), *table = string_at(json, "table"), *key;
    json_t *is;
    bool fits = false;
    for (size_t i = 0; kind && picture_kinds[i]; i++)
        fits = fits || strcmp(kind, picture_kinds[i]) == 0;
    json_object_foreach(json_object_get(json, "where"), key, is)
    {
        fits = fits && json_is_string(is);
    }
    return fits && table && document_find(d, table) && string_at(json, "title") &&
           string_at(json, "x") && string_at(json, "y");
}

static void read_findings(struct document *d, const json_t *json)
{
    json_t *findings = json_object_get(json, "findings"), *one;
    size_t i;
    json_array_foreach(findings, i, one)
    {
        if (string_at(one, "key") && string_at(one, "severity") && string_at(one, "text"))
            json_array_append(d->findings, one);
    }
    json_array_foreach(findings ? NULL : json_object_get(json, "notes"), i, one)
    {
        if (json_is_string(one))
            document_note(d, "%s", json_string_value(one));
    }
}

struct document *document_from_json(const json_t *json)
{
    const char *schema = string_at(json, "schema"), *name;
    json_t *tables = json_object_get(json, "tables"), *value;
    struct document *d = schema && json_is_object(tables) ? document_new(schema) : NULL;
    bool good = d != NULL;
    size_t i;
    if (!d)
        return NULL;
    d->kept = json_incref((json_t *)json);
    json_object_foreach(json_object_get(json, "header"), name, value)
    {
        if (json_is_string(value))
            document_fact(d, name, "%s", json_string_value(value));
    }
    json_object_foreach(tables, name, value)
    {
        good = good && read_table(d, name, value);
    }
    json_array_foreach(json_object_get(json, "pictures"), i, value)
    {
        if (good && picture_fits(d, value))
            json_array_append(d->pictures, value);
    }
    read_findings(d, json);
    if (string_at(json, "caption"))
        document_caption(d, "%s", string_at(json, "caption"));
    if (good)
        return d;
    document_free(d);
    return NULL;
}
