/* Latencies of all pairs of ranks, measured (measure/pairs/pairs.h) or read from a log
 * (measure/pairs/log.h): "Measuring process-to-process latency" (PetaSHA), doc/methods.md section
 * 2. No MPI here. Times are seconds; matrices have n rows of n, with NaN for unknown values. */
#pragma once

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
    PAIRS_BOUND, /* error bound of ONE_WAY; 0: both ranks read one clock */
    /* Quantities with a direction: the row is the sender. */
    PAIRS_DIRECTED,
    PAIRS_SEND = PAIRS_DIRECTED, /* LogGP's o_s: time of the send call, while its receiver waits */
    PAIRS_RECEIVE,               /* LogGP's o_r: time of the receive call for a message that has
                                    arrived */
    PAIRS_GAP,                   /* LogGP's g: time between arrivals of consecutive messages */
    PAIRS_ONE_WAY,               /* the median latency in this direction, within [0, round trip] */
    PAIRS_ANSWERED,              /* time of a message and of an empty one in the other direction */
    PAIRS_PORT,                  /* number of the sender's port: see graph.h */
    PAIRS_RENDEZVOUS,            /* 1: a send waits for its receiver; 0: it does not */
    PAIRS_AHEAD, /* the most by which the receiver's clock was ahead of the sender's, both converted
                    to the common clock; only at the smallest size */
    PAIRS_BY_CLOCKS, /* the latency by these two clocks, with the difference of their errors */
    PAIRS_QUANTITIES
};

/* One message size. */
struct pairs_size {
    size_t bytes;
    int repeats; /* 0: not known */
    double *of[PAIRS_QUANTITIES];
    double shared; /* ratio of a message's time in random traffic of all ranks to its time if it
                      shares only its port: the largest of all tests; 0: unknown */
};

struct pairs {
    char system[128]; /* the host that wrote the log */
    int n;
    char **host;
    struct pairs_size *size; /* ascending by bytes */
    int n_sizes;
    const char *order; /* in which order pairs were measured, in words; NULL: unknown */
    double slowdown;   /* ratio of a pair's time while others are measured to its time alone: the
                          largest of all tested pairs; 0: unknown */
    double *drift;     /* by rank: half of how much its clock may have changed against the common
                          clock while pairs were measured; INFINITY: clocks contradict each other */
};

/* Pairs share a path, a network card or a processor if concurrency slows a pair by this factor. */
#define PAIRS_SHARED 1.2

/* Index of row I, column J in a matrix. */
static inline size_t pairs_cell(const struct pairs *p, int i, int j)
{
    return (size_t)i * (size_t)p->n + (size_t)j;
}

/* WHAT of the pair in CELL. A log has only the mean, which then stands for median and minimum. */
static inline double pairs_value(const struct pairs_size *s, enum pairs_quantity what, size_t cell)
{
    double value = s->of[what][cell];
    bool trip = what == PAIRS_MEDIAN || what == PAIRS_MIN;
    return trip && value != value ? s->of[PAIRS_MEAN][cell] : value;
}

/* The most by which J's clock was ahead of I's; NaN if unknown. */
static inline double pairs_ahead(const struct pairs *p, int i, int j)
{
    return p->size[0].of[PAIRS_AHEAD][pairs_cell(p, i, j)];
}

/* Whether I and J run on one host. False if a host name is unknown. */
static inline bool pairs_same_host(const struct pairs *p, int i, int j)
{
    return p->host[i] && p->host[j] && strcmp(p->host[i], p->host[j]) == 0;
}

/* Initializes P for N ranks, without sizes. False without memory: then nothing must be freed. */
bool pairs_new(struct pairs *p, int n);
void pairs_free(struct pairs *p);

/* Adds a size; all its cells but the diagonal are NaN. NULL if there is no memory. Pointers from
 * earlier calls become invalid. */
struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats);
bool pairs_set_host(struct pairs *p, int rank, const char *name);

/* Whether all pairs have WHAT at all sizes. */
bool pairs_all_known(const struct pairs *p, enum pairs_quantity what);

/* "shared" for a message of BYTES: the larger of the two closest sizes' values; 0: unknown. */
double pairs_shared(const struct pairs *p, size_t bytes);

/* Bandwidth from I to J in bytes per second: the inverse of the least-squares slope of half the
 * round trip over all sizes. INFINITY if the time does not grow with the size. */
double pairs_bandwidth(const struct pairs *p, int i, int j);

/* LogGP parameters from I to J that do not depend on the size; NaN if unknown. */
struct pairs_loggp {
    double latency;  /* L: one-way latency of the smallest size minus o_s and o_r */
    double per_byte; /* G: growth of the gap per byte, by least squares */
};
struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j);

/* How a message of size number S gets from I to J, and from J to I: "eager"; "rendezvous" (a send
 * waits); "pull" (the receive calls fetch the data, and take as long as a round trip); NULL if
 * unknown, as when the calls take most of a short latency. */
const char *pairs_protocol(const struct pairs *p, int s, int i, int j);

/* Finds how far clocks may differ, from the measured ONE_WAY, which the clocks' errors may even
 * make negative, and from BOUND, the clocks' error bounds. Sets AHEAD, BY_CLOCKS, ONE_WAY and
 * BOUND. If clocks contradict each other, as when the rate of one changed meanwhile, ONE_WAY and
 * BOUND are unknown, and all of P->drift is INFINITY. False if there is no memory. */
bool pairs_find_clocks(struct pairs *p);

/* Makes the graph of a broadcast of BYTES from ROOT. D + w of an edge is its one-way latency by
 * both clocks, each corrected by its possible lead over the root's clock: LATE 0: by the middle of
 * the possible range; 1: by the end that makes arrivals latest; -1: earliest; 2, -2: the latest and
 * earliest that gaps and round trips alone allow. So an arrival depends only on the clocks of the
 * root and the receiver, whatever the path; single latencies and w may be below 0 with LATE 1, -1.
 * Without clocks D + w is half of the median round trip, interpolated between sizes and
 * extrapolated by the bandwidth. D is the time of the send call, at least the port's smallest gap
 * (within its host, or to other hosts), since all the sender's messages by one port share a path,
 * and, but for LATE 1 and -1, less than D + w. If send calls are unknown, D is half of the sender's
 * shortest one-way latency. SEGMENT: the message is one of many segments, sent without waiting, so
 * D is the gap. False if there is no memory. */
bool pairs_graph(const struct pairs *p, int root, size_t bytes, bool segment, int late,
                 struct graph *g);
