#include "document/json.h"
#include "document/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const severity_names[] = {"error", "finding", "doubt", "note"};
static const char *const picture_kinds[] = {"lines", "bars", "heat", "timeline"};
static const char *const column_kinds[] = {"text",  "integer", "real",  "time",
                                           "bytes", "count",   "share", "rank"};
static const char *const palettes[] = {"latency", "overlap"};

/* A fact or finding is one line in every format, so line breaks become spaces. */
static json_t *line(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        memory_exhausted();
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    json_t *value = json_text(text, SIZE_MAX);
    free(text);
    return value;
}

struct document *document_new(const char *schema)
{
    struct document *d = memory_alloc(sizeof *d);
    d->all = json_pack("{s:s, s:{}, s:{}, s:[], s:[]}", "schema", schema, "header", "tables",
                       "findings", "pictures");
    if (!d->all)
        memory_exhausted();
    return d;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->rows.n; i++)
        json_decref(t->rows.at[i].cells);
    free(t->rows.at);
    free(t->name);
    free(t->title);
    free(t);
}

void document_free(struct document *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->tables.n; i++)
        table_free(d->tables.at[i]);
    free(d->tables.at);
    json_decref(d->all);
    free(d);
}

json_t *document_part(const struct document *d, const char *key)
{
    return json_object_get(d->all, key);
}

void document_fact(struct document *d, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (format)
        json_put(document_part(d, "header"), key, line(format, args));
    else
        json_object_del(document_part(d, "header"), key);
    va_end(args);
}

struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n)
{
    struct table *t = memory_alloc(sizeof *t);
    *t = (struct table){.name = memory_strdup(name),
                        .title = title ? memory_strdup(title) : NULL,
                        .columns = columns,
                        .n_columns = n};
    return *PUSH(&d->tables) = t;
}

struct table *document_find_table(const struct document *d, const char *name)
{
    for (size_t i = 0; i < d->tables.n; i++)
        if (strcmp(d->tables.at[i]->name, name) == 0)
            return d->tables.at[i];
    return NULL;
}

size_t table_rows(const struct table *t)
{
    return t ? t->rows.n - (t->next > 0) : 0;
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
    for (size_t i = 0; i < t->rows.n; i++)
        t->rows.at[i].place = i;
    if (t->rows.n)
        qsort_r(t->rows.at, t->rows.n, sizeof *t->rows.at, larger_first, (void *)column);
}

/* Takes over VALUE. */
static void add_cell(struct table *t, json_t *value)
{
    if (t->next == 0)
        PUSH(&t->rows)->cells = json_object();
    json_put(t->rows.at[t->rows.n - 1].cells, t->columns[t->next].name, value);
    if (++t->next == t->n_columns)
        t->next = 0;
}

void table_text(struct table *t, const char *value)
{
    add_cell(t, value ? json_text(value, SIZE_MAX) : json_null());
}

void table_integer(struct table *t, long long value)
{
    table_real(t, (double)value);
}

/* Counts from a damaged file may exceed an integer: they are limited to 2^62. */
void table_real(struct table *t, double value)
{
    const enum column_kind kind = t->columns[t->next].kind;
    if (!isfinite(value) || (kind == COLUMN_RANK && value < 0))
        add_cell(t, json_null());
    else if (kind == COLUMN_REAL || kind == COLUMN_SHARE || kind == COLUMN_TIME)
        add_cell(t, json_real(kind == COLUMN_TIME ? 1e6 * value : value));
    else
        add_cell(t, json_integer(llround(fmin(value, 0x1p62))));
}

void table_real_list(struct table *t, const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        table_real(t, value[i]);
}

void table_estimate(struct table *t, struct estimate e)
{
    double unit = t->columns[t->next].kind == COLUMN_TIME ? 1 : 1e6;
    table_reals(t, unit * e.value, unit * e.low, unit * e.high);
}

static json_t *finding_json(const struct finding *f, json_t *text)
{
    json_t *ranks = f->n_ranks ? json_array() : NULL, *numbers = NULL, *cost = NULL;
    bool interval = f->cost.value > 0 && estimate_has_interval(f->cost);
    for (size_t i = 0; i < f->n_ranks; i++)
        json_push(ranks, json_integer(f->ranks[i]));
    for (size_t i = 0; i < FINDING_NUMBERS && f->number[i].name; i++) {
        numbers = numbers ? numbers : json_object();
        if (isfinite(f->number[i].value))
            json_put(numbers, f->number[i].name, json_real(f->number[i].value));
    }
    if (f->cost.value > 0)
        cost = json_real(f->cost.value);
    return json_pack("{s:s, s:s, s:o, s:o*, s:o*, s:o*, s:s*, s:o*, s:o*, s:s*, s:o*}", "key",
                     f->key, "severity", severity_names[f->severity], "text", text, "cost_s", cost,
                     "low_s", interval ? json_real(f->cost.low) : NULL, "high_s",
                     interval ? json_real(f->cost.high) : NULL, "site", f->site, "ranks", ranks,
                     "numbers", numbers, "advice", f->advice, "share",
                     f->share > 0 ? json_real(f->share) : NULL);
}

