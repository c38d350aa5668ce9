/* How a rank came to a moment: the time of the longest chain of events that led to it, by what was
 * done in it. A history is a tree of immutable nodes that others share: taking over that of another
 * rank costs nothing, and what two have in common is not visited when they are compared. */
#ifndef COLLPROF_CAUSES_HISTORY_H
#define COLLPROF_CAUSES_HISTORY_H

#include "base/array.h"

#include <stdint.h>

struct history; /* NULL: no time at all */

/* The nodes of all histories of one analysis; zeroed: none. */
struct history_pool {
    struct history *free;
    size_t nodes;    /* in use */
    unsigned levels; /* of every history: see history_levels() */
};

enum { HISTORY_NODE_BYTES = 272 }; /* at most */

/* Levels of a history with KEYS keys, 0 to KEYS - 1. */
unsigned history_levels(size_t keys);

/* Adds a time of NS, and one to its count, to what *H has under KEY. */
void history_add(struct history_pool *pool, struct history **h, uint32_t key, int64_t ns);

/* Another reference to H; the end of one. */
struct history *history_share(struct history *h);
void history_end(struct history_pool *pool, struct history *h);

struct history_difference {
    uint32_t key;
    int64_t ns, count;
};
struct history_differences {
    ARRAY(struct history_difference) list;
};

/* Appends A minus B, for each key in which they differ, in the order of keys. */
void history_compare(const struct history_pool *pool, const struct history *a,
                     const struct history *b, struct history_differences *d);

/* Frees the pool's memory; no history has a reference any more. */
void history_pool_free(struct history_pool *pool);

#endif
