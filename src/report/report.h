/* The report of a run: one screen, or everything. */
#pragma once

#include "document/text.h"
#include "report/tables.h"

struct report_options {
    bool full;                        /* every table; false: a summary on one screen */
    const struct report_table *table; /* only this table; or NULL */
    struct text_options text;         /* ROWS 0: 20; WIDTH 0: that of report_width() */
    const char *directory; /* of the run's results, for the advice "Next"; NULL: unknown */
    bool explained;   /* src/verdict has printed why the run failed: the screen shows no findings */
    const char *next; /* the verdict's advice "Next"; NULL: none */
};
enum { REPORT_LEAST_WIDTH = 80, REPORT_LINES = 25 };

/* The time in MPI: "1.2 s per rank, 34 % of the run". Returns TEXT. */
const char *mpi_text(const struct view *v, char text[EFFICIENCY_TEXT]);

/* Program, ranks (with those that lack a record), host, run time. Returns TEXT. */
enum { RUN_TITLE = 300 };
const char *run_title(const struct profile *p, char text[RUN_TITLE]);

/* Writes the report to OUT by one fwrite(), so that reports of several programs are not mixed. */
void report_text(const struct profile *p, FILE *out, const struct report_options *o);

/* The whole report as a document, for other formats: facts, findings, and every table of
 * report/tables.h. Release by document_free(). */
struct document *report_document(const struct profile *p, const struct report_options *o);

/* The width of the terminal OUT, or else the environment variable COLUMNS, or 80; at least 80. */
size_t report_width(FILE *out);

/* profile_write() with the findings as "diagnosis". */
void report_json_write(const struct profile *p, FILE *out);

/* Whether CHANGE is "balance:SITE", "faster:SITE,PERCENT", "no-transfer" or "bcast:TREE". Does not
 * check SITE. */
bool report_change_is_valid(const char *change);

/* Writes one line: the predicted wall time with CHANGE, which must be valid. TRACE: from
 * profile_load_trace(). False, with a reason_give(), if the trace has no such SITE or does not
 * allow predictions. */
bool report_what_if(const struct profile *trace, const char *change, FILE *out);
