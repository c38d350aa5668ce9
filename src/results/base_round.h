/* The base round of a machine (base/overlap.h) as a file: measured once by collbench-overlap
 * --save-base=FILE, then given to later runs and to the reading of profiles.
 *
 *   {"schema": "collprof-base-round/1", "mpi": "...", "hosts": "...", "date": "...",
 *    "latency_us": 0.4, "latency_error_us": 0.01, "points": [{"bytes": 64, "contiguous_us": 0.5,
 * "vector_us": 0.6, "cpu_us": 0.1}, ...]}
 *
 * A time that was not measured is null. collbench-overlap's own JSON output holds the same
 * object under "base_round", and can be loaded in its place. */
#ifndef COLLPROF_RESULTS_BASE_ROUND_H
#define COLLPROF_RESULTS_BASE_ROUND_H

#include "base/overlap.h"

#include <jansson.h>
#include <stdbool.h>

/* Where the figures come from: they hold for no other machine. */
struct base_origin {
    char mpi[128], hosts[128], date[64];
};

/* A new reference. */
json_t *base_round_json(const struct base_round *base, const struct base_origin *origin);

/* From the object above. On failure *WHY (may be NULL) says what is wrong with it and BASE is
 * empty. ORIGIN may be NULL. Free BASE by base_round_free(). */
bool base_round_from_json(const json_t *json, struct base_round *base, struct base_origin *origin,
                          const char **why);

/* By way of a temporary file. On failure says why on stderr. */
bool base_round_save(const struct base_round *base, const struct base_origin *origin,
                     const char *path);
/* On failure WHY begins with the file's name. */
bool base_round_load(const char *path, struct base_round *base, struct base_origin *origin,
                     char *why, size_t size);

#endif
