#include "export/export.h"

#include "base/quote.h"

#include <math.h>
#include <string.h>

/* Whether data has the figure: its short form for people is left out. */
static bool in_data(const struct listing *l, const struct figure *f)
{
    return listing_has(l, f) && !(f->column.flags & COLUMN_TEXT_ONLY);
}

static void write_figure(FILE *out, const struct figure *f, const struct view *v, const void *row)
{
    char text[2200];
    if (f->text) {
        f->text(v, row, text, sizeof text);
        quote_csv(strcmp(text, "-") ? text : "", out);
        return;
    }
    double value = figure_data(f, v, row);
    if (!isnan(value))
        fprintf(out, value == rint(value) ? "%.0f" : "%.3f", value);
}

void data_csv_head(const struct listing *l, FILE *out)
{
    const char *comma = "";
    for (size_t i = 0; i < l->figures->n; i++) {
        char name[64];
        if (!in_data(l, &l->figures->at[i]))
            continue;
        figure_name(&l->figures->at[i], name);
        fprintf(out, "%s%s", comma, name);
        comma = ",";
    }
    fputc('\n', out);
}

size_t data_csv(const struct listing *l, const struct view *v, FILE *out)
{
    struct listed rows;
    const char *comma;
    data_csv_head(l, out);
    listed_open(&rows, l, v, NULL);
    for (size_t k = 0; k < rows.n; k++) {
        comma = "";
        for (size_t i = 0; i < l->figures->n; i++) {
            if (!in_data(l, &l->figures->at[i]))
                continue;
            fputs(comma, out);
            write_figure(out, &l->figures->at[i], v, rows.at + k * rows.size);
            comma = ",";
        }
        fputc('\n', out);
    }
    size_t n = rows.n;
    listed_close(&rows);
    return n;
}
