/* A table of ready texts, aligned. */
#ifndef COLLPROF_PAGE_LAYOUT_H
#define COLLPROF_PAGE_LAYOUT_H

#include <stdint.h>
#include <stdio.h>

struct layout;

/* ALIGN: a letter per column, 'l', 'r' or, for a column on the left that may be cut short where
 * the page is too narrow, 'L'. */
struct layout *layout_new(const char *align);

/* Gives the cells from left to right, row after row. */
void layout_cell(struct layout *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first row: names with | between them. */
void layout_heading(struct layout *l, const char *names);

/* Figures with their units right behind them: a table has no room for spaces. */
void layout_time(struct layout *l, double ns);
void layout_bytes(struct layout *l, double bytes); /* 0: empty */
void layout_count(struct layout *l, uint64_t n);

size_t layout_rows(const struct layout *l);

/* Prints it, at most WIDTH wide if an 'L' column lets it, and frees it. OUT may be NULL: it is
 * only freed. */
void layout_print(struct layout *l, FILE *out, size_t width);

#endif
