/* The history of a rank at a time (causes.h): for each key (a segment on one rank) its time in the
 * chain of events that led to the rank's state at that time. A history is a tree of immutable nodes
 * that histories share: a copy costs nothing, and a comparison skips nodes that both have. */
#pragma once

#include "base/array.h"

#include <stdint.h>

struct history; /* NULL: an empty history */

/* The nodes of all histories of one analysis. Zero it to initialize, then set LEVELS. */
struct history_pool {
    size_t nodes;    /* number of nodes in use */
    unsigned levels; /* height of every history: see history_levels() */
};

/* Height of a history with KEYS keys, 0 to KEYS - 1. */
unsigned history_levels(size_t keys);

/* Adds NS to the time and 1 to the number of executions that *H has for KEY. */
void history_add(struct history_pool *pool, struct history **h, uint32_t key, int64_t ns);

/* Adds a reference to H (share), or releases one and frees nodes that no history uses (end). */
struct history *history_share(struct history *h);
void history_end(struct history_pool *pool, struct history *h);

/* Difference between two histories in one key: COUNT executions (0: equally many), NS in all. */
struct history_difference {
    uint32_t key;
    double ns, count;
};
struct history_differences {
    struct history_difference *at;
    size_t n, room; /* as in an ARRAY */
};

/* Sets D to A minus B for each key whose times differ, in ascending order of keys. */
void history_compare(const struct history_pool *pool, const struct history *a,
                     const struct history *b, struct history_differences *d);
