#include "timeline/algorithm.h"

#include "base/array.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An operation; P: number of ranks, N: bytes of algorithm_find(). */
struct shape {
    size_t p, root;
    double n;
};

/* The messages of rank V, counted from the root, which is 0. */
typedef struct traffic pattern(const struct shape *s, size_t v);

static size_t log2_floor(size_t p)
{
    size_t k = 0;
    while (p >>= 1)
        k++;
    return k;
}

static size_t log2_ceil(size_t p)
{
    return log2_floor(p) + (p > (size_t)1 << log2_floor(p));
}

static bool is_power_of_2(size_t p)
{
    return (p & (p - 1)) == 0;
}

/* MESSAGES with BYTES in all, as many sent as received. */
static struct traffic symmetric(double messages, double bytes)
{
    return (struct traffic){messages, bytes, messages, bytes};
}

static struct traffic sum(struct traffic a, struct traffic b)
{
    return (struct traffic){a.sends + b.sends, a.sent_bytes + b.sent_bytes, a.receives + b.receives,
                            a.received_bytes + b.received_bytes};
}

static struct traffic reversed(struct traffic a)
{
    return (struct traffic){a.receives, a.received_bytes, a.sends, a.sent_bytes};
}

static const struct traffic impossible = {NAN, NAN, NAN, NAN};

/* --- trees --- */

/* In one form of the binomial tree the children of V are V + 2^k below V's lowest bit. */
static size_t children_low(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p && !(v & k); k <<= 1)
        n += v + k < p;
    return n;
}

/* In the other one they are V + 2^k above its highest bit. */
static size_t children_high(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p; k <<= 1)
        n += k > v && v + k < p;
    return n;
}

/* Every message of the tree has the same size. */
static struct traffic down(const struct shape *s, size_t v, size_t children)
{
    const double up = v > 0, below = (double)children;
    return (struct traffic){below, below * s->n, up, up * s->n};
}

static struct traffic binomial(const struct shape *s, size_t v)
{
    return down(s, v, children_low(s->p, v));
}

static struct traffic binomial_high(const struct shape *s, size_t v)
{
    return down(s, v, children_high(s->p, v));
}

static struct traffic linear(const struct shape *s, size_t v)
{
    return down(s, v, v ? 0 : s->p - 1);
}

static struct traffic chain(const struct shape *s, size_t v)
{
    return down(s, v, v + 1 < s->p);
}

#define UP(tree)                                                                                   \
    static struct traffic tree##_up(const struct shape *s, size_t v)                               \
    {                                                                                              \
        return reversed(tree(s, v));                                                               \
    }                                                                                              \
    static struct traffic tree##_both(const struct shape *s, size_t v)                             \
    {                                                                                              \
        return sum(tree(s, v), reversed(tree(s, v)));                                              \
    }
UP(binomial)
UP(binomial_high)
UP(linear)

static struct traffic chain_up(const struct shape *s, size_t v)
{
    return reversed(chain(s, v));
}

/* MPICH's broadcasts from another rank than the first one. */
static struct traffic from_first(const struct shape *s, size_t v)
{
    const size_t rank = (v + s->root) % s->p;
    const bool sends = v == 0, receives = rank == 0;
    if (s->root == 0)
        return impossible; /* that is the binomial tree itself */
    return sum(binomial(s, rank), (struct traffic){sends, sends * s->n, receives, 0});
}

/* Each message has the blocks of a whole subtree. */
static struct traffic scatter_binomial(const struct shape *s, size_t v)
{
    size_t low = v ? v & -v : s->p, subtree = low < s->p - v ? low : s->p - v;
    return (struct traffic){(double)children_low(s->p, v), (double)(subtree - 1) * s->n, v > 0,
                            v ? (double)subtree * s->n : 0};
}

static struct traffic gather_binomial(const struct shape *s, size_t v)
{
    return reversed(scatter_binomial(s, v));
}

/* --- all to all ranks --- */

static struct traffic ring(const struct shape *s, size_t v)
{
    (void)v;
    return symmetric((double)s->p - 1, ((double)s->p - 1) * s->n);
}

static struct traffic doubling(const struct shape *s, size_t v)
{
    (void)v;
    return is_power_of_2(s->p) ? symmetric((double)log2_floor(s->p), ((double)s->p - 1) * s->n)
                               : impossible;
}

static struct traffic bruck(const struct shape *s, size_t v)
{
    (void)v;
    return symmetric((double)log2_ceil(s->p), ((double)s->p - 1) * s->n);
}

/* MPICH's barriers. */
static struct traffic dissemination_binomial(const struct shape *s, size_t v)
{
    return sum(bruck(s, v), binomial(s, v));
}

static struct traffic linear_with_self(const struct shape *s, size_t v)
{
    (void)v;
    return symmetric((double)s->p, (double)s->p * s->n);
}

static struct traffic alltoall_bruck(const struct shape *s, size_t v)
{
    double blocks = 0;
    (void)v;
    for (size_t i = 1; i < s->p; i++)
        blocks += __builtin_popcountl(i);
    return symmetric((double)log2_ceil(s->p), blocks * s->n);
}

