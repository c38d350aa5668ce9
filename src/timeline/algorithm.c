/* Finds the algorithm of a collective: computes the messages of each rank in each known algorithm,
 * and compares them with the messages that the transport saw.
 *
 * S->p: number of ranks; S->n: the BYTES of algorithm_find(); V: a rank counted from the root,
 * which is 0, so that the algorithm's tree does not depend on the root. */
#include "timeline/network.h"

#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct collective {
    size_t p, root;
    double n;
};

typedef struct traffic messages_of_rank(const struct collective *s, size_t v);

static size_t log2_floor(size_t p)
{
    return 63 - (size_t)__builtin_clzll(p);
}

static size_t log2_ceil(size_t p)
{
    return log2_floor(p) + (p > (size_t)1 << log2_floor(p));
}

static struct traffic both_ways(double messages, double bytes)
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

/* A binomial tree in which V has the children V + 2^k for all 2^k below V's lowest set bit. */
static size_t children_low(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p && !(v & k); k <<= 1)
        n += v + k < p;
    return n;
}

/* A binomial tree in which V has the children V + 2^k for all 2^k above V's highest set bit. */
static size_t children_high(size_t p, size_t v)
{
    size_t n = 0;
    for (size_t k = 1; k < p; k <<= 1)
        n += k > v && v + k < p;
    return n;
}

static struct traffic all_data_down_a_tree(const struct collective *s, size_t v, size_t children)
{
    const double up = v > 0, below = (double)children;
    return (struct traffic){below, below * s->n, up, up * s->n};
}

static struct traffic binomial(const struct collective *s, size_t v)
{
    return all_data_down_a_tree(s, v, children_low(s->p, v));
}

static struct traffic binomial_high(const struct collective *s, size_t v)
{
    return all_data_down_a_tree(s, v, children_high(s->p, v));
}

static struct traffic linear(const struct collective *s, size_t v)
{
    return all_data_down_a_tree(s, v, v ? 0 : s->p - 1);
}

static struct traffic chain(const struct collective *s, size_t v)
{
    return all_data_down_a_tree(s, v, v + 1 < s->p);
}

/* In MPICH a root other than rank 0 sends the data to rank 0, which is the root of the tree. */
static struct traffic binomial_from_rank_0(const struct collective *s, size_t v)
{
    const size_t rank = (v + s->root) % s->p;
    const bool sends = v == 0, receives = rank == 0;
    if (s->root == 0)
        return impossible; /* otherwise binomial() would be found twice, under two names */
    return sum(binomial(s, rank), (struct traffic){sends, sends * s->n, receives, 0});
}

/* Each message has the blocks of all ranks of a subtree. */
static struct traffic scatter_binomial(const struct collective *s, size_t v)
{
    size_t low = v ? v & -v : s->p, subtree = low < s->p - v ? low : s->p - v;
    return (struct traffic){(double)children_low(s->p, v), (double)(subtree - 1) * s->n, v > 0,
                            v ? (double)subtree * s->n : 0};
}

/* --- allgather and alltoall --- */

static struct traffic ring(const struct collective *s, size_t v)
{
    (void)v;
    return both_ways((double)s->p - 1, ((double)s->p - 1) * s->n);
}

static struct traffic doubling(const struct collective *s, size_t v)
{
    (void)v;
    return is_power_of_2(s->p) ? both_ways((double)log2_floor(s->p), ((double)s->p - 1) * s->n)
                               : impossible;
}

static struct traffic bruck(const struct collective *s, size_t v)
{
    (void)v;
    return both_ways((double)log2_ceil(s->p), ((double)s->p - 1) * s->n);
}

static struct traffic linear_with_self(const struct collective *s, size_t v)
{
    (void)v;
    return both_ways((double)s->p, (double)s->p * s->n);
}

static struct traffic alltoall_bruck(const struct collective *s, size_t v)
{
    double blocks = 0;
    (void)v;
    for (size_t i = 1; i < s->p; i++)
        blocks += __builtin_popcountl(i);
    return both_ways((double)log2_ceil(s->p), blocks * s->n);
}

/* --- allreduce --- */

/* Adds the messages that reduce P ranks to a power of two: even ranks below 2 * (P - 2^k) send
 * their data to the next rank, which takes part for both with the messages OF_POWER. */
static struct traffic folded(const struct collective *s, size_t v, struct traffic of_power)
{
    const size_t q = (size_t)1 << log2_floor(s->p), rest = s->p - q;
    const struct traffic once = both_ways(1, s->n);
    return v >= 2 * rest ? of_power : v % 2 ? sum(once, of_power) : once;
}

static struct traffic reduce_doubling(const struct collective *s, size_t v)
{
    const double steps = (double)log2_floor(s->p);
    return folded(s, v, both_ways(steps, steps * s->n));
}

static struct traffic reduce_scatter_allgather(const struct collective *s, size_t v)
{
    const double steps = (double)log2_floor(s->p), share = 1 - exp2(-steps);
    return folded(s, v, both_ways(2 * steps, 2 * share * s->n));
}

/* --- algorithms of each operation --- */

/* The messages go UP the tree to the root instead of down, or UP_AND_DOWN; each has 1/P of the data
 * (IN_BLOCKS), or the data may be sent in any number of segments (SEGMENTABLE). */
