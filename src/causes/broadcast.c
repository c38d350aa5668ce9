/* Predicts broadcasts along another tree. Two costs of a message, gap and hop, are fitted by least
 * squares to recorded broadcasts along the binomial tree. If a rank and all its ancestors in the
 * tree entered before the root, its data arrive A gaps and B hops after the root's entry. B is the
 * rank's depth. A is a sum over the rank and its ancestors, by the model that fits better. IN_TURN:
 * a parent sends to one child after the other, so each rank adds its number (1, 2, ...) among its
 * parent's children. SHARED: children share the parent's bandwidth: each adds their number. */
#include "causes/graph_inner.h"
#include "causes/what_if.h"

#include <math.h>
#include <stdlib.h>

enum { IN_TURN, SHARED, MODELS };
struct costs {
    double aa, ab, bb, ay, by, yy; /* sums of A * A, ...; Y: arrival after the root's entry */
    double gap, hop;               /* costs of a message, ns */
};

/* All recorded broadcasts of one size. */
struct broadcasts {
    uint64_t bytes;
    double root_ns, root_sends; /* sums over roots: time in MPI_Bcast, ns, and messages sent */
    struct costs of[MODELS];
    size_t model; /* index in OF of the model that fits better */
};

struct replacing {
    struct event_graph *g;
    const struct what_if *w;
    ARRAY(struct broadcasts) sizes;
    bool unknown; /* some recorded broadcast may have used another tree than the binomial tree */
    void (*each)(struct replacing *r, struct broadcasts *b, const uint32_t *member, int n,
                 int root);
};

static int children_of(const struct by_rank *tree, int position, int n)
{
    int k = 0;
    for (int to = 0; (to = tree->next(position, n, to)) != 0;)
        k++;
    return k;
}

static const struct by_rank *const binomial = &by_rank_trees[BY_RANK_BINOMIAL];

/* Whether the transport sent the binomial tree's messages: one with all bytes to each child. */
static bool is_binomial(const struct replacing *r, const uint32_t *member, int n, int root)
{
    for (int position = 0; position < n; position++) {
        const struct event *a = &r->g->t->events[member[by_rank_at(binomial, position, root, n)]];
        const struct traffic t = net_traffic_at(r->w->traffic, a->rank, a->entry_ns);
        const double sends = children_of(binomial, position, n);
        if (t.sends != sends || t.receives != (position > 0) ||
            t.sent_bytes != sends * (double)a->bytes)
            return false;
    }
    return true;
}

static struct broadcasts *of_size(struct replacing *r, uint64_t bytes)
{
    for (size_t i = 0; i < r->sizes.n; i++)
        if (r->sizes.at[i].bytes == bytes)
            return &r->sizes.at[i];
    PUSH(&r->sizes)->bytes = bytes;
    return &r->sizes.at[r->sizes.n - 1];
}

/* Calls R->each for a broadcast that all members recorded, within one window of a thinned trace. */
static void visit(void *context, const uint32_t *member, size_t n, size_t root)
{
    struct replacing *r = context;
    const struct event *a = &r->g->t->events[*member];
    if (a->kind != EVENT_COLLECTIVE || a->operation != r->w->broadcast || root >= n ||
        a->first_group_size)
        return;
    for (size_t i = 0; i < n; i++)
        if ((i != root && r->g->link[member[i]].entered == CAUSES_NONE) ||
            net_is_cut_off(&r->g->t->events[member[i]], r->g->run.time_mask))
            return;
    r->unknown = r->unknown || !(r->w->binomial || is_binomial(r, member, (int)n, (int)root));
    r->each(r, of_size(r, a->bytes), member, (int)n, (int)root);
}

/* Whether gap and hop can be fitted: some rank waited for a root. */
static bool has_costs(const struct broadcasts *x)
{
    return x->of[IN_TURN].bb > 0;
}

static double busy(const struct broadcasts *x)
{
    return x->root_ns / x->root_sends;
}

static void add_root(struct replacing *r, struct broadcasts *x, const uint32_t *member, int n,
                     int root)
{
    const struct event *e = &r->g->t->events[member[root]];
    x->root_ns += (double)(e->exit_ns - e->entry_ns);
    x->root_sends += children_of(binomial, 0, n);
}

static void add_arrival(struct costs *c, double a, double b, double y)
{
    c->aa += a * a;
    c->ab += a * b;
    c->bb += b * b;
    c->ay += a * y;
    c->by += b * y;
    c->yy += y * y;
}

