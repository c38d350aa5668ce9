#include "timeline/network.h"

#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A collective with P ranks; N: its size, the BYTES of algorithm_find(). */
struct shape {
    size_t p, root;
    double n;
};

/* The messages of rank V in an algorithm; ranks are counted from the root, which is 0. */
typedef struct traffic pattern(const struct shape *s, size_t v);

static size_t log2_floor(size_t p)
{
    return 63 - (size_t)__builtin_clzll(p);
}

static size_t log2_ceil(size_t p)
{
    return log2_floor(p) + (p > (size_t)1 << log2_floor(p));
}

/* A rank that sends MESSAGES of BYTES in total, and receives as many. */
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

/* In one form of the binomial tree V has children V + 2^k for all 2^k below V's lowest set bit. */
static size_t children_low(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p && !(v & k); k <<= 1)
        n += v + k < p;
    return n;
}

/* In the other form V has children V + 2^k for all 2^k above V's highest set bit. */
static size_t children_high(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p; k <<= 1)
        n += k > v && v + k < p;
    return n;
}

/* The messages of a rank with CHILDREN in a tree in which each message has all data. */
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

/* MPICH: a root other than rank 0 sends the data to rank 0, the root of the tree. */
static struct traffic from_first(const struct shape *s, size_t v)
{
    const size_t rank = (v + s->root) % s->p;
    const bool sends = v == 0, receives = rank == 0;
    if (s->root == 0)
        return impossible; /* for root 0 this is the algorithm binomial() */
    return sum(binomial(s, rank), (struct traffic){sends, sends * s->n, receives, 0});
}

/* Binomial scatter: each message has the blocks of a whole subtree. */
static struct traffic scatter_binomial(const struct shape *s, size_t v)
{
    size_t low = v ? v & -v : s->p, subtree = low < s->p - v ? low : s->p - v;
    return (struct traffic){(double)children_low(s->p, v), (double)(subtree - 1) * s->n, v > 0,
                            v ? (double)subtree * s->n : 0};
}

/* --- allgather and alltoall --- */

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

/* --- allreduce --- */

/* For P > 2^k, even ranks below 2 * (P - 2^k) send data to the next rank, which acts for both. */
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

/* --- algorithms of each operation --- */

