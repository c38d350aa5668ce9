#include "base/quote.h"
#include "document/json.h"
#include "document/parts.h"
#include "document/save.h"
#include "document/text.h"

#include <stdlib.h>
#include <string.h>

const char *const format_names[] = {"text", "csv", "json", NULL};

static bool has_remarks(const struct table *t)
{
    bool any = false;
    for (size_t r = 0; r < table_rows(t); r++)
        any = any || json_object_get(t->rows.at[r].cells, "remarks");
    return any;
}

/* Writes the column's name and unit as a variable's name: "held_us", "percent" instead of %. */
static void csv_head(const struct column *c, FILE *out)
{
    static const char *const words[][2] = {{"B", "bytes"}, {"%", "percent"}, {"MB/s", "mb_per_s"}};
    const char *unit = column_unit(c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        unit = strcmp(unit, words[i][0]) ? unit : words[i][1];
    size_t n = strlen(c->name), m = strlen(unit);
    bool named = n >= m && !strcmp(c->name + n - m, unit);
    fprintf(out, "%s%s%s", c->name, named ? "" : "_", named ? "" : unit);
}

void table_csv_write(const struct table *t, FILE *out)
{
    char number[CELL_ROOM];
    bool remarks = has_remarks(t);
    for (size_t c = 0; c < t->n_columns; c++) {
        fputs(c ? "," : "", out);
        csv_head(&t->columns[c], out);
    }
    fputs(remarks ? ",remarks\n" : "\n", out);
    for (size_t r = 0; r < table_rows(t); r++) {
        for (size_t c = 0; c < t->n_columns; c++) {
            const char *cell = cell_data(t, r, c, number);
            fputs(c ? "," : "", out);
            if (cell == number)
                fputs(cell, out);
            else
                quote_csv(cell, out);
        }
        char *keys = table_row_remarks(t, r, "key", " ");
        fprintf(out, "%s%s\n", remarks ? "," : "", keys ? keys : "");
        free(keys);
    }
}

static void write_csv(const struct document *d, FILE *out)
{
    const char *key;
    json_t *value;
    size_t i;
    json_object_foreach(document_part(d, "header"), key, value)
        fprintf(out, "# %s: %s\n", key, json_string_value(value));
    json_array_foreach(document_part(d, "findings"), i, value)
        fprintf(out, "# %s: %s\n", json_string_value(json_object_get(value, "key")),
                json_string_value(json_object_get(value, "text")));
    for (i = 0; i < d->tables.n; i++) {
        fprintf(out, "%s# table: %s\n", i ? "\n" : "", d->tables.at[i]->name);
        table_csv_write(d->tables.at[i], out);
    }
}

void document_write(const struct document *d, FILE *out, enum format format)
{
    if (format == FORMAT_TEXT) {
        document_text_write(d, out, &(struct text_options){.comments = true, .width = 80});
    } else if (format == FORMAT_CSV) {
        write_csv(d, out);
    } else {
        json_write(document_json(d), out, true);
    }
}

bool document_save(const struct document *d, const char *path, enum format format)
{
    struct save file;
    if (!save_open(&file, path))
        return false;
    document_write(d, file.out, format);
    return save_commit(&file);
}
