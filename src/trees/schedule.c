#include "trees/schedule.h"

#include <stdlib.h>
#include <string.h>

bool schedule_new(struct schedule *s, int n, int root)
{
    size_t size = (size_t)n;
    *s = (struct schedule){.n = n, .root = root};
    s->parent = malloc(size * sizeof *s->parent);
    s->first = calloc(size + 1, sizeof *s->first);
    s->child = calloc(size, sizeof *s->child);
    s->order = calloc(size, sizeof *s->order);
    s->label = calloc(size, sizeof *s->label);
    s->arrival = calloc(size, sizeof *s->arrival);
    s->window = calloc(size, sizeof *s->window);
    if (!s->window || !s->parent || !s->first || !s->child || !s->order || !s->label ||
        !s->arrival) {
        schedule_free(s);
        return false;
    }
    for (int v = 0; v < n; v++)
        s->parent[v] = -1;
    return true;
}

void schedule_free(struct schedule *s)
{
    free(s->parent);
    free(s->first);
    free(s->child);
    free(s->order);
    free(s->label);
    free(s->arrival);
    free(s->window);
    *s = (struct schedule){0};
}

int schedule_order(struct schedule *s)
{
    int tail = 0;
    s->order[tail++] = s->root;
    for (int head = 0; head < tail; head++) {
        int u = s->order[head];
        for (int i = s->first[u]; i < s->first[u + 1] && tail < s->n; i++)
            s->order[tail++] = s->child[i];
    }
    return tail;
}

bool schedule_link(struct schedule *s)
{
    int n = s->n, *next = calloc(2 * (size_t)n, sizeof *next), *seen = next + n;
    if (!next)
        return false;
    memset(s->first, 0, ((size_t)n + 1) * sizeof *s->first);
    bool sound = true;
    for (int v = 0; v < n && sound; v++) {
        int u = s->parent[v];
        sound = v == s->root ? u == -1 : u >= 0 && u < n && u != v;
        if (sound && u >= 0)
            s->first[u + 1]++;
    }
    for (int u = 0; u < n; u++) {
        s->first[u + 1] += s->first[u];
        next[u] = s->first[u];
    }
    for (int i = 0; i < n && sound; i++) {
        int v = s->order[i];
        sound = v >= 0 && v < n && !seen[v]++;
        if (sound && s->parent[v] >= 0)
            s->child[next[s->parent[v]]++] = v;
    }
    free(next);
    return sound && schedule_order(s) == n; /* no circle */
}
