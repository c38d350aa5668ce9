/* Broadcast schedules: who sends to whom, in which order. Mateescu and Taylor, "Efficient
 * Broadcast on Computational Grids"; doc/methods.md, section 3 says what is done where the paper's
 * pseudocode is silent or wrong. No MPI here. */
#pragma once

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>

struct schedule {
    char name[32]; /* of the algorithm, or of its best candidate: "grid (look-ahead)" */
    int n, root;
    int *parent;       /* array of n; -1 for the root */
    int *first;        /* array of n + 1 */
    int *child;        /* the children of u, in the order of sending, are child[first[u]] up to, but
                          not including, child[first[u + 1]] */
    int *order;        /* array of n: every vertex after its parent */
    double *label;     /* array of n: the paper's label: seconds from u's receipt to the last
                          arrival in its subtree, if u has one port */
    double *arrival;   /* array of n: predicted seconds since the root's first send */
    double completion; /* the last arrival, of the last segment */
    size_t segment;    /* bytes of a segment; 0: whole messages */
};

/* A vertex, and by what it is sorted: by vertex_compare(), for qsort(), ascending, ties by rank. */
struct vertex_key {
    double key;
    int v;
};
int vertex_compare(const void *a, const void *b);

/* A schedule without a tree. False if there is no memory. Free by schedule_free(). */
bool schedule_new(struct schedule *s, int n, int root);
void schedule_free(struct schedule *s);

/* Sets first, child and order from PARENT, a tree, with siblings in the sequence of ORDER, which
 * must have every vertex once. False if the root does not reach all vertices, or there is no
 * memory. */
bool schedule_link(struct schedule *s);

/* The paper's Figure 3: computes labels, sorts children by decreasing label(v) + w(u,v) (by
 * Jackson's rule the best order for any D), then updates order, arrivals and completion. */
void schedule_label(struct schedule *s, const struct graph *g);

/* Computes labels, arrivals of the first segment, and completion without changing the order of
 * sending, for SEGMENTS segments; the graph is that of one segment. A vertex sends a segment to all
 * its children before the next one; later ones follow at the pace of the busiest sender. */
void schedule_predict(struct schedule *s, const struct graph *g, int segments);

/* How a sender's messages use its path: one after the other, as schedule_predict() assumes;
 * together, so that all arrive as late as the last one; or apart: each arrives as if it were alone,
 * but all take at least the sum of their injection times. The last two are limits of any network.
 */
enum schedule_sharing { SCHEDULE_IN_TURN, SCHEDULE_TOGETHER, SCHEDULE_APART };

/* Completion of one message. NaN if there is no memory. */
double schedule_last(const struct schedule *s, const struct graph *g,
                     enum schedule_sharing sharing);
