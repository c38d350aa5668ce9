/* Completing requests (MPI_Wait, MPI_Testall, ...). The call overwrites the requests' handles, so
 * they are copied before the call, and each request's record is found by the copy. With several
 * threads the records are removed from the table before the call: once the MPI library has
 * completed a request, another thread may get a new request with the same handle. */
#pragma once

#include "record/call.h"

struct pending {
    int n;
    const MPI_Request *requests; /* the caller's array, which the call changes */
    MPI_Request *handle;         /* a copy of REQUESTS from before the call */
    MPI_Status *status; /* to be passed to the call: the caller's array, or ours if it has none */
    struct ledger_request **record; /* each request's record; NULL: none, or still in the table */
};

/* Fills P before call C with N requests. If there is no memory, the requests are not tracked, and
 * p->status is the caller's. */
void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                   MPI_Status *statuses);

/* After call C, which returned RC: counts the completed requests and ends C. The COUNT requests at
 * INDICES (NULL: the first COUNT) are complete, with statuses in this order; after an error each
 * request is examined. TESTED: C was a test, which does not wait. */
void pending_end(struct call *c, const struct pending *p, int rc, int count, const int *indices,
                 bool tested);

/* Ends call C, which has started N persistent requests: the bytes that they send count for C. */
void leave_started(struct call *c, int rc, int n, const MPI_Request *requests);
