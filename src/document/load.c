#include "document/load.h"

#include "document/json_file.h"
#include "document/parts.h"
#include "document/read.h"

#include <stdlib.h>
#include <string.h>

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static struct document *load_one(const char *path, char *why, size_t size)
{
    json_t *json = json_file_load(path, why, size);
    struct document *d = json ? document_from_json(json) : NULL;
    if (json && (!d || !json_array_size(d->pictures))) {
        snprintf(why, size,
                 "%s: it has no pictures: write it by a collbench program, --format=json", path);
        document_free(d);
        d = NULL;
    }
    json_decref(json);
    return d;
}

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
