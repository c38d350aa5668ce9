/* What a document consists of, for those who write and draw it: fill.c fills it. */
#ifndef COLLPROF_DOCUMENT_PARTS_H
#define COLLPROF_DOCUMENT_PARTS_H

#include "document/document.h"

struct table_row {
    json_t *cells; /* by the names of columns, and "remarks": a list of findings */
    size_t place;  /* before the sorting */
};

struct table {
    struct document *document; /* whose it is */
    char *name, *title;
    const struct column *columns;
    size_t n_columns;
    struct table_row *rows;
    size_t n_rows, room;
    size_t next; /* column of the next cell; 0: the last row is finished */
};

struct document {
    json_t *all; /* as it is written, without tables */
    struct table **tables;
    size_t n_tables, n_borrowed; /* the first ones are of the document that this is a copy of */
};

/* Its member "header", "findings" or "pictures". */
json_t *document_part(const struct document *d, const char *key);

enum { CELL_ROOM = 352 }; /* for the largest double, too */

/* The cell as data: a text, or a number in NUMBER; "" if it is empty. */
const char *cell_data(const struct table *t, size_t row, size_t column, char number[CELL_ROOM]);
/* The same for people: "-" if it is empty. */
const char *cell_shown(const struct table *t, size_t row, size_t column, char number[CELL_ROOM]);
/* The texts (KEY "text") or keys ("key") of all remarks on a row, with BETWEEN between them, for
 * free(); NULL: there are none. */
char *table_row_remarks(const struct table *t, size_t row, const char *key, const char *between);
bool table_has_remarks(const struct table *t);

/* The unit of the column's data; "": none. */
const char *column_unit(const struct column *c);

#endif
