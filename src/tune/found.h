/* What a tuning has found, as tuned.json beside the files for the library: a tuning that was ended
 * early goes on from it, and `collprof repeat` compares its predictions with the application. No
 * MPI. Memory as in base/memory.h. */
#ifndef COLLPROF_TUNE_FOUND_H
#define COLLPROF_TUNE_FOUND_H

#include "base/array.h"
#include "document/json.h"
#include "tune/rules.h"

struct tuned_set {
    char library[128]; /* name and version: "Open MPI v4.1.4" */
    bool complete;     /* false: the tuning was ended before it had measured everything */
    ARRAY(struct tuned) list;
};

/* One signature, as in the profile: collprof-profile(5), "tune". */
json_t *tuned_json(const struct tuned *t);

/* Reads it back; the intervals of times become NaN. False if JSON is no such value. */
bool tuned_read(const json_t *json, struct tuned *t);

/* Writes tuned.json and the library's files into DIRECTORY; returns what rules_save() returns. */
long tuned_set_save(const struct tuned_set *s, const char *directory);

/* Reads tuned.json into S, whose list is for free(); it is empty without such a file. False, with a
 * reason and an empty list, if the file is damaged. */
bool tuned_set_load(struct tuned_set *s, const char *directory);

/* The signature in S with T's operation, ranks, bytes and arrival pattern; NULL if there is none.
 */
const struct tuned *tuned_set_find(const struct tuned_set *s, const struct tuned *t);

#endif
