/* A profile: what all ranks together have recorded, merged by (build-id, address) of call sites,
 * so that its size is bounded by distinct sites and not by ranks. Made from ledgers, merged two by
 * two in any order, packed into a flat message for another process, written as profile.json.
 * No MPI here: the layer sends the packed form along its tree, the command reads files. */
#ifndef COLLPROF_PROFILE_PROFILE_H
#define COLLPROF_PROFILE_PROFILE_H

#include "record/ledger.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile;

/* Does WORK; false if memory ran out in it. What it has allocated by then is lost, and a profile
 * that it was changing must not be used. Whoever works with profiles stands in
 * one of these: outside, running out of memory aborts. */
bool profile_try(void (*work)(void *arg), void *arg);

/* How long it took to put the profile together and name its call sites, in seconds. */
void profile_set_end(struct profile *p, double seconds);

/* The profile of one rank. The ledger is not needed afterwards. */
struct profile *profile_from_ledger(const struct ledger *l);

/* Adds all that FROM holds to INTO, and frees FROM. */
void profile_merge(struct profile *into, struct profile *from);

/* A flat copy (malloc) of *SIZE bytes, and the way back (NULL if damaged). */
void *profile_pack(const struct profile *p, size_t *size);
struct profile *profile_unpack(const void *packed, size_t size);

/* Adds a measurement made during the run (KIND: "ack", "benchmark", "broadcast"); goes into
 * profile.json under "findings" and into the report. Takes over the reference. The shape of
 * each kind is documented in collprof-profile(5); "communicator_index" in it is a position in P. */
void profile_add_finding(struct profile *p, const char *kind, json_t *finding);

/* That position for a communicator of the ledger that P was made from, before anything is done with
 * P; UINT32_MAX: it has none. */
uint32_t profile_comm_of_ledger(const struct profile *p, uint32_t index);

/* A remark for the report's list of warnings. The same text is kept once. */
void profile_warn(struct profile *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Finds names, files and lines for all call sites (libdw). Once, on the merged profile. */
void profile_symbolize(struct profile *p);

/* profile.json in DIRECTORY (open for that), by way of a new file beside it. Returns 0 or an
 * errno. How long that took is noted in P. */
int profile_save(struct profile *p, int directory);

/* Reads DIR/profile.json or, where there is none, the raw records in DIR (a crashed run), then
 * already symbolized. NULL with a line on stderr if neither can be read. */
struct profile *profile_load(const char *directory);

/* The profile of a traced run, with what its ranks did: from the raw records in DIR, already
 * symbolized. NULL with a line on stderr if there is no trace. */
struct profile *profile_load_trace(const char *directory);

json_t *profile_json(const struct profile *p);
void profile_free(struct profile *p);

#endif
