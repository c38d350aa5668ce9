/* Broadcast schedules: who sends to whom, in which order. Mateescu and Taylor, "Efficient
 * Broadcast on Computational Grids"; doc/methods.md, section 3 says what is done where the paper's
 * pseudocode is silent or wrong. No MPI here. */
#ifndef COLLPROF_TREES_SCHEDULE_H
#define COLLPROF_TREES_SCHEDULE_H

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>

struct schedule {
    char name[32]; /* of the algorithm, or of its best candidate: "grid (look-ahead)" */
    int n, root;
    int *parent;       /* n; -1 for the root */
    int *first;        /* n + 1 */
    int *child;        /* the children of u, in the order of sending, are child[first[u]] up to, but
                          not including, child[first[u + 1]] */
    int *order;        /* n: every vertex after its parent */
    double *label;     /* n: the paper's label: from u's having the message to the last arrival
                          below it, seconds */
    double *arrival;   /* n: predicted, from the root's first send, seconds */
    double completion; /* the largest arrival */
    size_t segment;    /* bytes that the run is cut into; 0: whole messages */
};

/* No tree yet. False if there is no memory. Free by schedule_free(). */
bool schedule_new(struct schedule *s, int n, int root);
void schedule_free(struct schedule *s);

/* Fills first, child and order from PARENT, a tree from the root, siblings as they are in ORDER, in
 * which every vertex is once. False if the root does not reach
 * all, or there is no memory. */
bool schedule_link(struct schedule *s);

/* The paper's Figure 3: labels, children in decreasing label(v) + w(u,v) (by Jackson's rule that
 * order is the best for any D), then order, arrivals and completion anew. */
void schedule_label(struct schedule *s, const struct graph *g);

/* Labels, arrivals and completion of the order of sending as it is, for SEGMENTS parts of the
 * message one after the other; the graph is that of one part. A vertex passes a part on to all its
 * children before the next one. */
void schedule_predict(struct schedule *s, const struct graph *g, int segments);

/* The completion of one message if those of a sender, which does not wait for them, share its path
 * out and arrive together, as late as the last; that of schedule_predict() is for messages that
 * leave one after the other. Both are right where the order makes no difference. */
double schedule_latest(const struct schedule *s, const struct graph *g);

#endif
