/* Matches messages across ranks and finds the wait states of every rank's calls (named as in
 * Scalasca). Pure functions over one table; no MPI, no files.
 *
 * Matching rests on MPI's order rule: of two messages from one rank to another on one communicator
 * with one tag, the first sent is the first received. So the k-th send of such a channel is its
 * k-th receive in the order of posting, and each rank can count for itself. */
#ifndef COLLPROF_TIMELINE_TIMELINE_H
#define COLLPROF_TIMELINE_TIMELINE_H

#include "base/memory.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_UNKNOWN_BYTES ((1ull << 48) - 1)

/* A trace that is too long is reduced to time windows: only times (ns, on the common clock) that
 * have none of MASK's bits are kept. Returns the mask that keeps about half of them in a run of
 * SPAN ns so far. Windows first get rarer; when none would be left in SPAN, they get shorter. The
 * rule depends on the clock alone, so all ranks keep the same windows. */
uint64_t timeline_thinner(uint64_t mask, uint64_t span);

enum act_kind {
    ACT_CALL,       /* any other call, among them the posting of a receive */
    ACT_SEND,       /* a message sent by a call that returns when the buffer is free again */
    ACT_POST,       /* a message sent by a call that only starts it */
    ACT_SENT,       /* the completion of such a send */
    ACT_PROBED,     /* a message seen, which a later receive brings */
    ACT_RECEIVED,   /* a message received, by a blocking call or by one that completes */
    ACT_COLLECTIVE, /* a blocking collective */
    ACT_COLLECTED,  /* the completion of a non-blocking one */
    ACT_KINDS
};

/* A call completes many requests: acts of one rank and thread with the same entry and exit are one
 * call. Times in ns on the clock that all ranks share. */
struct act {
    int64_t entry_ns, exit_ns;
    int64_t posted_ns; /* entry of the call that posted what is completed here; else entry_ns */
    uint64_t comm_id;  /* of this very communicator; 0: not known */
    uint64_t bytes;    /* TIMELINE_UNKNOWN_BYTES: a message that was cut off */
    uint32_t rank;     /* in MPI_COMM_WORLD */
    uint32_t site, operation; /* indices that this module does not interpret */
    uint32_t peer;           /* world rank of the other end, of the root, or of the neighbour that a
                                collective of a topology needs; TIMELINE_NONE */
    uint32_t ordinal;        /* of the message in its channel, or of the collective on its
                                communicator; TIMELINE_NONE: not known */
    int32_t tag;             /* of a collective: the rank in the communicator */
    uint32_t members, first; /* of a collective's communicator; and of the first of two groups,
                                whose ranks come before those of the second; 0: there is one */
    uint8_t kind;            /* enum act_kind */
    uint8_t collective;      /* enum collective_kind */
    uint8_t thread;          /* 0: the first that called MPI */
    bool synchronous;        /* a send that by its name waits for its receive */
    bool excluded;           /* the profiler itself may have delayed it: its wait is ignored */
};

enum wait_state {
    WAIT_NONE,
    WAIT_LATE_SENDER,
    WAIT_WRONG_ORDER, /* late sender, while a message that is received later was already there: most
                         of the time */
    WAIT_LATE_RECEIVER,
    WAIT_N_TO_N,
    WAIT_LATE_ROOT,
    WAIT_EARLY_ROOT,
    WAIT_PREFIX,
    WAIT_STATES
};
extern const char *const wait_names[WAIT_STATES]; /* "late sender", ... */

/* What an act had to wait for; unknown if the other side was not recorded. */
struct cause {
    int64_t enabled_ns; /* the earliest time at which it could complete; INT64_MIN: unknown */
    uint32_t rank;      /* the rank that enabled it at that time; TIMELINE_NONE */
    uint32_t event;     /* of that rank; its own: it needed no other rank; TIMELINE_NONE: unknown */
    uint8_t state;      /* enum wait_state: what waiting for it is called */
};

/* The waiting time of one operation at one call site, in one wait state, for one rank. */
struct wait {
    uint32_t site, operation;
    uint32_t state; /* enum wait_state */
    uint32_t rank;  /* the late rank */
    uint64_t calls, wait_ns;
    /* Wait at NxN only: how often another rank was the late one next, from the second time on; and
     * how often that was the same rank as the time before. */
    uint64_t followed, in_turn;
};

struct timeline {
    uint32_t *partner;        /* per act: the other end of its message; TIMELINE_NONE */
    uint32_t *order;          /* acts by rank, thread and time: those of one call in a row */
    struct cause *cause;      /* per act */
    int64_t *wait_ns;         /* per act: of the call, at the act that ended the wait; else 0 */
    uint64_t sends, receives; /* of messages whose ordinal is known */
    uint64_t matched;         /* messages with both ends */
    uint64_t contradictions;  /* pairs that cannot be one message: received before it was sent, or
                                 of different sizes. They and all later messages of
                                 their channel are ignored. */
    uint64_t unnumbered;      /* sends and receives whose order in their channel is unknown */
    uint64_t call_ns;         /* time in all calls */
    uint64_t wait_sum_ns;     /* of it, waited */
    struct wait *waits;       /* by call site, wait state and rank waited for; longest first */
    size_t n_waits;
};

/* Matches N acts in any order. ERROR_NS: the largest difference between the clocks of two ranks;
 * shorter waits count as 0. Call it inside of memory_try() (base/memory.h). */
void timeline_find(struct timeline *t, const struct act *act, size_t n, int64_t error_ns);
/* Steps of timeline_find(). match_messages() fills t->partner and counts messages; then t->cause
 * is filled for messages; then cause_of_collectives() fills it for collectives that waited. */
void match_messages(struct timeline *t, const struct act *act, size_t n, int64_t error_ns);
void cause_of_collectives(struct timeline *t, const struct act *act, size_t n);

/* Whether the ordinal of A's message in its channel is known. */
static inline bool act_is_numbered(const struct act *a)
{
    return a->comm_id && a->ordinal != TIMELINE_NONE && a->peer != TIMELINE_NONE;
}

/* Size in bytes of the message of the act at I, as it was sent; 0: unknown. */
uint64_t timeline_bytes(const struct timeline *t, const struct act *act, size_t i);
/* Index in t->order behind the last act of the call that the act at I belongs to. */
size_t timeline_call_end(const struct timeline *t, const struct act *act, size_t n, size_t i);

void timeline_free(struct timeline *t);

/* Calls VISIT with the events of each collective that all N members recorded and agree on, by rank
 * in the communicator; of neighbourhoods with none. */
void collective_instances(const struct act *act, size_t n,
                          void (*visit)(void *context, const uint32_t *member, size_t n),
                          void *context);

/* Finds which member each of the N members of a collective waited for. ENTERED: their entry times,
 * by rank in the communicator; FIRST: as in struct act; ROOT: TIMELINE_NONE for none. AWAITED[i]
 * becomes the last member to enter that I depends on, or I itself if it waited for no other. */
void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n, size_t first,
                       uint32_t root, uint32_t *awaited);

#endif
