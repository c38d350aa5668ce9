/* The report of a run: one screen, or everything. */
#ifndef COLLPROF_REPORT_REPORT_H
#define COLLPROF_REPORT_REPORT_H

#include "report/screen.h"

/* Writes the report to OUT in one piece, since several programs may report at once. */
void report_text(const struct profile *p, FILE *out, const struct report_options *o);

/* Everything in the report as a document, for other formats: facts, findings, every table of
 * report/tables.h. Release by document_free(). */
struct document *report_document(const struct profile *p, const struct report_options *o);

/* The width of the terminal OUT, otherwise COLUMNS, otherwise 80; at least 80. */
int report_width(FILE *out);

/* profile_json() with the findings as "diagnosis", a new reference. */
json_t *report_json(const struct profile *p);

#endif
