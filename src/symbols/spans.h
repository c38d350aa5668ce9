/* Finds which spans contain an address: functions, and calls inlined in them, which are nested.
 * Built once for each file or unit, so that naming a call site takes a search instead of a walk. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t low, high; /* [low, high) */
    uint64_t order;     /* of two with the same limits the one with the larger ORDER is inside */
    uint64_t what;      /* for the caller's use */
    size_t outer;       /* index of the surrounding span plus one; 0: none */
};

struct spans {
    struct span *at;
    size_t n, room;
};

/* Adds a span. It is ignored if it is empty or there is no memory. */
void spans_add(struct spans *s, uint64_t low, uint64_t high, uint64_t order, uint64_t what);

/* Call it after the last spans_add() and before the first search. */
void spans_settle(struct spans *s);

/* The innermost span that contains ADDRESS; the next outer one of SPAN that contains it. NULL if
 * there is none. */
const struct span *spans_find(const struct spans *s, uint64_t address);
const struct span *spans_outer(const struct spans *s, const struct span *span, uint64_t address);

void spans_free(struct spans *s);
