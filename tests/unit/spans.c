/* Naming call sites: the innermost of nested spans, against looking at all of them. */
#include "symbols/spans.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct span *by_hand(const struct spans *s, uint64_t address)
{
    const struct span *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct span *x = &s->at[i];
        if (address < x->low || address >= x->high)
            continue;
        uint64_t size = x->high - x->low, least = best ? best->high - best->low : UINT64_MAX;
        if (size < least || (size == least && best && x->order > best->order))
            best = x;
    }
    return best;
}

/* Functions with inlined calls in them, gaps between, and some that fill the one around them. */
static void nest(struct spans *s, uint64_t low, uint64_t high, uint64_t *order, int depth)
{
    while (low < high) {
        uint64_t size = 1 + (uint64_t)rand() % (high - low), gap = (uint64_t)rand() % 4;
        uint64_t me = ++*order;
        spans_add(s, low, low + size, me, me);
        if (depth < 5 && rand() % 2)
            nest(s, low, low + size, order, depth + 1);
        low += size + gap;
    }
}

Test(spans, innermost)
{
    struct spans none = {0};
    spans_settle(&none);
    cr_assert_null(spans_find(&none, 1));
    spans_free(&none);
    srand(7);
    for (int round = 0; round < 200; round++) {
        struct spans s = {0};
        uint64_t order = 0;
        nest(&s, 10, 300, &order, 0);
        spans_add(&s, 20, 20, 0, 0); /* empty: nothing is in it */
        spans_settle(&s);
        for (uint64_t address = 0; address < 320; address++) {
            const struct span *found = spans_find(&s, address), *wanted = by_hand(&s, address);
            cr_assert_eq(found, wanted, "round %d, address %d", round, (int)address);
            for (; found; found = spans_outer(&s, found, address))
                cr_assert(address >= found->low && address < found->high);
        }
        spans_free(&s);
    }
}
