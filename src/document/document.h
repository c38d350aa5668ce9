/* A document: what a program has to say, declared once and written in every format. It has facts
 * (a header), findings, tables and pictures. Benchmarks, the report of a run and comparisons are
 * documents.
 *
 *   text  "# key: value" lines, then each table aligned under its heads, then the findings
 *   csv   "# key: value" lines; for each table "# table: NAME" and comma-separated rows (RFC 4180)
 *         under columns named "name_unit"; an empty line between tables
 *   json  {"schema", "header": {key: value}, "tables": {NAME: {"title", "columns": [{"name",
 *         "unit", "kind", "decimals", "meaning", "head", "optional"}], "rows": [{...}]}},
 *         "findings": [...], "pictures": [...]}; an empty cell is null
 *   page  one HTML file that draws the pictures and sorts the tables (document/page.h)
 *
 * Strings are copied unless it is said that they are not. Memory as in base/memory.h. */
#ifndef COLLPROF_DOCUMENT_DOCUMENT_H
#define COLLPROF_DOCUMENT_DOCUMENT_H

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Declarations name the members that they need; the others are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct table;
struct document;

/* SCHEMA: "collbench-bcast/1", the name and version of what is in it. */
struct document *document_new(const char *schema);
void document_free(struct document *d); /* NULL is nothing */

/* What is in D by now, to which facts, findings, pictures and tables can be added. It shares D's
 * tables: to be freed before these get more rows, and before D. */
struct document *document_copy(const struct document *d);

/* --- facts --- */

/* One line of the header; the order is kept, and a key given again replaces its value. */
void document_fact(struct document *d, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of KEY's fact, which belongs to D; NULL: there is none. */
const char *document_known(const struct document *d, const char *key);

/* --- tables --- */

enum column_kind {
    COLUMN_TEXT,
    COLUMN_INTEGER, /* as it is, in UNIT */
    COLUMN_REAL,    /* as it is, in UNIT, with DECIMALS */
    COLUMN_TIME,    /* given in seconds; "1.23ms" in text, microseconds in data */
    COLUMN_BYTES,   /* "64KiB" in text, bytes in data */
    COLUMN_COUNT,   /* "12,345" in text */
    COLUMN_SHARE,   /* percent; "12.3%" in text */
    COLUMN_RANK     /* negative: an empty cell */
};

enum column_flag {
    COLUMN_OPTIONAL = 1, /* left out of text that is narrow, from the right */
    COLUMN_SHORTEN = 2,  /* its texts are shortened in the middle where text is narrow */
    COLUMN_DATA_ONLY = 4 /* not in text and on the page */
};

struct column {
    const char *name; /* in data: lower case and underscores, different from the table's others */
    const char *unit; /* "us", "B"; NULL: none, or that of the kind */
    enum column_kind kind;
    int decimals;        /* of COLUMN_REAL in text and CSV */
    const char *meaning; /* a sentence, or NULL */
    const char *head;    /* over the column in text; NULL: the name */
    unsigned flags;      /* of enum column_flag */
};

/* A new table of D, which owns it. COLUMNS and its strings must outlive D; TITLE may be NULL. */
struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n);
/* The same of all COLUMNS of an array. */
#define document_table_of(d, name, title, columns)                                                 \
    document_table(d, name, title, columns, sizeof(columns) / sizeof *(columns))

/* The table of that name; NULL: there is none. */
struct table *document_find(const struct document *d, const char *name);

/* Cells are given from left to right; a row is finished by giving its last cell. A number given to
 * a column of another kind of number is converted. */
void table_text(struct table *t, const char *value); /* NULL: an empty cell */
void table_integer(struct table *t, long long value);
void table_integer_if(struct table *t, bool known, long long value); /* else an empty cell */
void table_real(struct table *t, double value);                      /* NaN: an empty cell */
/* Three cells: E's value, lower and upper end. Columns of real numbers get microseconds. */
void table_estimate(struct table *t, struct estimate e);
void table_skip(struct table *t); /* an empty cell of any kind */

/* Puts the rows in falling order of the number in COLUMN; equal ones keep their order, those
 * without a number come last. */
void table_sort_by(struct table *t, const char *column);

size_t table_rows(const struct table *t); /* that are finished */

/* --- findings --- */

enum severity {
    SEVERITY_ERROR,   /* something is wrong: results must not be used */
    SEVERITY_FINDING, /* what the user should know and can change */
    SEVERITY_DOUBT,   /* figures are less certain than they look */
    SEVERITY_NOTE     /* how to read them */
};

struct finding_number {
    const char *name; /* with its unit: "late_us", "calls" */
    double value;
};

