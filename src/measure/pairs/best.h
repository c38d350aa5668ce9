/* Without MPI: schedules from latencies, whole and in segments, by every builder that suits them.
 */
#ifndef COLLPROF_MEASURE_PAIRS_BEST_H
#define COLLPROF_MEASURE_PAIRS_BEST_H

#include "measure/pairs/data.h"
#include "measure/series.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

/* BEST_MAX: as many as there are builders. BEST_SEGMENTS: sizes of segments, bytes, below
 * that from which libraries wait for the receiver. */
enum { BEST_MAX = 16, BEST_SEGMENTS = 3 };
extern const size_t best_segments[BEST_SEGMENTS];

/* The best that each builder makes, the best of all first. */
struct best {
    struct schedule s[BEST_MAX];
    const struct bcast *by[BEST_MAX];
    int n;
};

/* BUILDER (NULL: any of those that grid tries), SEGMENT bytes (0: whole; SIZE_MAX: whichever is
 * best). False with WHY if the latencies allow none; otherwise free B. */
bool best_find(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
               size_t segment, struct best *b, char *why, size_t size);
void best_free(struct best *b);

/* S is what "grid" chose: its name tells by which builder. */
void best_name_choice(struct schedule *s);

/* What built S: "look-ahead", or of a name like "grid (look-ahead)" what is in brackets. */
const char *best_builder(const struct schedule *s, int *length);

/* Predicts S, segments and all, for BYTES; and as its interval how soon and how late
 * it may be by what clocks and round trips leave open of the ways. That has none where they leave
 * nothing: by how much the model is off is another question. NAN if memory is short. */
struct estimate best_predict(const struct pairs *p, size_t bytes, struct schedule *s);

/* The first of best_find(): its completion is the predicted one of the segmented run. */
bool best_schedule(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                   size_t segment, struct schedule *s, char *why, size_t size);

#endif
