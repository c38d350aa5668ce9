#include "trees/heap.h"

#include <stdlib.h>

bool heap_new(struct heap *h, int room)
{
    *h = (struct heap){.room = room};
    h->entry = malloc((size_t)(room > 0 ? room : 1) * sizeof *h->entry);
    return h->entry != NULL;
}

void heap_free(struct heap *h)
{
    free(h->entry);
    *h = (struct heap){0};
}

/* Four children are one cache line: half as many of them are touched as with two. */
enum { ARITY = 4 };

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->key < b->key || (a->key == b->key && a->vertex < b->vertex);
}

static void sink(struct heap *h, int i)
{
    struct heap_entry moving = h->entry[i];
    for (;;) {
        int c = ARITY * i + 1;
        if (c >= h->n)
            break;
        int end = c + ARITY < h->n ? c + ARITY : h->n;
        for (int k = c + 1; k < end; k++)
            if (before(&h->entry[k], &h->entry[c]))
                c = k;
        if (!before(&h->entry[c], &moving))
            break;
        h->entry[i] = h->entry[c];
        i = c;
    }
    h->entry[i] = moving;
}

static void rise(struct heap *h, int i)
{
    struct heap_entry moving = h->entry[i];
    while (i > 0 && before(&moving, &h->entry[(i - 1) / ARITY])) {
        h->entry[i] = h->entry[(i - 1) / ARITY];
        i = (i - 1) / ARITY;
    }
    h->entry[i] = moving;
}

void heap_append(struct heap *h, int vertex, double key)
{
    h->entry[h->n++] = (struct heap_entry){key, vertex};
}

void heap_make(struct heap *h)
{
    for (int i = (h->n - 2) / ARITY; h->n > 1 && i >= 0; i--)
        sink(h, i);
}

void heap_push(struct heap *h, int vertex, double key)
{
    heap_append(h, vertex, key);
    rise(h, h->n - 1);
}

void heap_pop(struct heap *h)
{
    h->entry[0] = h->entry[--h->n];
    if (h->n > 0)
        sink(h, 0);
}

void heap_raise_first(struct heap *h, double key)
{
    h->entry[0].key = key;
    sink(h, 0);
}
