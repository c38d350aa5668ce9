/* The report of a run, as text. */
#ifndef COLLPROF_REPORT_REPORT_H
#define COLLPROF_REPORT_REPORT_H

#include "document/style.h"
#include "profile/profile.h"
#include "report/filter.h"

struct report_options {
    long top;                    /* lines per table; 0: 10 */
    const char *sort;            /* key of a figure of call sites; NULL: time */
    int width;                   /* columns; 0: the terminal's, or REPORT_WIDTH */
    bool explain;                /* what each column means, under its table */
    const struct filter *filter; /* that was applied; NULL: none */
    const char *directory;       /* of the run, for what to do next; NULL: nothing is said */
    enum style_when color;
};
enum { REPORT_WIDTH = 112, REPORT_LEAST_WIDTH = 80 };

void report_text(const struct profile *p, FILE *out, const struct report_options *options);

#endif
