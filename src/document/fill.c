#include "document/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const severity_names[] = {"error", "finding", "doubt", "note"};
const char *const picture_kinds[] = {"lines", "bars", "heat", "surface", "timeline", NULL};
const char *const column_kinds[] = {"text",  "integer", "real", "time", "bytes",
                                    "count", "share",   "rank", NULL};
static const char *const palettes[] = {"latency", "overlap", "amount"};

/* What was added to D, or could not be. */
static bool added(struct document *d, bool good)
{
    d->incomplete = d->incomplete || !good;
    return good;
}

static char *kept(struct document *d, char *text)
{
    added(d, text != NULL);
    return text;
}

/* A host's or a file's name may be no UTF-8, which JSON has no other text than. */
static json_t *utf8(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("(not UTF-8)");
}

/* One line is one fact or finding in every format, so line ends become spaces. */
static json_t *line(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        return NULL;
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    json_t *value = utf8(text);
    free(text);
    return value;
}

struct document *document_new(const char *schema)
{
    struct document *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (struct document){.schema = json_string(schema),
                           .header = json_object(),
                           .findings = json_array(),
                           .pictures = json_array(),
                           .attached = json_object()};
    added(d, d->schema && d->header && d->findings && d->pictures && d->attached);
    return d;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        json_decref(t->rows[i].cells);
        free(t->rows[i].error);
    }
    free(t->rows);
    free(t->name);
    free(t->title);
    free(t->own);
    free(t);
}

void document_free(struct document *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n_tables; i++)
        table_free(d->tables[i]);
    free(d->tables);
    json_decref(d->schema);
    json_decref(d->header);
    json_decref(d->findings);
    json_decref(d->pictures);
    json_decref(d->attached);
    json_decref(d->caption);
    json_decref(d->kept);
    free(d);
}

/* --- facts --- */

void document_fact(struct document *d, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    added(d, !json_object_set_new(d->header, key, line(format, args)));
    va_end(args);
}

const char *document_known(const struct document *d, const char *key)
{
    return json_string_value(json_object_get(d->header, key));
}

void document_caption(struct document *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_decref(d->caption);
    d->caption = line(format, args);
    added(d, d->caption != NULL);
    va_end(args);
}

void document_attach(struct document *d, const char *key, json_t *value)
{
    added(d, !json_object_set_new(d->attached, key, value));
}

/* --- tables --- */

struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n)
{
    struct table *t = calloc(1, sizeof *t);
    struct table **more = reallocarray(d->tables, d->n_tables + 1, sizeof *more);
    d->tables = more ? more : d->tables;
    if (!added(d, t && more)) {
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

struct table *document_find(const struct document *d, const char *name)
{
    for (size_t i = 0; i < d->n_tables; i++)
        if (d->tables[i]->name && strcmp(d->tables[i]->name, name) == 0)
            return d->tables[i];
    return NULL;
}

void document_place(struct document *d, size_t place)
{
    d->place = place;
}

size_t table_rows(const struct table *t)
{
    return t ? t->n_rows - (t->next > 0) : 0;
}

static int larger_first(const void *a, const void *b, void *column)
{
    const struct table_row *x = a, *y = b;
    const json_t *of_x = json_object_get(x->cells, column),
                 *of_y = json_object_get(y->cells, column);
    double value = json_is_number(of_x) ? json_number_value(of_x) : -INFINITY,
           other = json_is_number(of_y) ? json_number_value(of_y) : -INFINITY;
    return value > other ? -1 : value < other ? 1 : x->place < y->place ? -1 : 1;
}

void table_sort_by(struct table *t, const char *column)
{
    for (size_t i = 0; t && i < t->n_rows; i++)
        t->rows[i].place = i;
    if (t && t->n_rows)
        qsort_r(t->rows, t->n_rows, sizeof *t->rows, larger_first, (void *)column);
    for (size_t i = 0; t && i < t->n_rows; i++)
        t->rows[i].place = t->document->place;
}

static bool begin_row(struct table *t)
{
    if (t->n_rows == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        struct table_row *more = reallocarray(t->rows, room, sizeof *more);
        if (!more)
            return false;
        t->rows = more;
        t->room = room;
    }
    json_t *cells = json_object();
    if (!cells)
        return false;
    t->current = t->n_rows;
    t->rows[t->n_rows++] = (struct table_row){.cells = cells, .place = t->document->place};
    return true;
}

void table_add_row(struct table *t, json_t *cells)
{
    if (!added(t->document, begin_row(t)))
        return;
    json_decref(t->rows[t->current].cells);
    t->rows[t->current].cells = json_incref(cells);
}

/* The last row goes before those of higher places. */
static void finish_row(struct table *t)
{
    struct table_row row = t->rows[t->n_rows - 1];
    while (t->current > 0 && t->rows[t->current - 1].place > row.place) {
        t->rows[t->current] = t->rows[t->current - 1];
        t->current--;
    }
    t->rows[t->current] = row;
    t->next = 0;
}

/* The next cell of T, known within ERROR (0 or NaN: unknown). Takes over VALUE. */
static void add_cell(struct table *t, json_t *value, double error)
{
    bool good = t && value && (t->next > 0 || begin_row(t));
    if (t)
        added(t->document, good);
    if (!good) {
        json_decref(value);
        return;
    }
    struct table_row *row = &t->rows[t->n_rows - 1];
    added(t->document, !json_object_set_new(row->cells, t->columns[t->next].name, value));
    if (error > 0 && !row->error)
        row->error = calloc(t->n_columns, sizeof *row->error);
    if (error > 0 && row->error)
        row->error[t->next] = error;
    if (++t->next == t->n_columns)
        finish_row(t);
}

void table_text(struct table *t, const char *value)
{
    add_cell(t, value ? utf8(value) : json_null(), 0);
}

void table_integer(struct table *t, long long value)
{
    enum column_kind kind = t ? t->columns[t->next].kind : COLUMN_INTEGER;
    if (kind == COLUMN_REAL || kind == COLUMN_TIME || kind == COLUMN_SHARE)
        table_real(t, (double)value);
    else
        add_cell(t, kind == COLUMN_RANK && value < 0 ? json_null() : json_integer(value), 0);
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
    enum column_kind kind = t ? t->columns[t->next].kind : COLUMN_REAL;
    if (!isfinite(value))
        table_skip(t);
    else if (kind == COLUMN_TIME)
        add_cell(t, json_real(1e6 * value), 1e6 * error);
    else if (kind == COLUMN_REAL || kind == COLUMN_SHARE)
        add_cell(t, json_real(value), error);
    else
        table_integer(t, llround(value));
}

void table_estimate(struct table *t, struct estimate e)
{
    double unit = t && t->columns[t->next].kind == COLUMN_TIME ? 1 : 1e6;
    double error = unit * (e.high - e.low) / 2;
    table_real_within(t, unit * e.value, error);
    table_real_within(t, unit * e.low, error); /* or a value would read below its interval */
    table_real_within(t, unit * e.high, error);
}

void table_skip(struct table *t)
{
    add_cell(t, json_null(), 0);
}

/* --- findings --- */

static json_t *finding_json(const struct finding *f, json_t *text)
{
    json_t *ranks = f->n_ranks ? json_array() : NULL, *numbers = NULL, *cost = NULL;
    for (size_t i = 0; i < f->n_ranks; i++)
        json_array_append_new(ranks, json_integer(f->ranks[i]));
    for (size_t i = 0; i < FINDING_NUMBERS && f->number[i].name; i++) {
        numbers = numbers ? numbers : json_object();
        json_object_set_new(numbers, f->number[i].name, json_real(f->number[i].value));
    }
    if (f->cost.value > 0)
        cost = json_real(f->cost.value);
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o*, s:o*, s:o*, s:s*, s:o*, s:o*, s:s*}", "key", f->key,
                  "severity", severity_names[f->severity], "text", text, "cost_s", cost, "low_s",
                  cost && estimate_has_interval(f->cost) ? json_real(f->cost.low) : NULL, "high_s",
                  cost && estimate_has_interval(f->cost) ? json_real(f->cost.high) : NULL, "site",
                  f->site, "ranks", ranks, "numbers", numbers, "advice", f->advice);
    if (json && f->share > 0)
        json_object_set_new(json, "share", json_real(f->share));
    return json;
}

static int severity_of(const json_t *finding)
{
    const char *is = json_string_value(json_object_get(finding, "severity"));
    int s = SEVERITY_ERROR;
    while (s < SEVERITY_NOTE && strcmp(is, severity_names[s]) != 0)
        s++;
    return s;
}

/* Behind those that are more severe, or as severe and of no smaller share of the run. */
static void add_finding(struct document *d, const struct finding *f, json_t *text)
{
    size_t at = json_array_size(d->findings);
    for (; at > 0; at--) {
        const json_t *before = json_array_get(d->findings, at - 1);
        int severity = severity_of(before);
        if (severity < (int)f->severity ||
            (severity == (int)f->severity &&
             !(json_number_value(json_object_get(before, "share")) < f->share)))
            break;
    }
    added(d, !json_array_insert_new(d->findings, at, finding_json(f, text)));
}

void document_finding(struct document *d, const struct finding *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(d, f, line(format, args));
    va_end(args);
}

const json_t *document_finding_list(const struct document *d)
{
    return d->findings;
}

void document_note(struct document *d, const char *format, ...)
{
    const struct finding note = {.key = "note", .severity = SEVERITY_NOTE};
    va_list args;
    va_start(args, format);
    add_finding(d, &note, line(format, args));
    va_end(args);
}

void table_remark(struct table *t, const struct finding *f, const char *format, ...)
{
    if (!t || !t->n_rows)
        return;
    json_t *cells = t->rows[t->current].cells, *remarks = json_object_get(cells, "remarks");
    va_list args;
    va_start(args, format);
    if (!remarks) {
        remarks = json_array();
        added(t->document, !json_object_set_new(cells, "remarks", remarks));
    }
    added(t->document, !json_array_append_new(remarks, finding_json(f, line(format, args))));
    va_end(args);
}