/* --- reductions to all ranks --- */

/* Of the ranks above a power of 2 each even one is represented by the next one. */
static struct traffic folded(const struct shape *s, size_t v, struct traffic of_power)
{
    const size_t q = (size_t)1 << log2_floor(s->p), rest = s->p - q;
    const struct traffic once = symmetric(1, s->n);
    return v >= 2 * rest ? of_power : v % 2 ? sum(once, of_power) : once;
}

static struct traffic reduce_doubling(const struct shape *s, size_t v)
{
    const double steps = (double)log2_floor(s->p);
    return folded(s, v, symmetric(steps, steps * s->n));
}

static struct traffic reduce_scatter_allgather(const struct shape *s, size_t v)
{
    const double steps = (double)log2_floor(s->p), share = 1 - exp2(-steps);
    return folded(s, v, symmetric(2 * steps, 2 * share * s->n));
}

static struct traffic reduce_ring(const struct shape *s, size_t v)
{
    const double steps = (double)s->p - 1;
    (void)v;
    return symmetric(2 * steps, 2 * steps / (double)s->p * s->n);
}

static struct shape block_of(const struct shape *s)
{
    return (struct shape){s->p, s->root, s->n / (double)s->p};
}

static struct traffic reduce_scatter_gather(const struct shape *s, size_t v)
{
    const struct shape block = block_of(s);
    return sum(doubling(&block, v), gather_binomial(&block, v));
}

static struct traffic scatter_ring(const struct shape *s, size_t v)
{
    const struct shape block = block_of(s);
    return sum(scatter_binomial(&block, v), ring(&block, v));
}

static struct traffic scatter_doubling(const struct shape *s, size_t v)
{
    const struct shape block = block_of(s);
    return sum(scatter_binomial(&block, v), doubling(&block, v));
}

/* --- those of each operation --- */

static const struct {
    const char *operation, *name;
    pattern *of;
    bool cut; /* into segments, maybe */
} patterns[] = {
    {"MPI_Allgather", "ring or linear", ring, false},
    {"MPI_Allgather", "recursive doubling", doubling, false},
    {"MPI_Allgather", "Bruck", bruck, false},
    {"MPI_Allreduce", "recursive doubling", reduce_doubling, false},
    {"MPI_Allreduce", "reduce-scatter + allgather", reduce_scatter_allgather, false},
    {"MPI_Allreduce", "ring", reduce_ring, false},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial_both, true},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial_high_both, true},
    {"MPI_Allreduce", "linear reduce + broadcast", linear_both, true},
    {"MPI_Alltoall", "pairwise or linear", ring, false},
    {"MPI_Alltoall", "linear", linear_with_self, false},
    {"MPI_Alltoall", "Bruck", alltoall_bruck, false},
    {"MPI_Barrier", "dissemination", bruck, false},
    {"MPI_Barrier", "recursive doubling", reduce_doubling, false},
    {"MPI_Barrier", "binomial tree", binomial_both, false},
    {"MPI_Barrier", "binomial tree", binomial_high_both, false},
    {"MPI_Barrier", "linear", linear_both, false},
    {"MPI_Barrier", "dissemination + binomial", dissemination_binomial, false},
    {"MPI_Bcast", "binomial", binomial, true},
    {"MPI_Bcast", "binomial", binomial_high, true},
    {"MPI_Bcast", "linear", linear, true},
    {"MPI_Bcast", "to rank 0, binomial", from_first, false},
    {"MPI_Bcast", "chain", chain, true},
    {"MPI_Bcast", "scatter + ring allgather", scatter_ring, false},
    {"MPI_Bcast", "scatter + recursive doubling allgather", scatter_doubling, false},
    {"MPI_Gather", "binomial", gather_binomial, false},
    {"MPI_Gather", "linear", linear_up, false},
    {"MPI_Reduce", "binomial", binomial_up, true},
    {"MPI_Reduce", "binomial", binomial_high_up, true},
    {"MPI_Reduce", "linear", linear_up, true},
    {"MPI_Reduce", "chain", chain_up, true},
    {"MPI_Reduce", "reduce-scatter + gather", reduce_scatter_gather, false},
    {"MPI_Reduce_scatter_block", "pairwise", ring, false},
    {"MPI_Reduce_scatter_block", "recursive halving", doubling, false},
    {"MPI_Scatter", "binomial", scatter_binomial, false},
    {"MPI_Scatter", "linear", linear, false},
};

/* Blocks are whole elements, so the sum of MESSAGES may differ by an element of each. */
static bool is_near(double bytes, double expected, double messages)
{
    enum { ELEMENT = 16 };
    return fabs(bytes - expected) <= ELEMENT * messages;
}

