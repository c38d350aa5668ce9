/* A broadcast schedule as tables and a picture of a document, and as JSON. */
#ifndef COLLPROF_RESULTS_SCHEDULE_DOCUMENT_H
#define COLLPROF_RESULTS_SCHEDULE_DOCUMENT_H

#include "document/document.h"
#include "trees/schedule.h"

/* Adds the table "tree", a row for each rank, below its parent and in the order of sending, with
 * predicted arrivals; "tree_messages"; and, if arrivals are known, a timeline of both named "tree".
 * HOST has the ranks' host names, or is NULL. */
void schedule_document(const struct schedule *s, char *const *host, struct document *d);

/* A broadcast schedule as JSON.
 *
 *   {"schema": "collprof-schedule/1", "algorithm": "grid (look-ahead)", "ranks": 4, "root": 0,
 *    "bytes": 1024, "segment": 0, "predicted_us": 12.5,
 *    "children": [[2, 1], [], [3], []], "arrival_us": [0, 5.1, 4.2, 9.9]}
 *
 * "children" is the schedule: of each rank, in the order of sending. The rest describes it; times
 * are null if they are unknown. */
json_t *schedule_to_json(const struct schedule *s, size_t bytes);

#endif
