/* What the transport below MPI did in each MPI call, and which algorithm a collective used, by its
 * messages. Pure functions. The terms of timeline.h apply. */
#pragma once

#include "base/array.h"
#include "timeline/timeline.h"
#include "transport/transport.h"

#define NET_NO_CALL INT64_MIN

/* An event of the transport. */
struct net {
    int64_t from_ns, to_ns;
    int64_t call_entry_ns; /* of the MPI call in which the event occurred, or NET_NO_CALL */
    uint64_t bytes;        /* bytes moved, or TRANSPORT_UNKNOWN_BYTES */
    uint32_t rank, site, operation; /* SITE, OPERATION: of the MPI call, or TIMELINE_NONE */
    uint32_t transfer; /* the same number at the start and the completion of a transfer; 0: none */
    uint8_t kind;      /* enum transport_kind */
    uint8_t thread;
    bool completed_at_start;
};

/* The messages of one rank in one call, counted when the transport starts them. RECEIVED_BYTES is
 * an upper bound: a receive may be started for more bytes than its message has. NAN: unknown. */
struct traffic {
    double sends, sent_bytes, receives, received_bytes;
};

/* The messages that each call sent and received. M: number of NET's events. Release by
 * net_traffic_free(). */
struct net_traffic {
    ARRAY(struct traffic) list;
    struct index of_call;
};
struct net_traffic net_traffic_of(const struct net *net, size_t m);
void net_traffic_free(struct net_traffic *t);

/* The messages of RANK in the call that it entered at ENTRY_NS; all zero if there are none. */
struct traffic net_traffic_at(const struct net_traffic *t, uint32_t rank, int64_t entry_ns);

/* Whether event A lasts beyond the window of a thinned trace in which it begins: then some of its
 * messages were not recorded. TIME_MASK: see timeline_thinner(). */
bool net_is_cut_off(const struct event *a, uint64_t time_mask);

/* The number of send events, of N EVENTS, whose call started a send of the transport. */
uint64_t net_sends_seen(const struct net_traffic *t, const struct event *events, size_t n);

/* Finds the algorithm of a collective from the messages SEEN at each of its RANKS members. NAME
 * becomes the names of all algorithms that have these messages, "ring or linear", since few ranks
 * may not distinguish them; empty if there is none. OPERATION: MPI's name. ROOT: rank in the
 * communicator. BYTES: of the whole message for a broadcast or reduction, otherwise of one rank's
 * block. */
enum { ALGORITHM_NAME = 160 };
void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME]);
