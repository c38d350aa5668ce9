#include "sync/tree.h"

#include "base/try.h"

#include <math.h>
#include <stdbool.h>

enum { TRIED_BY_ALL = 12 };

int sync_distances(int n, int distance[SYNC_DISTANCES_MAX])
{
    int k = 0;
    for (int d = 1; d < n; d = n <= TRIED_BY_ALL ? d + 1 : 2 * d)
        distance[k++] = d;
    return k;
}

/* Shortens the path to rank TO, if that is possible through FROM, whose sum is final. */
static void relax(double *sum, int *parent, int from, int to, double error)
{
    if (sum[from] + error < sum[to]) {
        sum[to] = sum[from] + error;
        parent[to] = from;
    }
}

/* Dijkstra's algorithm. */
int sync_tree(int n, int k, const int *distance, const double *error, int *parent)
{
    FREED double *sum = malloc((size_t)n * sizeof *sum);
    FREED bool *final = calloc((size_t)n, sizeof *final);
    if (!sum || !final)
        return -1;
    for (int i = 0; i < n; i++) {
        sum[i] = i ? INFINITY : 0;
        parent[i] = i ? 0 : -1;
    }
    for (int step = 0; step < n; step++) {
        int from = -1;
        for (int i = 0; i < n; i++)
            if (!final[i] && (from < 0 || sum[i] < sum[from]))
                from = i;
        final[from] = true;
        for (int j = 0; j < k; j++) {
            int up = from + distance[j], down = from - distance[j];
            if (up < n)
                relax(sum, parent, from, up, error[from * k + j]);
            if (down >= 0)
                relax(sum, parent, from, down, error[down * k + j]);
        }
    }
    return 0;
}
