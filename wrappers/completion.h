/* Completing requests (MPI_Wait, MPI_Testall, ...). The call overwrites the handles, so they are
 * copied before, and the records of completed requests are found by the copies. With several
 * threads the records are removed from the table before the call: once the library has completed a
 * request, another thread may get its handle. */
#pragma once

#include "record/call.h"

struct pending {
    int n;
    const MPI_Request *requests; /* the caller's array, which the call changes */
    MPI_Request *handle;         /* a copy of REQUESTS from before the call */
    MPI_Status *status; /* pass to the call: the caller's, or our own if those are ignored */
    struct ledger_request **record; /* of each request; NULL: no record, or not yet removed */
};

/* Fills P before call C with N requests. If there is no memory, the requests are not tracked, and
 * p->status is the caller's. */
void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                   MPI_Status *statuses);

/* After the call, which returned RC: counts the completed requests and ends the call. Complete are
 * the COUNT requests at INDICES (NULL: the first COUNT), with statuses in this order; after an
 * error each request is examined. TESTED: the call was a test, which does not wait. */
void pending_end(struct call *c, const struct pending *p, int rc, int count, const int *indices,
                 bool tested);

/* Ends call C, which has started N persistent requests: their bytes count for C. */
void leave_started(struct call *c, int rc, int n, const MPI_Request *requests);
