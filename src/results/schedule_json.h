/* A broadcast schedule as JSON.
 *
 *   {"schema": "collprof-schedule/1", "algorithm": "grid (look-ahead)", "ranks": 4, "root": 0,
 *    "bytes": 1024, "segment": 0, "predicted_us": 12.5,
 *    "children": [[2, 1], [], [3], []], "arrival_us": [0, 5.1, 4.2, 9.9]}
 *
 * "children" is the schedule: of each rank, in the order of sending. The rest describes it. */
#ifndef COLLPROF_RESULTS_SCHEDULE_JSON_H
#define COLLPROF_RESULTS_SCHEDULE_JSON_H

#include "trees/schedule.h"

#include <jansson.h>

json_t *schedule_to_json(const struct schedule *s, size_t bytes);

#endif
