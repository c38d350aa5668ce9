/* A document as one HTML file, which needs no other file. The file contains the document as JSON, a
 * script that shows findings, facts, pictures and tables (report.js) and, if configure found it,
 * Chart.js, which draws the pictures. */
#pragma once

#include "document/document.h"

/* Writes D as a page with heading "collprof: TITLE", which without JavaScript shows D as text. */
void page_write(const struct document *d, const char *title, FILE *out);

/* page_write() for a document in JSON, which the page cannot show without JavaScript. */
void page_write_json(const json_t *json, const char *title, FILE *out);

/* Texts of the files in each page, made by embed.sh; page_charts is "" without Chart.js. */
extern const char page_style[], page_script[], page_charts[];
