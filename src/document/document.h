/* A document: the results of a program, declared once and written in every format. It has facts (a
 * header), findings, tables and pictures. Benchmarks, reports and comparisons of runs write one.
 *
 *   text  "# key: value" lines, then each table aligned under its heads, then the findings
 *   csv   "# key: value" lines; for each table "# table: NAME" and comma-separated rows (RFC 4180)
 *         under columns named "name_unit"; an empty line between tables
 *   json  {"schema", "header": {key: value}, "tables": {NAME: {"title", "columns": [{"name",
 *         "unit", "kind", "decimals", "meaning", "head", "optional"}], "rows": [{...}]}},
 *         "findings": [...], "pictures": [...]}; an empty cell is null
 *   page  one HTML file that draws the pictures and sorts the tables (document/page.h)
 *
 * Strings are copied, except where a comment says otherwise. If memory is short, functions leave
 * the caller's memory_try() (base/memory.h). */
#pragma once

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns, findings and pictures are initialized by member names; members not named are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct table;
struct document;

/* SCHEMA: name and version of the content, "collbench-bcast/1". Release by document_free(). */
struct document *document_new(const char *schema);
void document_free(struct document *d); /* D may be NULL */

/* --- facts --- */

/* Adds the fact KEY as the last line of the header, or replaces the value if the header has KEY
 * already. FORMAT NULL removes the line. */
