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
    /* Of whole round trips, not halved, mirrored about a diagonal of 0. */
    PAIRS_MEAN,
    PAIRS_SD,
    PAIRS_MEDIAN,
    PAIRS_MIN,
    PAIRS_BOUND, /* the error bound of both one-way latencies; 0: one clock shows both */
    /* Row: who sends. */
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
    double slowdown;   /* the time of a pair among others over its time alone, the worst of those
                          that were measured alone, too; 0: unknown */
};

/* Pairs share a path, a card or a processor if one is slower among others by more than this. */
#define PAIRS_SHARED 1.2

/* Where the matrices have row I, column J. */
static inline size_t pairs_cell(const struct pairs *p, int i, int j)
{
    return (size_t)i * (size_t)p->n + (size_t)j;
}

/* The shortest round trip that is known: of a log the mean. */
static inline double pairs_trip(const struct pairs_size *s, size_t cell)
{
    double least = s->of[PAIRS_MIN][cell];
    return least == least ? least : s->of[PAIRS_MEAN][cell];
}

/* As far as is known. */
static inline bool pairs_same_host(const struct pairs *p, int i, int j)
{
    return p->host[i] && p->host[j] && strcmp(p->host[i], p->host[j]) == 0;
}

/* Of N ranks, without sizes. False if there is no memory (then nothing has to be freed). */
bool pairs_new(struct pairs *p, int n);
void pairs_free(struct pairs *p);

/* One more size, all cells but the diagonal NaN. NULL if there is no memory. Invalidates earlier
 * results. */
struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats);
bool pairs_set_host(struct pairs *p, int rank, const char *name);

/* Whether all pairs have WHAT at all sizes. */
bool pairs_known(const struct pairs *p, enum pairs_quantity what);

/* One way from I to J, bytes per second: least squares of the halved round trip over all sizes.
 * INFINITY where more bytes cost nothing. */
double pairs_bandwidth(const struct pairs *p, int i, int j);

/* What of LogGP is one for all sizes, from i to j; NaN where it is not known. */
struct pairs_loggp {
    double latency;  /* L: of the smallest size, without both calls */
    double per_byte; /* G: what the gap grows by a byte, least squares */
};
struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j);

/* How a message of size number S from I gets to J: "eager", "rendezvous" (the send waits), "pull"
 * (the receive call fetches it: it takes as long as a message does, and is no overhead), or NULL
 * where that is not known. */
const char *pairs_protocol(const struct pairs *p, int s, int i, int j);

/* The graph of a broadcast of BYTES. D + w of an edge is the one-way latency that is nearest to
 * half of the shortest round trip and that the clocks allow, interpolated between sizes and
 * extended by the bandwidth. D is the time of the send call, and not less than the smallest gap of
 * that sender within its host, or out of it: all its messages share one path out. Where send calls
 * are not known D is half of the sender's shortest one-way latency. A SEGMENT among others is sent
 * without waiting: D is the gap. False if there is no memory. */
bool pairs_graph(const struct pairs *p, size_t bytes, bool segment, struct graph *g);

#endif
