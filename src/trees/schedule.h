/* Broadcast schedules: who sends to whom, in which order. Mateescu and Taylor, "Efficient
 * Broadcast on Computational Grids"; doc/methods.md, section 3 says what is done where the paper's
 * pseudocode is silent or wrong. No MPI here. */
#ifndef COLLPROF_TREES_SCHEDULE_H
#define COLLPROF_TREES_SCHEDULE_H

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>

struct schedule {
    char name[32]; /* of the algorithm, or of its best candidate: "grid (fastest-first)" */
    int n, root;
    int *parent;     /* n; -1 for the root */
    int *first;      /* n + 1 */
    int *child;      /* the children of u, in the order of sending, are child[first[u]] up to, but
                        not including, child[first[u + 1]] */
    int *order;      /* n: every vertex after its parent */
    double *label;   /* n: the paper's label: from u's having the message to the last arrival below
                        it, seconds */
    double *arrival; /* n: predicted, from the root's first sending */
    double completion; /* the largest arrival */
    int *window;       /* n: segments that each expects at a time from its parent; 0: all */
    size_t segment;    /* bytes that the run is cut into; 0: whole messages */
};

/* grid-paper   the paper's Figures 2 and 3 to the letter
 * earliest     commit one edge at a time by earliest completion
 * look-ahead   the same, plus the least time in which the receiver could serve another
 * fastest-first  whoever is ready sends to the quickest sender left
 * binomial, flat   the order of sending is that of the broadcast without latencies
 * sites        look-ahead, but only one message ever enters each of the graph's groups
 * chain, binary  earliest completion with at most one or two children each: for segments
 * exhaustive   the optimum of the paper's model, in which nothing is shared, up to 12 vertices
 * grid         whichever of all these is predicted to be the quickest, as they are and relabelled
 *              (chain, binary up to 512 vertices; exhaustive up to 8); up to 16 vertices improved
 *              by moving one at a time */
struct bcast;

/* Builds and predicts. The graph must have passed graph_check(). False if memory is short, or the
 * graph too large for the algorithm, or it has no build() (trees/bcast.h). */
bool schedule_build(const struct bcast *builder, const struct graph *g, int root,
                    struct schedule *s);

bool schedule_new(struct schedule *s, int n, int root);
void schedule_free(struct schedule *s);

/* Fills first and child from parent and order. False if they are no tree rooted at root. */
bool schedule_link(struct schedule *s);

/* Fills order: every vertex after its parent, breadth first, siblings in the order of sending.
 * Returns how many the root reaches. */
int schedule_order(struct schedule *s);

/* The paper's Figure 3: labels, children in decreasing label(v) + w(u,v) (+ nothing for D: by
 * Jackson's rule that order is the best for any D), then order, arrivals and completion anew. */
void schedule_label(struct schedule *s, const struct graph *g);

/* Labels, arrivals and completion of the order of sending as it is. */
void schedule_predict(struct schedule *s, const struct graph *g);

/* Sets window for segments of G's size: what fills the way from the parent, eight times as many
 * between sites. Not all of them, because a network that shares its bandwidth between all
 * messages under way would deliver the first of very many as late as the last, and nothing
 * would be left to forward meanwhile; and those of a near child would crowd out those of a far
 * one on their common way out. */
void schedule_set_windows(struct schedule *s, const struct graph *g);

/* Where the graph has gaps, arrivals and completion of both are those of flow.h, which knows what
 * messages share; labels are the paper's. */

#endif
