/* What the transport below MPI did in each MPI call, and in which call each transfer completed,
 * which shows where MPI made progress. Pure functions, as in timeline.h. */
#pragma once

#include "base/array.h"
#include "timeline/timeline.h"
#include "transport/transport.h"

#define NET_NO_CALL INT64_MIN

/* An event of the transport. Times in ns on the clock that all ranks share. */
struct net {
    int64_t from_ns, to_ns;
    int64_t call_ns;                /* entry of the MPI call in which it occurred, or NET_NO_CALL */
    uint64_t bytes;                 /* may be TRANSPORT_UNKNOWN_BYTES */
    uint32_t rank, site, operation; /* SITE, OPERATION: of that MPI call, or TIMELINE_NONE */
    uint32_t number;                /* shared by a start and its completion; 0: none */
    uint8_t kind, thread;           /* enum transport_kind */
    bool at_once;                   /* a start that was already complete on return */
};

/* Messages of one rank in one call, as the transport saw their starts: a receive may be started for
 * more bytes than its message has. NAN: unknown. */
struct traffic {
    double sends, sent_bytes, receives, received_bytes;
};

/* The messages of all calls. Memory as in base/memory.h; release by net_traffic_free(). */
struct net_traffic {
    ARRAY(struct traffic) list;
    struct index of_call;
};
struct net_traffic net_traffic_of(const struct net *net, size_t m);
void net_traffic_free(struct net_traffic *t);

/* The messages of RANK in the call with that entry; all zero if there are none. */
struct traffic net_traffic_at(const struct net_traffic *t, uint32_t rank, int64_t entry_ns);

/* Whether the window in which A begins ends before it: then some of its messages are missing.
 * TIME_MASK: see timeline_thinner(). */
bool net_is_cut_off(const struct event *a, uint64_t time_mask);

/* Transfers of one event, or the sum over all calls of one operation at one call site. OPERATION is
 * TIMELINE_NONE outside of MPI calls. */
struct net_row {
    uint32_t site, operation;
    uint64_t sends, receives; /* transfers started in these calls */
    /* Where those transfers completed, if recorded: in the same call, in another call, or outside
     * of calls. */
    uint64_t same_call, other_call, outside;
    uint64_t moved_bytes; /* by system calls in these MPI calls */
};

/* A row for each event with counts of NET, M events of the transport in any order; for free(). *N
 * is their number. Memory as in base/memory.h. */
struct net_row *net_rows(const struct net *net, size_t m, size_t *n);

/* Number of messages whose sending call started a send of the transport. EVENTS: N events of MPI in
 * any order. */
uint64_t net_sends_seen(const struct net_traffic *t, const struct event *events, size_t n);
