/* Results of several launches of a benchmark. The placement of processes and memory differs between
 * launches, so figures differ by more than the interval of one launch. */
#ifndef COLLPROF_COMPARE_LAUNCHES_H
#define COLLPROF_COMPARE_LAUNCHES_H

#include "document/document.h"

/* Makes a document of schema collprof-launches/2. Its table "launches" has, for each figure of each
 * row of the first table, the median over the launches A with a 95 % interval, and the difference
 * to B. PATH: JSON files of launches of one program, BEFORE of A, then AFTER (may be 0) of B. Rows
 * match if the cells before their first figure are equal. NULL with a reason_give() if a file is
 * not such a result. */
struct document *launches_document(const char *const *path, size_t before, size_t after);

#endif
