/* The table of requests that are not complete: the section REQUESTS of the ledger.
 *
 * Handles are not unique: in some MPI libraries all sends that are complete on return share one. So
 * the requests with one handle form a queue, and a completion takes the oldest. Requests without
 * room are only counted (header.untracked_requests). All functions are thread-safe. */
#pragma once

#include "record/channels.h"

enum request_kind {
    REQUEST_PLAIN = 0,
    REQUEST_RECV = 1,        /* a receive: its status has source, tag and size */
    REQUEST_COLLECTIVE = 2,  /* a non-blocking collective */
    REQUEST_PERSISTENT = 4,  /* made by MPI_Send_init and the like */
    REQUEST_MESSAGE = 8,     /* point to point: has a peer and a tag */
    REQUEST_PARTITIONED = 16 /* made by MPI_Psend_init, MPI_Precv_init: not in the trace */
};

/* Adds a copy of R to the table. */
void request_add(const struct ledger_request *r);

/* The oldest request with HANDLE; NULL if none. It is removed from the table and belongs to the
 * caller until request_release() or request_return(), except for a persistent request that is not
 * FREED (by MPI_Request_free), which stays in the table. */
struct ledger_request *request_claim(uint64_t handle, bool freed);

/* Puts a claimed R back into the table, as the oldest: the call did not complete it. */
void request_return(struct ledger_request *r);

/* Frees the claimed request R; a persistent one only becomes inactive. */
void request_release(struct ledger_request *r);

/* Removes all requests but persistent ones. To be called when recording resumes (MPI_Pcontrol):
 * completions before that were not recorded. */
void requests_clear(void);
