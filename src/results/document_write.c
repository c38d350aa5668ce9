/* The three ways of writing a document. */
#include "base/quote.h"
#include "results/document_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cell *cell_at(const struct table *t, size_t row, size_t column)
{
    return &t->cells[row * t->n_columns + column];
}

enum { NUMBER_ROOM = 352 }; /* for the largest double, too */

/* As many decimals as the column has; for people no more than two of the error's own digits, but
 * one of the value's: what is not 0 does not read so. */
static int decimals_of(const struct cell *cell, const struct column *column, bool for_people)
{
    double sensible = for_people && cell->error > 0 ? 1 - floor(log10(cell->error)) : INFINITY;
    if (cell->real != 0)
        sensible = fmax(sensible, -floor(log10(fabs(cell->real))));
    return (int)fmax(0, fmin(sensible, column->decimals));
}

/* The cell as people or spreadsheets see it, in NUMBER if it is one. */
static const char *cell_text(const struct column *column, const struct cell *cell, bool for_people,
                             char number[NUMBER_ROOM])
{
    const char *empty = for_people ? "-" : "";
    if (cell->empty)
        return empty;
    if (column->kind == COLUMN_TEXT)
        return cell->text ? cell->text : empty;
    if (column->kind == COLUMN_INTEGER)
        snprintf(number, NUMBER_ROOM, "%lld", cell->integer);
    else {
        int decimals = decimals_of(cell, column, for_people);
        bool zero = fabs(cell->real) < 0.5 * pow(10, -decimals); /* or it would read "-0.00" */
        snprintf(number, NUMBER_ROOM, "%.*f", decimals, zero ? 0 : cell->real);
    }
    return number;
}

/* Characters as a terminal counts them, for UTF-8 without double-width ones. */
static int width(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static int wider(int a, int b)
{
    return a > b ? a : b;
}

/* Text goes to the left, numbers to the right; nothing trails after the last column. */
static void put_padded(FILE *out, const char *text, int to, bool left, bool last)
{
    int pad = wider(to - width(text), 0);
    if (left)
        fprintf(out, "%s%*s", text, last ? 0 : pad, "");
    else
        fprintf(out, "%*s%s", pad, "", text);
}

static int unit_width(const struct column *c)
{
    return c->unit ? width(c->unit) + 2 : 0;
}

static void text_heads(const struct table *t, const int *widths, FILE *out)
{
    size_t named = t->n_columns, with_unit = 0; /* columns of the two lines */
    for (size_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].unit)
            with_unit = c + 1;
    for (int line = 0; line < (with_unit ? 2 : 1); line++) {
        size_t columns = line == 0 ? named : with_unit;
        fputs("#", out);
        for (size_t c = 0; c < columns; c++) {
            const struct column *column = &t->columns[c];
            char head[256];
            if (line == 0)
                snprintf(head, sizeof head, "%s", column->name);
            else if (column->unit)
                snprintf(head, sizeof head, "(%s)", column->unit);
            else
                head[0] = '\0';
            fputs(c ? "  " : " ", out);
            put_padded(out, head, widths ? widths[c] : 0, column->kind == COLUMN_TEXT,
                       c + 1 == columns);
        }
        fputs("\n", out);
    }
}

/* Heads are comments and rows start with blanks, so that gnuplot and awk read the same text. */
static void text_table(const struct table *t, FILE *out)
{
    char number[NUMBER_ROOM];
    size_t rows = table_rows(t), columns = t->n_columns;
    int *widths = calloc(columns, sizeof *widths); /* without, columns are not aligned */
    for (size_t c = 0; widths && c < columns; c++) {
        widths[c] = wider(width(t->columns[c].name), unit_width(&t->columns[c]));
        for (size_t r = 0; r < rows; r++)
            widths[c] =
                wider(widths[c], width(cell_text(&t->columns[c], cell_at(t, r, c), true, number)));
    }
    fprintf(out, "\n");
    if (t->title)
        fprintf(out, "# %s\n", t->title);
    text_heads(t, widths, out);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            fputs("  ", out);
            put_padded(out, cell_text(&t->columns[c], cell_at(t, r, c), true, number),
                       widths ? widths[c] : 0, t->columns[c].kind == COLUMN_TEXT, c + 1 == columns);
        }
        fputs("\n", out);
    }
    free(widths);
}

static void put_facts(const struct document *d, FILE *out)
{
    for (size_t i = 0; i < d->n_facts; i++)
        fprintf(out, "# %s: %s\n", d->facts[i].key, d->facts[i].value);
}

static void write_text(const struct document *d, FILE *out)
{
    put_facts(d, out);
    for (size_t i = 0; i < d->n_tables; i++)
        text_table(d->tables[i], out);
    if (d->n_notes)
        fputs("\n", out);
    for (size_t i = 0; i < d->n_notes; i++)
        fprintf(out, "%s\n", d->notes[i]);
}

