/* A document as one HTML file, which needs no other file: it has the document as JSON, a script
 * that shows findings, facts, pictures and tables (report.js), and Chart.js, which draws the
 * pictures, if configure found it. */
#pragma once

#include "document/document.h"

/* The page's heading is "collprof: TITLE". Without JavaScript it shows the document as text. */
void page_write(const struct document *d, const char *title, FILE *out);

/* The same for a document in JSON, which is not shown where JavaScript is off. */
void page_write_json(const json_t *json, const char *title, FILE *out);

/* Texts of the files that a page contains, from embed.sh; page_charts is "" without Chart.js. */
extern const char page_style[], page_script[], page_charts[];
