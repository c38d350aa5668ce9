/* Results of several launches of benchmarks, side by side. Operations of one launch share where its
 * processes and its memory lie: between launches figures differ by more than the interval of one.
 */
#ifndef COLLPROF_COMPARE_LAUNCHES_H
#define COLLPROF_COMPARE_LAUNCHES_H

#include "document/document.h"

struct launches {
    struct document *d; /* gets the table "launches" */
    struct table *t;    /* NULL at first */
};

/* Adds one configuration, NAME: N files with the JSON of as many launches of one program. For each
 * figure of each row: the median of the launches and its 95 % interval. Rows are the same if what
 * stands before their first figure is. False with a reason_give() if they are no such launches. */
bool launches_add(struct launches *l, const char *name, const char *const *path, size_t n);

#endif
