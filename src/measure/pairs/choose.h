/* Builds schedules from the latencies of pairs, with every candidate of trees/bcast.h, for whole
 * messages and for segments; without MPI. The paper's model predicts them: only messages of the
 * same sender share a resource. If they share more, a prediction is a lower bound. */
#ifndef COLLPROF_MEASURE_PAIRS_CHOOSE_H
#define COLLPROF_MEASURE_PAIRS_CHOOSE_H

#include "base/stats.h"
#include "measure/pairs/data.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

/* CHOICE_SEGMENTS: number of segment sizes in bytes, all below usual eager limits; the first is 0,
 * whole messages. CHOICE_MAX: most schedules, every candidate with every size. */
enum { CHOICE_SEGMENTS = 4, CHOICE_MAX = 32 };
extern const size_t choice_segments[CHOICE_SEGMENTS];

/* Schedules in ascending order of prediction. */
struct choice {
    struct schedule s[CHOICE_MAX];
    int n;
};

/* Finds schedules for BYTES from ROOT by BUILDER; if that is "grid", by all candidates, named "grid
 * (CANDIDATE)". SEGMENT: bytes; 0: whole messages; SIZE_MAX: every suitable size. False with WHY if
 * the latencies allow none; otherwise release C by choice_free(). */
bool choice_find(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                 size_t segment, struct choice *c, char *why, size_t size);
void choice_free(struct choice *c);

/* Predicts the completion of S with its segments for BYTES, as in the paper. If choice_is_known(),
 * the interval reaches from messages that leave one after the other to messages that arrive
 * together (schedule_latest()). NaN if there is no memory. */
struct estimate choice_predict(const struct pairs *p, size_t bytes, struct schedule *s);

/* Whether the prediction of S can be trusted: measurements showed that pairs share nothing, and no
 * rank sends and receives segments at the same time. */
bool choice_is_known(const struct pairs *p, const struct schedule *s);

#endif
