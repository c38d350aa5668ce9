/* A broadcast schedule as JSON, and as pictures of a tree.
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
#include <stdio.h>

json_t *schedule_to_json(const struct schedule *s, size_t bytes);

/* On failure S is empty and WHY says what is wrong: no tree, a rank twice, another schema. */
bool schedule_from_json(const json_t *json, struct schedule *s, char *why, size_t size);

/* From a file; WHY then begins with its name. */
bool schedule_load(const char *path, struct schedule *s, char *why, size_t size);
bool schedule_save(const struct schedule *s, size_t bytes, const char *path);

/* The tree with predicted arrivals, a rank a line, children below their parent in the order of
 * sending. HOST (may be NULL) names the ranks' hosts. */
void schedule_draw_text(const struct schedule *s, char *const *host, FILE *out);
void schedule_draw_dot(const struct schedule *s, char *const *host, FILE *out);

/* PATH ends in .txt, .dot, .png or .svg; the latter two by Graphviz' dot. False, having said why
 * on stderr, if that is not possible. */
bool schedule_draw(const struct schedule *s, char *const *host, const char *path);
bool schedule_draw_path_valid(const char *path);

#endif
