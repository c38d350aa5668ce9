#include "trees/positions.h"

#include <string.h>

/* MPICH's binomial tree: a position's parent is the position without its lowest bit; a child has
 * one more bit, below the lowest one; the child with the largest subtree is served first. */
static int binomial_parent(int me, int n)
{
    (void)n;
    return me & (me - 1);
}

static int binomial_next(int me, int n, int last)
{
    int bit = last - me;
    if (last == 0)
        for (bit = 1; bit < n && !(me & bit);)
            bit <<= 1;
    for (bit >>= 1; bit > 0; bit >>= 1)
        if (me + bit < n)
            return me + bit;
    return 0;
}

/* A chain (de Supinski and Karonis, section 3): the parent is the previous position. */
static int linear_parent(int me, int n)
{
    (void)n;
    return me - 1;
}

static int linear_next(int me, int n, int last)
{
    return last == 0 && me + 1 < n ? me + 1 : 0;
}

static int flat_parent(int me, int n)
{
    (void)me, (void)n;
    return 0;
}

static int flat_next(int me, int n, int last)
{
    return me == 0 && last + 1 < n ? last + 1 : 0;
}

const struct by_rank by_rank_trees[BY_RANK_TREES] = {
    [BY_RANK_BINOMIAL] = {"binomial", binomial_parent, binomial_next, false},
    [BY_RANK_LINEAR] = {"linear", linear_parent, linear_next, false},
    [BY_RANK_BACKWARD] = {"backward", linear_parent, linear_next, true},
    [BY_RANK_FLAT] = {"flat", flat_parent, flat_next, false},
};

const struct by_rank *by_rank_find(const char *name)
{
    for (size_t i = 0; i < BY_RANK_TREES; i++)
        if (!strcmp(by_rank_trees[i].name, name))
            return &by_rank_trees[i];
    return NULL;
}

int by_rank_at(const struct by_rank *tree, int position, int root, int n)
{
    return (tree->backward ? root - position + n : root + position) % n;
}
