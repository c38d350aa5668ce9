/* A table of ready texts, aligned. */
#ifndef COLLPROF_REPORT_LAYOUT_H
#define COLLPROF_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct layout;

/* ALIGN: a letter per column, 'l', 'r', 'o' for one on the right that is left out where the page is
 * too narrow, or 'L' for one on the left whose texts are shortened there. */
struct layout *layout_new(const char *align);

/* Gives the cells from left to right, row after row. */
void layout_cell(struct layout *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first row: names with | between them. */
void layout_heading(struct layout *l, const char *names);

/* Figures with their units right behind them: a table has no room for spaces. */
void layout_time(struct layout *l, double ns);
void layout_bytes(struct layout *l, double bytes); /* 0: empty */
void layout_count(struct layout *l, uint64_t n);

/* Whether there is a column of that heading; whether one has room in WIDTH. */
bool layout_has(const struct layout *l, const char *heading);
bool layout_shows_column(const struct layout *l, size_t column, size_t width);
bool layout_shows(const struct layout *l, const char *heading, size_t width);

size_t layout_rows(const struct layout *l);

/* Prints it, at most WIDTH wide if 'o' and 'L' columns let it, and frees it. A column without any
 * text is left out, and one of 'o' that says nothing but "-". OUT may be NULL: it is only freed. */
void layout_print(struct layout *l, FILE *out, size_t width);

/* How many characters (of UTF-8) TEXT has. */
size_t layout_length(const char *text);

/* Shortens N texts, every STEP-th of AT, to ROOM (8 or more) characters, in their middle: different
 * ones stay different. */
void layout_shorten(char **at, size_t n, size_t step, size_t room);

#endif
