/* Latencies of all pairs of ranks, as measured (measure/pairs/pairs.h) or read from a log
 * (measure/pairs/log.h): "Measuring process-to-process latency" (PetaSHA), doc/methods.md
 * section 2. No MPI here. Seconds; matrices are n rows of n. */
#ifndef COLLPROF_MEASURE_PAIRS_DATA_H
#define COLLPROF_MEASURE_PAIRS_DATA_H

#include "trees/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* One message size. Round trips are whole ones, not halved, mirrored about a diagonal of 0. */
struct pairs_size {
    size_t bytes;
    int repeats;
    double *mean, *sd;
    double *median, *min; /* where the log has no more, the mean without what one exchange may have
                             added */
    double *outliers;     /* exchanges that took more than five times the median; 0 from a log */
    double *send;         /* row: who sends; the time of its send call. NULL if not known */
    /* Row: who sends. Of messages that are begun in a row and wait for their receiver, as segments
     * do: the time of the call, between arrivals, and by how much one is there before that of a
     * call that blocks. NULL as above, NaN where not known, as from a log. */
    double *post, *pace, *sooner;
    double *gap; /* row: who sends; between arrivals of messages sent back to back. NULL as above */
    double *way, *doubt; /* row: who sends; the shortest time one way by the two clocks, and what
                            they leave open of it, either way. NULL: only round trips are known */
    double *receive, *waits; /* row: who sends; the time of the receive call for a message that is
                                there, and 1 where a send waits for its receiver, so that none is.
                                NULL as above; NaN where it was not looked at */
};

enum { WAYS_LARGE = 65536 };

/* What messages of several pairs share (measure/pairs/ways.h). */
struct pairs_ways {
    double *out, *in; /* of each rank's host: how many times the best that one pair does alone its
                         card carries; INFINITY: no limit was seen. NULL: not looked at */
    double cross; /* of a card's way in what its messages out take, and the other way round; 1: half
                     duplex */
    double cable; /* what all pairs share carries, of the best pair; 0: they share nothing */
    double sites; /* the same of the way from one site to another; INFINITY: it is not shared */
};

/* What two edges of a tree share, as messages of so many bytes were sent on both. */
struct pairs_together {
    struct graph_together edges;
    size_t bytes;
};

struct pairs {
    char system[128]; /* the host that wrote the log */
    int n;
    char **host;
    int *relation;           /* enum place_relation, -1 where not known; NULL if nowhere known */
    struct pairs_size *size; /* ascending by bytes */
    int n_sizes;
    const char *order;                  /* how it was measured, in words; NULL: not known */
    struct pairs_ways ways, small_ways; /* of messages from WAYS_LARGE bytes on, and below if that
                                           was looked at: what a receiver does is no card's */
    struct pairs_together *together;    /* n_together of them */
    int n_together;
    double slowdown; /* of a pair among others that were measured at the same time, against alone,
                        the   worst that was looked at; NaN or 0: not looked at */
};

/* Where the matrices have row I, column J. */
static inline size_t pairs_cell(const struct pairs *p, int i, int j)
{
    return (size_t)i * (size_t)p->n + (size_t)j;
}

/* As far as is known. */
static inline bool pairs_same_host(const struct pairs *p, int i, int j)
{
    return p->host[i] && p->host[j] && strcmp(p->host[i], p->host[j]) == 0;
}

/* Of N ranks, without sizes. False if there is no memory (then nothing has to be freed). */
bool pairs_new(struct pairs *p, int n);
void pairs_free(struct pairs *p);

/* One more size, all cells but the diagonal NaN; with DIRECTED those matrices too that differ by
 * direction. NULL if there is no memory. Invalidates earlier results. */
struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats, bool directed);
bool pairs_set_host(struct pairs *p, int rank, const char *name);
bool pairs_need_relation(struct pairs *p);

/* One way from i to j of B bytes: latency + B / bandwidth, by least squares of the relative
 * error over all sizes of the halved minimum: what noise adds, it adds on top. */
struct pairs_fit {
    double latency;
    double injection; /* of i's send call, smallest size; NaN if not known */
    double bandwidth; /* bytes per second; INFINITY with one size, or where more bytes cost nothing
                       */
};
struct pairs_fit pairs_fit(const struct pairs *p, int i, int j);

/* What of LogGP is one for all sizes, from i to j; NaN where it is not known. O and g, by size, are
 * send, receive and gap. */
struct pairs_loggp {
    double latency;  /* L: the way of the smallest size without both calls; NaN where these leave
                        nothing of it, or the send waits */
    double per_byte; /* G: what the gap grows by a byte, least squares */
};
struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j);

/* The graph of a broadcast of BYTES. D + w of an edge is half the shortest round trip, interpolated
 * between sizes and extended by the fitted bandwidth (so are the others), where gaps are known with
 * what the two ways differ by in them; but where the clocks tell the ways apart, what is nearest to
 * that of what they allow. D is the time of the send call, and not less than the
 * smallest gap of that sender: all its messages share its way out. The gap of an edge is for
 * segments. Where a log has no send calls D is half of the sender's shortest one-way time.
 * With SEGMENT it is for one of those that are begun to be sent without waiting.
 * By PAIRS_SOONEST and PAIRS_LATEST each way takes the least, or the most, that is not ruled out by
 * the clocks and the round trip. */
enum pairs_way { PAIRS_SOONEST, PAIRS_LIKELY, PAIRS_LATEST };
bool pairs_graph(const struct pairs *p, size_t bytes, bool segment, enum pairs_way way,
                 struct graph *g);

/* Whether it was measured how segments are sent. */
bool pairs_segments_known(const struct pairs *p);

/* Whether the clocks leave open how a round trip divides into ways, of any pair; as a log of round
 * trips alone does. */
bool pairs_ways_doubtful(const struct pairs *p);

/* The site of each rank, numbered from 0 and to be freed; *GROUP is NULL where there is one site
 * only. False if there is no memory.
 * A level of the hierarchy (hierarchy.h) is as clear as its shortest round trip between two groups
 * is long against the longest one inside of a group. Sites are the groups of the finest level that
 * is clear by a factor of 2 at least, and by the square root of the clearest level's factor: two
 * sites that are near each other still share one way to a third. OF_HOSTS: of the finest such one
 * in which hosts are together, not the ranks of one alone. */
bool pairs_sites(const struct pairs *p, bool of_hosts, int **group);

/* The host of each rank, numbered from 0 and to be freed; *N of them. NULL if there is no memory.
 */
int *pairs_hosts(const struct pairs *p, int *n);

/* The N ranks RANK of P, in that order, as a P of their own. False if there is no memory. */
bool pairs_select(const struct pairs *p, const int *rank, int n, struct pairs *part);

/* What is impossible in P, in WHY: a pair that is missing, or a time that is not above 0. */
bool pairs_check(const struct pairs *p, char *why, size_t size);

#endif
