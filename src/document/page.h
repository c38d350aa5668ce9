/* A document as one HTML file that needs nothing else: it carries the document as JSON, a script
 * that shows findings, facts, pictures and tables (report.js), and Chart.js for the pictures if
 * configure found it. Where no script runs it shows the text. */
#ifndef COLLPROF_DOCUMENT_PAGE_H
#define COLLPROF_DOCUMENT_PAGE_H

#include "document/document.h"

/* "collprof: TITLE" heads the page; where no script runs it shows the document as text. */
void page_write(const struct document *d, const char *title, FILE *out);

/* The same of a document that was written as JSON; without a script it shows nothing. */
void page_write_json(const json_t *json, const char *title, FILE *out);

/* Text of the files that the page carries (embed.sh); CHARTS may be empty. */
extern const char page_style[], page_script[], page_charts[];

#endif
