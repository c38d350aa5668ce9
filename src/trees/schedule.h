/* Broadcast schedules: who sends to whom, in which order. Mateescu and Taylor, "Efficient
 * Broadcast on Computational Grids"; doc/methods.md, section 3 says what is done where the paper's
 * pseudocode is silent or wrong. No MPI here. */
#pragma once

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>

struct schedule {
    char name[32]; /* the algorithm, and in brackets its fastest candidate: "grid (look-ahead)" */
    int n, root;
    int *parent;       /* array of n; -1 for the root */
    int *first;        /* array of n + 1: index of u's first child in CHILD */
    int *child;        /* array of n: u's children in the order of sending, from child[first[u]] up
                          to, but not including, child[first[u + 1]] */
    int *order;        /* array of n: every vertex after its parent */
    double *label;     /* array of n: the paper's label: seconds from u's receipt to the last
                          arrival in its subtree, if u has one port */
    double *arrival;   /* array of n: predicted seconds since the root's first send */
    double completion; /* predicted seconds until the last segment's last arrival */
    size_t segment;    /* bytes of a segment; 0: whole messages */
};

/* A vertex V and its sort KEY. vertex_compare() is for qsort(): ascending, equal keys by rank. */
struct vertex_key {
    double key;
    int v;
};
int vertex_compare(const void *a, const void *b);

/* A schedule without a tree. False if there is no memory. Free by schedule_free(). */
bool schedule_new(struct schedule *s, int n, int root);
void schedule_free(struct schedule *s);

/* Computes FIRST, CHILD and a new ORDER from the tree in PARENT; the old ORDER, which must have
 * every vertex once, is that of siblings. False if the root does not reach all vertices, or there
 * is no memory. */
bool schedule_link(struct schedule *s);

/* The paper's Figure 3: computes labels, sorts each vertex u's children v by falling label(v) +
 * w(u,v) (by Jackson's rule the best order for any D), and updates ORDER and all predictions. */
void schedule_label(struct schedule *s, const struct graph *g);

/* Predicts a message of SEGMENTS segments in the present order of sending: labels, the first
 * segment's arrivals, and completion. G has the times of one segment. A vertex sends each segment
 * to all its children before the next one; segments follow at the pace of the busiest sender. */
void schedule_predict(struct schedule *s, const struct graph *g, int segments);

/* How messages of one sender share its link. IN_TURN: one after the other, as schedule_predict()
 * assumes. TOGETHER: all arrive as late as the last one. APART: each arrives as if it were alone,
 * but all take at least the sum of their injection times. TOGETHER and APART limit any network. */
enum schedule_sharing { SCHEDULE_IN_TURN, SCHEDULE_TOGETHER, SCHEDULE_APART };

/* Predicted seconds until one message has reached all ranks or, with BACK (else NULL), until the
 * root has an acknowledgement of each by an edge of BACK. NaN if there is no memory. */
double schedule_last(const struct schedule *s, const struct graph *g, enum schedule_sharing sharing,
                     const struct graph *back);
