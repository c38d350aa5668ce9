/* Growing arrays, and a look-up of their elements by key. If there is no memory, all but HAS_ROOM()
 * end the innermost memory_try() (base/memory.h). */
#pragma once

#include "base/index.h"
#include "base/memory.h"

#include <stdint.h>

/* ARRAY(struct row) rows = {0}; is an empty array: AT points to N elements, and ROOM are allocated.
 * Release by free(rows.at). */
#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, room;                                                                            \
    }

/* for (EACH(struct row, r, rows)) loops with R pointing to each element. The loop must not add
 * elements. */
#define EACH(type, name, list)                                                                     \
    type *name = (list).at;                                                                        \
    (size_t)(name - (list).at) < (list).n;                                                         \
    name++

/* PUSH(&rows) appends a zeroed element and returns a pointer to it. Pointers to other elements
 * become invalid. */
#define PUSH(list) ((__typeof__((list)->at))array_push((struct array *)(list), sizeof *(list)->at))

/* What functions see of an ARRAY, whose element type they do not know. */
struct array {
    void *at;
    size_t n, room;
} __attribute__((may_alias));
void *array_push(struct array *array, size_t element);

/* Makes room for one more element; false, with the array unchanged, if there is no memory. */
#define HAS_ROOM(list) array_has_room((struct array *)(list), sizeof *(list)->at)
bool array_has_room(struct array *array, size_t element);

/* Stores in X, initially {0}, that the element at index POSITION has a key with this 64-bit HASH.
 * Keys are not compared: two keys of a run have the same hash with a probability below 1e-6. */
void lookup_add(struct index *x, uint64_t hash, size_t position);

/* The first index stored under HASH; UINT32_MAX if there is none. */
uint32_t lookup_find(const struct index *x, uint64_t hash);

/* Compares two numbers for qsort(). Several keys, the first one first: ORDER(x->a, y->a) ?:
 * ORDER(x->b, y->b). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a comparison function for qsort(): RESULT is an expression of the elements X and Y, of
 * TYPE, below 0 if X comes first. */
#define COMPARISON(function, type, result)                                                         \
    static int function(const void *of_x, const void *of_y)                                        \
    {                                                                                              \
        const type *x = of_x, *y = of_y;                                                           \
        return (result);                                                                           \
    }
