/* "fastest-first": the order of ranks by their speed, whatever the ways between them. */
#include "base/array.h"
#include "trees/builders.h"
#include "trees/heap.h"

#include <math.h>
#include <stdlib.h>

struct speed {
    double d;
    int v;
};

static int compare_speed(const void *a, const void *b)
{
    const struct speed *x = a, *y = b;
    return ORDER(x->d, y->d) ?: ORDER(x->v, y->v);
}

/* A vertex's speed is its injection time, by the mean over its edges where they differ. */
static double mean_injection(const struct graph *g, int u)
{
    double sum = 0;
    int edges = 0;
    for (int v = 0; v < g->n; v++) {
        if (v != u && isfinite(graph_w(g, u, v))) {
            sum += graph_d(g, u, v);
            edges++;
        }
    }
    return edges > 0 ? sum / edges : INFINITY;
}

/* The quickest vertex left that U has an edge to; its place in the list, or n. */
static int quickest_left(const struct graph *g, const struct speed *list, const bool *reached,
                         int first, int u)
{
    int i = first;
    while (i < g->n && (reached[list[i].v] || !isfinite(graph_w(g, u, list[i].v))))
        i++;
    return i;
}

static bool build_fastest_first(const struct graph *g, struct schedule *s)
{
    int n = g->n, first = 0;
    struct heap ready;
    struct speed *list = malloc((size_t)n * sizeof *list);
    bool *reached = calloc((size_t)n, sizeof *reached);
    bool good = heap_new(&ready, n) && list && reached;
    for (int v = 0; good && v < n; v++)
        list[v] = (struct speed){mean_injection(g, v), v};
    if (good) {
        qsort(list, (size_t)n, sizeof *list, compare_speed);
        heap_push(&ready, s->root, 0);
        reached[s->root] = true;
        s->order[0] = s->root;
    }
    for (int done = 1; good && done < n;) {
        int u = ready.entry[0].vertex;
        while (first < n && reached[list[first].v])
            first++;
        int i = quickest_left(g, list, reached, first, u);
        if (i == n) {
            heap_pop(&ready);
            continue;
        }
        int v = list[i].v;
        double now = ready.entry[0].key;
        reached[v] = true;
        s->parent[v] = u;
        s->order[done++] = v;
        heap_raise_first(&ready, now + graph_d(g, u, v));
        heap_push(&ready, v, now + graph_cost(g, u, v));
    }
    heap_free(&ready);
    free(list);
    free(reached);
    return good;
}

const struct bcast tree_fastest_first = {.name = "fastest-first",
                                         .summary =
                                             "whoever is ready sends to the quickest sender left",
                                         .build = build_fastest_first};
