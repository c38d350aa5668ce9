/* The parts of the page for a browser. Texts of a profile go through quote_html() alone; numbers
 * are formatted here. Every part is complete without the script. */
#ifndef COLLPROF_DATA_HTML_H
#define COLLPROF_DATA_HTML_H

#include "data/data.h"

/* Carried along in the page (embed.sh). The curves' library may be empty: configure found none. */
extern const char html_style[], html_script[], html_curves[], html_curves_style[];

/* Head and foot. CURVES: with the library. */
void html_begin(FILE *out, const char *title, bool curves);
void html_end(FILE *out, bool curves);

/* "<th...>HEAD" with its meaning. */
void html_head(FILE *out, const char *key, const char *head, const char *about, bool is_text);

/* An entry of a picture's key: one of the colours of report.css, and what it stands for. */
void html_key(FILE *out, const char *colour, const char *text);

/* A table of the listing's rows, if there are any. */
void html_listing(const struct listing *l, const struct view *v, const char *doubt, FILE *out);

/* DOUBT is said in the headings: empty, or why times mean little. */
void html_ranks(const struct profile *p, const char *doubt, FILE *out);
void html_late(const struct view *v, const char *doubt, FILE *out);
void html_messages(const struct profile *p, FILE *out);

/* Every recorded collective over the time of the run. Returns whether there is anything to zoom. */
bool html_times(const struct profile *p, const char *doubt, FILE *out);

/* Curves of a benchmark's tables. Returns whether there is anything to zoom. */
bool html_curves_of(const json_t *tables, FILE *out);

/* A broadcast's tree, of a collprof-schedule, or of rows of ranks with their parents. */
void html_schedule(const json_t *schedule, FILE *out);
void html_paths(const json_t *rows, FILE *out);

/* Measurements: a table for each that has rows. */
void html_findings(const struct profile *p, FILE *out);

#endif