enum severity document_severity(const json_t *finding)
{
    const char *is = json_text_at(finding, "severity");
    enum severity s = SEVERITY_ERROR;
    while (s < SEVERITY_NOTE && strcmp(is, severity_names[s]) != 0)
        s++;
    return s;
}

/* Inserts F before less severe findings, and before equally severe findings that cost a smaller
 * share of the run. */
void document_finding(struct document *d, const struct finding *f, const char *format, ...)
{
    json_t *all = document_part(d, "findings");
    size_t at = json_array_size(all);
    va_list args;
    for (; at > 0; at--) {
        const json_t *before = json_array_get(all, at - 1);
        enum severity severity = document_severity(before);
        if (severity < f->severity ||
            (severity == f->severity &&
             !(json_number_value(json_object_get(before, "share")) < f->share)))
            break;
    }
    va_start(args, format);
    if (json_array_insert_new(all, at, finding_json(f, line(format, args))))
        memory_exhausted();
    va_end(args);
}

const json_t *document_finding_list(const struct document *d)
{
    return document_part(d, "findings");
}

void table_remark(struct table *t, const struct finding *f, const char *format, ...)
{
    json_t *cells = t->rows.at[t->rows.n - 1].cells;
    va_list args;
    va_start(args, format);
    if (!json_object_get(cells, "remarks"))
        json_put(cells, "remarks", json_array());
    json_push(json_object_get(cells, "remarks"), finding_json(f, line(format, args)));
    va_end(args);
}

char *table_row_remarks(const struct table *t, size_t row, const char *key, const char *between)
{
    size_t i, size;
    char *text = NULL;
    json_t *remark, *remarks = json_object_get(t->rows.at[row].cells, "remarks");
    FILE *out = remarks ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    json_array_foreach(remarks, i, remark)
        fprintf(out, "%s%s", i ? between : "", json_string_value(json_object_get(remark, key)));
    fclose(out);
    return text;
}

/* The texts of LIST, which ends with NULL, as an array; empty if LIST is NULL. */
static json_t *texts_json(const char *const *list)
{
    json_t *array = json_array();
    for (; list && *list; list++)
        json_push(array, json_text(*list, SIZE_MAX));
    return array;
}

void document_picture(struct document *d, const struct picture *p)
{
    json_t *where = json_object();
    json_t *json = json_pack(
        "{s:s, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, "
        "s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*}",
        "kind", picture_kinds[p->kind], "palette", palettes[p->palette], "x_log", p->x_log, "y_log",
        p->y_log, "value_log", p->value_log, "where", where, "order", texts_json(p->order),
        "columns", texts_json(p->columns), "name", p->name, "title", p->title, "table", p->table,
        "x", p->x, "y", p->y, "series", p->series, "low", p->low, "high", p->high, "value",
        p->value, "x_label", p->x_label, "y_label", p->y_label, "value_label", p->value_label,
        "panel", p->panel, "lines", p->lines, "x_end", p->x_end, "y_end", p->y_end, "label",
        p->label, "arrows", p->arrows);
    for (size_t i = 0; i < sizeof p->where / sizeof *p->where && p->where[i].column; i++)
        json_put(where, p->where[i].column, json_text(p->where[i].is, SIZE_MAX));
    if (p->value_low < p->value_high) {
        json_put(json, "value_low", json_real(p->value_low));
        json_put(json, "value_high", json_real(p->value_high));
    }
    json_push(document_part(d, "pictures"), json);
}

const char *column_unit(const struct column *c)
{
    static const char *const units[] = {
        [COLUMN_TIME] = "us", [COLUMN_BYTES] = "B", [COLUMN_SHARE] = "%", [COLUMN_RANK] = NULL};
    const char *unit = c->unit ? c->unit : units[c->kind];
    return unit ? unit : "";
}

static json_t *columns_json(const struct table *t)
{
    json_t *list = json_array();
    for (const struct column *column = t->columns; column < t->columns + t->n_columns; column++) {
        const char *unit = column_unit(column);
        json_push(list, json_pack("{s:s, s:s?, s:s?, s:s, s:s*, s:i, s:i}", "name", column->name,
                                  "unit", *unit ? unit : NULL, "meaning", column->meaning, "kind",
                                  column_kinds[column->kind], "head", column->head, "decimals",
                                  column->decimals, "flags", (int)column->flags));
    }
    return list;
}

static json_t *table_json(const struct table *t)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < table_rows(t); r++)
        json_push(rows, json_incref(t->rows.at[r].cells));
    return json_pack("{s:s?, s:o, s:o}", "title", t->title, "columns", columns_json(t), "rows",
                     rows);
}

json_t *document_json(const struct document *d)
{
    json_t *all = json_copy(d->all), *tables = json_object();
    for (size_t i = 0; i < d->tables.n; i++)
        json_put(tables, d->tables.at[i]->name, table_json(d->tables.at[i]));
    json_put(all, "tables", tables);
    return all;
}
