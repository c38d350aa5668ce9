#include "results/document_model.h"
#include "results/save.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *array, size_t n, size_t size)
{
    void *more = reallocarray(array, n, size);
    if (!more)
        abort(); /* a few lines of results do not fit: nothing sensible is left to do */
    return more;
}

bool format_from_name(const char *name, enum format *format)
{
    static const char *const names[] = {"text", "csv", "json"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    }
    return false;
}

struct document *document_new(const char *schema)
{
    struct document *d = grown(NULL, 1, sizeof *d);
    *d = (struct document){.schema = strdup(schema), .attached = json_object()};
    return d;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->n_cells; i++)
        free(t->cells[i].text);
    free(t->cells);
    free(t->name);
    free(t->title);
    free(t);
}

void document_free(struct document *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n_facts; i++) {
        free(d->facts[i].key);
        free(d->facts[i].value);
    }
    for (size_t i = 0; i < d->n_notes; i++)
        free(d->notes[i]);
    for (size_t i = 0; i < d->n_tables; i++)
        table_free(d->tables[i]);
    free(d->facts);
    free(d->notes);
    free(d->tables);
    json_decref(d->attached);
    free(d->schema);
    free(d);
}

/* One line is one fact or note in every format, so line ends become spaces. */
static char *formatted(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        abort();
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return text;
}

void document_fact(struct document *d, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->facts = grown(d->facts, d->n_facts + 1, sizeof *d->facts);
    d->facts[d->n_facts++] = (struct fact){strdup(key), formatted(format, args)};
    va_end(args);
}

void document_note(struct document *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->notes = grown(d->notes, d->n_notes + 1, sizeof *d->notes);
    d->notes[d->n_notes++] = formatted(format, args);
    va_end(args);
}

void document_attach(struct document *d, const char *key, json_t *value)
{
    json_object_set_new(d->attached, key, value);
}

struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n)
{
    struct table *t = grown(NULL, 1, sizeof *t);
    *t = (struct table){.name = strdup(name),
                        .title = title ? strdup(title) : NULL,
                        .columns = columns,
                        .n_columns = n};
    d->tables = grown(d->tables, d->n_tables + 1, sizeof *d->tables);
    d->tables[d->n_tables++] = t;
    return t;
}

static void add_cell(struct table *t, struct cell cell)
{
    if (t->n_cells == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cells = grown(t->cells, t->room, sizeof *t->cells);
    }
    t->cells[t->n_cells++] = cell;
}

void table_text(struct table *t, const char *value)
{
    add_cell(t, (struct cell){.empty = !value, .text = value ? strdup(value) : NULL});
}

/* A number given to a column of the other kind of number is converted, so that a column can
 * change its kind without every caller changing. */
void table_integer(struct table *t, long long value)
{
    add_cell(t, (struct cell){.integer = value, .real = (double)value});
}

void table_real(struct table *t, double value)
{
    add_cell(t, (struct cell){.empty = !isfinite(value),
                              .integer = isfinite(value) ? llround(value) : 0,
                              .real = value});
}

void table_skip(struct table *t)
{
    add_cell(t, (struct cell){.empty = true});
}

size_t table_rows(const struct table *t)
{
    return t->n_cells / t->n_columns;
}

bool document_save(const struct document *d, const char *path, enum format format)
{
    struct save file;
    if (!save_open(&file, path))
        return false;
    document_write(d, file.out, format);
    return save_commit(&file);
}