enum { UP = 1, UP_AND_DOWN = 2, IN_BLOCKS = 4, SEGMENTABLE = 8 };
static const struct {
    const char *operation, *name;
    messages_of_rank *first_phase, *second_phase;
    unsigned flags;
} algorithms[] = {
    {"MPI_Allgather", "ring or linear", ring, NULL, 0},
    {"MPI_Allgather", "recursive doubling", doubling, NULL, 0},
    {"MPI_Allgather", "Bruck", bruck, NULL, 0},
    {"MPI_Allreduce", "recursive doubling", reduce_doubling, NULL, 0},
    {"MPI_Allreduce", "reduce-scatter + allgather", reduce_scatter_allgather, NULL, 0},
    {"MPI_Allreduce", "ring", ring, ring, IN_BLOCKS},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial, NULL, UP_AND_DOWN | SEGMENTABLE},
    {"MPI_Allreduce", "binomial reduce + broadcast", binomial_high, NULL,
     UP_AND_DOWN | SEGMENTABLE},
    {"MPI_Allreduce", "linear reduce + broadcast", linear, NULL, UP_AND_DOWN | SEGMENTABLE},
    {"MPI_Alltoall", "pairwise or linear", ring, NULL, 0},
    {"MPI_Alltoall", "linear", linear_with_self, NULL, 0},
    {"MPI_Alltoall", "Bruck", alltoall_bruck, NULL, 0},
    {"MPI_Barrier", "dissemination", bruck, NULL, 0},
    {"MPI_Barrier", "recursive doubling", reduce_doubling, NULL, 0},
    {"MPI_Barrier", "binomial tree", binomial, NULL, UP_AND_DOWN},
    {"MPI_Barrier", "binomial tree", binomial_high, NULL, UP_AND_DOWN},
    {"MPI_Barrier", "linear", linear, NULL, UP_AND_DOWN},
    {"MPI_Barrier", "dissemination + binomial", bruck, binomial, 0}, /* by MPICH */
    {"MPI_Bcast", "binomial", binomial, NULL, SEGMENTABLE},
    {"MPI_Bcast", "binomial", binomial_high, NULL, SEGMENTABLE},
    {"MPI_Bcast", "linear", linear, NULL, SEGMENTABLE},
    {"MPI_Bcast", "to rank 0, binomial", binomial_from_rank_0, NULL, 0},
    {"MPI_Bcast", "chain", chain, NULL, SEGMENTABLE},
    {"MPI_Bcast", "scatter + ring allgather", scatter_binomial, ring, IN_BLOCKS},
    {"MPI_Bcast", "scatter + recursive doubling allgather", scatter_binomial, doubling, IN_BLOCKS},
    {"MPI_Gather", "binomial", scatter_binomial, NULL, UP},
    {"MPI_Gather", "linear", linear, NULL, UP},
    {"MPI_Reduce", "binomial", binomial, NULL, UP | SEGMENTABLE},
    {"MPI_Reduce", "binomial", binomial_high, NULL, UP | SEGMENTABLE},
    {"MPI_Reduce", "linear", linear, NULL, UP | SEGMENTABLE},
    {"MPI_Reduce", "chain", chain, NULL, UP | SEGMENTABLE},
    {"MPI_Reduce", "reduce-scatter + gather", doubling, scatter_binomial, UP | IN_BLOCKS},
    {"MPI_Reduce_scatter_block", "pairwise", ring, NULL, 0},
    {"MPI_Reduce_scatter_block", "recursive halving", doubling, NULL, 0},
    {"MPI_Scatter", "binomial", scatter_binomial, NULL, 0},
    {"MPI_Scatter", "linear", linear, NULL, 0},
};

static struct traffic expected_messages(size_t i, struct collective s, size_t v)
{
    s.n = algorithms[i].flags & IN_BLOCKS ? s.n / (double)s.p : s.n;
    struct traffic t = algorithms[i].first_phase(&s, v);
    if (algorithms[i].second_phase)
        t = sum(t, algorithms[i].second_phase(&s, v));
    if (algorithms[i].flags & UP_AND_DOWN)
        return sum(t, reversed(t));
    return algorithms[i].flags & UP ? reversed(t) : t;
}

/* Blocks are whole elements, so a message may differ from 1/P of the data by one element. */
static bool is_near(double bytes, double expected, double messages)
{
    enum { LARGEST_ELEMENT = 16 };
    return fabs(bytes - expected) <= LARGEST_ELEMENT * messages;
}

/* *SEGMENTS: messages seen for each expected message. If it is 0, this rank sets it for the others,
 * since it must be the same on all ranks. */
static bool fits(struct traffic seen, struct traffic expected, bool segmentable, double *segments)
{
    double messages = expected.sends + expected.receives;
    if (*segments == 0 && messages > 0)
        *segments = segmentable ? (seen.sends + seen.receives) / messages : 1;
    return seen.sends == *segments * expected.sends &&
           seen.receives == *segments * expected.receives &&
           is_near(seen.sent_bytes, expected.sent_bytes, *segments > 1 ? 0 : seen.sends);
}

static bool all_fit(size_t algorithm, const struct collective *s, const struct traffic *seen)
{
    double segments = 0;
    for (size_t v = 0; v < s->p; v++)
        if (!fits(seen[(v + s->root) % s->p], expected_messages(algorithm, *s, v),
                  algorithms[algorithm].flags & SEGMENTABLE, &segments) ||
            segments < 1)
            return false;
    return true;
}

void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME])
{
    const struct collective s = {ranks, root, (double)bytes};
    *name = '\0';
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        size_t at = strlen(name);
        if (!strcmp(algorithms[i].operation, operation) && !strstr(name, algorithms[i].name) &&
            all_fit(i, &s, seen))
            snprintf(name + at, ALGORITHM_NAME - at, "%s%s", at ? " or " : "", algorithms[i].name);
    }
}
