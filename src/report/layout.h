/* A table of ready texts, aligned. */
#ifndef COLLPROF_REPORT_LAYOUT_H
#define COLLPROF_REPORT_LAYOUT_H

#include <stdio.h>

struct layout;

/* ALIGN: a letter per column, 'l' or 'r'. The first row is the heading. */
struct layout *layout_new(const char *align);

/* Gives the cells from left to right, row after row. */
void layout_cell(struct layout *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Cells for the rest of the row stay empty. */
void layout_end_row(struct layout *l);

size_t layout_rows(const struct layout *l);

/* Prints it, at most WIDTH wide (the first column gives way, shown by ".."), and frees it. OUT may
 * be NULL: it is only freed. */
void layout_print(struct layout *l, FILE *out, int width);

#endif
