#include "symbols/spans.h"

#include "base/array.h"
#include <stdlib.h>

void spans_add(struct spans *s, uint64_t low, uint64_t high, uint64_t order, uint64_t what)
{
    if (low < high && HAS_ROOM(s))
        s->at[s->n++] = (struct span){.low = low, .high = high, .order = order, .what = what};
}

/* Sorts outer spans before inner ones. */
COMPARISON(compare, struct span,
           ORDER(x->low, y->low) ?: ORDER(y->high, x->high) ?: ORDER(x->order, y->order))

void spans_settle(struct spans *s)
{
    size_t open = 0; /* index of the innermost open span plus one */
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, compare);
    for (size_t i = 0; i < s->n; i++) {
        while (open && s->at[open - 1].high <= s->at[i].low)
            open = s->at[open - 1].outer;
        s->at[i].outer = open;
        open = i + 1;
    }
}

const struct span *spans_outer(const struct spans *s, const struct span *span, uint64_t address)
{
    while ((span = span->outer ? &s->at[span->outer - 1] : NULL) && address >= span->high)
        ;
    return span;
}

const struct span *spans_find(const struct spans *s, uint64_t address)
{
    size_t low = 0, high = s->n; /* the first that begins after ADDRESS */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct span *last = &s->at[low - 1];
    return address < last->high ? last : spans_outer(s, last, address);
}

void spans_free(struct spans *s)
{
    free(s->at);
    *s = (struct spans){0};
}
