/* The history of a rank at a moment: the time of the longest chain of events that led to it, by
 * segment. A history is a tree of immutable nodes that histories share: copying another rank's
 * history costs nothing, and comparing two histories skips their common nodes. */
#pragma once

#include "base/array.h"

#include <stdint.h>

struct history; /* NULL: an empty history */

/* The nodes of all histories of one analysis; zero it to initialize. */
struct history_pool {
    size_t nodes;    /* in use */
    unsigned levels; /* height of every history: see history_levels() */
};

enum { HISTORY_NODE_BYTES = 272 }; /* at most */

/* Height of a history with KEYS keys, 0 to KEYS - 1. */
unsigned history_levels(size_t keys);

/* Adds NS to the time and 1 to the count that *H has for KEY. */
void history_add(struct history_pool *pool, struct history **h, uint32_t key, int64_t ns);

/* Adds a reference to H; drops one. */
struct history *history_share(struct history *h);
void history_end(struct history_pool *pool, struct history *h);

/* COUNT: of executions; 0 if they only took longer. */
struct history_difference {
    uint32_t key;
    double ns, count;
};
struct history_differences {
    struct history_difference *at;
    size_t n, room; /* as in an ARRAY */
};

/* Sets D to A minus B for each key whose times differ, in ascending order. */
void history_compare(const struct history_pool *pool, const struct history *a,
                     const struct history *b, struct history_differences *d);
