/* What the transport under MPI did for the calls above it: which protocol a message took, who
 * carried it, how long it lay there. Pure functions, as timeline.h.
 *
 * A start belongs to the message that the MPI call in which it was made sends or receives; where a
 * call makes several of one kind, to none. */
#ifndef COLLPROF_TIMELINE_NETWORK_H
#define COLLPROF_TIMELINE_NETWORK_H

#include "timeline/timeline.h"
#include "transport/transport.h"

#define NET_NO_CALL INT64_MIN

/* Times in ns on the clock that all ranks share. */
struct net {
    int64_t from_ns, to_ns;
    int64_t call_ns;                /* entry of the MPI call that its thread was in; NET_NO_CALL */
    uint64_t bytes;                 /* TRANSPORT_UNKNOWN_BYTES */
    uint32_t rank, site, operation; /* of that call; TIMELINE_NONE */
    uint32_t number;                /* of a start and its completion; 0: none */
    uint8_t kind, thread;           /* enum transport_kind */
    bool at_once;                   /* a start that was complete when it returned */
    bool apart;                     /* in a thread that never called MPI */
};

/* Of the calls of one operation at one place; operation TIMELINE_NONE: in none. */
struct net_row {
    uint32_t site, operation;
    /* Sends that were started in them. Eager: complete at once, or before the receive was posted.
     * Rendezvous: still open when the receive was posted, although its rank had looked for its end
     * by then; or copied between the processes. Of the others it is not known. */
    uint64_t sends, eager, rendezvous;
    uint64_t eager_max, rendezvous_min; /* bytes; 0: none */
    /* Receives that were started in them; of LAY of them it is known for how long the message, or
     * its announcement, had been given to the transport when their rank entered the call in which
     * it was found. */
    uint64_t receives, lay, lay_ns;
    /* Where the end of what was started in them was seen: in the same call, in another one, in
     * none; the rest was not seen. And the call in which most of those that took another one ended.
     */
    uint64_t same_call, other_call, outside;
    uint32_t carrier_site, carrier_operation;
    uint64_t carried;
    uint64_t moved_bytes; /* by system calls in them */
};

struct net_found {
    struct net_row *rows; /* by operation and site */
    size_t n_rows;
    uint64_t sends; /* of those that timeline_find() counts, the start was seen */
};

/* T: what timeline_find() made of the N acts. NET: M events in any order. */
void net_find(struct net_found *f, const struct act *act, size_t n, const struct timeline *t,
              const struct net *net, size_t m, int64_t error_ns);
void net_free(struct net_found *f);

#endif
