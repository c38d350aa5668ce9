/* Without MPI: schedules from the latencies of pairs, whole and in segments, by every candidate of
 * trees/bcast.h. Predictions are those of the paper's model, in which messages share nothing but
 * their sender: where they share more, a prediction is a lower bound. */
#ifndef COLLPROF_MEASURE_PAIRS_CHOOSE_H
#define COLLPROF_MEASURE_PAIRS_CHOOSE_H

#include "base/stats.h"
#include "measure/pairs/data.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

/* CHOICE_SEGMENTS: sizes of segments in bytes, below that from which libraries wait for the
 * receiver; the first is 0, whole messages. CHOICE_MAX: all candidates in each of these. */
enum { CHOICE_SEGMENTS = 4, CHOICE_MAX = 32 };
extern const size_t choice_segments[CHOICE_SEGMENTS];

/* Schedules in ascending order of prediction. */
struct choice {
    struct schedule s[CHOICE_MAX];
    int n;
};

/* For BYTES from ROOT by BUILDER; by all candidates if that is "grid", then named "grid
 * (CANDIDATE)". SEGMENT: bytes; 0: whole; SIZE_MAX: every size that suits BYTES. False with WHY if
 * the latencies allow none; otherwise free C. */
bool choice_find(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                 size_t segment, struct choice *c, char *why, size_t size);
void choice_free(struct choice *c);

/* Predicts S, segments and all, for BYTES: the paper's completion; as its interval that of messages
 * that leave one after the other, and that of those that arrive together (schedule_latest()), where
 * choice_is_known(). NaN if there is no memory. */
struct estimate choice_predict(const struct pairs *p, size_t bytes, struct schedule *s);

/* Whether the prediction of S holds: it was seen that pairs share nothing, and no rank sends and
 * receives segments at the same time. */
bool choice_is_known(const struct pairs *p, const struct schedule *s);

#endif
