/* What a tuning has found, as a directory: tuned.json, from which a tuning that was ended early
 * goes on, and whose predictions `collprof repeat` compares with the application; env.sh, to be
 * read by a shell, and for Open MPI openmpi.rules. No MPI. Memory as in base/memory.h. */
#pragma once

#include "document/document.h"
#include "document/json.h"
#include "tune/rules.h"

/* One signature, as in the profile: collprof-profile(5), "tune". */
json_t *tuned_json(const struct tuned *t);

/* Reads it back; the intervals of times become NaN. False if JSON is no such value. */
bool tuned_read(const json_t *json, struct tuned *t);

/* Adds a finding to D if a broadcast of collprof is faster than the library's in any of the N
 * signatures T, with the option that uses that of the first one. */
void tuned_ours_add(struct document *d, const struct tuned *t, size_t n);

/* Whether env.sh, openmpi.rules and tuned.json in DIRECTORY have the hash in its file tuned.sum, or
 * a user who edited them has written TUNED_EDITED there. SUM: their hash now. */
enum { TUNED_SUM = 17 };
#define TUNED_EDITED "edited"
bool tuned_is_whole(const char *directory, char sum[TUNED_SUM]);

/* Writes all files into DIRECTORY, which is made if necessary. Without rules env.sh changes no
 * setting. Returns rules_count(); -1 if writing failed, with the reason (base/reason.h). */
long tuned_set_save(struct tuned_set *s, const char *directory);

/* Reads tuned.json into S, whose list is for free(); it is empty without such a file. False, with a
 * reason and an empty list, if the file is damaged. */
bool tuned_set_load(struct tuned_set *s, const char *directory);

/* The signature in S with T's operation, ranks, bytes and arrival pattern; NULL if there is none.
 */
const struct tuned *tuned_set_find(const struct tuned_set *s, const struct tuned *t);
