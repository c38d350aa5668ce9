/* What a document consists of: shared by document.c, which fills it, and document_write.c. */
#ifndef COLLPROF_RESULTS_DOCUMENT_INNER_H
#define COLLPROF_RESULTS_DOCUMENT_INNER_H

#include "results/document.h"

struct cell {
    bool empty;
    char *text; /* COLUMN_TEXT */
    long long integer;
    double real;
    size_t place; /* of its row, see document_place() */
    double error; /* what REAL is known within; 0 or NaN: not known */
};

struct table {
    struct document *document; /* whose it is */
    char *name;
    char *title;
    const struct column *columns;
    size_t n_columns;
    struct cell *cells;
    size_t n_cells, room;
};

struct fact {
    char *key, *value;
};

struct document {
    char *schema;
    struct fact *facts;
    size_t n_facts;
    char **notes;
    size_t n_notes;
    struct table **tables;
    size_t n_tables;
    json_t *attached;
    size_t place;
    bool incomplete; /* there was no memory for something: it is not to be saved */
};

/* The WHICH-th table of D, or behind the last one the header and the notes, and its NAME; false:
 * there is none. OUT may be NULL. */
bool document_write_csv(const struct document *d, size_t which, FILE *out, const char **name);

#endif
