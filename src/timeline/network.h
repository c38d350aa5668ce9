/* What the transport below MPI did in each MPI call, and which algorithm a collective used, by its
 * messages. Pure functions, as in timeline.h. */
#pragma once

#include "base/array.h"
#include "timeline/timeline.h"
#include "transport/transport.h"

#define NET_NO_CALL INT64_MIN

/* An event of the transport. Times in ns on the clock that all ranks share. */
struct net {
    int64_t from_ns, to_ns;
    int64_t call_ns; /* entry of the MPI call in which the event occurred, or NET_NO_CALL */
    uint64_t bytes;  /* bytes moved, or TRANSPORT_UNKNOWN_BYTES */
    uint32_t rank, site, operation; /* SITE, OPERATION: of the MPI call, or TIMELINE_NONE */
    uint32_t number;                /* equal for an operation's start and completion; 0: none */
    uint8_t kind, thread;           /* KIND: enum transport_kind */
    bool at_once;                   /* the operation was complete when its start returned */
};

/* The messages of one rank in one call, counted when the transport starts them: a receive may be
 * started for more bytes than its message has. NAN: unknown. */
struct traffic {
    double sends, sent_bytes, receives, received_bytes;
};

/* The messages of all calls, from M events NET. Release by net_traffic_free(). */
struct net_traffic {
    ARRAY(struct traffic) list;
    struct index of_call;
};
struct net_traffic net_traffic_of(const struct net *net, size_t m);
void net_traffic_free(struct net_traffic *t);

/* The messages of RANK in the call that it entered at ENTRY_NS; all zero if there are none. */
struct traffic net_traffic_at(const struct net_traffic *t, uint32_t rank, int64_t entry_ns);

/* Whether event A lasts beyond the recorded window in which A begins: then some of A's messages are
 * missing. TIME_MASK: see timeline_thinner(). */
bool net_is_cut_off(const struct event *a, uint64_t time_mask);

/* How many of the send events among the N EVENTS the transport started in the sending call. */
uint64_t net_sends_seen(const struct net_traffic *t, const struct event *events, size_t n);

/* Finds the algorithm of a collective from the number and size of the messages that each rank sent
 * and received (SEEN). NAME becomes the names of all algorithms with these messages, "ring or
 * linear", since few ranks may not distinguish them; empty if there is none. OPERATION: MPI's name.
 * ROOT: rank in the communicator. BYTES: of the whole message for a broadcast or reduction,
 * otherwise of one rank's block. */
enum { ALGORITHM_NAME = 160 };
void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME]);
