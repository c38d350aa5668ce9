/* The report on one screen. */
#ifndef COLLPROF_REPORT_SCREEN_H
#define COLLPROF_REPORT_SCREEN_H

#include "report/tables.h"

struct report_options {
    bool full;                        /* every table; otherwise one screen */
    const struct report_table *table; /* only this one; or NULL */
    size_t top;                       /* rows of a table; 0: 20 */
    int width;                        /* columns; 0: as report_width() */
    bool explain;                     /* what each column means, under its table */
    const char *directory;            /* of the run, for what to do next; NULL: unknown */
    bool explained; /* a verdict says why the run did not end well: the screen has no findings */
};
enum { REPORT_LEAST_WIDTH = 80, REPORT_LINES = 25 };

/* Writes at most REPORT_LINES lines where the width allows it. */
void screen_write(const struct view *v, FILE *out, const struct report_options *o);

/* What was run, in one line. */
void screen_title(const struct view *v, FILE *out, const struct report_options *o);

#endif
