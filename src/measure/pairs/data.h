/* Latencies of all pairs of ranks, as measured (measure/pairs/pairs.h) or read from a log
 * (measure/pairs/log.h): "Measuring process-to-process latency" (PetaSHA), doc/methods.md
 * section 2. No MPI here. Seconds; matrices are n rows of n, NaN where a value is not known. */
#ifndef COLLPROF_MEASURE_PAIRS_DATA_H
#define COLLPROF_MEASURE_PAIRS_DATA_H

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum pairs_quantity {
    /* Statistics of whole round trips (not halved); symmetric matrices with diagonal 0. */
    PAIRS_MEAN,
    PAIRS_SD,
    PAIRS_MEDIAN,
    PAIRS_MIN,
    PAIRS_BOUND, /* the error bound of both one-way latencies; 0: one clock shows both */
    /* Directed quantities: the row is the sender. */
    PAIRS_DIRECTED,
    PAIRS_SEND = PAIRS_DIRECTED, /* LogGP's o_s: the send call, its receiver waiting */
    PAIRS_RECEIVE,               /* LogGP's o_r: the receive call, for a message that has arrived */
    PAIRS_GAP,                   /* LogGP's g: between arrivals of messages in a row */
    PAIRS_ONE_WAY,    /* the shortest latency in this direction, within [0, round trip] */
    PAIRS_RENDEZVOUS, /* 1: a send waits for its receiver; 0: it does not */
    PAIRS_QUANTITIES
};

/* One message size. */
struct pairs_size {
    size_t bytes;
    int repeats;
    double *of[PAIRS_QUANTITIES];
};

struct pairs {
    char system[128]; /* the host that wrote the log */
    int n;
    char **host;
    struct pairs_size *size; /* ascending by bytes */
    int n_sizes;
    const char *order; /* how it was measured, in words; NULL: not known */
    double slowdown;   /* time of a pair measured concurrently with others over its time alone: the
                          largest ratio of all tested pairs; 0: unknown */
};

/* Pairs share a path, a card or a processor if one is slower among others by more than this. */
#define PAIRS_SHARED 1.2

/* Where the matrices have row I, column J. */
static inline size_t pairs_cell(const struct pairs *p, int i, int j)
{
    return (size_t)i * (size_t)p->n + (size_t)j;
}

/* The shortest round trip, or the mean if that is all that is known (from a log). */
static inline double pairs_trip(const struct pairs_size *s, size_t cell)
{
    double least = s->of[PAIRS_MIN][cell];
    return least == least ? least : s->of[PAIRS_MEAN][cell];
}

/* Whether I and J run on one host. False if a host name is unknown. */
static inline bool pairs_same_host(const struct pairs *p, int i, int j)
{
    return p->host[i] && p->host[j] && strcmp(p->host[i], p->host[j]) == 0;
}

/* Makes P for N ranks, without sizes. False if there is no memory: then nothing must be freed. */
bool pairs_new(struct pairs *p, int n);
void pairs_free(struct pairs *p);

/* One more size, all cells but the diagonal NaN. NULL if there is no memory. Invalidates earlier
 * results. */
struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats);
bool pairs_set_host(struct pairs *p, int rank, const char *name);

/* Whether all pairs have WHAT at all sizes. */
bool pairs_known(const struct pairs *p, enum pairs_quantity what);

/* Bandwidth from I to J, bytes per second: from a least-squares fit of half the round trip over all
 * sizes. INFINITY if the time does not grow with the size. */
double pairs_bandwidth(const struct pairs *p, int i, int j);

/* The LogGP parameters from I to J that do not depend on the size; NaN: unknown. */
struct pairs_loggp {
    double latency;  /* L: one-way latency of the smallest size minus o_s and o_r */
    double per_byte; /* G: growth of the gap per byte, least squares */
};
struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j);

/* How a message of size number S from I gets to J: "eager", "rendezvous" (the send waits), "pull"
 * (the receive call fetches it: it takes as long as a message does, and is no overhead), or NULL
 * where that is not known. */
const char *pairs_protocol(const struct pairs *p, int s, int i, int j);

/* The graph of a broadcast of BYTES. D + w of an edge is its one-way latency: as near to half of
 * the shortest round trip as the clocks allow, interpolated between sizes and extrapolated by the
 * bandwidth. D is the time of the send call, but at least the sender's smallest gap within its host
 * or to other hosts, since all its messages share one outgoing path. If send calls are unknown, D
 * is half of the sender's shortest one-way latency. SEGMENT: one of many segments, which is sent
 * without waiting, so that D is the gap. False if there is no memory. */
bool pairs_graph(const struct pairs *p, size_t bytes, bool segment, struct graph *g);

#endif
