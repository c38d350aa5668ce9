/* The representation of a document, shared by its writers (text, JSON, pages); filled by fill.c. */
#pragma once

#include "base/array.h"
#include "document/document.h"

struct table_row {
    json_t *cells; /* members: the cells by column name, and "remarks", a list of findings */
    size_t place;  /* index before sorting, which keeps the order of equal rows */
};

struct table {
    char *name, *title;
    const struct column *columns;
    size_t n_columns;
    ARRAY(struct table_row) rows;
    size_t next; /* column of the next cell; 0 if the last row is finished */
};

struct document {
    json_t *all; /* the JSON document without its tables */
    ARRAY(struct table *) tables;
};

/* The member KEY of D in JSON: "header", "findings" or "pictures". */
json_t *document_part(const struct document *d, const char *key);

enum { CELL_ROOM = 352 }; /* bytes: enough for the largest double as text */

/* The cell as data: a text, or a number printed into NUMBER; "" if it is empty. */
const char *cell_data(const struct table *t, size_t row, size_t column, char number[CELL_ROOM]);
/* The texts (KEY "text") or keys (KEY "key") of all remarks on a row, separated by BETWEEN; NULL if
 * there are none. Release by free(). */
char *table_row_remarks(const struct table *t, size_t row, const char *key, const char *between);

/* The unit of the column's data; "" if none. */
const char *column_unit(const struct column *c);