enum {
    UP = 1,     /* from the leaves of the tree to the root */
    BOTH = 2,   /* from the leaves to the root and back */
    BLOCKS = 4, /* each message has 1/P of the data */
    CUT = 8     /* the data may be cut into segments */
};
static const struct {
    const char *operation, *name;
    pattern *first, *then; /* THEN: second phase, or NULL */
    unsigned how;
} algorithms[] = {
    {"MPI_Allgather", "ring or linear", ring, NULL, 0},
    {"MPI_Allgather", "recursive doubling", doubling, NULL, 0},
    {"MPI_Allgather", "Bruck", bruck, NULL, 0},
    {"MPI_Allreduce", "recursive doubling", reduce_doubling, NULL, 0},
    {"MPI_Allreduce", "reduce-scatter + allgather", reduce_scatter_allgather, NULL, 0},
    {"MPI_Allreduce", "ring", ring, ring, BLOCKS},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial, NULL, BOTH | CUT},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial_high, NULL, BOTH | CUT},
    {"MPI_Allreduce", "linear reduce + broadcast", linear, NULL, BOTH | CUT},
    {"MPI_Alltoall", "pairwise or linear", ring, NULL, 0},
    {"MPI_Alltoall", "linear", linear_with_self, NULL, 0},
    {"MPI_Alltoall", "Bruck", alltoall_bruck, NULL, 0},
    {"MPI_Barrier", "dissemination", bruck, NULL, 0},
    {"MPI_Barrier", "recursive doubling", reduce_doubling, NULL, 0},
    {"MPI_Barrier", "binomial tree", binomial, NULL, BOTH},
    {"MPI_Barrier", "binomial tree", binomial_high, NULL, BOTH},
    {"MPI_Barrier", "linear", linear, NULL, BOTH},
    {"MPI_Barrier", "dissemination + binomial", bruck, binomial, 0}, /* MPICH uses it */
    {"MPI_Bcast", "binomial", binomial, NULL, CUT},
    {"MPI_Bcast", "binomial", binomial_high, NULL, CUT},
    {"MPI_Bcast", "linear", linear, NULL, CUT},
    {"MPI_Bcast", "to rank 0, binomial", from_first, NULL, 0},
    {"MPI_Bcast", "chain", chain, NULL, CUT},
    {"MPI_Bcast", "scatter + ring allgather", scatter_binomial, ring, BLOCKS},
    {"MPI_Bcast", "scatter + recursive doubling allgather", scatter_binomial, doubling, BLOCKS},
    {"MPI_Gather", "binomial", scatter_binomial, NULL, UP},
    {"MPI_Gather", "linear", linear, NULL, UP},
    {"MPI_Reduce", "binomial", binomial, NULL, UP | CUT},
    {"MPI_Reduce", "binomial", binomial_high, NULL, UP | CUT},
    {"MPI_Reduce", "linear", linear, NULL, UP | CUT},
    {"MPI_Reduce", "chain", chain, NULL, UP | CUT},
    {"MPI_Reduce", "reduce-scatter + gather", doubling, scatter_binomial, UP | BLOCKS},
    {"MPI_Reduce_scatter_block", "pairwise", ring, NULL, 0},
    {"MPI_Reduce_scatter_block", "recursive halving", doubling, NULL, 0},
    {"MPI_Scatter", "binomial", scatter_binomial, NULL, 0},
    {"MPI_Scatter", "linear", linear, NULL, 0},
};

/* The messages of rank V in the I-th algorithm. */
static struct traffic expected_of(size_t i, struct shape s, size_t v)
{
    s.n = algorithms[i].how & BLOCKS ? s.n / (double)s.p : s.n;
    struct traffic t = algorithms[i].first(&s, v);
    if (algorithms[i].then)
        t = sum(t, algorithms[i].then(&s, v));
    if (algorithms[i].how & BOTH)
        return sum(t, reversed(t));
    return algorithms[i].how & UP ? reversed(t) : t;
}

/* Blocks are whole elements, so each of MESSAGES may differ by an element from the exact share. */
static bool is_near(double bytes, double expected, double messages)
{
    enum { ELEMENT = 16 };
    return fabs(bytes - expected) <= ELEMENT * messages;
}

/* Whether the messages SEEN are the EXPECTED ones. *SEGMENTS: messages seen for each expected
 * message, the same on all ranks; 0 until known. */
static bool fits(struct traffic seen, struct traffic expected, bool cut, double *segments)
{
    double messages = expected.sends + expected.receives;
    if (*segments == 0 && messages > 0)
        *segments = cut ? (seen.sends + seen.receives) / messages : 1;
    return seen.sends == *segments * expected.sends &&
           seen.receives == *segments * expected.receives &&
           is_near(seen.sent_bytes, expected.sent_bytes, *segments > 1 ? 0 : seen.sends);
}

static bool all_fit(size_t algorithm, const struct shape *s, const struct traffic *seen)
{
    double segments = 0;
    for (size_t v = 0; v < s->p; v++)
        if (!fits(seen[(v + s->root) % s->p], expected_of(algorithm, *s, v),
                  algorithms[algorithm].how & CUT, &segments) ||
            segments < 1)
            return false;
    return true;
}

void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME])
{
    const struct shape s = {ranks, root, (double)bytes};
    *name = '\0';
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        size_t at = strlen(name);
        if (!strcmp(algorithms[i].operation, operation) && !strstr(name, algorithms[i].name) &&
            all_fit(i, &s, seen))
            snprintf(name + at, ALGORITHM_NAME - at, "%s%s", at ? " or " : "", algorithms[i].name);
    }
}
