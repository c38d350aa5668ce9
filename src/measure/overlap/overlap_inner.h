/* The benchmarks, a file each. */
#ifndef COLLPROF_MEASURE_OVERLAP_OVERLAP_INNER_H
#define COLLPROF_MEASURE_OVERLAP_OVERLAP_INNER_H

#include "measure/overlap/overlap.h"
#include "transport/transport.h"

extern const struct overlap_benchmark overlap_sender, overlap_receiver, overlap_both,
    overlap_vector, overlap_cpu, overlap_load, overlap_serial, overlap_pending,
    overlap_destinations, overlap_multiple, overlap_multiple_receiver, overlap_multiple_both,
    overlap_ibarrier, overlap_ibroadcast, overlap_igather, overlap_iallgather, overlap_iallreduce,
    overlap_ireduce, overlap_iscatter, overlap_ialltoall, overlap_ireduce_scatter, overlap_iscan,
    overlap_neighbours, overlap_sources;

/* Of two ranks, simulated ones too. */
#define BETWEEN_TWO .least_ranks = 2, .most_ranks = 2, .simulable = true

/* Shared by those that differ in one thing only. */
void overlap_sender_others(struct overlap_side *s);
/* A send, with the computation before its wait. */
void overlap_send_over(struct overlap_side *s);
/* Of the first: its send, with the computation before the wait; of the other: its receive, posted
 * before the first hears that it may start. */
double overlap_send(struct overlap_side *s, double *start);
void overlap_receive(struct overlap_side *s);
/* Half a round trip of blocking calls, and its other end. */
double overlap_ping(struct overlap_side *s);
void overlap_pong(struct overlap_side *s);
double overlap_blocking_send(struct overlap_side *s); /* its ack is not in the time */

/* Node 0's computation, or whoever computes. */
void overlap_compute(struct overlap_side *s);

/* A side to measure with, type and begin() and all. Collective; false, on all ranks, where it
 * cannot be had: then there is nothing to close. */
bool overlap_side_open(struct overlap_side *s, const struct overlap_benchmark *b,
                       const struct overlap_stage *stage, size_t bytes, int threads,
                       double latency);
void overlap_side_close(struct overlap_side *s);
bool overlap_all_have(MPI_Comm comm, bool have);

/* What was heard of the transport, as seen from node 0's computations: times in ns. */
enum { OVERLAP_SPANS = 4 };
struct overlap_spans {
    size_t n;
    struct overlap_span {
        uint64_t from, to;
    } span[OVERLAP_SPANS];
};
enum { OVERLAP_BEFORE, OVERLAP_BESIDE, OVERLAP_AFTER };
enum { OVERLAP_MESSAGES = 256 };
struct overlap_seen {
    size_t bytes; /* of a message */
    bool apart;   /* on several hosts, whose clocks tell nothing of each other: node 0's alone */
    int rounds, sends, at_once;
    double moved[6]; /* bytes: by node 0, then by the others, before, beside and after computing */
    double found[3]; /* node 0's polls that found something */
    int messages;    /* of the others' */
    int lay;         /* of them, those that node 0 computed on over, before it looked */
    double lay_ns[OVERLAP_MESSAGES];
};
void overlap_see(struct overlap_seen *seen, const struct transport_event *e, size_t n, bool first,
                 const struct overlap_spans *computing);
void overlap_see_lying(struct overlap_seen *seen, const struct transport_event *mine, size_t n,
                       const struct transport_event *theirs, size_t m,
                       const struct overlap_spans *computing);
void overlap_why(const struct overlap_seen *seen, char *text, size_t room);

#endif
