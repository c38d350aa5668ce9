#include "document/load.h"

#include "document/json_file.h"

#include <stdbool.h>
#include <string.h>

static json_t *load_one(const char *path, char *why, size_t size)
{
    json_t *d = json_file_load(path, why, size);
    if (!d || (json_is_string(json_object_get(d, "schema")) &&
               json_array_size(json_object_get(d, "pictures"))))
        return d;
    json_decref(d);
    snprintf(why, size, "%s: it has no pictures: write it by a collbench program, --format=json",
             path);
    return NULL;
}

static json_t *rows_at(json_t *d, const char *table)
{
    return json_object_get(json_object_get(json_object_get(d, "tables"), table), "rows");
}

/* The names of the maps of D's first picture begin with MPI's. */
static void name_panels(json_t *d)
{
    const json_t *picture = json_array_get(json_object_get(d, "pictures"), 0);
    const char *panel = json_string_value(json_object_get(picture, "panel")), *table,
               *mpi = json_string_value(json_object_get(json_object_get(d, "header"), "MPI"));
    json_t *content, *row;
    json_object_foreach(json_object_get(d, "tables"), table, content)
    {
        size_t i;
        json_array_foreach(rows_at(d, table), i, row)
        {
            const char *is = json_string_value(json_object_get(row, panel));
            if (is)
                json_object_set_new(row, panel,
                                    json_sprintf("%.40s: %.50s", mpi ? mpi : "unknown MPI", is));
        }
    }
}

static void add_rows(json_t *to, json_t *from)
{
    const char *table;
    json_t *content;
    json_object_foreach(json_object_get(to, "tables"), table, content)
    {
        json_array_extend(rows_at(to, table), rows_at(from, table));
    }
}

json_t *document_load(char *const *path, size_t n, char *why, size_t size)
{
    json_t *all = load_one(path[0], why, size), *picture;
    size_t i;
    if (!all || n < 2)
        return all;
    name_panels(all);
    json_object_del(all, "caption");
    json_array_foreach(json_object_get(all, "pictures"), i, picture)
    {
        json_object_set_new(picture, "files", json_integer((json_int_t)n));
    }
    for (i = 1; i < n; i++) {
        json_t *one = load_one(path[i], why, size);
        bool alike =
            one && json_equal(json_object_get(one, "schema"), json_object_get(all, "schema"));
        if (alike) {
            name_panels(one);
            add_rows(all, one);
        } else {
            if (one)
                snprintf(why, size, "%s: it is of another program than %s", path[i], path[0]);
            json_decref(all);
            all = NULL;
        }
        json_decref(one);
        if (!all)
            break;
    }
    return all;
}
