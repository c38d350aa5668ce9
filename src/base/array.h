/* Growing arrays, and a look-up of their elements by key. Memory as in base/memory.h. */
#pragma once

#include "base/index.h"
#include "base/memory.h"

#include <stdint.h>

/* ARRAY(struct row) rows = {0}: an array AT with N elements and room for ROOM. Release by
 * free(rows.at). */
#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, room;                                                                            \
    }

/* for (EACH(struct row, r, rows)): R points to each element in turn. The array must not grow
 * meanwhile. */
#define EACH(type, name, list)                                                                     \
    type *name = (list).at;                                                                        \
    (size_t)(name - (list).at) < (list).n;                                                         \
    name++

/* Appends a zeroed element and returns a pointer to it. Earlier pointers into the array become
 * invalid. */
#define PUSH(list) ((__typeof__((list)->at))array_push((struct array *)(list), sizeof *(list)->at))

/* Any ARRAY, for functions that do not know the type of its elements. */
struct array {
    void *at;
    size_t n, room;
} __attribute__((may_alias));
void *array_push(struct array *array, size_t element);

/* Makes room for one more; false, with the array unchanged, if there is no memory. */
#define HAS_ROOM(list) array_has_room((struct array *)(list), sizeof *(list)->at)
bool array_has_room(struct array *array, size_t element);

/* Finds the indices of an array's elements by a 64-bit hash of their keys, which stands for the
 * key: two keys of a run have one hash with a probability below 1e-6. X begins as zero. */
void lookup_add(struct index *x, uint64_t hash, size_t position);

/* The first index stored under HASH; UINT32_MAX if there is none. */
uint32_t lookup_find(const struct index *x, uint64_t hash);

/* For comparison functions of qsort() and the like, key by key: ORDER(x->a, y->a) ?: ORDER(x->b,
 * y->b). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines such a function: the elements X and Y are of TYPE, and RESULT is below 0 if X comes
 * first. */
#define COMPARISON(function, type, result)                                                         \
    static int function(const void *of_x, const void *of_y)                                        \
    {                                                                                              \
        const type *x = of_x, *y = of_y;                                                           \
        return (result);                                                                           \
    }