/* *SEGMENTS: number of messages for each expected one, 0 until known, the same on all ranks. */
static bool fits(struct traffic seen, struct traffic expected, bool cut, double *segments)
{
    double messages = expected.sends + expected.receives;
    if (*segments == 0 && messages > 0)
        *segments = cut ? (seen.sends + seen.receives) / messages : 1;
    return seen.sends == *segments * expected.sends &&
           seen.receives == *segments * expected.receives &&
           is_near(seen.sent_bytes, expected.sent_bytes, *segments > 1 ? 0 : seen.sends);
}

static bool all_fit(pattern *of, bool cut, const struct shape *s, const struct traffic *seen)
{
    double segments = 0;
    for (size_t v = 0; v < s->p; v++)
        if (!fits(seen[(v + s->root) % s->p], of(s, v), cut, &segments) || segments < 1)
            return false;
    return true;
}

void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME])
{
    const struct shape s = {ranks, root, (double)bytes};
    *name = '\0';
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        size_t at = strlen(name);
        if (!strcmp(patterns[i].operation, operation) && !strstr(name, patterns[i].name) &&
            all_fit(patterns[i].of, patterns[i].cut, &s, seen))
            snprintf(name + at, ALGORITHM_NAME - at, "%s%s", at ? " or " : "", patterns[i].name);
    }
}

/* --- all collectives of a trace --- */

struct search {
    const struct event *events;
    uint64_t time_mask;
    const struct net **list; /* M events, sorted by_call() */
    size_t m;
    const char *const *names;
    ARRAY(struct algorithm_row) rows;
    ARRAY(struct traffic) seen;
};

static int by_call(const void *a, const void *b)
{
    const struct net *x = *(const struct net *const *)a, *y = *(const struct net *const *)b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->call_ns, y->call_ns);
}

/* Index of the first event of the call A. */
static size_t first_of(const struct search *s, const struct event *a)
{
    const struct net wanted = {.rank = a->rank, .call_ns = a->entry_ns}, *key = &wanted;
    size_t low = 0, high = s->m;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_call(&s->list[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct traffic traffic_of(const struct search *s, const struct event *a)
{
    struct traffic t = {0};
    for (size_t i = first_of(s, a); i < s->m; i++) {
        const struct net *e = s->list[i];
        double bytes = e->bytes == TRANSPORT_UNKNOWN_BYTES ? NAN : (double)e->bytes;
        if (e->rank != a->rank || e->call_ns != a->entry_ns)
            break;
        if (e->kind == TRANSPORT_SEND)
            t = sum(t, (struct traffic){.sends = 1, .sent_bytes = bytes});
        if (e->kind == TRANSPORT_RECEIVE)
            t = sum(t, (struct traffic){.receives = 1, .received_bytes = bytes});
    }
    return t;
}

/* Whether the window in which A begins ends before it: then some of its messages are missing. */
static bool is_cut_off(const struct search *s, const struct event *a)
{
    const uint64_t width = s->time_mask & -s->time_mask;
    return width &&
           ((uint64_t)a->exit_ns & s->time_mask || (uint64_t)(a->exit_ns - a->entry_ns) >= width);
}

static void add(struct search *s, const struct algorithm_row *row)
{
    for (size_t i = 0; i < s->rows.n; i++) {
        struct algorithm_row *r = &s->rows.at[i];
        if (r->operation == row->operation && r->ranks == row->ranks && r->bytes == row->bytes &&
            r->silent == row->silent && !strcmp(r->name, row->name)) {
            r->calls++;
            return;
        }
    }
    *PUSH(&s->rows) = *row;
}

static void visit(void *context, const uint32_t *member, size_t n)
{
    struct search *s = context;
    const struct event *one = &s->events[*member];
    size_t root = 0;
    double sends = 0;
    if (one->kind != EVENT_COLLECTIVE || one->first)
        return;
    struct algorithm_row row = {
        .operation = one->operation, .ranks = (uint32_t)n, .bytes = one->bytes, .calls = 1};
    s->seen.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct event *a = &s->events[member[i]];
        struct traffic t = traffic_of(s, a);
        if (is_cut_off(s, a))
            return;
        root = a->peer != TIMELINE_NONE && a->rank == a->peer ? i : root;
        sends += t.sends;
        *PUSH(&s->seen) = t;
    }
    row.silent = sends == 0;
    if (!row.silent)
        algorithm_find(s->names[row.operation], n, root, row.bytes, s->seen.at, row.name);
    add(s, &row);
}

struct algorithm_row *algorithms_find(const struct event *events, size_t n, const struct net *net,
                                      size_t m, uint64_t time_mask, const char *const *names,
                                      size_t *n_rows)
{
    struct search s = {.events = events, .time_mask = time_mask, .m = m, .names = names};
    s.list = memory_alloc((m + 1) * sizeof *s.list);
    for (size_t i = 0; i < m; i++)
        s.list[i] = &net[i];
    qsort(s.list, m, sizeof *s.list, by_call);
    collectives_visit(events, n, visit, &s);
    free(s.list);
    free(s.seen.at);
    *n_rows = s.rows.n;
    return s.rows.at;
}
