/* Requests between their start and their completion.
 *
 * Handles are not unique (MPI may return one complete request for all small sends), so the records
 * of a handle form a queue: a completion takes the oldest one. The pool has a fixed size; further
 * requests are counted but not tracked. */
#ifndef COLLPROF_RECORD_REQUESTS_H
#define COLLPROF_RECORD_REQUESTS_H

#include "record/channels.h"

enum request_kind {
    REQUEST_PLAIN = 0,
    REQUEST_RECV = 1,        /* a receive: source, tag and size are in its status */
    REQUEST_COLLECTIVE = 2,  /* has a number in its communicator's sequence of collectives */
    REQUEST_PERSISTENT = 4,  /* kept after completion */
    REQUEST_MESSAGE = 8,     /* point to point: has a peer and a tag */
    REQUEST_PARTITIONED = 16 /* matched in the order of initialization; not in the trace */
};

struct request {
    uint64_t handle;
    struct ledger_entry *entry;     /* of the call that started it */
    uint64_t post_entry, post_exit; /* in ticks */
    uint64_t bytes;
    uint64_t comm_id; /* with SEQUENCE, identifies a collective; 0: not a collective. A persistent
                         collective has an identity of its own, since members may start several
                         in different orders */
    uint64_t sequence;
    uint32_t site;
    uint32_t signature; /* of a collective: see LEDGER_SIGNATURE() */
    int root;
    int peer, tag;    /* as given, so they may be wildcards */
    MPI_Comm comm;    /* the handle may have been reused: its record counts only if */
    uint64_t id;      /* it still has this identity */
    struct turn turn; /* ordinal, with --trace */
    uint32_t next;    /* next one in the queue or the free list */
    uint16_t operation;
    uint16_t comm_index;
    uint8_t spared; /* for a collective: see ledger_is_sampled() */
    uint8_t kind;   /* bits of enum request_kind */
    bool excluded;  /* started while calls were excluded from timing */
    bool active;    /* started and not yet complete; only a persistent one may be inactive */
};

int requests_start(void);

/* Writes the present state of request R into the ledger. */
void request_show(const struct request *r);

/* Keeps a copy of R at the end of its handle's queue. */
void request_add(const struct request *r);

/* The oldest request with HANDLE; NULL if none. A persistent request stays in the table. Any other
 * is removed and belongs to the caller until request_release() or request_return(). */
struct request *request_take(uint64_t handle);

/* Returns R, which turned out not to be complete, to the head of its handle's queue. */
void request_return(struct request *r);

/* Frees the completed request R; a persistent request only becomes inactive. */
void request_release(struct request *r);

/* Removes the record of a freed request, persistent or not, and copies it to R; false if there is
 * none. */
bool request_forget(uint64_t handle, struct request *r);

/* Forgets all but persistent requests, after a time without recording, in which completions were
 * missed. */
void requests_clear(void);

#endif
