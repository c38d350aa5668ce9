#include "trees/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The time of the next event of each slot, INFINITY for none: a tournament, its winner on top. */
struct agenda {
    int leaves;
    double *time; /* 2 * leaves; the leaves are the last ones */
};

static bool agenda_new(struct agenda *a, int slots)
{
    a->leaves = 1;
    while (a->leaves < slots)
        a->leaves *= 2;
    a->time = malloc(2 * (size_t)a->leaves * sizeof *a->time);
    for (int i = 0; a->time && i < 2 * a->leaves; i++)
        a->time[i] = INFINITY;
    return a->time != NULL;
}

static void agenda_set(struct agenda *a, int slot, double time)
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

static int agenda_first(const struct agenda *a)
{
    int i = 1;
    while (i < a->leaves)
        i = a->time[2 * i] <= a->time[2 * i + 1] ? 2 * i : 2 * i + 1;
    return i - a->leaves;
}

/* A vertex as a sender, and its way from its parent. Segments are numbered in order, and stay in
 * order: those of one way are of one size and share it equally. */
struct vertex {
    int segment, child; /* what it sends next: the place in child[] */
    double free_at;

    int called, started, under_way, arrived; /* segments that the parent has begun to send, that
                                                are travelling or farther, transmitted, here */
    double *at; /* of each segment: when it has travelled; then the service at which it has been
                   transmitted; then when it arrived */
    double travel, rate, weight, capacity; /* s; segments/s of one message; 1/s; segments/s */
    double service, updated;               /* segments that each one has been given; when */
    int way;                               /* between which sites; -1: within one */
};

/* All messages from one site to another. */
struct way {
    double weight; /* of all that are under way */
    double shared; /* the weight by which it was last shared out */
    int n;         /* vertices whose way from the parent it is */
    int *vertex;   /* these */
};

struct flow {
    const struct schedule *s;
    const struct graph *g;
    int segments;
    struct vertex *vertex;
    struct way *way;
    double *at;
    int *crossing;
    struct agenda agenda; /* slot u: its next sending; slot n + v: what happens on its way */
    double now;
};

static void plan_sending(struct flow *f, int u)
{
    const struct schedule *s = f->s;
    struct vertex *x = &f->vertex[u];
    double time = INFINITY;
    if (s->first[u] < s->first[u + 1] && x->segment < f->segments && x->segment < x->arrived)
        time = fmax(f->now, x->free_at);
    agenda_set(&f->agenda, u, time);
}

static void plan_way(struct flow *f, int v)
{
    struct vertex *x = &f->vertex[v];
    double time = INFINITY;
    if (x->under_way < x->started)
        time = x->at[x->under_way];
    if (x->arrived < x->under_way)
        time = fmin(time, x->updated + (x->at[x->arrived] - x->service) / x->rate);
    agenda_set(&f->agenda, f->g->n + v, fmax(time, f->now));
}

static int flying(const struct vertex *x)
{
    return x->under_way - x->arrived;
}

/* Brings V's way up to now and gives it a new rate. */
static void set_rate(struct flow *f, int v, double rate)
{
    struct vertex *x = &f->vertex[v];
    x->service += x->rate * (f->now - x->updated);
    x->updated = f->now;
    x->rate = rate;
    plan_way(f, v);
}

/* What V's way may carry whatever its sender does. */
static double way_limit(const struct flow *f, int v)
{
    const struct vertex *x = &f->vertex[v];
    double limit = x->capacity;
    if (x->way >= 0)
        limit *= flying(x) * x->weight / f->way[x->way].shared;
    return limit;
}

/* Shares out what U can send. Those that are limited elsewhere leave the rest to the others. */
static void share_out(struct flow *f, int u)
{
    const struct schedule *s = f->s;
    double left = 1 / graph_out(f->g, u), weights = 0;
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        const struct vertex *x = &f->vertex[s->child[i]];
        weights += flying(x) * x->weight;
    }
    double level = INFINITY, limited_below = 0; /* segments/s per weight */
    for (bool again = weights > 0; again;) {
        again = false;
        level = weights > 0 ? left / weights : INFINITY;
        for (int i = s->first[u]; weights > 0 && i < s->first[u + 1]; i++) {
            const struct vertex *x = &f->vertex[s->child[i]];
            double weight = flying(x) * x->weight;
            double own = weight > 0 ? way_limit(f, s->child[i]) / weight : INFINITY;
            if (own >= limited_below && own < level) {
                left -= own * weight;
                weights -= weight;
                again = true;
            }
        }
        limited_below = level;
    }
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        const struct vertex *x = &f->vertex[s->child[i]];
        double rate = 0;
        if (flying(x) > 0)
            rate = fmin(level * x->weight, way_limit(f, s->child[i]) / flying(x));
        if (rate != x->rate)
            set_rate(f, s->child[i], rate);
    }
}

/* One message more or less is under way to V. Whoever shares its way is told when that has changed
 * what is on it by more than 2 %: with hundreds on it, not every time. */
