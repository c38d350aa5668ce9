#include "measure/pairs/hierarchy.h"

#include "base/topology.h"

#include "measure/pairs/log.h"

#include <stdlib.h>
#include <string.h>

struct edge {
    double length;
    int a, b;
};

static int compare_edges(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return (a->length > b->length) - (a->length < b->length);
}

/* Prim's minimum spanning tree: its edges are single linkage's merges. */
static bool spanning_tree(const struct pairs *p, const struct pairs_size *s, struct edge *edge)
{
    int n = p->n;
    double *near = malloc((size_t)n * sizeof *near);
    int *from = calloc((size_t)n, sizeof *from);
    bool good = near && from;
    for (int v = 0; good && v < n; v++)
        near[v] = v == 0 ? -1 : pairs_trip(s, pairs_cell(p, 0, v));
    for (int k = 0; good && k + 1 < n; k++) {
        int next = -1;
        for (int v = 1; v < n; v++)
            if (near[v] >= 0 && (next < 0 || near[v] < near[next]))
                next = v;
        edge[k] = (struct edge){near[next], from[next], next};
        near[next] = -1;
        for (int v = 1; v < n; v++) {
            double step = pairs_trip(s, pairs_cell(p, next, v));
            if (near[v] >= 0 && step < near[v]) {
                near[v] = step;
                from[v] = next;
            }
        }
    }
    free(near);
    free(from);
    return good;
}

static int find(int *root, int v)
{
    while (root[v] != v)
        v = root[v] = root[root[v]];
    return v;
}

/* The groups that the first MERGES edges leave. */
static bool divide(const struct edge *edge, int merges, int n, struct hierarchy_level *level)
{
    int *root = malloc((size_t)n * sizeof *root);
    level->group = malloc((size_t)n * sizeof *level->group);
    if (!root || !level->group) {
        free(root);
        return false;
    }
    for (int v = 0; v < n; v++)
        root[v] = v;
    for (int k = 0; k < merges; k++) {
        int a = find(root, edge[k].a), b = find(root, edge[k].b);
        root[a > b ? a : b] = a > b ? b : a; /* the first rank stays on top */
    }
    level->groups = 0;
    for (int v = 0; v < n; v++)
        level->group[v] = find(root, v) == v ? level->groups++ : level->group[find(root, v)];
    free(root);
    return true;
}

/* Whether two ranks share as much, by relation or host name, on the level WITHIN. */
static bool known_together(const struct pairs *p, int i, int j, int within)
{
    int relation = p->relation ? p->relation[pairs_cell(p, i, j)] : -1;
    if (relation >= 0)
        return relation <= within;
    return within == SAME_NODE && pairs_same_host(p, i, j);
}

static const char *name_division(const struct pairs *p, const int *group)
{
    for (int within = 0; within <= SAME_NODE; within++) {
        bool same = true;
        for (int i = 0; same && i < p->n; i++)
            for (int j = i + 1; same && j < p->n; j++)
                same = known_together(p, i, j, within) == (group[i] == group[j]);
        if (same)
            return pairs_relation_name(within);
    }
    return NULL;
}

/* Merges after which a jump follows; with too many jumps only larger ones count. */
static int find_jumps(const struct edge *edge, int n_edges, double ratio, int *at)
{
    int n;
    do {
        n = 0;
        for (int k = 1; k < n_edges; k++) {
            if (edge[k].length < ratio * edge[k - 1].length)
                continue;
            if (n < HIERARCHY_MAX)
                at[n] = k;
            n++;
        }
        ratio *= 1.1;
    } while (n > HIERARCHY_MAX);
    return n;
}

bool hierarchy_find(const struct pairs *p, const struct pairs_size *size, double ratio,
                    struct hierarchy *h)
{
    int at[HIERARCHY_MAX], n = p->n;
    *h = (struct hierarchy){.n = n};
    if (n < 2)
        return true;
    struct edge *edge = malloc((size_t)n * sizeof *edge);
    if (!edge || !spanning_tree(p, size, edge)) {
        free(edge);
        return false;
    }
    qsort(edge, (size_t)n - 1, sizeof *edge, compare_edges);
    int jumps = find_jumps(edge, n - 1, ratio, at);
    bool good = true;
    for (int i = 0; good && i < jumps; i++) {
        struct hierarchy_level *level = &h->level[h->n_levels++];
        good = divide(edge, at[i], n, level);
        level->inside = edge[at[i] - 1].length;
        level->outside = edge[at[i]].length;
        if (good)
            level->seen_as = name_division(p, level->group);
    }
    free(edge);
    if (!good)
        hierarchy_free(h);
    return good;
}

void hierarchy_free(struct hierarchy *h)
{
    for (int i = 0; i < h->n_levels; i++)
        free(h->level[i].group);
    h->n_levels = 0;
}
