/* The report that fits on one screen. */
#ifndef COLLPROF_REPORT_SCREEN_H
#define COLLPROF_REPORT_SCREEN_H

#include "report/tables.h"

struct report_options {
    bool full;                        /* every table; otherwise one screen */
    const struct report_table *table; /* only this table; or NULL */
    size_t top;                       /* rows of a table; 0: 20 */
    int width;                        /* columns; 0: that of report_width() */
    bool explain;                     /* print what each column means, under its table */
    const char *directory;            /* of the run, for the next step; NULL if unknown */
    bool explained; /* a verdict explains why the run did not end well: the screen shows no findings
                     */
};
enum { REPORT_LEAST_WIDTH = 80, REPORT_LINES = 25 };

/* Writes at most REPORT_LINES lines, if the width allows it. */
void screen_write(const struct view *v, FILE *out, const struct report_options *o);

/* Writes one line: program, ranks, host, run time, date. */
void screen_title(const struct view *v, FILE *out, const struct report_options *o);

#endif
