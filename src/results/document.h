/* What a bench program says: a header of facts, and tables of results; written as text for a
 * person, CSV for a spreadsheet, JSON for a program, all from the same declaration.
 *
 *   text  "# key: value" lines, then each table aligned, units in the column heads
 *   csv   comma-separated rows (RFC 4180), the columns named "name_unit": in files of their own
 *         without another line, or as a stream with the header as "# key: value" comments, where
 *         tables are separated by an empty line
 *   json  {"schema": "collbench-bcast/1", "header": {...}, "tables": {NAME: {"columns":
 *         [{"name","unit","meaning"}...], "rows": [{...}...]}}}; an empty cell is null
 */
#ifndef COLLPROF_RESULTS_DOCUMENT_H
#define COLLPROF_RESULTS_DOCUMENT_H

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

extern const char *const format_names[]; /* of each; ends by NULL */
/* False for anything else. */
bool format_from_name(const char *name, enum format *format);

enum column_kind { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_REAL };

struct column {
    const char *name; /* also the JSON key: lower case, underscores */
    const char *unit; /* "us", "B", NULL for none */
    enum column_kind kind;
    int decimals;        /* COLUMN_REAL, in text and CSV */
    const char *meaning; /* a sentence, or NULL */
};

struct table;
struct document;

/* Where memory runs short, what is added is dropped and the document cannot be saved any more:
 * nothing but document_new() itself (NULL) and document_save() has to be looked at for that. */
struct document *document_new(const char *schema);
void document_free(struct document *d);

/* All that is in D by now; NULL: no memory. What it attaches is shared with D. */
struct document *document_copy(const struct document *d);

/* Header facts, kept in order. */
void document_fact(struct document *d, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of KEY's fact; NULL: there is none. */
const char *document_known(const struct document *d, const char *key);

/* A remark printed after the tables in text, "# note: ..." in CSV, in "notes" in JSON. */
void document_note(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Extra JSON under KEY, for what is no table (raw samples, trees); absent from text and CSV.
 * Takes over the reference. */
void document_attach(struct document *d, const char *key, json_t *value);

/* A new table of D, which owns it. COLUMNS and its strings must outlive D; NAME and
 * TITLE, which may be NULL, are copied. NULL, which all table_ functions take, if there is no
 * memory. */
struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n);
/* The same of all COLUMNS of an array. */
#define document_table_of(d, name, title, columns)                                                 \
    document_table(d, name, title, columns, sizeof(columns) / sizeof *(columns))

/* Cells are given from left to right; a row is finished by giving its last cell. */
void table_text(struct table *t, const char *value);
void table_integer(struct table *t, long long value);
void table_integer_if(struct table *t, bool known, long long value); /* else an empty cell */
void table_real(struct table *t, double value);                      /* NaN: an empty cell */
/* The same, known within +-ERROR (NaN: that is not known): as text it has two of the error's own
 * digits at most. */
void table_real_within(struct table *t, double value, double error);
/* Three cells: E's value within its interval, and that; seconds as microseconds. */
void table_estimate(struct table *t, struct estimate e);
void table_skip(struct table *t); /* an empty cell, any kind */
/* Rows that begin from now on stand, when written, behind those of lower places; within a place in
 * the order in which they came. */
void document_place(struct document *d, size_t place);

size_t table_rows(const struct table *t);

/* False, and nothing is written, if the document lacks something for want of memory. */
bool document_write(const struct document *d, FILE *out, enum format format);

/* Writes to PATH (NULL or "-": standard output) by way of a temporary file beside it, so that
 * nothing half-written is ever left. On failure says why on stderr and returns false. */
bool document_save(const struct document *d, const char *path, enum format format);

/* The same; but CSV is a file for each table, if PATH is a place for files: "x.csv" is the first,
 * "x-NAME.csv" the next, "x-header.csv" the header and the notes. */
bool document_save_tables(const struct document *d, const char *path, enum format format);

#endif
