/* Completing requests: the handles are kept before the call, which overwrites them, and what it
 * completed is looked up afterwards. With threads the records are taken out before the call: once
 * the library has completed a request, another thread may be given the same handle. */
#ifndef COLLPROF_WRAPPERS_COMPLETION_H
#define COLLPROF_WRAPPERS_COMPLETION_H

#include "record/call.h"

struct pending {
    int n;
    const MPI_Request *requests; /* the caller's, as the call leaves them */
    MPI_Request *handle;         /* as they were */
    MPI_Status *status;          /* for the call: the caller's, or ours where it wants none */
    struct request **record;     /* taken out before the call or found after it */
    bool taken;                  /* before: with threads, and to say whom a single one waits for */
};

/* Before the call C. Without memory nothing is tracked and the caller's statuses are used. SINGLE:
 * it waits for one request. */
void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                   MPI_Status *statuses, bool single);

/* After it: counts what it completed and leaves it. TESTED: it does not wait. The COUNT requests at
 * INDICES, whose statuses are at their positions in that list; the one at INDEX (MPI_UNDEFINED:
 * none, or one of no list); or ALL requests, as far as they are complete, or none. */
void pending_end_some(struct call *c, const struct pending *p, int rc, int count,
                      const int *indices, bool tested);
void pending_end_one(struct call *c, const struct pending *p, int rc, int index, bool tested);
void pending_end_all(struct call *c, const struct pending *p, int rc, bool all, bool tested);

#endif
