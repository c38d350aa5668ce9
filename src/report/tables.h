/* Every table of a run, declared once: the report, --table, --explain, CSV and the page read this
 * list. Where to add a column: a line in the table's columns, and its cell at the same place in the
 * function that adds the rows. */
#ifndef COLLPROF_REPORT_TABLES_H
#define COLLPROF_REPORT_TABLES_H

#include "document/document.h"
#include "profile/noise.h"
#include "report/efficiency.h"
#include "report/rows.h"

/* A profile, and what is worked out once for all that is shown of it. */
struct view {
    const struct profile *p;
    double mpi_ns; /* of all ranks together; NaN: unknown for some */
    double ranks;  /* at least 1 */
    struct noise noise;
    struct efficiency where;
    char **label;                     /* of each call site */
    const struct report_table *table; /* whose rows are added */
};
void view_open(struct view *v, const struct profile *p);
void view_close(struct view *v);

struct report_table {
    const char *name, *title;
    const struct column *columns;
    size_t n_columns;
    /* Adds the rows, in any order. */
    void (*fill)(struct table *t, const struct view *v);
    const char *sort; /* rows are in falling order of this column; NULL: as they come */
    const char *rows; /* member of a measurement that lists its rows; NULL: it is a row itself */
};
extern const struct report_table report_tables[];
extern const size_t n_report_tables;

const struct report_table *report_table_find(const char *name); /* NULL: there is none */

/* Adds that table, with its rows, to D, which owns it. */
struct table *report_table_add(struct document *d, const struct report_table *which,
                               const struct view *v);

#endif