enum { FINDING_NUMBERS = 8 };

/* Something concluded from the figures. Text is for people; programs and tests use the key and the
 * numbers. */
struct finding {
    const char *key; /* stable, never reworded: "late_rank", "wrong_data" */
    enum severity severity;
    struct estimate cost; /* seconds that it costs the run; a value of 0 or NaN: none */
    double share;         /* of the run that the cost is, 0 to 1; 0: unknown */
    const char *site;     /* the call site; NULL: none */
    const int *ranks;     /* N_RANKS of them */
    size_t n_ranks;
    struct finding_number number[FINDING_NUMBERS]; /* the first without a name ends them */
    const char *advice; /* what to do about it, a command or a sentence; NULL: nothing */
};

/* Adds F with its text, one or more whole sentences in plain words. */
void document_finding(struct document *d, const struct finding *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about one row of T: the one that cells are given to, or if that was just finished the
 * last one. In text its text is below the row, or in reports at its end; CSV has the key, in a
 * column "remarks". */
void table_remark(struct table *t, const struct finding *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All of them, those of more severe kinds first and of larger shares first: an array of objects as
 * in the document's JSON: "key", "severity", "text" and, where it is known, "cost_s", "low_s" and
 * "high_s" (of its 95 % interval), "share", "site", "ranks", "numbers" (an object), "advice".
 * Borrowed. */
const json_t *document_finding_list(const struct document *d);

/* How many findings there are of that KEY. */
size_t document_findings(const struct document *d, const char *key);

/* --- pictures --- */

enum picture_kind {
    PICTURE_LINES,   /* Y over X, a line for each value of SERIES */
    PICTURE_BARS,    /* the same, as bars on each other */
    PICTURE_HEAT,    /* VALUE as the colour of the cell at X, Y */
    PICTURE_TIMELINE /* spans from X to X_END in the lane Y, coloured by SERIES; and ARROWS */
};

enum palette {
    PALETTE_LATENCY, /* blue low, yellow, red high: the latency papers */
    PALETTE_OVERLAP, /* black 0, purple, red 1, yellow 2 and more: Denis and Trahay */
    PALETTE_AMOUNT   /* light blue to dark blue */
};

/* What is drawn of a table. All names are those of columns unless it is said otherwise. */
struct picture {
    enum picture_kind kind;
    const char *name;           /* of its section on the page: letters, digits, '-'; NULL: TABLE */
    const char *title;          /* a sentence's beginning */
    const char *table;          /* name of a table of the document */
    const char *x, *y, *series; /* SERIES may be NULL */
    const char *low, *high;     /* PICTURE_LINES: the interval of Y; or NULL */
    const char *value;          /* PICTURE_HEAT */
    const char *x_label, *y_label, *value_label; /* texts; NULL: the column's head and unit */
    struct {
        const char *column, *is;
    } where[3];                   /* only rows whose cell in COLUMN is IS, written as in CSV */
    const char *panel;            /* PICTURE_HEAT: a map for each value, side by side; or NULL */
    bool x_log, y_log, value_log; /* logarithmic: of x to base 2 */
    double value_low, value_high; /* ends of the colours; equal: of the data */
    enum palette palette;
    /* PICTURE_HEAT: name of a table with columns named X, Y (and PANEL) too: a line over the map,
     * named in its column "label". */
    const char *lines;
    /* PICTURE_TIMELINE. X, X_END: times; LABEL: the name of a span. ARROWS: name
     * of a table with the columns X, Y (where it begins) and X_END, Y_END (where it ends). */
    const char *x_end, *y_end, *label, *arrows;
    /* The values of SERIES in the order of their colours, ended by NULL; NULL: as they come. */
    const char *const *order;
};

/* Adds a picture to D: the page (document/page.h) draws it. */
void document_picture(struct document *d, const struct picture *p);

/* Below every picture: of what the document is. */
void document_caption(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- writing --- */

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

extern const char *const format_names[]; /* of each; ends by NULL */

/* Extra JSON under KEY, for what is no table (raw samples, trees); absent from text and CSV.
 * Takes over the reference. */
void document_attach(struct document *d, const char *key, json_t *value);

/* The whole document as JSON, a new reference. */
json_t *document_json(const struct document *d);

void document_write(const struct document *d, FILE *out, enum format format);

/* One table as CSV: a line of the columns' names, and a line for each row. */
void table_csv_write(const struct table *t, FILE *out);

/* Writes to PATH (NULL or "-": standard output) by way of a temporary file beside it, so that
 * nothing half-written is ever left. On failure gives the reason (base/reason.h). */
bool document_save(const struct document *d, const char *path, enum format format);

#endif
