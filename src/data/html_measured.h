/* What is measured during a run (src/inject/list.c): kinds of it, and how each is called and shown.
 */
#ifndef COLLPROF_DATA_HTML_MEASURED_H
#define COLLPROF_DATA_HTML_MEASURED_H

#include "profile/profile.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct finding_column {
    const char *key, *head; /* NULL: called by its key */
};
enum { FINDING_COLUMNS = 16 };
struct finding_kind {
    const char *kind, *title;
    struct finding_column column[FINDING_COLUMNS]; /* those shown; none: all */
    const char *legend;
};

/* One of those declared, or one that shows everything. */
const struct finding_kind *finding_kind(const char *kind);

/* A finding is a row, or has its rows in a member that is a list: that, or NULL. */
const json_t *finding_rows(const json_t *finding);

/* The columns of a table of rows like ROW. */
size_t finding_columns(const struct finding_kind *as, const json_t *row,
                       struct finding_column column[FINDING_COLUMNS]);
void finding_head(const struct finding_column *c, const json_t *row, char *text, size_t room);
/* ROW's figure KEY, with the other end if it is that of an interval. */
void finding_cell(const char *key, const json_t *row, char *text, size_t room);

/* Which of N columns is the first interval: column *AT, of the figure before it; UPPER: the key of
 * its other end. */
bool finding_interval(const struct finding_column *column, size_t n, const json_t *row, size_t *at,
                      char *upper, size_t room);

/* One value by itself, with the unit that its key's ending tells; the key in words. */
void finding_value(const char *key, const json_t *value, char *text, size_t room);
void finding_key(const char *key, char *text, size_t room);

#endif
