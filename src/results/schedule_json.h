/* A broadcast schedule as JSON.
 *
 *   {"schema": "collprof-schedule/1", "algorithm": "grid (look-ahead)", "ranks": 4, "root": 0,
 *    "bytes": 1024, "segment": 0, "predicted_us": 12.5,
 *    "children": [[2, 1], [], [3], []], "window": [0, 0, 0, 0],
 *     "arrival_us": [0, 5.1, 4.2, 9.9]}
 *
 * "children" is the schedule: of each rank, in the order of sending. The rest describes it; only
 * "ranks", "root", "segment" and "window" are read back with it. */
#ifndef COLLPROF_RESULTS_SCHEDULE_JSON_H
#define COLLPROF_RESULTS_SCHEDULE_JSON_H

#include "trees/schedule.h"

#include <jansson.h>

json_t *schedule_to_json(const struct schedule *s, size_t bytes);

/* On failure S is empty and WHY says what is wrong: no tree, a rank twice, another schema. */
bool schedule_from_json(const json_t *json, struct schedule *s, char *why, size_t size);

/* From a file; WHY then begins with its name. */
bool schedule_load(const char *path, struct schedule *s, char *why, size_t size);
bool schedule_save(const struct schedule *s, size_t bytes, const char *path);

#endif
