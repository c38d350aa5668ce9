/* From a dependency matrix to a tree: no MPI, no times. */
#include "measure/latency/discover.h"

#include <string.h>

/* The matrix, and what is made of it. */
struct relation {
    const unsigned char *depends;
    int size, root;
    int *parent, *depth;
};

static bool depends(const struct relation *r, int i, int j)
{
    return i != j && r->depends[(size_t)i * r->size + j];
}

static int count_ancestors(const struct relation *r, int i)
{
    int n = 0;
    for (int j = 0; j < r->size; j++)
        n += depends(r, i, j);
    return n;
}

/* Whether what I depends on is PARENT and what PARENT depends on, and nothing else. */
static bool inherits(const struct relation *r, int i, int parent)
{
    for (int j = 0; j < r->size; j++)
        if (j != i && depends(r, i, j) != (j == parent || depends(r, parent, j)))
            return false;
    return !depends(r, parent, i);
}

/* The parent is the deepest ancestor: the one that depends on most. Depths are the numbers of
 * ancestors. */
static bool strict_tree(const struct relation *r)
{
    for (int i = 0; i < r->size; i++)
        r->depth[i] = count_ancestors(r, i);
    for (int i = 0; i < r->size; i++) {
        r->parent[i] = -1;
        for (int j = 0; j < r->size; j++)
            if (depends(r, i, j) && (r->parent[i] < 0 || r->depth[j] > r->depth[r->parent[i]]))
                r->parent[i] = j;
        if (i != r->root && (r->parent[i] < 0 || !inherits(r, i, r->parent[i])))
            return false;
    }
    return true;
}

static bool mutual(const struct relation *r, int i, int j)
{
    return depends(r, i, j) && depends(r, j, i);
}

/* Under back-pressure parent and child wait for each other. Siblings may wait for those served
 * before them, but not the other way round: so the mutual pairs are the edges. Ranks are reached
 * from the root, depth by depth. */
static bool mutual_tree(const struct relation *r)
{
    int reached = 1, edges = 0;
    for (int i = 0; i < r->size; i++)
        r->parent[i] = r->depth[i] = -1;
    r->depth[r->root] = 0;
    for (int level = 0; level < r->size; level++)
        for (int i = 0; i < r->size; i++)
            for (int j = 0; r->depth[i] == level && j < r->size; j++)
                if (r->depth[j] < 0 && mutual(r, i, j)) {
                    r->depth[j] = level + 1;
                    r->parent[j] = i;
                    reached++;
                }
    for (int i = 0; i < r->size; i++)
        for (int j = 0; j < i; j++)
            edges += mutual(r, i, j);
    return reached == r->size && edges == r->size - 1;
}

/* All but a few: the order of an allgather's steps can free a rank of a neighbour. */
static const double nearly_all = 0.9;

static bool all_to_all(const struct relation *r)
{
    int n = 0, pairs = 0;
    for (int i = 0; i < r->size; i++)
        if (i != r->root) {
            n += count_ancestors(r, i);
            pairs += r->size - 1;
        }
    return r->size > 2 && n >= nearly_all * pairs;
}

enum discover_shape discover_tree(const unsigned char *matrix, int size, int root, int *parent,
                                  int *depth)
{
    struct relation r = {matrix, size, root, parent, depth};
    if (strict_tree(&r))
        return DISCOVER_TREE;
    if (mutual_tree(&r))
        return DISCOVER_BACK_PRESSURE;
    for (int i = 0; i < size; i++)
        parent[i] = depth[i] = -1;
    return all_to_all(&r) ? DISCOVER_ALL_TO_ALL : DISCOVER_OTHER;
}

static const struct {
    const char *name, *meaning;
} shapes[] = {
    [DISCOVER_TREE] = {"tree", "each rank gets the whole message from its parent"},
    [DISCOVER_PIPELINED] = {"pipelined",
                            "a tree, along which the message travels in several parts at once"},
    [DISCOVER_BACK_PRESSURE] = {"back-pressure",
                                "a tree in which a parent cannot leave before its child has "
                                "entered (rendezvous)"},
    [DISCOVER_ALL_TO_ALL] = {"all-to-all",
                             "every rank needs every other: scatter and allgather (a pipeline "
                             "under back-pressure looks the same)"},
    [DISCOVER_OTHER] = {"other", "neither a tree nor scatter and allgather"},
};

const char *discover_shape_name(enum discover_shape shape)
{
    return shapes[shape].name;
}

const char *discover_shape_meaning(enum discover_shape shape)
{
    return shapes[shape].meaning;
}
