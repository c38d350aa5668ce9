/* Completing requests: handles are copied before the call, which overwrites them; afterwards the
 * completed ones are looked up. With threads the records are removed before the call: as soon as
 * the library has completed a request, another thread may get the same handle. */
#pragma once

#include "record/call.h"

struct pending {
    int n;
    const MPI_Request *requests; /* the caller's, as the call leaves them */
    MPI_Request *handle;         /* copies from before the call */
    MPI_Status *status; /* for the call: the caller's, or ours if the caller ignores them */
    struct ledger_request **record; /* removed before the call or found after it */
};

/* Before the call C. Without memory no request is tracked and the caller's statuses are used. */
void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                   MPI_Status *statuses);

/* After the call: counts the COUNT completed requests at INDICES, whose statuses are in the same
 * order (NULL: the first COUNT ones), and ends it. After an error all requests are examined.
 * TESTED: the call does not wait. */
void pending_end(struct call *c, const struct pending *p, int rc, int count, const int *indices,
                 bool tested);

/* Ends a call that has started N persistent requests: what they carry counts for it. */
void leave_started(struct call *c, int rc, int n, const MPI_Request *requests);
