/* The report of a run: one screen that answers, or all of it. */
#ifndef COLLPROF_REPORT_REPORT_H
#define COLLPROF_REPORT_REPORT_H

#include "report/screen.h"

/* Writes the report to OUT in one piece: programs that were started together report at once. */
void report_text(const struct profile *p, FILE *out, const struct report_options *o);

/* Everything that the report knows as a document, for other formats: facts, findings, every table
 * of report/tables.h. For document_free(). */
struct document *report_document(const struct profile *p, const struct report_options *o);

/* The width of the terminal that OUT is, or else COLUMNS, or else 80; at least 80. */
int report_width(FILE *out);

/* profile_json() with the findings under "diagnosis", a new reference. */
json_t *report_json(const struct profile *p);

#endif
