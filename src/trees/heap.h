/* A heap of vertices with real keys, smallest first, equal keys by vertex: so that every
 * rank that builds the same schedule builds the very same one. */
#ifndef COLLPROF_TREES_HEAP_H
#define COLLPROF_TREES_HEAP_H

#include <stdbool.h>

struct heap_entry {
    double key;
    int vertex;
};

struct heap {
    struct heap_entry *entry; /* the smallest is entry[0] */
    int n, room;
};

bool heap_new(struct heap *h, int room);
void heap_free(struct heap *h);

/* Adds without keeping the order: heap_make() afterwards. There must be room. */
void heap_append(struct heap *h, int vertex, double key);
void heap_make(struct heap *h);

void heap_push(struct heap *h, int vertex, double key);
void heap_pop(struct heap *h);

/* Gives the smallest a new, larger key. */
void heap_raise_first(struct heap *h, double key);

#endif