void document_fact(struct document *d, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- tables --- */

enum column_kind {
    COLUMN_TEXT,
    COLUMN_INTEGER, /* printed as it is, in UNIT */
    COLUMN_REAL,    /* printed as it is, in UNIT, with DECIMALS */
    COLUMN_TIME,    /* given in seconds; "1.23ms" in text, microseconds in CSV and JSON */
    COLUMN_BYTES,   /* "64KiB" in text, bytes in CSV and JSON */
    COLUMN_COUNT,   /* "12,345" in text */
    COLUMN_SHARE,   /* percent; "12.3%" in text */
    COLUMN_RANK     /* a negative rank is an empty cell */
};

enum column_flag {
    COLUMN_OPTIONAL = 1, /* omitted if empty; in text, from the right, if the table is too wide */
    COLUMN_SHORTEN = 2,  /* in text: too wide cells continue on the next line or are cut off */
    COLUMN_DATA_ONLY = 4 /* not in text; on the page only if all columns have this flag */
};

struct column {
    const char *name; /* name in CSV and JSON: lower case and underscores, unique in the table */
    const char *unit; /* "us", "B"; NULL: none, or implied by the kind */
    enum column_kind kind;
    int decimals;        /* for COLUMN_REAL in text and CSV */
    const char *meaning; /* a sentence, or NULL */
    const char *head;    /* heading in text; NULL: NAME */
    unsigned flags;      /* of enum column_flag */
};

/* Adds a new table to D, which owns it. COLUMNS and its strings must outlive D; TITLE may be
 * NULL. */
struct table *document_table(struct document *d, const char *name, const char *title,
                             const struct column *columns, size_t n);
/* document_table() with all elements of an array as COLUMNS. */
#define document_table_of(d, name, title, columns)                                                 \
    document_table(d, name, title, columns, sizeof(columns) / sizeof *(columns))

/* The table of that name; NULL if there is none. */
struct table *document_find_table(const struct document *d, const char *name);

/* These functions add the row's next cell, from left to right; the last column's cell finishes the
 * row. A number is converted to the column's kind. */
void table_text(struct table *t, const char *value); /* NULL: an empty cell */
void table_integer(struct table *t, long long value);
void table_real(struct table *t, double value); /* NaN: an empty cell */
/* Adds a cell for each of the numbers, as table_real() does. */
#define table_reals(t, ...)                                                                        \
    table_real_list(t, (const double[]){__VA_ARGS__},                                              \
                    sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void table_real_list(struct table *t, const double *value, size_t n);
/* Adds three cells: E (in seconds) and both ends of its interval; in us unless COLUMN_TIME. */
void table_estimate(struct table *t, struct estimate e);

/* Sorts the rows by descending numbers in COLUMN; rows with equal numbers keep their order, rows
 * without a number come last. */
void table_sort_by(struct table *t, const char *column);

size_t table_rows(const struct table *t); /* number of finished rows; 0 if T is NULL */

/* --- findings --- */

enum severity {
    SEVERITY_ERROR,   /* a serious problem: results must not be used */
    SEVERITY_FINDING, /* a cost that the user can avoid */
    SEVERITY_DOUBT,   /* results are less certain than they appear */
    SEVERITY_NOTE     /* how to interpret results */
};

struct finding_number {
    const char *name; /* with its unit: "late_us", "calls" */
    double value;
};

enum { FINDING_NUMBERS = 8 };

/* A conclusion from the results. Its text is for people; programs and tests use KEY and NUMBER. */
struct finding {
    const char *key; /* stable: "late_arrival", "wrong_data" */
    enum severity severity;
    struct estimate cost; /* seconds of the run that the problem costs; 0 or NaN: no estimate */
    double share;         /* COST as a share of the run, 0 to 1; 0: unknown */
    const char *site;     /* call site; NULL if none */
    const int *ranks;     /* N_RANKS ranks */
    size_t n_ranks;
    struct finding_number number[FINDING_NUMBERS]; /* the list ends at a number without a name */
    const char *advice; /* recommended action, a command or a sentence; NULL if none */
};

/* A finding with a key and a severity; further members may follow as ".site = ...". */
#define FINDING(of_key, of_severity, ...)                                                          \
    (&(struct finding){.key = (of_key), .severity = SEVERITY_##of_severity, ##__VA_ARGS__})

/* Adds F with its text, one or more whole sentences. */
void document_finding(struct document *d, const struct finding *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a finding about the last row of T, finished or not. Text shows it below the row; CSV has the
 * key in a column "remarks". */
void table_remark(struct table *t, const struct finding *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All findings, the more severe first, then by descending share: an array of objects as in the
 * document's JSON: "key", "severity", "text" and, if known, "cost_s", "low_s" and "high_s" (at
 * least and at most), "share", "site", "ranks", "numbers" (an object), "advice". Borrowed. */
const json_t *document_finding_list(const struct document *d);

/* The severity of a finding in JSON; SEVERITY_NOTE if its severity is unknown. */
enum severity document_severity(const json_t *finding);

/* --- pictures --- */

enum picture_kind {
    PICTURE_LINES,   /* Y over X, a line for each value of SERIES */
    PICTURE_BARS,    /* Y over X as bars, stacked by SERIES */
    PICTURE_HEAT,    /* VALUE as the colour of the cell at X, Y */
    PICTURE_TIMELINE /* spans from X to X_END in the lane Y, coloured by SERIES, and ARROWS */
};

enum palette {
    PALETTE_LATENCY, /* from blue (low) over yellow to red (high): as in papers on latency */
    PALETTE_OVERLAP  /* black: 0, red: 1, yellow: 2 or more: as in Denis and Trahay's paper */
};

/* How a table is drawn. Members are names of columns, unless stated otherwise. */
struct picture {
    enum picture_kind kind;
    const char *name;           /* section's name on the page: letters, digits, '-'; NULL: TABLE */
    const char *title;          /* caption; the value of PANEL may follow */
    const char *table;          /* name of a table in the document */
    const char *x, *y, *series; /* SERIES may be NULL */
    const char *low, *high;     /* PICTURE_LINES: ends of Y's interval; or NULL */
    /* PICTURE_LINES: a line for each of these columns, instead of Y and SERIES; ends with NULL. */
    const char *const *columns;
    const char *value;                           /* PICTURE_HEAT */
    const char *x_label, *y_label, *value_label; /* axis labels; NULL: the column's head, unit */
    struct {
        const char *column, *is;
    } where[3];                   /* draws only rows in which COLUMN equals IS, written as in CSV */
    const char *panel;            /* PICTURE_HEAT: a map for each value of this column; or NULL */
    bool x_log, y_log, value_log; /* logarithmic axes; x to base 2 */
    double value_low, value_high; /* VALUEs of first and last colour; if equal: the data's range */
    enum palette palette;
    /* PICTURE_HEAT: name of a table that also has the columns X, Y (and PANEL): its rows become a
     * line over the map, named by its column "label". */
    const char *lines;
    /* PICTURE_TIMELINE: X, X_END: times. LABEL: name of a span. ARROWS: name of a table whose
     * columns X, Y give the begin and X_END, Y_END the end of an arrow. PICTURE_HEAT: LABEL: text
     * of a cell, or NULL. */
    const char *x_end, *y_end, *label, *arrows;
    /* The values of SERIES in the order of their colours, ending with NULL; NULL: in order of
     * appearance. */
    const char *const *order;
};

/* Adds a picture to D, which the page (document/page.h) will draw. */
void document_picture(struct document *d, const struct picture *p);

/* --- writing --- */

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

extern const char *const format_names[]; /* names of enum format, ending with NULL */

/* The whole document as JSON, a new reference. */
json_t *document_json(const struct document *d);

void document_write(const struct document *d, FILE *out, enum format format);

/* One table as CSV: column names, then a line for each row. */
void table_csv_write(const struct table *t, FILE *out);

/* Writes to PATH (NULL or "-": standard output) by save_open(), so that no reader finds an
 * incomplete file. On failure gives the reason (base/reason.h). */
bool document_save(const struct document *d, const char *path, enum format format);
