#include "causes/history.h"

#include <stdlib.h>

enum { FAN_LOG2 = 4, FAN = 1 << FAN_LOG2 };

struct amount {
    int64_t ns, count;
};

struct history {
    uint32_t references;
    uint32_t level; /* height above the leaves, which are at level 0 and have amounts */
    union {
        struct history *child[FAN];
        struct amount amount[FAN];
    };
};
_Static_assert(sizeof(struct history) <= 272, "as causes.h states");

unsigned history_levels(size_t keys)
{
    unsigned levels = 1;
    while (levels * FAN_LOG2 < 32 && keys > (size_t)1 << levels * FAN_LOG2)
        levels++;
    return levels;
}

static struct history *new_node(struct history_pool *pool, uint32_t level)
{
    struct history *h = memory_alloc(sizeof *h);
    h->references = 1;
    h->level = level;
    pool->nodes++;
    return h;
}

struct history *history_share(struct history *h)
{
    if (h)
        h->references++;
    return h;
}

void history_end(struct history_pool *pool, struct history *h)
{
    if (!h || --h->references)
        return;
    for (size_t i = 0; h->level && i < FAN; i++)
        history_end(pool, h->child[i]);
    free(h);
    pool->nodes--;
}

/* Replaces the node *H by a copy if other histories share it. Returns the node. */
static struct history *own_node(struct history_pool *pool, struct history **h, uint32_t level)
{
    struct history *shared = *h;
    if (shared && shared->references == 1)
        return shared;
    *h = new_node(pool, level);
    if (shared) {
        **h = *shared;
        (*h)->references = 1;
        for (size_t i = 0; level && i < FAN; i++)
            history_share(shared->child[i]);
        shared->references--;
    }
    return *h;
}

void history_add(struct history_pool *pool, struct history **h, uint32_t key, int64_t ns)
{
    for (uint32_t level = pool->levels; level-- > 0;) {
        struct history *node = own_node(pool, h, level);
        size_t at = key >> level * FAN_LOG2 & (FAN - 1);
        if (level) {
            h = &node->child[at];
        } else {
            node->amount[at].ns += ns;
            node->amount[at].count++;
        }
    }
}

static void compare(const struct history *a, const struct history *b, uint32_t level, uint32_t key,
                    struct history_differences *d)
{
    static const struct history none = {0};
    if (a == b)
        return;
    a = a ? a : &none;
    b = b ? b : &none;
    for (uint32_t i = 0; i < FAN; i++) {
        if (level) {
            compare(a->child[i], b->child[i], level - 1, (key | i) << FAN_LOG2, d);
            continue;
        }
        struct amount x = a->amount[i], y = b->amount[i];
        if (x.ns != y.ns)
            *PUSH(d) = (struct history_difference){key | i, (double)(x.ns - y.ns),
                                                   (double)(x.count - y.count)};
    }
}

void history_compare(const struct history_pool *pool, const struct history *a,
                     const struct history *b, struct history_differences *d)
{
    d->n = 0;
    compare(a, b, pool->levels - 1, 0, d);
}
