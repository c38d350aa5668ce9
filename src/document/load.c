#include "document/load.h"

#include "document/json_file.h"
#include "document/parts.h"

#include <stdlib.h>
#include <string.h>

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The kind of that name; -1: there is none. */
static int kind_of(const char *name)
{
    for (int k = 0; name && column_kinds[k]; k++)
        if (strcmp(name, column_kinds[k]) == 0)
            return k;
    return -1;
}

static bool cell_fits(const struct column *c, const json_t *cell)
{
    if (json_is_null(cell) || !cell)
        return true;
    return c->kind == COLUMN_TEXT ? json_is_string(cell) : json_is_number(cell);
}

/* Strings are JSON's, which D keeps. */
static bool read_columns(const json_t *list, struct column *columns)
{
    size_t i;
    json_t *json;
    json_array_foreach(list, i, json)
    {
        int kind = kind_of(string_at(json, "kind"));
        columns[i] =
            (struct column){.name = string_at(json, "name"),
                            .unit = string_at(json, "unit"),
                            .kind = (enum column_kind)kind,
                            .decimals = (int)json_integer_value(json_object_get(json, "decimals")),
                            .meaning = string_at(json, "meaning"),
                            .head = string_at(json, "head")};
        if (!columns[i].name || kind < 0 || columns[i].decimals < 0 || columns[i].decimals > 20)
            return false;
    }
    return json_is_array(list);
}

static bool read_rows(struct table *t, const json_t *rows)
{
    size_t i;
    json_t *row;
    t->rows = calloc(json_array_size(rows) + 1, sizeof *t->rows);
    json_array_foreach(rows, i, row)
    {
        for (size_t c = 0; c < t->n_columns; c++)
            if (!cell_fits(&t->columns[c], json_object_get(row, t->columns[c].name)))
                return false;
        if (!t->rows || !json_is_object(row))
            return false;
        t->rows[t->n_rows++].cells = json_incref(row);
    }
    t->room = json_array_size(rows) + 1;
    return json_is_array(rows);
}

static bool read_table(struct document *d, const char *name, const json_t *json)
{
    const json_t *list = json_object_get(json, "columns");
    struct column *columns = calloc(json_array_size(list) + 1, sizeof *columns);
    struct table *t =
        columns ? document_table(d, name, string_at(json, "title"), columns, json_array_size(list))
                : NULL;
    if (!t) {
        free(columns);
        return false;
    }
    t->loaded = columns;
    return read_columns(list, columns) && read_rows(t, json_object_get(json, "rows"));
}

/* Whether draw.c finds all that it does not look for itself. */
static bool picture_fits(const struct document *d, const json_t *json)
{
    static const char *const kinds[] = {"lines", "bars", "heat", "surface", "timeline"};
    const char *kind = string_at(json, "kind"), *table = string_at(json, "table"), *key;
    json_t *is;
    bool known = false;
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
        known = known || strcmp(kind, kinds[i]) == 0;
    json_object_foreach(json_object_get(json, "where"), key, is)
    {
        known = known && json_is_string(is);
    }
    return known && table && document_find(d, table) && string_at(json, "title") &&
           string_at(json, "x") && string_at(json, "y");
}

static struct document *load_one(const char *path, char *why, size_t size)
{
    const char *key;
    size_t i;
    json_t *value, *json = json_file_load(path, why, size);
    const char *schema = string_at(json, "schema");
    struct document *d = schema ? document_new(schema) : NULL;
    bool good = d && json_is_array(json_object_get(json, "pictures"));
    if (!json)
        return NULL;
    if (d)
        json_object_set(d->attached, "loaded", json);
    json_object_foreach(json_object_get(json, "header"), key, value)
    {
        if (good && json_is_string(value))
            json_object_set(d->header, key, value);
    }
    json_object_foreach(json_object_get(json, "tables"), key, value)
    {
        good = good && read_table(d, key, value);
    }
    json_array_foreach(json_object_get(json, "pictures"), i, value)
    {
        good = good && picture_fits(d, value) && !json_array_append(d->pictures, value);
    }
    if (good)
        d->caption = json_incref(json_object_get(json, "caption"));
    else
        snprintf(why, size,
                 "%s: it has no pictures: write it by a collbench program, --format=json", path);
    json_decref(json);
    if (good)
        return d;
    document_free(d);
    return NULL;
}

/* --- several --- */

/* What the maps of D's first picture are made of begins with MPI's name. */
static void name_panels(struct document *d)
{
    const char *panel = string_at(json_array_get(d->pictures, 0), "panel");
    const char *mpi = document_known(d, "MPI");
    for (size_t i = 0; panel && i < d->n_tables; i++)
        for (size_t r = 0; r < d->tables[i]->n_rows; r++) {
            json_t *cells = d->tables[i]->rows[r].cells;
            const char *is = string_at(cells, panel);
            if (is)
                json_object_set_new(cells, panel,
                                    json_sprintf("%.40s: %.50s", mpi ? mpi : "unknown MPI", is));
        }
}

static bool add_rows(struct document *d, const struct document *from)
{
    for (size_t i = 0; i < from->n_tables; i++) {
        const struct table *source = from->tables[i];
        struct table *t = document_find(d, source->name);
        struct table_row *more =
            t ? reallocarray(t->rows, t->n_rows + source->n_rows + 1, sizeof *more) : NULL;
        if (!t)
            continue;
        if (!more)
            return false;
        t->rows = more;
        for (size_t r = 0; r < source->n_rows; r++)
            t->rows[t->n_rows++] = (struct table_row){.cells = json_incref(source->rows[r].cells)};
        t->room = t->n_rows + 1;
    }
    return true;
}

struct document *document_load(char *const *path, size_t n, char *why, size_t size)
{
    struct document *all = load_one(path[0], why, size);
    bool good = all != NULL;
    if (good && n > 1) {
        size_t i;
        json_t *picture;
        name_panels(all);
        json_array_foreach(all->pictures, i, picture)
        {
            json_object_set_new(picture, "files", json_integer((json_int_t)n));
        }
        json_decref(all->caption);
        all->caption = NULL;
    }
    for (size_t i = 1; good && i < n; i++) {
        struct document *one = load_one(path[i], why, size);
        good = one != NULL;
        if (good && strcmp(json_string_value(one->schema), json_string_value(all->schema)) != 0)
            good =
                snprintf(why, size, "%s: it is of another program than %s", path[i], path[0]) < 0;
        if (good) {
            name_panels(one);
            good = add_rows(all, one);
        }
        document_free(one);
    }
    if (good)
        return all;
    document_free(all);
    return NULL;
}
