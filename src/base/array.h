/* Growing arrays, and a hash index to find elements by key. Without memory, all functions here
 * except HAS_ROOM() make the innermost memory_try() (base/memory.h) return false. */
#pragma once

#include "base/index.h"
#include "base/memory.h"

#include <stdint.h>

/* ARRAY(struct row) rows = {0}; declares an empty array. rows.at points to rows.n elements, with
 * memory for rows.room elements. Release it by free(rows.at). */
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

/* Any ARRAY, as functions see it that do not know the type of its elements. */
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

/* The first position that lookup_add() stored for HASH; UINT32_MAX if there is none. */
uint32_t lookup_find(const struct index *x, uint64_t hash);

/* Compares two numbers for qsort(): -1, 0 or 1. To sort by a, then by b: ORDER(x->a, y->a) ?:
 * ORDER(x->b, y->b). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines FUNCTION, which compares two elements of TYPE for qsort(): RESULT is an expression of the
 * pointers X and Y to them, and below 0 if *X comes first. */
#define COMPARISON(function, type, result)                                                         \
    static int function(const void *of_x, const void *of_y)                                        \
    {                                                                                              \
        const type *x = of_x, *y = of_y;                                                           \
        return (result);                                                                           \
    }
