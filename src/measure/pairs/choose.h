/* Builds schedules from the latencies of pairs, with every candidate of trees/bcast.h, for whole
 * messages and for segments; without MPI. The paper's model predicts them: only messages of one
 * sender share a resource. Where others do, the result is unknown, since it is a lower bound. */
#pragma once

#include "base/stats.h"
#include "measure/pairs/data.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

/* CHOICE_SEGMENTS: number of segment sizes in bytes, all below usual eager limits; the first is 0,
 * whole messages. CHOICE_MAX: room for every candidate with every segment size. */
enum { CHOICE_SEGMENTS = 4, CHOICE_MAX = 32 };
extern const size_t choice_segments[CHOICE_SEGMENTS];

/* Schedules in ascending order of predicted completion. */
struct choice {
    struct schedule s[CHOICE_MAX];
    int n;
};

/* Finds schedules for BYTES from ROOT by BUILDER; if that is "grid", by all candidates, named "grid
 * (CANDIDATE)". SEGMENT: bytes; 0: whole messages; SIZE_MAX: every suitable size. False with WHY if
 * the latencies allow none; otherwise release C by choice_free(). */
bool choice_find_schedules(const struct pairs *p, int root, size_t bytes,
                           const struct bcast *builder, size_t segment, struct choice *c, char *why,
                           size_t size);
void choice_free(struct choice *c);

/* Why the completion of S is unknown; NULL: it is known. For chains it does not matter whether
 * messages share a path. */
const char *schedule_unknown(const struct pairs *p, size_t bytes, const struct schedule *s);

/* Predicts by the paper's model when broadcast S of BYTES completes. The ends of the 95 % interval:
 * low, if a sender's messages follow one another; high, if they share its bandwidth (enum
 * schedule_sharing); both widened by the errors found on kinds of networks that were left out.
 * Measurements of S are not used. The result and the times in S are NaN if schedule_unknown() or if
 * memory is short. ACKNOWLEDGED: until the root has an acknowledgement of P's smallest size from
 * each rank; then the errors of clocks cancel. */
struct estimate schedule_predict_interval(const struct pairs *p, size_t bytes, struct schedule *s,
                                          bool acknowledged);
