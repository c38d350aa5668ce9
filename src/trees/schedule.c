#include "trees/schedule.h"

#include "base/array.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* Allocates all arrays as one block, which begins with the array of labels. */
bool schedule_new(struct schedule *s, int n, int root)
{
    size_t size = (size_t)n;
    double *label = calloc(size + 1, 2 * sizeof *label + 4 * sizeof *s->first);
    *s = (struct schedule){.n = n, .root = root};
    if (!label)
        return false;
    s->label = label;
    s->arrival = s->label + n;
    s->first = (int *)(s->arrival + n);
    s->parent = s->first + n + 1;
    s->child = s->parent + n;
    s->order = s->child + n;
    for (int v = 0; v < n; v++)
        s->parent[v] = -1;
    return true;
}

void schedule_free(struct schedule *s)
{
    free(s->label);
    *s = (struct schedule){0};
}

/* Sets ORDER: breadth first, so every vertex after its parent; siblings in the order of sending.
 * Returns how many vertices the root reaches. */
static int set_order(struct schedule *s)
{
    int tail = 0;
    s->order[tail++] = s->root;
    for (int head = 0; head < tail; head++) {
        int u = s->order[head];
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            s->order[tail++] = s->child[i];
    }
    return tail;
}

bool schedule_link(struct schedule *s)
{
    int n = s->n;
    FREED int *next = malloc((size_t)n * sizeof *next);
    if (!next)
        return false;
    memset(s->first, 0, ((size_t)n + 1) * sizeof *s->first);
    for (int v = 0; v < n; v++)
        if (s->parent[v] >= 0)
            s->first[s->parent[v] + 1]++;
    for (int u = 0; u < n; u++) {
        s->first[u + 1] += s->first[u];
        next[u] = s->first[u];
    }
    for (int i = 0; i < n; i++) {
        int v = s->order[i];
        if (s->parent[v] >= 0)
            s->child[next[s->parent[v]]++] = v;
    }
    return set_order(s) == n;
}

/* label(u) = max over u's children v of label(v) + w(u,v) + injection times up to that of v. */
static double label_of(const struct schedule *s, const struct graph *g, int u)
{
    double label = 0, sent = 0;
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        int v = s->child[i];
        sent += graph_edge(g, u, v)->d;
        label = fmax(label, s->label[v] + graph_edge(g, u, v)->w + sent);
    }
    return label;
}

/* Seconds in which U injects all messages that use the same port as the message to child[I]. */
static double port_time(const struct schedule *s, const struct graph *g, int u, int i)
{
    double busy = 0;
    int port = graph_edge(g, u, s->child[i])->port;
    for (int k = s->first[u]; k < s->first[u + 1]; k++)
        if (graph_edge(g, u, s->child[k])->port == port)
            busy += graph_edge(g, u, s->child[k])->d;
    return busy;
}

/* When U's message to child[I] leaves its port, if its send call begins at FREE. AT: when the
 * messages to earlier children left. */
static double find_departure(const struct schedule *s, const struct graph *g, int u, int i,
                             double free, const double *at)
{
    const struct graph_edge *mine = graph_edge(g, u, s->child[i]);
    for (int k = s->first[u]; k < i; k++)
        if (graph_edge(g, u, s->child[k])->port == mine->port)
            free = fmax(free, at[s->child[k]]);
    return free + mine->d;
}

/* Sets AT to the time of each vertex's arrival of one message. Returns the latest time. */
static double find_arrivals(const struct schedule *s, const struct graph *g,
                            enum schedule_sharing sharing, const struct graph *back, double *at)
{
    double last = at[s->root] = 0;
    for (int k = 0; k < s->n; k++) {
        int u = s->order[k];
        double called = at[u];
        for (int i = s->first[u]; i < s->first[u + 1]; i++) {
            int v = s->child[i];
            double all = at[u] + port_time(s, g, u, i);
            at[v] = sharing == SCHEDULE_IN_TURN    ? find_departure(s, g, u, i, called, at)
                    : sharing == SCHEDULE_TOGETHER ? all
                                                   : at[u] + graph_edge(g, u, v)->d;
            called += graph_edge(g, u, v)->call;
            last = fmax(last, all);
        }
        if (back && u != s->root)
            last = fmax(last, (sharing == SCHEDULE_APART ? at[u] : called) +
                                  graph_cost(back, u, s->root));
        for (int i = s->first[u]; i < s->first[u + 1]; i++) {
            at[s->child[i]] += graph_edge(g, u, s->child[i])->w;
            last = fmax(last, at[s->child[i]]);
        }
    }
    return last;
}

void schedule_predict(struct schedule *s, const struct graph *g, int segments)
{
    set_order(s);
    for (int i = s->n - 1; i >= 0; i--)
        s->label[s->order[i]] = label_of(s, g, s->order[i]);
    s->completion = find_arrivals(s, g, SCHEDULE_IN_TURN, NULL, s->arrival);
    double busy = 0;
    for (int u = 0; segments > 1 && u < s->n; u++)
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            busy = fmax(busy, port_time(s, g, u, i));
    s->completion += (segments - 1) * busy;
}

double schedule_last(const struct schedule *s, const struct graph *g, enum schedule_sharing sharing,
                     const struct graph *back)
{
    FREED double *at = malloc((size_t)s->n * sizeof *at);
    return at ? find_arrivals(s, g, sharing, back, at) : NAN;
}

int vertex_compare(const void *a, const void *b)
{
    const struct vertex_key *x = a, *y = b;
    return ORDER(x->key, y->key) ?: ORDER(x->v, y->v);
}

void schedule_label(struct schedule *s, const struct graph *g)
{
    FREED struct vertex_key *rest = malloc((size_t)s->n * sizeof *rest);
    set_order(s);
    for (int k = s->n - 1; rest && k >= 0; k--) { /* without memory the old order stays, as valid */
        int u = s->order[k], from = s->first[u], n = s->first[u + 1] - from;
        for (int i = 0; i < n; i++) {
            int v = s->child[from + i];
            rest[i] = (struct vertex_key){-(s->label[v] + graph_edge(g, u, v)->w), v};
        }
        qsort(rest, (size_t)n, sizeof *rest, vertex_compare);
        for (int i = 0; i < n; i++)
            s->child[from + i] = rest[i].v;
        s->label[u] = label_of(s, g, u);
    }
    schedule_predict(s, g, 1);
}
