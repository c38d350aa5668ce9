/* Requests between their start and their completion: rows of the ledger.
 *
 * Handles are not unique (small sends share one, completed when it is returned), so the rows of a
 * handle form a queue: completions take the oldest. Requests that find no room are counted and not
 * tracked. */
#pragma once

#include "record/channels.h"

enum request_kind {
    REQUEST_PLAIN = 0,
    REQUEST_RECV = 1,        /* a receive: source, tag and size are in its status */
    REQUEST_COLLECTIVE = 2,  /* has a number in its communicator's sequence of collectives */
    REQUEST_PERSISTENT = 4,  /* kept after completion */
    REQUEST_MESSAGE = 8,     /* point to point: has a peer and a tag */
    REQUEST_PARTITIONED = 16 /* matched in the order of initialization; not in the trace */
};

/* Keeps a copy of R at the end of its handle's queue. */
void request_add(const struct ledger_request *r);

/* The oldest request with HANDLE; NULL if none. A persistent request stays in the table, unless it
 * is FREED. Any other is removed and belongs to the caller until request_release() or
 * request_return(). */
struct ledger_request *request_claim(uint64_t handle, bool freed);

/* Returns R, which turned out not to be complete, to the head of its handle's queue. */
void request_return(struct ledger_request *r);

/* Frees the completed request R; a persistent request only becomes inactive. */
void request_release(struct ledger_request *r);

/* Forgets all but persistent requests, after a time without recording, in which completions were
 * missed. */
void requests_clear(void);
