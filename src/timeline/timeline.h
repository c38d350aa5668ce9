/* Matches messages across ranks and finds the wait states of every rank's calls (named as in
 * Scalasca). Pure functions on one table; no MPI, no files. An event of MPI is a struct event.
 *
 * Matching relies on MPI's order rule: of two messages from one rank to another on one communicator
 * with one tag, the first one sent is received first. So the k-th send of such a channel belongs to
 * its k-th receive in the order of posting, and each rank can count for itself. */
#pragma once

#include "base/memory.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_UNKNOWN_BYTES ((1ull << 48) - 1)

/* A trace that is too long is reduced to time windows: only events at times (ns, on the common
 * clock) that have none of MASK's bits are kept. Returns a mask that keeps about half as many in a
 * run of SPAN ns so far. Windows first become rarer; before none would be left in SPAN, they become
 * shorter. The rule depends on the clock only, so all ranks keep the same windows. */
uint64_t timeline_thinner(uint64_t mask, uint64_t span);

enum event_kind {
    EVENT_CALL,       /* any other call, including the posting of a receive */
    EVENT_SEND,       /* a send that returns when its buffer may be reused */
    EVENT_POST,       /* the start of a non-blocking send */
    EVENT_SENT,       /* the completion of a non-blocking send */
    EVENT_PROBED,     /* a message detected by a probe; a later receive gets it */
    EVENT_RECEIVED,   /* a message received, by a blocking call or a completing one */
    EVENT_COLLECTIVE, /* a blocking collective */
    EVENT_COLLECTED,  /* the completion of a non-blocking collective */
    EVENT_KINDS
};

/* One event of MPI. A call may complete many requests: events of one rank and thread with the same
 * entry and exit are one call. Times in ns on the clock that all ranks share. */
struct event {
    int64_t entry_ns, exit_ns;
    int64_t posted_ns;        /* entry of the call that posted what this event completes; otherwise
                                 entry_ns */
    uint64_t comm_id;         /* identifies the communicator; 0 if unknown */
    uint64_t bytes;           /* TIMELINE_UNKNOWN_BYTES for a truncated message */
    uint32_t rank;            /* in MPI_COMM_WORLD */
    uint32_t site, operation; /* indices that this module does not interpret */
    uint32_t peer;           /* world rank of the other end, of the root, or of the neighbour that a
                                neighbourhood collective needs; TIMELINE_NONE if none */
    uint32_t ordinal;        /* number of the message in its channel, or of the collective on its
                                communicator; TIMELINE_NONE if unknown */
    int32_t tag;             /* for a collective: this rank in the communicator */
    uint32_t members, first; /* of a collective: size of the communicator, and of the first group of
                                an intercommunicator, whose ranks are counted first; 0 if there is
                                one group */
    uint8_t kind;            /* enum event_kind */
    uint8_t collective;      /* enum collective_kind */
    uint8_t thread;          /* 0: the first one that called MPI */
    bool synchronous;        /* a send, or its start, in synchronous mode: MPI_Ssend */
    bool buffered;           /* the same in buffered mode: MPI_Bsend */
    bool excluded;           /* the profiler may have delayed it: its wait is ignored */
};

/* Wait states: X(ID, name, key of the finding). WRONG_ORDER: a late sender, although for most of
 * the wait a message had arrived that is received later by a blocking receive. */
#define WAIT_STATE_LIST(X)                                                                         \
    X(NONE, "none", "wait")                                                                        \
    X(LATE_SENDER, "late sender", "late_sender")                                                   \
    X(WRONG_ORDER, "late sender, wrong order", "wrong_order")                                      \
    X(LATE_RECEIVER, "late receiver", "late_receiver")                                             \
    X(N_TO_N, "wait at n-to-n", "n_to_n")                                                          \
    X(LATE_ROOT, "late root", "late_root")                                                         \
    X(EARLY_ROOT, "early root", "early_root")                                                      \
    X(PREFIX, "late rank before, in a prefix", "prefix")

enum wait_state {
#define X(id, name, key) WAIT_##id,
    WAIT_STATE_LIST(X)
#undef X
        WAIT_STATES
};
extern const char *const wait_names[WAIT_STATES]; /* "late sender", ... */

/* What an event had to wait for; unknown if the other side was not recorded. */
struct cause {
    int64_t enabled_ns; /* earliest time at which it could complete; INT64_MIN: unknown */
    uint32_t rank;      /* the rank that enabled it then, or TIMELINE_NONE */
    uint32_t event;     /* an event of that rank; the event itself if it needed no other rank;
                           TIMELINE_NONE: unknown */
    uint8_t state;      /* enum wait_state: the name of waiting for it */
};

struct timeline {
    uint32_t *partner;        /* for each event: index of the other end of its message, or
                                 TIMELINE_NONE */
    uint32_t *order;          /* events by rank, thread and time: those of one call are adjacent */
    struct cause *cause;      /* for each event */
    int64_t *wait_ns;         /* for each event: the wait of its call, at the event that ended the
                                 wait; otherwise 0 */
    uint64_t sends, receives; /* messages whose ordinal is known */
    uint64_t matched;         /* messages with both ends */
    uint64_t contradictions;  /* pairs that cannot be one message: received before it was sent, or
                                 of different sizes. All messages of their channels are ignored */
    uint64_t unnumbered;      /* sends and receives whose order in their channel is unknown */
    uint64_t call_ns;         /* time in all calls */
    uint64_t wait_sum_ns;     /* waiting time, included in CALL_NS */
};

/* Matches N events in any order. ERROR_NS: the largest difference between the clocks of two ranks;
 * shorter waits count as 0. Call it inside of memory_try() (base/memory.h). Release by
 * timeline_free(). */
void timeline_find(struct timeline *t, const struct event *events, size_t n, int64_t error_ns);
/* The steps of timeline_find(). match_messages() sets t->partner and counts messages; t->cause is
 * then set for messages; cause_of_collectives() sets it for collectives that waited. */
void match_messages(struct timeline *t, const struct event *events, size_t n, int64_t error_ns);
void cause_of_collectives(struct timeline *t, const struct event *events, size_t n);

/* Whether the ordinal of A's message is known. */
static inline bool event_is_numbered(const struct event *a)
{
    return a->comm_id && a->ordinal != TIMELINE_NONE && a->peer != TIMELINE_NONE;
}

/* Bytes of the message of the event at I, as sent; 0 if unknown. */
uint64_t timeline_bytes(const struct timeline *t, const struct event *events, size_t i);
/* Index in t->order after the last event of the call to which the event at index I belongs. */
size_t timeline_call_end(const struct timeline *t, const struct event *events, size_t n, size_t i);

void timeline_free(struct timeline *t);

/* Calls VISIT with the events of each collective that all N members recorded and agree on, by rank
 * in the communicator; ROOT: that of the root, N if there is none. For neighbourhood collectives
 * there are no events. */
void collectives_visit(const struct event *events, size_t n,
                       void (*visit)(void *context, const uint32_t *member, size_t n, size_t root),
                       void *context);

/* The members FIRST to END - 1 whose entry member I of a collective of N members needs, maybe its
 * own one among them. FIRST: as in struct event; ROOT: N or more if there is none. */
struct members {
    size_t first, end;
};
struct members collective_needs(enum collective_kind kind, size_t i, size_t n, size_t first,
                                size_t root);

/* Sets AWAITED[i] to the last of these members to enter, or to I itself if it needs none. ENTERED:
 * entry times by rank in the communicator. */
void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n, size_t first,
                       size_t root, uint32_t *awaited);
