#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void *array_push(struct array *array, size_t element)
{
    if (array->n == array->room) {
        array->room = array->room ? array->room * 2 : 8;
        void *larger = realloc(array->at, array->room * element);
        if (!larger)
            memory_exhausted();
        array->at = larger;
    }
    return memset((char *)array->at + array->n++ * element, 0, element);
}

static void put(struct lookup *l, uint64_t hash, uint32_t position)
{
    uint32_t i = (uint32_t)hash & (l->room - 1);
    while (l->slot[i].position)
        i = (i + 1) & (l->room - 1);
    l->slot[i] = (struct lookup_slot){hash, position};
}

void lookup_add(struct lookup *l, uint64_t hash, size_t position)
{
    if (2 * (l->used + 1) > l->room) {
        struct lookup old = *l;
        l->room = old.room ? old.room * 2 : 64;
        l->slot = memory_alloc(l->room * sizeof *l->slot);
        for (uint32_t i = 0; i < old.room; i++)
            if (old.slot[i].position)
                put(l, old.slot[i].hash, old.slot[i].position);
        free(old.slot);
    }
    put(l, hash, (uint32_t)position + 1);
    l->used++;
}

uint32_t lookup_find(const struct lookup *l, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & (l->room - 1);
    while (l->room && l->slot[i].position && l->slot[i].hash != hash)
        i = (i + 1) & (l->room - 1);
    return l->room ? l->slot[i].position - 1 : UINT32_MAX;
}
