/* A document as one HTML file that needs nothing else: it carries the document as JSON, a script
 * that shows findings, facts, pictures and tables (report.js), and Chart.js for the pictures if
 * configure found it. Where no script runs it shows the text. */
#ifndef COLLPROF_DOCUMENT_PAGE_H
#define COLLPROF_DOCUMENT_PAGE_H

#include "document/document.h"

/* "collprof: TITLE" heads the page; TEXT is shown where no script runs, NULL: the document as text.
 * False: the document lacks something for want of memory, and nothing useful was written. */
bool page_write(const struct document *d, const char *title, const char *text, FILE *out);

/* Text of the files that the page carries (embed.sh); CHARTS may be empty. */
extern const char page_style[], page_script[], page_charts[];

#endif
