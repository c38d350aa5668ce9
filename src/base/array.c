#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool array_has_room(struct array *array, size_t element)
{
    size_t room = array->room ? array->room * 2 : 8;
    void *larger = array->n < array->room ? NULL : realloc(array->at, room * element);
    if (larger) {
        array->at = larger;
        array->room = room;
    }
    return array->n < array->room;
}

void *array_push(struct array *array, size_t element)
{
    if (!array_has_room(array, element))
        memory_exhausted();
    return memset((char *)array->at + array->n++ * element, 0, element);
}

void lookup_add(struct index *x, uint64_t hash, size_t position)
{
    if ((!x->table && index_start(x)) || !index_put(x, hash | INDEX_LEAST_KEY, position + 1, false))
        memory_exhausted();
}

uint32_t lookup_find(const struct index *x, uint64_t hash)
{
    return x->table ? (uint32_t)index_find(x, hash | INDEX_LEAST_KEY) - 1 : UINT32_MAX;
}
