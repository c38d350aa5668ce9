#include "trees/flow.h"

#include "trees/agenda.h"

#include <math.h>
#include <stdlib.h>

/* Edges that are looked at together when one of them changes, at most; more than that on one way
 * are a crowd, each of whom gets its share whatever the others make of theirs. */
enum { USES_MAX = 16, TOGETHER = 64 };

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
    int uses[USES_MAX], n_uses;            /* of flow.shared */
    double part[USES_MAX];                 /* of a message that goes through it */
    unsigned gathered;
    bool settled;
};

/* What the messages of several edges go through. */
struct shared {
    double room;   /* segments/s */
    double weight; /* of all that are under way */
    double told;   /* the weight by which a crowded one was last shared out */
    int active;    /* edges with messages under way */
    int n;         /* vertices whose way from the parent needs it */
    int *vertex;   /* these */
    unsigned gathered;
    double left, weights; /* while it is shared out */
};

struct flow {
    const struct schedule *s;
    const struct graph *g;
    int segments;
    struct vertex *vertex;
    struct shared *shared;
    int n_shared;
    int *users;
    double *at;
    struct agenda agenda; /* slot u: its next sending; slot n + v: what happens on its way */
    double now;
    unsigned gathering;
    int edge[TOGETHER], n_edges, way[TOGETHER * USES_MAX], n_ways; /* what is shared out at once */
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

static double weight_of(const struct vertex *x)
{
    return flying(x) * x->weight;
}

static bool is_crowded(const struct shared *w)
{
    return w->active > TOGETHER;
}

/* What V's messages may have in all, whatever is left elsewhere. */
static double limit_of(const struct flow *f, const struct vertex *x)
{
    double limit = x->capacity;
    for (int i = 0; i < x->n_uses; i++) {
        const struct shared *w = &f->shared[x->uses[i]];
        if (is_crowded(w))
            limit = fmin(limit, w->room * weight_of(x) / w->told);
    }
    return limit;
}

/* The edges that share something with V's, directly or by way of others. */
static void gather(struct flow *f, int v)
{
    unsigned mark = ++f->gathering;
    f->n_edges = f->n_ways = 0;
    f->edge[f->n_edges++] = v;
    f->vertex[v].gathered = mark;
    for (int head = 0; head < f->n_edges; head++) {
        const struct vertex *x = &f->vertex[f->edge[head]];
        for (int i = 0; i < x->n_uses; i++) {
            struct shared *w = &f->shared[x->uses[i]];
            if (w->gathered == mark || is_crowded(w))
                continue;
            w->gathered = mark;
            f->way[f->n_ways++] = x->uses[i];
            for (int k = 0; k < w->n && f->n_edges < TOGETHER; k++) {
                struct vertex *other = &f->vertex[w->vertex[k]];
                if (other->gathered == mark || flying(other) == 0)
                    continue;
                other->gathered = mark;
                f->edge[f->n_edges++] = w->vertex[k];
            }
        }
    }
}

static double part_of(const struct flow *f, const struct vertex *x, const struct shared *w)
{
    int i = 0;
    while (&f->shared[x->uses[i]] != w)
        i++;
    return x->part[i];
}

/* What the edges that were not gathered leave of a way, at least what is due to those that were. */
static void open_way(const struct flow *f, struct shared *w)
{
    double outside = 0;
    w->weights = 0;
    for (int k = 0; k < w->n; k++) {
        const struct vertex *x = &f->vertex[w->vertex[k]];
        double part = part_of(f, x, w);
        if (flying(x) > 0 && x->gathered == f->gathering)
            w->weights += part * weight_of(x);
        else
            outside += part * flying(x) * x->rate;
    }
    w->left = fmax(w->room - outside, w->room * w->weights / fmax(w->weights, w->weight));
}

static void settle(struct flow *f, int v, double rate)
{
    struct vertex *x = &f->vertex[v];
    x->settled = true;
    for (int i = 0; i < x->n_uses; i++) {
        struct shared *w = &f->shared[x->uses[i]];
        w->left = fmax(0, w->left - x->part[i] * rate);
        w->weights -= x->part[i] * weight_of(x);
    }
    if (rate / flying(x) != x->rate)
        set_rate(f, v, rate / flying(x));
}

/* How much each weight may have before the first way is full or the first edge has all it can use:
 * then that is settled, and the others go on. */
static double next_level(const struct flow *f)
{
    double level = INFINITY;
    for (int i = 0; i < f->n_edges; i++) {
        const struct vertex *x = &f->vertex[f->edge[i]];
        if (x->settled)
            continue;
        level = fmin(level, limit_of(f, x) / weight_of(x));
        for (int k = 0; k < x->n_uses; k++) {
            const struct shared *w = &f->shared[x->uses[k]];
            if (w->gathered == f->gathering)
                level = fmin(level, w->left / w->weights);
        }
    }
    return level;
}

static bool is_full(const struct flow *f, const struct vertex *x, double level)
{
    const double rounding = 1 + 1e-9;
    bool full = limit_of(f, x) / weight_of(x) <= level * rounding;
    for (int k = 0; k < x->n_uses && !full; k++) {
        const struct shared *w = &f->shared[x->uses[k]];
        full = w->gathered == f->gathering && w->left / w->weights <= level * rounding;
    }
    return full;
}

/* The largest smallest rate first, by weight: what one cannot use is left to the others. */
static void share_out(struct flow *f, int v)
{
    int left = 0;
    gather(f, v);
    for (int i = 0; i < f->n_ways; i++)
        open_way(f, &f->shared[f->way[i]]);
    for (int i = 0; i < f->n_edges; i++) {
        struct vertex *x = &f->vertex[f->edge[i]];
        x->settled = flying(x) == 0;
        left += !x->settled;
        if (x->settled && x->rate > 0)
            set_rate(f, f->edge[i], 0);
    }
    while (left > 0) {
        double level = next_level(f);
        for (int i = 0; i < f->n_edges; i++) {
            struct vertex *x = &f->vertex[f->edge[i]];
            if (x->settled || !is_full(f, x, level))
                continue;
            settle(f, f->edge[i], level * weight_of(x));
            left--;
        }
    }
}

/* One message more or less is under way to V. Those in a crowd are told when that has changed what
 * is on their way by more than 2 %, not every time. */
static void share_again(struct flow *f, int v, int more)
{
    struct vertex *x = &f->vertex[v];
    for (int i = 0; i < x->n_uses; i++) {
        struct shared *w = &f->shared[x->uses[i]];
        w->weight = fmax(0, w->weight + more * x->part[i] * x->weight);
        w->active += more > 0 ? flying(x) == 1 : -(flying(x) == 0);
        bool tell = is_crowded(w) && fabs(w->weight - w->told) > 0.02 * w->told;
        if (tell || !is_crowded(w))
            w->told = w->weight;
        for (int k = 0; tell && k < w->n; k++)
            if (flying(&f->vertex[w->vertex[k]]) > 0)
                share_out(f, w->vertex[k]);
    }
    share_out(f, v);
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

static void happen_on_way(struct flow *f, int v)
{
    struct vertex *x = &f->vertex[v];
    bool travelled = x->under_way < x->started && x->at[x->under_way] <= f->now;
    x->service = travelled ? x->service + x->rate * (f->now - x->updated) : x->at[x->arrived];
    x->updated = f->now;
    if (travelled) {
        x->at[x->under_way++] = x->service + 1;
    } else {
        x->at[x->arrived++] = f->now;
        plan_sending(f, v);
        start(f, v);
    }
    share_again(f, v, travelled ? 1 : -1);
    plan_way(f, v);
}

/* PART of V's message from its parent goes through what is number ID, on which a whole one takes
 * GAP. */
static void use(struct flow *f, int v, int id, double gap, double part)
{
    struct vertex *x = &f->vertex[v];
    struct shared *w = &f->shared[id];
    if (!(gap > 0) || !(part > 0) || x->n_uses == USES_MAX)
        return;
    w->room = w->n == 0 ? 1 / gap : fmax(w->room, 1 / gap);
    w->n++;
    x->part[x->n_uses] = part;
    x->uses[x->n_uses++] = id;
}

/* Numbers: the senders, out of and into each host, the cable, the ways between sites. */
static void use_shared(struct flow *f, int v, int n_areas)
{
    const struct graph *g = f->g;
    int u = f->s->parent[v], n = g->n, way = 3 * n + 1;
    if (!g->host || g->host[u] == g->host[v]) {
        use(f, v, u, graph_out(g, u), 1);
    } else {
        use(f, v, n + g->host[u], g->card_out[u], 1);
        use(f, v, 2 * n + g->host[v], g->card_in[v], 1);
        use(f, v, 2 * n + g->host[u], g->card_in[u], g->cross);
        use(f, v, n + g->host[v], g->card_out[v], g->cross);
        use(f, v, 3 * n, g->cable, 1);
    }
    if (g->area && g->area[u] != g->area[v])
        use(f, v, way + g->area[u] * n_areas + g->area[v],
            graph_gap(g, u, v) / (g->between > 0 ? g->between : 1), 1);
}

static bool uses(const struct vertex *x, int id)
{
    for (int i = 0; i < x->n_uses; i++)
        if (x->uses[i] == id)
            return true;
    return false;
}

static void use_no_more(struct flow *f, int id)
{
    for (int v = 0; v < f->g->n; v++) {
        struct vertex *x = &f->vertex[v];
        for (int i = 0; i < x->n_uses; i++) {
            if (x->uses[i] != id)
                continue;
            x->n_uses--;
            x->uses[i] = x->uses[x->n_uses];
            x->part[i] = x->part[x->n_uses];
            f->shared[id].n--;
        }
    }
}

/* Whether what each two of all that use ID share was seen, and not this: then that tells more. More
 * than two may fill what two do not. */
static bool is_explained(const struct flow *f, int id, const double *known)
{
    for (int v = 0; v < f->g->n; v++) {
        for (int w = 0; w < v && uses(&f->vertex[v], id); w++) {
            double gap = known[v * f->g->n + w];
            bool same = f->shared[id].n > 2 && fabs(gap * f->shared[id].room - 1) < 0.1;
            if (uses(&f->vertex[w], id) && (isnan(gap) || same))
                return false;
        }
    }
    return true;
}

/* All that share the same with V and W, and with each other, go through one way. */
static void use_together(struct flow *f, int v, int w, double *known, int id)
{
    int n = f->g->n, in[USES_MAX] = {v, w}, n_in = 2;
    double gap = known[v * n + w];
    for (int x = 0; x < n && n_in < USES_MAX; x++) {
        bool all = x != v && x != w;
        for (int i = 0; i < n_in && all; i++)
            all = fabs(known[x * n + in[i]] / gap - 1) < 0.1;
        if (all)
            in[n_in++] = x;
    }
    for (int i = 0; i < n_in; i++) {
        use(f, in[i], id, gap, 1);
        for (int k = 0; k < n_in; k++)
            known[in[i] * n + in[k]] = 0;
    }
}

/* What was seen of this tree's edges stands for what is usual. */
static bool use_seen(struct flow *f, int n_usual)
{
    int n = f->g->n, id = n_usual;
    double *known = malloc((size_t)n * (size_t)n * sizeof *known);
    for (int k = 0; known && k < n * n; k++)
        known[k] = NAN;
    for (int k = 0; known && k < f->g->n_together; k++) {
        const struct graph_together *t = &f->g->together[k];
        if (f->s->parent[t->to[0]] == t->from[0] && f->s->parent[t->to[1]] == t->from[1])
            known[t->to[0] * n + t->to[1]] = known[t->to[1] * n + t->to[0]] = t->gap;
    }
    for (int k = 0; known && k < n_usual; k++)
        if (f->shared[k].n > 1 && is_explained(f, k, known))
            use_no_more(f, k);
    for (int v = 0; known && v < n; v++)
        for (int w = 0; w < v; w++)
            if (known[v * n + w] > 0 && id < f->n_shared)
                use_together(f, v, w, known, id++);
    free(known);
    return known != NULL;
}

/* False if there is no memory. */
static bool find_shared(struct flow *f)
{
    const struct graph *g = f->g;
    int n_areas = 0, at = 0;
    for (int v = 0; g->area && v < g->n; v++)
        n_areas = g->area[v] >= n_areas ? g->area[v] + 1 : n_areas;
    int n_usual = 3 * g->n + 1 + n_areas * n_areas;
    f->n_shared = n_usual + g->n_together;
    f->shared = calloc((size_t)f->n_shared, sizeof *f->shared);
    f->users = malloc((size_t)g->n * USES_MAX * sizeof *f->users);
    if (!f->shared || !f->users)
        return false;
    for (int v = 0; v < g->n; v++)
        if (f->s->parent[v] >= 0)
            use_shared(f, v, n_areas);
    if (g->n_together > 0 && !use_seen(f, n_usual))
        return false;
    for (int i = 0; i < f->n_shared; i++) {
        f->shared[i].vertex = f->users + at;
        at += f->shared[i].n;
        f->shared[i].n = 0;
    }
    for (int v = 0; v < g->n; v++) {
        const struct vertex *x = &f->vertex[v];
        for (int i = 0; i < x->n_uses; i++) {
            struct shared *w = &f->shared[x->uses[i]];
            w->vertex[w->n++] = v;
        }
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
    return find_shared(f);
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
    free(f.shared);
    free(f.users);
    return last;
}
