/* A document as one self-contained HTML file: the document as JSON, a script that shows findings,
 * facts, pictures and tables (report.js), and Chart.js for the pictures if configure found it.
 * Without JavaScript the file shows the text. */
#pragma once

#include "document/document.h"

/* The page's heading is "collprof: TITLE". Without JavaScript it shows the document as text. */
void page_write(const struct document *d, const char *title, FILE *out);

/* The same for a document in JSON; without JavaScript it shows nothing. */
void page_write_json(const json_t *json, const char *title, FILE *out);

/* Contents of files that the page embeds (embed.sh); CHARTS may be empty. */
extern const char page_style[], page_script[], page_charts[];