/* Adds the arrivals at all descendants of POSITION, which is A gaps and B hops from the root. Omits
 * a rank that entered after the root, and its descendants, whose data it may have delayed. */
static void add_below(const struct replacing *r, struct broadcasts *x, const uint32_t *member,
                      int n, int root, int position, const double a[MODELS], double b)
{
    const int64_t start = r->g->t->events[member[root]].entry_ns;
    const int children = children_of(binomial, position, n);
    int k = 0;
    for (int to = 0; (to = binomial->next(position, n, to)) != 0;) {
        const struct event *e = &r->g->t->events[member[by_rank_at(binomial, to, root, n)]];
        const double gaps[MODELS] = {a[IN_TURN] + ++k, a[SHARED] + children};
        const double y = (double)(e->exit_ns - start) - children_of(binomial, to, n) * busy(x);
        if (e->entry_ns > start)
            continue;
        for (size_t model = 0; model < MODELS; model++)
            add_arrival(&x->of[model], gaps[model], b + 1, y);
        add_below(r, x, member, n, root, to, gaps, b + 1);
    }
}

static void add_arrivals(struct replacing *r, struct broadcasts *x, const uint32_t *member, int n,
                         int root)
{
    add_below(r, x, member, n, root, 0, (const double[MODELS]){0}, 0);
}

/* Fits gap and hop. SENDER_NS: the gap if only the sum of both is known, as for two ranks. Returns
 * the sum of squared residuals. */
static double fit(struct costs *c, double sender_ns)
{
    const double det = c->aa * c->bb - c->ab * c->ab;
    c->gap = det > 1e-6 * c->aa * c->bb ? (c->ay * c->bb - c->by * c->ab) / det : sender_ns;
    c->gap = fmax(0, fmin(c->gap, c->ay / c->aa));
    c->hop = fmax(0, (c->by - c->gap * c->ab) / c->bb);
    return c->yy - 2 * (c->gap * c->ay + c->hop * c->by) + c->gap * c->gap * c->aa +
           2 * c->gap * c->hop * c->ab + c->hop * c->hop * c->bb;
}

/* Links the members of a broadcast along the tree R->w->tree, if gap and hop are known. */
static void replace(struct replacing *r, struct broadcasts *x, const uint32_t *member, int n,
                    int root)
{
    const struct by_rank *tree = r->w->tree;
    const struct costs *c = &x->of[x->model];
    for (int position = 0; has_costs(x) && position < n; position++) {
        const uint32_t from = member[by_rank_at(tree, position, root, n)];
        const int children = children_of(tree, position, n);
        int k = 0;
        for (int to = 0; (to = tree->next(position, n, to)) != 0;) {
            struct event_link *h = &r->g->link[member[by_rank_at(tree, to, root, n)]];
            k++;
            h->parent = from;
            h->arrives_ns = (int64_t)(c->hop + (x->model == SHARED ? children : k) * c->gap);
        }
        r->g->link[from].replayed = true;
        r->g->link[from].sends_ns = (int64_t)(children * busy(x));
        event_call(r->g, r->g->link[from].call)->least.changed = 0;
    }
}

static void visit_all(struct replacing *r, void (*each)(struct replacing *, struct broadcasts *,
                                                        const uint32_t *, int, int))
{
    r->each = each;
    collectives_visit(r->g->t->events, r->g->t->n, visit, r);
}

const char *event_graph_replace(struct event_graph *g, const struct what_if *w)
{
    struct replacing r = {.g = g, .w = w};
    for (size_t i = 0; i < g->t->n; i++)
        g->link[i].parent = CAUSES_NONE;
    visit_all(&r, add_root);
    visit_all(&r, add_arrivals);
    const char *unknown = "the cost of messages, since no rank waited for the root of an MPI_Bcast";
    for (EACH(struct broadcasts, x, r.sizes)) {
        if (!has_costs(x))
            continue;
        unknown = NULL;
        const double in_turn = fit(&x->of[IN_TURN], busy(x));
        x->model = fit(&x->of[SHARED], busy(x)) < in_turn ? SHARED : IN_TURN;
    }
    if (r.unknown)
        unknown = "not all MPI_Bcasts are known to be binomial: use: --trace=transport or "
                  "--bcast=binomial";
    else if (!r.sizes.n)
        unknown = "no MPI_Bcast was recorded on all ranks";
    if (!unknown)
        visit_all(&r, replace);
    free(r.sizes.at);
    return unknown;
}
