/* From what every rank did to what it waited for: messages matched across ranks, wait states with
 * the names of the field. Pure functions over one table; no MPI, no files.
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

/* A trace that is too long is thinned out to windows of time: kept are the times (ns, on the common
 * clock) that have none of MASK's bits. This gives the mask for about half of them, in a run of
 * SPAN ns so far. Windows get rarer until there would be none in the span, and shorter then. The
 * rule uses nothing but the clock, so the windows of all ranks are of the same times. */
uint64_t timeline_thinner(uint64_t mask, uint64_t span);

enum act_kind {
    ACT_CALL,       /* a call of which nothing more is known; also the post of a receive */
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
    uint32_t site, operation; /* indices that this floor only hands on */
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
    bool excluded;           /* the profiler itself may have delayed it: no wait is judged */
};

enum wait_state {
    WAIT_NONE,
    WAIT_LATE_SENDER,
    WAIT_WRONG_ORDER, /* a late sender, while one that is received later had arrived: for most of it
                       */
    WAIT_LATE_RECEIVER,
    WAIT_N_TO_N,
    WAIT_LATE_ROOT,
    WAIT_EARLY_ROOT,
    WAIT_PREFIX,
    WAIT_STATES
};
extern const char *const wait_names[WAIT_STATES]; /* "late sender", ... */

/* What an act had to wait for; unknown where the other side was not recorded. */
struct cause {
    int64_t enabled_ns; /* when it could be done at the earliest; INT64_MIN: nothing is known */
    uint32_t rank;      /* who made it possible then; TIMELINE_NONE */
    uint32_t event;     /* of that rank; its own: it needed no other rank; TIMELINE_NONE: unknown */
    uint8_t state;      /* enum wait_state: what waiting for it is called */
};

/* What calls of one operation at one place waited for, and for whom. */
struct wait {
    uint32_t site, operation;
    uint32_t state; /* enum wait_state */
    uint32_t rank;  /* that was waited for */
    uint64_t calls, wait_ns;
    /* At an n-to-n, after this rank another one was waited for: so many times, from the second on;
     * and of them, the same one as the time before. */
    uint64_t followed, in_turn;
};

struct timeline {
    uint32_t *partner;        /* per act: the other end of its message; TIMELINE_NONE */
    uint32_t *order;          /* acts by rank, thread and time: those of one call in a row */
    struct cause *cause;      /* per act */
    int64_t *wait_ns;         /* per act: of the call, at the act that ended the wait; else 0 */
    uint64_t sends, receives; /* of messages, as far as they could be numbered */
    uint64_t matched;         /* messages with both ends */
    uint64_t contradictions;  /* pairs that cannot be one message: received before it was sent, or
                                 of different sizes. Used for nothing, nor is what
                                 comes behind in their channel. */
    uint64_t unnumbered;      /* ends of messages whose order is not known */
    uint64_t call_ns;         /* time in all calls */
    uint64_t wait_sum_ns;     /* of it, waited */
    struct wait *waits;       /* by call site, wait state and rank waited for; longest first */
    size_t n_waits;
};

/* Matches N acts in any order; waits shorter than ERROR_NS, by which the clocks of two ranks may
 * differ, are none. Memory is had from ALLOC, which gives zeroed memory or does not return. */
void timeline_find(struct timeline *t, const struct act *act, size_t n, int64_t error_ns);
/* Its steps, in this order: the first fills t->partner and counts messages; the second fills
 * t->cause where a collective had to wait; between them timeline_find() fills it for messages. */
void match_messages(struct timeline *t, const struct act *act, size_t n, int64_t error_ns);
void cause_of_collectives(struct timeline *t, const struct act *act, size_t n);

/* Whether the place of its message in its channel is known. */
static inline bool act_is_numbered(const struct act *a)
{
    return a->comm_id && a->ordinal != TIMELINE_NONE && a->peer != TIMELINE_NONE;
}

/* Of its message as it was sent; 0: not known. */
uint64_t timeline_bytes(const struct timeline *t, const struct act *act, size_t i);
/* Where in t->order the acts of another call begin than that of the act at I. */
size_t timeline_call_end(const struct timeline *t, const struct act *act, size_t n, size_t i);

void timeline_free(struct timeline *t);

/* The N members of one collective entered it at ENTERED, by their rank in the communicator (FIRST:
 * as in struct act). AWAITED[i]: the one whose entry member I could not do without, itself if it
 * needed no other rank. ROOT: TIMELINE_NONE where there is none. */
void collective_awaits(enum collective_kind kind, const int64_t *entered, size_t n, size_t first,
                       uint32_t root, uint32_t *awaited);

#endif
