/* What the transport below MPI did in each MPI call, and which algorithm a collective used by that.
 * Pure functions, as in timeline.h. */
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

/* Number of messages whose sending call started a send of the transport. EVENTS: N events of MPI in
 * any order. */
uint64_t net_sends_seen(const struct net_traffic *t, const struct event *events, size_t n);

/* Which algorithm a collective operation used, from the number and size of the messages that each
 * rank sent and received in it: puts the names of all whose messages are those of SEEN into NAME,
 * "ring or linear", since small numbers of ranks do not distinguish all. Empty if none is known.
 * OPERATION: MPI's name. ROOT: a rank of the communicator. BYTES: the whole message of a broadcast
 * or a reduction, otherwise a rank's block. */
enum { ALGORITHM_NAME = 160 };
void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME]);
