/* What a document consists of, for those who write and draw it: fill.c fills it. */
#ifndef COLLPROF_DOCUMENT_PARTS_H
#define COLLPROF_DOCUMENT_PARTS_H

#include "document/document.h"

struct table_row {
    json_t *cells; /* by the names of columns, and "remarks": a list of findings */
    double *error; /* of each column, what its number is known within; NULL: of none */
    size_t place;
};

struct table {
    struct document *document; /* whose it is */
    char *name, *title;
    const struct column *columns;
    size_t n_columns;
    struct column
        *loaded; /* the same, of a table that was read; NULL: they are the declaration's */
    struct table_row *rows;
    size_t n_rows, room;
    size_t next;    /* column of the next cell; 0: the last row is finished */
    size_t current; /* the row that was begun last */
};

struct document {
    json_t *schema, *header, *findings, *pictures, *attached, *caption;
    struct table **tables;
    size_t n_tables;
    size_t place;
    bool incomplete; /* there was no memory for something: it must not be written */
};

enum { CELL_ROOM = 352 }; /* for the largest double, too */

/* The cell as data: a text, or a number in NUMBER; "" if it is empty. */
const char *cell_data(const struct table *t, size_t row, size_t column, char number[CELL_ROOM]);
/* The same for people: "-" if it is empty. */
const char *cell_shown(const struct table *t, size_t row, size_t column, char number[CELL_ROOM]);
/* Its number; NaN: there is none. */
double cell_number(const struct table *t, size_t row, size_t column);

/* The texts (KEY "text") or keys ("key") of all remarks on a row, with BETWEEN between them, for
 * free(); NULL: there are none. */
char *table_row_remarks(const struct table *t, size_t row, const char *key, const char *between);
bool table_has_remarks(const struct table *t);

/* The column of that NAME; n_columns: there is none. */
size_t table_column(const struct table *t, const char *name);

extern const char *const column_kinds[]; /* the name of each enum column_kind; end by NULL */

/* The unit of the column's data; "": none. */
const char *column_unit(const struct column *c);

#endif
