/* Matches messages across ranks and finds wait states (named as in Scalasca) from a table of MPI
 * events. Pure functions; no MPI, no files.
 *
 * Terms. Ranks are those in MPI_COMM_WORLD; a member of a collective is the rank in its
 * communicator. Times are ns on a clock that all ranks share. An operation is posted by the call
 * that starts it, and completed by the same call or a later one. The messages of a channel have the
 * same sender, receiver, communicator and tag: MPI receives them in the order of sending. So each
 * rank numbers its sends and its posted receives in each channel, and equal numbers (ordinals) are
 * one message. Collectives on a communicator are numbered, too. An event is enabled by the event of
 * another rank that it needs: a receive by the start of its send. Until then its call waits. */
#pragma once

#include "base/memory.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_UNKNOWN_BYTES ((1ull << 48) - 1)

/* A trace that is too long is thinned: only events at times (ns) with none of the bits of a mask
 * remain. Returns a mask that keeps half as many events as MASK (0 keeps all), RUN_NS after the
 * run's start. The mask depends on time only, so all ranks keep the same windows of time. */
uint64_t timeline_thinner(uint64_t mask, uint64_t run_ns);

enum event_kind {
    EVENT_CALL, /* a call of none of these kinds, such as MPI_Irecv */
    EVENT_SEND, /* a blocking send */
    EVENT_POST, /* the start of a non-blocking send */
    EVENT_SENT, /* the completion of a non-blocking send */
    EVENT_PROBED,
    EVENT_RECEIVED,   /* a blocking receive, or the completion of a non-blocking one */
    EVENT_COLLECTIVE, /* a blocking collective */
    EVENT_COLLECTED,  /* the completion of a non-blocking collective */
    EVENT_KINDS
};

/* A call that completes several requests has an event for each, with the same times. */
struct event {
    int64_t entry_ns, exit_ns;
    int64_t posted_ns; /* entry of the call that posted the operation; may be ENTRY_NS */
    uint64_t comm_id;  /* 0: unknown communicator */
    uint64_t bytes;    /* TIMELINE_UNKNOWN_BYTES for a truncated message */
    uint32_t rank;
    uint32_t site, operation; /* call site and MPI function: indices in the caller's tables */
    uint32_t peer;            /* rank of the sender, receiver or root; TIMELINE_NONE if none. Of a
                                 neighbourhood collective: the neighbour that enabled it */
    uint32_t ordinal;         /* TIMELINE_NONE: unknown */
    int32_t tag;              /* of a collective: RANK's rank in its communicator */
    uint32_t comm_size;
    uint32_t first_group_size; /* 0 unless the communicator is an intercommunicator: its members are
                                  those of the first group, then those of the second */
    uint8_t kind;              /* enum event_kind */
    uint8_t collective;        /* enum collective_kind */
    uint8_t thread;            /* 0: the rank's first thread that called MPI */
    bool synchronous;          /* sent by MPI_Ssend or MPI_Issend */
    bool buffered;             /* sent by MPI_Bsend or MPI_Ibsend */
    bool excluded; /* its wait is ignored, since the profiler may have delayed the call */
};

/* Wait states: X(ID, name, key of the finding). WRONG_ORDER: a late sender, although for most of
 * the wait another message had arrived, which a later blocking receive gets. */
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
extern const char *const wait_names[WAIT_STATES];

/* What an event needed from another rank. */
struct cause {
    int64_t enabled_ns;      /* INT64_MIN: unknown */
    uint32_t enabling_rank;  /* TIMELINE_NONE: none, or unknown */
    uint32_t enabling_event; /* the event itself if it needed no other rank; TIMELINE_NONE: unknown,
                                as the other side was not recorded */
    uint8_t wait_state;      /* enum wait_state, if the call waited for the event */
};

/* What timeline_find() finds. An array has an element for each of the N events. */
struct timeline {
    const struct event *events; /* owned by the caller */
    size_t n;
    uint32_t *partner; /* the event at the other end of each message, or TIMELINE_NONE */
    uint32_t *order;   /* events by rank, thread and time, so those of a call are adjacent */
    struct cause *cause;
    int64_t *wait_ns; /* the call's wait, at its event that was enabled last; otherwise 0 */
    uint64_t numbered_sends, numbered_receives; /* those with a known ordinal */
    uint64_t unnumbered;                        /* sends and receives without one */
    uint64_t matched_messages;
    uint64_t contradictions; /* impossible matches: received before sent, or sizes differ. All
                                matches of their channels are discarded */
    uint64_t calls_ns, wait_sum_ns; /* time of all calls, and the part of it that they waited */
};

/* Fills T from N events in any order, which must outlive T. ERROR_NS: largest difference between
 * the clocks of two ranks; shorter waits count as 0. Call it inside of memory_try()
 * (base/memory.h). Release by timeline_free(). */
void timeline_find(struct timeline *t, const struct event *events, size_t n, int64_t error_ns);
/* A step of timeline_find(), private to src/timeline: sets t->cause of collectives. */
void cause_of_collectives(struct timeline *t);

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
 * but not for neighbourhood collectives. MEMBER: indices of the N members' events, in the order of
 * members; ROOT: the member that is the root, N if there is none. */
void collectives_visit(const struct event *events, size_t n,
                       void (*visit)(void *context, const uint32_t *member, size_t n, size_t root),
                       void *context);

/* The members FIRST to END - 1. */
struct member_range {
    size_t first, end;
};
/* The members that must enter a collective of N members before member I can leave it; I may be
 * among them. FIRST_GROUP_SIZE: as in struct event; ROOT: N or more if there is none. */
struct member_range collective_needs(enum collective_kind kind, size_t i, size_t n,
                                     size_t first_group_size, size_t root);

/* Sets AWAITED[i] for each of N members i: of the members that collective_needs() returns for i, it
 * is the last to enter, or i if there are none. ENTERED: the members' entry times. */
void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n,
                       size_t first_group_size, size_t root, uint32_t *awaited);
