/* The figures of a profile for other programs. What is in them: report/figures.h. */
#ifndef COLLPROF_DATA_DATA_H
#define COLLPROF_DATA_DATA_H

#include "compare/differences.h"
#include "report/filter.h"
#include "report/listings.h"

#include <stdio.h>

/* One table: a line of plain names, a line per row (RFC 4180), times in us, what is not known
 * empty. Returns how many rows. */
size_t data_csv(const struct listing *l, const struct view *v, FILE *out);

/* The first line of that. */
void data_csv_head(const struct listing *l, FILE *out);

/* The report as one page of HTML that needs nothing else. PART:
 * the filter that was applied, or NULL; TIMELINE: a drawing as SVG, or NULL. */
void data_html(const struct profile *p, const struct filter *part, const char *timeline, FILE *out);

/* The same of what a benchmark has written as JSON. */
bool data_is_document(const json_t *document);
void data_html_document(const json_t *document, FILE *out);

/* Runs compared, as such a page. */
void data_html_differences(const struct differences_page *p, FILE *out);

/* All tables as one SQLite database in the empty file PATH, which says at byte 68 whose it is.
 * NULL, or what went wrong. */
#define DATA_SQLITE_MARK "coll"
#define DATA_SQLITE_ID "0x636f6c6c"
enum { DATA_SQLITE_AT = 68 };
const char *data_sqlite(const struct profile *p, const char *path);

/* The kept instances of collective operations, as a Chrome trace (chrome://tracing, Perfetto):
 * a row per rank. Returns how many bars. */
size_t data_trace(const struct profile *p, FILE *out);

/* A traced profile (profile_load_trace()) for Perfetto: calls, messages as arrows, wait states. */
void data_perfetto(const struct profile *p, FILE *out);

/* The same as an OTF2 archive, a new directory at PATH. NULL, or what went wrong. */
const char *data_otf2(const struct profile *p, const char *path);

#endif
