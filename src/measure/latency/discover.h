/* A broadcast's path, found from outside: who has to enter before whom can leave.
 *
 * The entry of one rank j at a time is delayed by far longer than a broadcast takes; every rank
 * whose exit moves with it depends on j (doc/methods.md section 1; the open problem at the end of
 * section 4 of de Supinski and Karonis). Needs no source of the library, and clocks that agree
 * to a fraction of the delay. */
#ifndef COLLPROF_MEASURE_LATENCY_DISCOVER_H
#define COLLPROF_MEASURE_LATENCY_DISCOVER_H

#include "measure/latency/broadcast.h"

#include <stdbool.h>

enum discover_shape {
    DISCOVER_TREE,          /* each message goes whole from parent to child */
    DISCOVER_PIPELINED,     /* a tree, but faster than whole messages could travel along it */
    DISCOVER_BACK_PRESSURE, /* a tree in which a parent waits for its child: rendezvous */
    DISCOVER_ALL_TO_ALL,    /* every rank needs every other: scatter + allgather (or a pipeline
                               under back-pressure: from outside they look the same) */
    DISCOVER_OTHER          /* none of these */
};

struct discovery {
    int size, root; /* size is 0 on ranks other than the collector */
    enum discover_shape shape;
    unsigned char *depends; /* size x size: depends[i * size + j] is 1 if i's exit waits for j's
                               entry; 1 on the diagonal and for j = root */
    int *parent;            /* -1 for the root, and everywhere if the shape is no tree */
    int *depth;             /* 0 for the root; -1 where there is no tree */
    double *exit;           /* seconds from the root's entry to i's exit, undisturbed, median */
    double *hop;            /* seconds for the whole message from parent to i; 0 if no tree */
    bool half_trips;        /* hop is half a round trip, for want of a clock that shows ways */
    double delay;           /* that was used, seconds */
    int repeats;            /* experiments per rank, at least */
    int undecided;          /* entries of the matrix on which the experiments did not agree. The
                               smallest shift is taken: noise can only delay an exit, a rank that
                               depends can never leave early */
};

/* All ranks of c->comm call it; C is a broadcast_case(). Of the plan only the budget counts. Errors
 * as latency_measure(). */
int discover_broadcast(const struct latency_case *c, struct discovery *d);
void discovery_free(struct discovery *d);

/* "tree", "pipelined", "back-pressure", "all-to-all", "other", and a sentence on each. */
const char *discover_shape_name(enum discover_shape shape);
const char *discover_shape_meaning(enum discover_shape shape);

/* The tree in a dependency matrix alone (no MPI; what discover_broadcast() uses): sets PARENT and
 * DEPTH, SIZE of each, and returns the shape; never DISCOVER_PIPELINED, which needs times. */
enum discover_shape discover_tree(const unsigned char *depends, int size, int root, int *parent,
                                  int *depth);

#endif