/* "held_us": the column's name with its unit, in words where a name has no room for a sign. */
static void csv_head(const struct column *c, FILE *out)
{
    static const char *const words[][2] = {{"B", "bytes"}, {"%", "percent"}, {"MB/s", "mb_per_s"}};
    const char *unit = c->unit ? c->unit : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        unit = strcmp(unit, words[i][0]) ? unit : words[i][1];
    size_t n = strlen(c->name), m = strlen(unit);
    bool said = n >= m && !strcmp(c->name + n - m, unit);
    fprintf(out, "%s%s%s", c->name, said ? "" : "_", said ? "" : unit);
}

static void csv_table(const struct table *t, FILE *out)
{
    char number[NUMBER_ROOM];
    for (size_t c = 0; c < t->n_columns; c++) {
        fputs(c ? "," : "", out);
        csv_head(&t->columns[c], out);
    }
    fputs("\n", out);
    for (size_t r = 0; r < table_rows(t); r++) {
        for (size_t c = 0; c < t->n_columns; c++) {
            const char *text = cell_text(&t->columns[c], cell_at(t, r, c), false, number);
            fputs(c ? "," : "", out);
            if (t->columns[c].kind == COLUMN_TEXT)
                quote_csv(text, out);
            else
                fputs(text, out);
        }
        fputs("\n", out);
    }
}

static void write_csv(const struct document *d, FILE *out)
{
    if (d->n_tables > 1)
        fputs("# of several tables; each as a file of its own, without lines such as this: "
              "-o FILE.csv\n",
              out);
    put_facts(d, out);
    for (size_t i = 0; i < d->n_notes; i++)
        fprintf(out, "# note: %s\n", d->notes[i]);
    for (size_t i = 0; i < d->n_tables; i++) {
        if (i)
            fputs("\n", out);
        fprintf(out, "# table: %s\n", d->tables[i]->name);
        csv_table(d->tables[i], out);
    }
}

static void csv_header(const struct document *d, FILE *out)
{
    fputs("key,value\n", out);
    for (size_t i = 0; i < d->n_facts + d->n_notes; i++) {
        bool fact = i < d->n_facts;
        quote_csv(fact ? d->facts[i].key : "note", out);
        fputc(',', out);
        quote_csv(fact ? d->facts[i].value : d->notes[i - d->n_facts], out);
        fputc('\n', out);
    }
}

bool document_write_csv(const struct document *d, size_t which, FILE *out, const char **name)
{
    if (which > d->n_tables)
        return false;
    *name = which < d->n_tables ? d->tables[which]->name : "header";
    if (out && which < d->n_tables)
        csv_table(d->tables[which], out);
    else if (out)
        csv_header(d, out);
    return true;
}

static json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("(not UTF-8)"); /* a host's or a file's name may be so */
}

static json_t *json_cell(const struct column *column, const struct cell *cell)
{
    if (cell->empty)
        return json_null();
    switch (column->kind) {
    case COLUMN_TEXT:
        return cell->text ? json_text(cell->text) : json_null();
    case COLUMN_INTEGER:
        return json_integer(cell->integer);
    default:
        return json_real(cell->real);
    }
}

static json_t *json_columns(const struct table *t)
{
    json_t *list = json_array();
    for (size_t c = 0; c < t->n_columns; c++) {
        const struct column *column = &t->columns[c];
        json_array_append_new(list, json_pack("{s:s, s:s?, s:s?}", "name", column->name, "unit",
                                              column->unit, "meaning", column->meaning));
    }
    return list;
}

static json_t *json_table(const struct table *t)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < table_rows(t); r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < t->n_columns; c++)
            json_object_set_new(row, t->columns[c].name,
                                json_cell(&t->columns[c], cell_at(t, r, c)));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s?, s:o, s:o}", "title", t->title, "columns", json_columns(t), "rows",
                     rows);
}

static void write_json(const struct document *d, FILE *out)
{
    json_t *header = json_object(), *tables = json_object(), *notes = json_array();
    for (size_t i = 0; i < d->n_facts; i++)
        json_object_set_new(header, d->facts[i].key, json_text(d->facts[i].value));
    for (size_t i = 0; i < d->n_tables; i++)
        json_object_set_new(tables, d->tables[i]->name, json_table(d->tables[i]));
    for (size_t i = 0; i < d->n_notes; i++)
        json_array_append_new(notes, json_text(d->notes[i]));
    json_t *all = json_pack("{s:s, s:o, s:o, s:o}", "schema", d->schema, "header", header, "tables",
                            tables, "notes", notes);
    json_object_update(all, d->attached);
    /* 12 digits: a picosecond in a second; 17 would print 0.1 as 0.10000000000000001. */
    json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputs("\n", out);
    json_decref(all);
}

bool document_write(const struct document *d, FILE *out, enum format format)
{
    if (d->incomplete || !d->schema || !d->attached)
        return false;
    switch (format) {
    case FORMAT_TEXT:
        write_text(d, out);
        break;
    case FORMAT_CSV:
        write_csv(d, out);
        break;
    case FORMAT_JSON:
        write_json(d, out);
        break;
    }
    return true;
}