size_t document_findings(const struct document *d, const char *key, enum severity severity)
{
    size_t i, n = 0;
    json_t *finding;
    json_array_foreach(d->findings, i, finding)
    {
        n += key ? strcmp(json_string_value(json_object_get(finding, "key")), key) == 0
                 : severity_of(finding) <= (int)severity;
    }
    return n;
}

/* --- pictures --- */

void document_picture(struct document *d, const struct picture *p)
{
    const char *const texts[][2] = {
        {"kind", picture_kinds[p->kind]},
        {"name", p->name},
        {"title", p->title},
        {"table", p->table},
        {"x", p->x},
        {"y", p->y},
        {"series", p->series},
        {"low", p->low},
        {"high", p->high},
        {"value", p->value},
        {"x_label", p->x_label},
        {"y_label", p->y_label},
        {"value_label", p->value_label},
        {"panel", p->panel},
        {"lines", p->lines},
        {"marks", p->marks},
        {"x_end", p->x_end},
        {"y_end", p->y_end},
        {"label", p->label},
        {"arrows", p->arrows},
        {"palette", palettes[p->palette]},
    };
    json_t *where = json_object();
    json_t *json = json_pack("{s:b, s:b, s:b, s:o}", "x_log", p->x_log, "y_log", p->y_log,
                             "value_log", p->value_log, "where", where);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i][1])
            added(d, !json_object_set_new(json, texts[i][0], utf8(texts[i][1])));
    for (size_t i = 0; i < sizeof p->where / sizeof *p->where && p->where[i].column; i++)
        added(d, !json_object_set_new(where, p->where[i].column, utf8(p->where[i].is)));
    json_t *order = p->order ? json_array() : NULL;
    for (size_t i = 0; order && p->order[i]; i++)
        json_array_append_new(order, utf8(p->order[i]));
    if (order)
        json_object_set_new(json, "order", order);
    if (p->value_low < p->value_high) {
        json_object_set_new(json, "value_low", json_real(p->value_low));
        json_object_set_new(json, "value_high", json_real(p->value_high));
    }
    added(d, !json_array_append_new(d->pictures, json));
}

/* --- copies --- */

static void table_copy(struct document *d, const struct table *from)
{
    struct table *t = document_table(d, from->name, from->title, from->columns, from->n_columns);
    for (size_t i = 0; t && i < table_rows(from) && !d->incomplete; i++) {
        table_add_row(t, from->rows[i].cells); /* a finished row changes no more */
        struct table_row *row = &t->rows[t->n_rows - 1];
        row->place = from->rows[i].place;
        if (from->rows[i].error && (row->error = calloc(t->n_columns, sizeof *row->error)))
            memcpy(row->error, from->rows[i].error, t->n_columns * sizeof *row->error);
    }
}

struct document *document_copy(const struct document *d)
{
    struct document *copy = document_new(json_string_value(d->schema));
    if (!copy)
        return NULL;
    added(copy, !d->incomplete && !json_object_update(copy->header, d->header) &&
                    !json_array_extend(copy->findings, d->findings) &&
                    !json_array_extend(copy->pictures, d->pictures) &&
                    !json_object_update(copy->attached, d->attached));
    copy->caption = json_incref(d->caption);
    for (size_t i = 0; i < d->n_tables; i++)
        table_copy(copy, d->tables[i]);
    return copy;
}

/* --- JSON --- */

static json_t *columns_json(const struct table *t)
{
    json_t *list = json_array();
    for (size_t c = 0; c < t->n_columns; c++) {
        const struct column *column = &t->columns[c];
        const char *unit = column_unit(column);
        json_array_append_new(list, json_pack("{s:s, s:s?, s:s?, s:s, s:s*, s:i, s:i}", "name",
                                              column->name, "unit", *unit ? unit : NULL, "meaning",
                                              column->meaning, "kind", column_kinds[column->kind],
                                              "head", column->head, "decimals", column->decimals,
                                              "flags", (int)column->flags));
    }
    return list;
}

static json_t *table_json(const struct table *t)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < table_rows(t); r++)
        json_array_append(rows, t->rows[r].cells);
    return json_pack("{s:s?, s:o, s:o}", "title", t->title, "columns", columns_json(t), "rows",
                     rows);
}

json_t *document_json(const struct document *d)
{
    if (d->incomplete)
        return NULL;
    json_t *tables = json_object(), *notes = json_array(), *finding;
    size_t i;
    for (size_t k = 0; k < d->n_tables; k++)
        json_object_set_new(tables, d->tables[k]->name, table_json(d->tables[k]));
    json_array_foreach(d->findings, i, finding)
        json_array_append(notes, json_object_get(finding, "text"));
    json_t *all = json_pack("{s:O, s:O, s:o, s:O, s:o, s:O, s:O*}", "schema", d->schema, "header",
                            d->header, "tables", tables, "findings", d->findings, "notes", notes,
                            "pictures", d->pictures, "caption", d->caption);
    if (all)
        json_object_update(all, d->attached);
    return all;
}