static void share_again(struct flow *f, int v)
{
    const int *parent = f->s->parent;
    struct way *way = f->vertex[v].way >= 0 ? &f->way[f->vertex[v].way] : NULL;
    bool tell = way && fabs(way->weight - way->shared) > 0.02 * way->shared;
    if (tell)
        way->shared = way->weight;
    share_out(f, parent[v]);
    for (int i = 0; tell && i < way->n; i++)
        if (parent[way->vertex[i]] != parent[v] && flying(&f->vertex[way->vertex[i]]) > 0)
            share_out(f, parent[way->vertex[i]]);
}

/* What may start to travel to V does: what its parent has begun to send and V expects. */
static void start(struct flow *f, int v)
{
    const struct schedule *s = f->s;
    struct vertex *x = &f->vertex[v];
    int passed = s->first[v] < s->first[v + 1] ? x->segment : x->arrived;
    while (x->started < x->called && (s->window[v] == 0 || x->started < passed + s->window[v]))
        x->at[x->started++] = f->now + x->travel;
    plan_way(f, v);
}

static void send_next(struct flow *f, int u)
{
    const struct schedule *s = f->s;
    struct vertex *x = &f->vertex[u];
    int v = s->child[x->child];
    f->vertex[v].called++;
    start(f, v);
    x->free_at = f->now + graph_call(f->g, u, v);
    if (++x->child == s->first[u + 1]) {
        x->child = s->first[u];
        x->segment++;
        if (u != s->root)
            start(f, u);
    }
    plan_sending(f, u);
}

static void weigh_way(struct flow *f, const struct vertex *x, double weight)
{
    if (x->way >= 0)
        f->way[x->way].weight = fmax(0, f->way[x->way].weight + weight);
}

static void happen_on_way(struct flow *f, int v)
{
    struct vertex *x = &f->vertex[v];
    if (x->under_way < x->started && x->at[x->under_way] <= f->now) { /* it has travelled */
        x->service += x->rate * (f->now - x->updated);
        x->updated = f->now;
        x->at[x->under_way++] = x->service + 1;
        weigh_way(f, x, x->weight);
    } else {
        x->service = x->at[x->arrived];
        x->updated = f->now;
        x->at[x->arrived++] = f->now;
        weigh_way(f, x, -x->weight);
        plan_sending(f, v);
        start(f, v);
    }
    share_again(f, v);
    plan_way(f, v);
}

/* False if there is no memory. */
static bool put_on_ways(struct flow *f)
{
    const struct graph *g = f->g;
    int n_groups = 0, at = 0;
    for (int v = 0; v < g->n; v++)
        n_groups = g->group[v] >= n_groups ? g->group[v] + 1 : n_groups;
    f->way = calloc((size_t)(n_groups * n_groups), sizeof *f->way);
    f->crossing = malloc((size_t)g->n * sizeof *f->crossing);
    if (!f->way || !f->crossing)
        return false;
    for (int v = 0; v < g->n; v++) {
        int u = f->s->parent[v];
        if (u < 0 || g->group[u] == g->group[v])
            continue;
        f->vertex[v].way = g->group[u] * n_groups + g->group[v];
        f->way[f->vertex[v].way].n++;
    }
    for (int i = 0; i < n_groups * n_groups; i++) {
        f->way[i].vertex = f->crossing + at;
        at += f->way[i].n;
        f->way[i].n = 0;
    }
    for (int v = 0; v < g->n; v++) {
        if (f->vertex[v].way < 0)
            continue;
        struct way *way = &f->way[f->vertex[v].way];
        way->vertex[way->n++] = v;
    }
    return true;
}

static bool flow_new(struct flow *f, const struct schedule *s, const struct graph *g, int segments)
{
    size_t n = (size_t)g->n;
    *f = (struct flow){.s = s, .g = g, .segments = segments};
    f->vertex = calloc(n, sizeof *f->vertex);
    f->at = calloc(n * (size_t)segments, sizeof *f->at);
    if (!agenda_new(&f->agenda, 2 * g->n) || !f->vertex || !f->at)
        return false;
    for (int v = 0; v < g->n; v++) {
        int u = s->parent[v];
        struct vertex *x = &f->vertex[v];
        x->way = -1;
        x->child = s->first[v];
        x->at = f->at + (size_t)v * (size_t)segments;
        if (u < 0) {
            x->arrived = segments;
            continue;
        }
        double cost = graph_cost(g, u, v), gap = fmin(cost, graph_gap(g, u, v));
        x->travel = cost - gap;
        x->capacity = 1 / gap;
        x->weight = 1 / cost;
    }
    return !g->group || put_on_ways(f);
}

double flow_completion(const struct schedule *s, const struct graph *g, int segments,
                       double *arrival)
{
    struct flow f;
    double last = NAN;
    if (flow_new(&f, s, g, segments)) {
        plan_sending(&f, s->root);
        while (isfinite(f.agenda.time[1])) {
            int slot = agenda_first(&f.agenda);
            f.now = f.agenda.time[1];
            if (slot < g->n)
                send_next(&f, slot);
            else
                happen_on_way(&f, slot - g->n);
        }
        last = f.now;
        for (int v = 0; arrival && v < g->n; v++)
            arrival[v] = v == s->root ? 0 : f.vertex[v].at[segments - 1];
    }
    free(f.agenda.time);
    free(f.vertex);
    free(f.at);
    free(f.way);
    free(f.crossing);
    return last;
}
