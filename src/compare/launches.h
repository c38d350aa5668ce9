/* Results of several launches of a benchmark, side by side: where processes and memory lie differs
 * between launches, so that figures differ by more than the interval of one. */
#ifndef COLLPROF_COMPARE_LAUNCHES_H
#define COLLPROF_COMPARE_LAUNCHES_H

#include "document/document.h"

/* A document of the schema collprof-launches/2 with the table "launches": for each figure of each
 * row of the first table the median of the launches A and its 95 % interval, and how much B's
 * differ. PATH: files with the JSON of as many launches of one program, BEFORE of A, then AFTER
 * (may be 0) of B. Rows are the same if what is before their first figure is. NULL with a
 * reason_give() if a file is no such launch. */
struct document *launches_document(const char *const *path, size_t before, size_t after);

#endif
