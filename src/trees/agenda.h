/* What happens next of much that goes on at once. */
#ifndef COLLPROF_TREES_AGENDA_H
#define COLLPROF_TREES_AGENDA_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The time of the next event of each slot, INFINITY for none: a tournament, its winner on top. */
struct agenda {
    int leaves;
    double *time; /* 2 * leaves; the leaves are the last ones */
};

static inline bool agenda_new(struct agenda *a, int slots)
{
    a->leaves = 1;
    while (a->leaves < slots)
        a->leaves *= 2;
    a->time = malloc(2 * (size_t)a->leaves * sizeof *a->time);
    for (int i = 0; a->time && i < 2 * a->leaves; i++)
        a->time[i] = INFINITY;
    return a->time != NULL;
}

static inline void agenda_set(struct agenda *a, int slot, double time)
{
    int i = a->leaves + slot;
    a->time[i] = time;
    for (i /= 2; i > 0; i /= 2) {
        const double *two = &a->time[2 * i];
        double first = two[0] < two[1] ? two[0] : two[1];
        if (a->time[i] == first)
            break;
        a->time[i] = first;
    }
}

static inline int agenda_first(const struct agenda *a)
{
    int i = 1;
    while (i < a->leaves)
        i = a->time[2 * i] <= a->time[2 * i + 1] ? 2 * i : 2 * i + 1;
    return i - a->leaves;
}

#endif
