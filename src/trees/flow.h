/* A schedule played out on a network whose messages share what they travel on: what segmented
 * broadcasts and several messages at once cost. No MPI here. */
#ifndef COLLPROF_TREES_FLOW_H
#define COLLPROF_TREES_FLOW_H

#include "trees/schedule.h"

/* When the last of SEGMENTS parts of the message reaches its last vertex, from the root's first
 * sending; NAN if memory is short. G is for one segment's size and needs gap. ARRIVAL (may be
 * NULL) gets the last segment's arrival at each vertex.
 *
 * Each vertex passes a segment on to all its children before the next one, expects as many at a
 * time from its parent as the schedule's window says, and is busy for call[u,v] per message. A
 * message then travels for cost(u,v) - gap(u,v) and is transmitted: at the rate 1 / gap(u,v), or
 * less if others need what it needs: all of its edge's messages share 1 / gap(u,v), all of those
 * between two sites 1 / gap, all of a sender's 1 / out(u). Messages with a
 * longer way get less of what is shared, in proportion to 1 / (the time of the way), as TCP's
 * connections do; what one of them cannot use is left to the others.
 *
 * A network that delivers in order instead has the last segment there at the same time, but the
 * first ones sooner, so that its trees may be quicker than this and are not slower. */
double flow_completion(const struct schedule *s, const struct graph *g, int segments,
                       double *arrival);

#endif
