/* Builders of trees, against their definitions. */
#include "made_graphs.h"

/* Of what an edge leads to: by the mean injection over a vertex's edges, of equals the first. */
static int quickest(const struct graph *g, const bool *reached, int u)
{
    int found = -1;
    double least = INFINITY;
    for (int v = 0; v < g->n; v++) {
        double sum = 0, edges = 0;
        for (int k = 0; k < g->n; k++) {
            bool edge = k != v && isfinite(graph_w(g, v, k));
            sum += edge ? graph_d(g, v, k) : 0;
            edges += edge;
        }
        if (!reached[v] && isfinite(graph_w(g, u, v)) && sum / edges < least) {
            least = sum / edges;
            found = v;
        }
    }
    return found;
}

/* By the definition, on graphs with edges that are missing and vertices that are equal. */
Test(schedule, fastest_first_is_as_defined)
{
    enum { N = 9 };
    for (int i = 0; i < 100; i++) {
        struct graph g = random_graph(N, i % 2);
        struct schedule s;
        double ready[N] = {0};
        bool reached[N] = {true}, gone[N] = {false};
        for (int k = 0; k < N * N; k++)
            if (k % N != (k / N + 1) % N && random_between(0, 1) < 0.3)
                g.w[k] = INFINITY;
        if (i % 2 == 0)
            g.d[5] = g.d[6] = g.d[3];
        cr_assert(schedule_build(bcast_find("fastest-first"), &g, 0, &s));
        for (int done = 1; done < N;) {
            int u = -1;
            for (int k = 0; k < N; k++)
                if (reached[k] && !gone[k] && (u < 0 || ready[k] < ready[u]))
                    u = k;
            int v = quickest(&g, reached, u);
            gone[u] = v < 0;
            if (v < 0)
                continue;
            cr_assert_eq(s.parent[v], u, "graph %d: %d from %d, not from %d", i, v, u, s.parent[v]);
            ready[v] = ready[u] + graph_cost(&g, u, v);
            ready[u] += graph_d(&g, u, v);
            reached[v] = true;
            done++;
        }
        schedule_free(&s);
        graph_free(&g);
    }
}
