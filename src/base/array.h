/* Growing arrays, and a look-up of their elements by key. Memory as in base/memory.h. */
#ifndef COLLPROF_BASE_ARRAY_H
#define COLLPROF_BASE_ARRAY_H

#include "base/memory.h"

#include <stdint.h>

/* ARRAY(struct row) rows = {0}: an array AT of N elements, capacity ROOM. Free rows.at. */
#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, room;                                                                            \
    }

/* A pointer to a new, zeroed element at the end. Pointers to others may have moved. */
#define PUSH(list) ((__typeof__((list)->at))array_push((struct array *)(list), sizeof *(list)->at))

/* Any ARRAY, for functions that do not know the type of its elements. */
struct array {
    void *at;
    size_t n, room;
} __attribute__((may_alias));
void *array_push(struct array *array, size_t element);

/* Positions in an array by a hash of the elements' keys. */
struct lookup {
    struct lookup_slot {
        uint64_t hash;
        uint32_t position; /* plus one; 0: free */
    } * slot;              /* for free() */
    uint32_t room, used;
};

void lookup_add(struct lookup *l, uint64_t hash, size_t position);

/* The positions with that hash, one after the other: begin with *STEP 0, stop at UINT32_MAX. */
uint32_t lookup_next(const struct lookup *l, uint64_t hash, uint32_t *step);

/* Comparing for qsort() and its like, key by key: ORDER(x->a, y->a) ?: ORDER(x->b, y->b). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
