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
    struct column *own; /* the same, if the table owns them; or NULL */
    size_t n_columns;
    struct table_row *rows;
    size_t n_rows, room;
    size_t next;    /* column of the next cell; 0: the last row is finished */
    size_t current; /* the row that was begun last */
};

struct document {
    json_t *kept; /* what columns have their strings from; or NULL */
    json_t *schema, *header, *findings, *pictures, *attached, *caption;
    struct table **tables;
    size_t n_tables;
    size_t place;
    bool incomplete; /* there was no memory for something: it must not be written */
};

/* A finished row of T: CELLS by the names of columns, of which T gets a reference. */
void table_add_row(struct table *t, json_t *cells);

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

/* The name of each enum column_kind and picture_kind; end by NULL. */
extern const char *const column_kinds[], *const picture_kinds[];

/* The unit of the column's data; "": none. */
const char *column_unit(const struct column *c);

#endif
