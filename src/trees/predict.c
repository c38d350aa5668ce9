/* What a schedule promises, and the order of sending that promises most. */
#include "base/array.h"
#include "trees/bcast.h"
#include "trees/flow.h"
#include "trees/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* label(u) = max over the i-th child v of label(v) + w(u,v) + the injections up to the i-th. */
static double label_of(const struct schedule *s, const struct graph *g, int u)
{
    double label = 0, sent = 0;
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        int v = s->child[i];
        sent += graph_d(g, u, v);
        label = fmax(label, s->label[v] + graph_w(g, u, v) + sent);
    }
    return label;
}

void schedule_predict(struct schedule *s, const struct graph *g)
{
    schedule_order(s);
    for (int i = s->n - 1; i >= 0; i--)
        s->label[s->order[i]] = label_of(s, g, s->order[i]);
    if (g->gap) {
        s->completion = flow_completion(s, g, 1, s->arrival);
        return;
    }
    s->completion = 0;
    s->arrival[s->root] = 0;
    for (int k = 0; k < s->n; k++) {
        int u = s->order[k];
        double sent = s->arrival[u];
        for (int i = s->first[u]; i < s->first[u + 1]; i++) {
            int v = s->child[i];
            sent += graph_d(g, u, v);
            s->arrival[v] = sent + graph_w(g, u, v);
            s->completion = fmax(s->completion, s->arrival[v]);
        }
    }
}

struct rest {
    double after; /* label(v) + w(u,v): what remains when the sending is over */
    int v;
};

static int compare_rest(const void *a, const void *b)
{
    const struct rest *x = a, *y = b;
    return ORDER(y->after, x->after) ?: ORDER(x->v, y->v);
}

void schedule_label(struct schedule *s, const struct graph *g)
{
    struct rest *rest = malloc((size_t)s->n * sizeof *rest);
    if (!rest) { /* the order stays as it is, which is a valid one */
        schedule_predict(s, g);
        return;
    }
    schedule_order(s);
    for (int k = s->n - 1; k >= 0; k--) {
        int u = s->order[k], from = s->first[u], n = s->first[u + 1] - from;
        for (int i = 0; i < n; i++) {
            int v = s->child[from + i];
            rest[i] = (struct rest){s->label[v] + graph_w(g, u, v), v};
        }
        qsort(rest, (size_t)n, sizeof *rest, compare_rest);
        for (int i = 0; i < n; i++)
            s->child[from + i] = rest[i].v;
        s->label[u] = label_of(s, g, u);
    }
    free(rest);
    schedule_predict(s, g);
}

void schedule_set_windows(struct schedule *s, const struct graph *g)
{
    for (int k = 1; k < s->n; k++) {
        int v = s->order[k], u = s->parent[v];
        double gap = graph_d(g, u, v);
        if (g->gap)
            gap = fmax(gap, g->gap[(size_t)u * (size_t)g->n + (size_t)v]);
        double fill = gap > 0 ? graph_cost(g, u, v) / gap : INFINITY;
        double times = g->group && g->group[u] == g->group[v] ? 1 : 8;
        s->window[v] = fill < 1e6 ? 2 + (int)ceil(times * fill) : 0;
    }
}

bool schedule_build(const struct bcast *builder, const struct graph *g, int root,
                    struct schedule *s)
{
    if (!builder->build || (builder->max_n > 0 && g->n > builder->max_n))
        return false;
    if (!schedule_new(s, g->n, root))
        return false;
    snprintf(s->name, sizeof s->name, "%s", builder->name);
    if (!builder->build(g, s) || !schedule_link(s)) {
        schedule_free(s);
        return false;
    }
    if (builder->relabel)
        schedule_label(s, g);
    else
        schedule_predict(s, g);
    return true;
}
