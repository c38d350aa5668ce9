#include "results/document_inner.h"
#include "results/save.h"

#include "base/reason.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more in *ARRAY, which has N, each of SIZE; false, and D lacks something. */
static bool grow(struct document *d, void **array, size_t n, size_t size)
{
    void *more = reallocarray(*array, n + 1, size);
    if (more)
        *array = more;
    else
        d->incomplete = true;
    return more != NULL;
}

static char *kept(struct document *d, char *text)
{
    d->incomplete = d->incomplete || !text;
    return text;
}

const char *const format_names[] = {"text", "csv", "json", NULL};

bool format_from_name(const char *name, enum format *format)
{
    for (int i = 0; format_names[i]; i++) {
        if (strcmp(name, format_names[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    }
    return false;
}

struct document *document_new(const char *schema)
{
    struct document *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->schema = kept(d, strdup(schema));
    d->attached = json_object();
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
        return NULL;
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return text;
}

void document_fact(struct document *d, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct fact fact = {kept(d, strdup(key)), kept(d, formatted(format, args))};
    va_end(args);
    if (fact.key && fact.value && grow(d, (void **)&d->facts, d->n_facts, sizeof fact)) {
        d->facts[d->n_facts++] = fact;
        return;
    }
    free(fact.key);
    free(fact.value);
}

void document_note(struct document *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *note = kept(d, formatted(format, args));
    va_end(args);
    if (note && grow(d, (void **)&d->notes, d->n_notes, sizeof note))
        d->notes[d->n_notes++] = note;
    else
        free(note);
}

void document_attach(struct document *d, const char *key, json_t *value)
{
    json_object_set_new(d->attached, key, value);
}

struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t || !grow(d, (void **)&d->tables, d->n_tables, sizeof t)) {
        d->incomplete = true;
        free(t);
        return NULL;
    }
    *t = (struct table){.document = d,
                        .name = kept(d, strdup(name)),
                        .title = title ? kept(d, strdup(title)) : NULL,
                        .columns = columns,
                        .n_columns = n};
    d->tables[d->n_tables++] = t;
    return t;
}

/* The last row goes before those of higher places. */
static void put_in_place(struct table *t)
{
    size_t n = t->n_columns;
    struct cell *row = t->cells + t->n_cells - n;
    while (row > t->cells && row[-1].place > row->place) {
        for (struct cell *cell = row; cell < row + n; cell++) {
            struct cell before = *(cell - n);
            *(cell - n) = *cell;
            *cell = before;
        }
        row -= n;
    }
}

static void add_cell(struct table *t, struct cell cell)
{
    if (t)
        cell.place = t->document->place;
    if (t && t->n_cells == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        if (grow(t->document, (void **)&t->cells, room - 1, sizeof *t->cells))
            t->room = room;
    }
    if (t && t->n_cells < t->room)
        t->cells[t->n_cells++] = cell;
    else
        free(cell.text);
    if (t && t->n_cells % t->n_columns == 0)
        put_in_place(t);
}

void table_text(struct table *t, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (t && value)
        kept(t->document, copy);
    add_cell(t, (struct cell){.empty = !value, .text = copy});
}

/* A number given to a column of the other kind of number is converted, so that a column can
 * change its kind without every caller changing. */
void table_integer(struct table *t, long long value)
{
    add_cell(t, (struct cell){.integer = value, .real = (double)value});
}

void table_integer_if(struct table *t, bool known, long long value)
{
    if (known)
        table_integer(t, value);
    else
        table_skip(t);
}

void table_real(struct table *t, double value)
{
    table_real_within(t, value, NAN);
}

void table_real_within(struct table *t, double value, double error)
{
    add_cell(t, (struct cell){.empty = !isfinite(value),
                              .integer = isfinite(value) ? llround(value) : 0,
                              .real = value,
                              .error = error});
}

void table_estimate(struct table *t, struct estimate e)
{
    double error = 1e6 * (e.high - e.low) / 2;
    table_real_within(t, 1e6 * e.value, error);
    table_real_within(t, 1e6 * e.low, error); /* or a value would read below its interval */
    table_real_within(t, 1e6 * e.high, error);
}

void table_skip(struct table *t)
{
    add_cell(t, (struct cell){.empty = true});
}

void document_place(struct document *d, size_t place)
{
    d->place = place;
}

size_t table_rows(const struct table *t)
{
    return t ? t->n_cells / t->n_columns : 0;
}

const char *document_known(const struct document *d, const char *key)
{
    for (size_t i = 0; i < d->n_facts; i++)
        if (strcmp(d->facts[i].key, key) == 0)
            return d->facts[i].value;
    return NULL;
}

static void table_copy(struct document *d, const struct table *from)
{
    struct table *t = document_table(d, from->name, from->title, from->columns, from->n_columns);
    for (size_t i = 0; i < from->n_cells; i++) {
        struct cell cell = from->cells[i];
        cell.text = cell.text ? kept(d, strdup(cell.text)) : NULL;
        d->place = cell.place;
        add_cell(t, cell);
    }
}

struct document *document_copy(const struct document *d)
{
    struct document *copy = document_new(d->schema);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < d->n_facts; i++)
        document_fact(copy, d->facts[i].key, "%s", d->facts[i].value);
    for (size_t i = 0; i < d->n_notes; i++)
        document_note(copy, "%s", d->notes[i]);
    for (size_t i = 0; i < d->n_tables; i++)
        table_copy(copy, d->tables[i]);
    json_object_update(copy->attached, d->attached);
    copy->incomplete = copy->incomplete || d->incomplete;
    return copy;
}

bool document_save(const struct document *d, const char *path, enum format format)
{
    struct save file;
    if (!save_open(&file, path))
        return false;
    if (document_write(d, file.out, format))
        return save_commit(&file);
    save_abandon(&file);
    return reason_give("no memory for all results: nothing is written");
}

bool document_save_tables(const struct document *d, const char *path, enum format format)
{
    if (format != FORMAT_CSV || d->incomplete || !save_is_file(path))
        return document_save(d, path, format);
    const char *name, *dot = strrchr(path, '.');
    int stem = (int)(dot && !strchr(dot, '/') ? (size_t)(dot - path) : strlen(path));
    bool good = true;
    for (size_t i = 0; good && document_write_csv(d, i, NULL, &name); i++) {
        struct save file;
        char *other = NULL;
        if (i && asprintf(&other, "%.*s-%s%s", stem, path, name, path + stem) < 0)
            return reason_give("no memory for all results");
        good = save_open(&file, i ? other : path);
        if (good) {
            document_write_csv(d, i, file.out, &name);
            good = save_commit(&file);
        }
        free(other);
    }
    return good;
}
