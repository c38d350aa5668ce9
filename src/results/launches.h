/* Results of several launches of one benchmark, side by side. Operations of one launch share where
 * its processes and its memory came to lie: between launches figures differ by more than any
 * interval from one of them says. */
#ifndef COLLPROF_RESULTS_LAUNCHES_H
#define COLLPROF_RESULTS_LAUNCHES_H

#include "document/document.h"

/* The launches in a file: what was written as JSON, after those that it keeps under "launches"
 * (--append). They are added to the array ALL. False, with "PATH: what is wrong" in WHY, if
 * it cannot be. */
bool launches_load(json_t *all, const char *path, char *why, size_t size);

/* The same of a document in memory. The array ALL is all that is kept with it. */
json_t *launches_of(const struct document *d);

/* A table of D: each figure of each row of the main tables (those before "statistics"): mean of the
 * launches' values, its 95 % interval by Student's distribution, the least, the most. Rows are
 * the same if what stands before their first figure is. NULL, or why it cannot be: launches of
 * different programs, or none. */
const char *launches_tell(const json_t *all, struct document *d);

#endif
