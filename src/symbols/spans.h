/* What covers an address: functions and the calls inlined in them, which lie inside of one another.
 * Built once per file or unit, so that naming takes a search per call site, not a walk. */
#ifndef COLLPROF_SYMBOLS_SPANS_H
#define COLLPROF_SYMBOLS_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t low, high; /* [low, high) */
    uint64_t order;     /* of two with the same limits the greater is inside */
    uint64_t what;      /* the caller's */
    size_t outer;       /* 1 + the index of the span around this one; 0: none */
};

struct spans {
    struct span *at;
    size_t n, room;
};

/* Left out where there is no memory for it, and where it is empty. */
void spans_add(struct spans *s, uint64_t low, uint64_t high, uint64_t order, uint64_t what);

/* After the last one was added, before the first is searched for. */
void spans_settle(struct spans *s);

/* The innermost around ADDRESS; the next one out around it after SPAN. NULL: there is none. */
const struct span *spans_find(const struct spans *s, uint64_t address);
const struct span *spans_outer(const struct spans *s, const struct span *span, uint64_t address);

void spans_free(struct spans *s);

#endif
