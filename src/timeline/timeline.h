/* Matches messages across ranks and finds wait states (named as in Scalasca) from a table of MPI
 * events. Pure functions; no MPI, no files.
 *
 * Matching relies on MPI's order rule: messages from one rank to another on one communicator with
 * one tag (a channel) are received in the order of sending. So the k-th send of a channel belongs
 * to its k-th posted receive, and each rank counts its own sends and receives. */
#pragma once

#include "base/memory.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_UNKNOWN_BYTES ((1ull << 48) - 1)

/* A trace that is too long is thinned: only events in time windows remain, those at times (ns on
 * the common clock) with none of MASK's bits. Returns a mask that keeps about half as many events
 * as MASK, SPAN ns after the run's start. Windows first become rarer; if SPAN might contain none,
 * shorter. The rule depends on the clock only, so all ranks record the same windows. */
uint64_t timeline_thinner(uint64_t mask, uint64_t span);

enum event_kind {
    EVENT_CALL,       /* a call of none of these kinds, such as MPI_Irecv */
    EVENT_SEND,       /* a send that returns when its buffer may be reused */
    EVENT_POST,       /* start of a non-blocking send */
    EVENT_SENT,       /* completion of a non-blocking send */
    EVENT_PROBED,     /* a message detected by a probe; a later receive gets it */
    EVENT_RECEIVED,   /* a message received, by a blocking or a completing call */
    EVENT_COLLECTIVE, /* a blocking collective */
    EVENT_COLLECTED,  /* the completion of a non-blocking collective */
    EVENT_KINDS
};

/* One MPI event. A call that completes several requests has an event for each, with the same rank,
 * thread, entry and exit. Times in ns on the clock that all ranks share. */
struct event {
    int64_t entry_ns, exit_ns;
    int64_t posted_ns;        /* entry of the call that started the operation, maybe this call */
    uint64_t comm_id;         /* identifies the communicator; 0: unknown */
    uint64_t bytes;           /* size; TIMELINE_UNKNOWN_BYTES for a truncated message */
    uint32_t rank;            /* rank in MPI_COMM_WORLD */
    uint32_t site, operation; /* indices in the caller's tables; not interpreted here */
    uint32_t peer;           /* world rank of the other end, of the root, or of the neighbour that a
                                neighbourhood collective needs; TIMELINE_NONE if none */
    uint32_t ordinal;        /* number of the message in its channel, or of the collective on its
                                communicator; TIMELINE_NONE: unknown */
    int32_t tag;             /* tag; of a collective: this rank in the communicator */
    uint32_t members, first; /* of a collective: size of the communicator, and of the first group of
                                an intercommunicator, whose ranks are counted first; 0 if there is
                                one group */
    uint8_t kind;            /* enum event_kind */
    uint8_t collective;      /* enum collective_kind */
    uint8_t thread;          /* number of the thread; 0: the first that called MPI */
    bool synchronous;        /* a send, or its start, in synchronous mode (MPI_Ssend) */
    bool buffered;           /* a send, or its start, in buffered mode (MPI_Bsend) */
    bool excluded;           /* the profiler may have delayed the call, so its wait is ignored */
};

/* Wait states: X(ID, name, key of the finding). WRONG_ORDER: a late sender; but for most of the
 * wait another message had arrived, which a later blocking receive gets. */
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
extern const char *const wait_names[WAIT_STATES]; /* names for reports: "late sender", ... */

/* What an event waits for. */
struct cause {
    int64_t enabled_ns; /* the event could complete from this time (ns); INT64_MIN: unknown */
    uint32_t rank;      /* the rank that enabled the event, or TIMELINE_NONE */
    uint32_t event; /* RANK's event that enabled it; the event itself if it needed no other rank;
                       TIMELINE_NONE: unknown, as the other side was not recorded */
    uint8_t state;  /* enum wait_state, if the call waited for the event */
};

struct timeline {
    const struct event *events; /* N events, owned by the caller */
    size_t n;
    uint32_t *partner;        /* other end of each event's message, or TIMELINE_NONE */
    uint32_t *order;          /* events by rank, thread and time: those of one call are adjacent */
    struct cause *cause;      /* what each event waited for */
    int64_t *wait_ns;         /* of the event that ended its call's wait: the wait; otherwise 0 */
    uint64_t sends, receives; /* number of messages whose ordinal is known */
    uint64_t matched;         /* number of messages whose send and receive were matched */
    uint64_t contradictions; /* pairs that cannot be one message: received before it was sent, or of
                                different sizes; all pairs of their channels are discarded */
    uint64_t unnumbered;     /* sends and receives whose order in their channel is unknown */
    uint64_t call_ns;        /* time in all calls */
    uint64_t wait_sum_ns;    /* waiting time, included in CALL_NS */
};

/* Fills T from N events in any order, which must outlive T. ERROR_NS: largest difference between
 * the clocks of two ranks; shorter waits count as 0. Call it inside of memory_try()
 * (base/memory.h). Release by timeline_free(). */
void timeline_find(struct timeline *t, const struct event *events, size_t n, int64_t error_ns);
/* Steps of timeline_find(), private to src/timeline. The first sets t->partner and counts messages;
 * the second, to be called after t->cause is set for messages, sets it for collectives. */
void match_messages(struct timeline *t, int64_t error_ns);
void cause_of_collectives(struct timeline *t);

/* Whether the ordinal of A's message is known. */
static inline bool event_is_numbered(const struct event *a)
{
    return a->comm_id && a->ordinal != TIMELINE_NONE && a->peer != TIMELINE_NONE;
}

/* Bytes of the message of event I, as its sender knows them; 0: unknown. */
uint64_t timeline_bytes(const struct timeline *t, size_t i);
/* The index in t->order after the last event of the call that event t->order[I] belongs to. */
size_t timeline_call_end(const struct timeline *t, size_t i);

void timeline_free(struct timeline *t);

/* Calls VISIT for each collective operation that all its members recorded with agreeing arguments,
 * but not for neighbourhood collectives. MEMBER: the N members' events, by rank in the
 * communicator; ROOT: rank of the root, N if there is none. */
void collectives_visit(const struct event *events, size_t n,
                       void (*visit)(void *context, const uint32_t *member, size_t n, size_t root),
                       void *context);

/* The result's members FIRST to END - 1, maybe with I, must enter a collective of N members before
 * member I can leave. Parameter FIRST: as in struct event; ROOT: N or more if there is none. */
struct members {
    size_t first, end;
};
struct members collective_needs(enum collective_kind kind, size_t i, size_t n, size_t first,
                                size_t root);

/* Sets AWAITED[i] to the last member to enter of those that i needs (above), or to i if i needs
 * none. ENTERED: entry times by rank in the communicator. */
void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n, size_t first,
                       size_t root, uint32_t *awaited);
