/* Starting, completing and dropping requests. One path for all: the handles are kept before the
 * call, which overwrites them, and what it completed is looked up afterwards. With threads the
 * records are taken out before the call: once the library has completed a request, another
 * thread may be given the same handle. */
#include "wrappers/prologue.h"

#include <string.h>

struct pending {
    int n;
    const MPI_Request *requests; /* the caller's, as the call leaves them */
    MPI_Request *handle;         /* as they were */
    MPI_Status *status;          /* the caller's, or ours where it wants none */
    struct request **record;     /* taken out before the call or found after it */
    bool taken;                  /* before: with threads, and to say whom a single one waits for */
};

/* Without memory nothing is tracked (n = 0) and the caller's statuses are used. */
static void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                          MPI_Status *statuses)
{
    size_t count = n > 0 ? (size_t)n : 0;
    *p = (struct pending){.requests = requests, .status = statuses};
    char *scratch =
        thread_scratch(count * (sizeof *p->handle + sizeof *p->record + sizeof *p->status) + 64);
    if (!scratch || !requests)
        return;
    p->n = (int)count;
    p->record = (void *)scratch;
    p->handle = (void *)(p->record + count);
    if (statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE)
        p->status = (void *)(p->handle + count);
    memcpy(p->handle, requests, count * sizeof *p->handle);
    call_completes(p->n, p->handle);
    p->taken = layer.threaded || c->operation == OP_Wait;
    if (!p->taken)
        return;
    for (int i = 0; i < p->n; i++)
        p->record[i] =
            p->handle[i] == MPI_REQUEST_NULL ? NULL : request_take(HANDLE_BITS(p->handle[i]));
    if (count == 1 && p->record[0])
        call_waits_for(p->record[0]);
    c->entry = clock_ticks();
}

static struct request *pending_record(const struct pending *p, int i)
{
    if (p->taken)
        return p->record[i];
    return p->handle[i] == MPI_REQUEST_NULL ? NULL : request_take(HANDLE_BITS(p->handle[i]));
}

/* What is not complete goes back to where it was: to the front of its queue. */
static void pending_return(const struct pending *p)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (p->record[i])
            request_return(p->record[i]);
}

/* After an error. A request that is gone has failed; what comes under its handle is another one. */
static void pending_end_failed(struct call *c, const struct pending *p, int rc)
{
    for (int i = p->n - 1; i >= 0; i--) {
        bool gone = p->handle[i] != MPI_REQUEST_NULL && p->requests[i] == MPI_REQUEST_NULL;
        struct request *r = p->taken ? p->record[i] : gone ? pending_record(p, i) : NULL;
        if (r && gone)
            call_lost(c, r, rc, p->n == 1 ? p->status : NULL);
        else if (r)
            request_return(r);
    }
}

/* The way out of all of them. A test is told of by what it completed: one that found nothing is no
 * event. */
static int leave(struct call *c, int rc, bool tested)
{
    if (tested)
        c->traced = true;
    call_leave(c, rc, MPI_COMM_NULL, 0);
    return rc;
}

/* The COUNT requests at INDICES; their statuses stand at their positions in that list. */
static int leave_some(struct call *c, const struct pending *p, int rc, int count,
                      const int *indices, bool tested)
{
    if (rc != MPI_SUCCESS) {
        pending_end_failed(c, p, rc);
        return leave(c, rc, tested);
    }
    for (int k = 0; k < count && p->n; k++) {
        struct request *r = pending_record(p, indices[k]);
        if (r && r->active)
            call_complete(c, r, (unsigned)count, &p->status[k], tested);
        else if (r)
            request_return(r);
        p->record[indices[k]] = NULL;
    }
    if (p->taken)
        pending_return(p);
    return leave(c, rc, tested);
}

/* The one completed request at INDEX (MPI_UNDEFINED: none, or one of no list). */
static int leave_one(struct call *c, const struct pending *p, int rc, int index, bool tested)
{
    return leave_some(c, p, rc, index >= 0 && index < p->n, &index, tested);
}

static bool completed(const struct pending *p, int i, const struct request *r, int rc)
{
    if (rc == MPI_SUCCESS)
        return r->active;
    /* Some failed, some may be pending still: what is gone is done, and what can be started again,
     * unless its status says that it is pending. */
    bool stays = r->kind & REQUEST_PERSISTENT && rc == MPI_ERR_IN_STATUS;
    return r->active &&
           (stays ? p->status[i].MPI_ERROR != MPI_ERR_PENDING : p->requests[i] == MPI_REQUEST_NULL);
}

/* All requests, as far as they are complete. */
static int leave_all(struct call *c, const struct pending *p, int rc, bool tested)
{
    unsigned sharing = 0;
    for (int i = 0; i < p->n; i++) {
        p->record[i] = pending_record(p, i);
        sharing += p->record[i] && completed(p, i, p->record[i], rc);
    }
    for (int i = 0; i < p->n; i++)
        if (p->record[i] && completed(p, i, p->record[i], rc)) {
            if (rc != MPI_SUCCESS && p->status[i].MPI_ERROR != MPI_SUCCESS)
                call_lost(c, p->record[i], p->status[i].MPI_ERROR, &p->status[i]);
            else
                call_complete(c, p->record[i], sharing, &p->status[i], tested);
            p->record[i] = NULL;
        }
    pending_return(p);
    return leave(c, rc, tested);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Wait, CALL_ABOUT_NOTHING))
        return next.Wait(request, status);
    pending_begin(&p, &call, 1, request, status);
    int rc = next.Wait(request, p.status);
    call.exit = clock_ticks();
    return leave_one(&call, &p, rc, 0, false);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Waitall, CALL_ABOUT_NOTHING))
        return next.Waitall(count, requests, statuses);
    pending_begin(&p, &call, count, requests, statuses);
    int rc = next.Waitall(count, requests, p.status);
    call.exit = clock_ticks();
    return leave_all(&call, &p, rc, false);
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Waitany, CALL_ABOUT_NOTHING))
        return next.Waitany(count, requests, index, status);
    pending_begin(&p, &call, count, requests, status);
    int rc = next.Waitany(count, requests, index, p.status);
    call.exit = clock_ticks();
    return leave_one(&call, &p, rc, rc ? MPI_UNDEFINED : *index, false);
}

int MPI_Waitsome(int incount, MPI_Request *requests, int *outcount, int *indices,
                 MPI_Status *statuses)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Waitsome, CALL_ABOUT_NOTHING))
        return next.Waitsome(incount, requests, outcount, indices, statuses);
    pending_begin(&p, &call, incount, requests, statuses);
    int rc = next.Waitsome(incount, requests, outcount, indices, p.status);
    call.exit = clock_ticks();
    return leave_some(&call, &p, rc, rc ? 0 : *outcount, indices, false);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Test, CALL_ABOUT_NOTHING))
        return next.Test(request, flag, status);
    pending_begin(&p, &call, 1, request, status);
    int rc = next.Test(request, flag, p.status);
    call.exit = clock_ticks();
    return leave_one(&call, &p, rc, !rc && *flag ? 0 : MPI_UNDEFINED, true);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Testall, CALL_ABOUT_NOTHING))
        return next.Testall(count, requests, flag, statuses);
    pending_begin(&p, &call, count, requests, statuses);
    int rc = next.Testall(count, requests, flag, p.status);
    call.exit = clock_ticks();
    if (rc == MPI_SUCCESS && !*flag)
        return leave_one(&call, &p, rc, MPI_UNDEFINED, true);
    return leave_all(&call, &p, rc, true);
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Testany, CALL_ABOUT_NOTHING))
        return next.Testany(count, requests, index, flag, status);
    pending_begin(&p, &call, count, requests, status);
    int rc = next.Testany(count, requests, index, flag, p.status);
    call.exit = clock_ticks();
    return leave_one(&call, &p, rc, !rc && *flag ? *index : MPI_UNDEFINED, true);
}

int MPI_Testsome(int incount, MPI_Request *requests, int *outcount, int *indices,
                 MPI_Status *statuses)
{
    struct call call;
    struct pending p;
    if (!call_enter(&call, OP_Testsome, CALL_ABOUT_NOTHING))
        return next.Testsome(incount, requests, outcount, indices, statuses);
    pending_begin(&p, &call, incount, requests, statuses);
    int rc = next.Testsome(incount, requests, outcount, indices, p.status);
    call.exit = clock_ticks();
    return leave_some(&call, &p, rc, rc ? 0 : *outcount, indices, true);
}

int MPI_Request_free(MPI_Request *request)
{
    struct call call;
    struct request r;
    if (!call_enter(&call, OP_Request_free, CALL_ABOUT_NOTHING))
        return next.Request_free(request);
    if (request && *request != MPI_REQUEST_NULL && request_forget(HANDLE_BITS(*request), &r) &&
        layer.trace && r.active && r.kind & REQUEST_RECV)
        trace_lost(&r); /* it may have been cancelled */
    int rc = next.Request_free(request);
    call.exit = clock_ticks();
    call_leave(&call, rc, MPI_COMM_NULL, 0);
    return rc;
}

/* What a persistent request carries counts for the call that starts it. */
static void started(struct call *c, struct request *r)
{
    r->entry = entry_of(
        entry_key(c->site, c->operation, r->comm_index, thread.region, size_class_of(r->bytes)));
    r->post_entry = c->entry;
    r->post_exit = c->exit;
    r->active = r->entry != NULL;
    call_started(c, r);
}

int MPI_Start(MPI_Request *request)
{
    struct call call;
    if (!call_enter(&call, OP_Start, CALL_ABOUT_NOTHING))
        return next.Start(request);
    int rc = next.Start(request);
    call.exit = clock_ticks();
    struct request *r = rc == MPI_SUCCESS ? request_take(HANDLE_BITS(*request)) : NULL;
    if (r) {
        started(&call, r);
        if (r->entry)
            entry_count(r->entry, ticks_to_ns(call.exit - call.entry),
                        r->kind & REQUEST_RECV ? 0 : r->bytes, false);
        if (layer.trace)
            trace_left(&call, r->entry);
        call_over(&call);
    } else {
        call_leave(&call, rc, MPI_COMM_NULL, 0);
    }
    return rc;
}

int MPI_Startall(int count, MPI_Request *requests)
{
    struct call call;
    if (!call_enter(&call, OP_Startall, CALL_ABOUT_NOTHING))
        return next.Startall(count, requests);
    int rc = next.Startall(count, requests);
    call.exit = clock_ticks();
    uint64_t bytes = 0;
    for (int i = 0; rc == MPI_SUCCESS && i < count; i++) {
        struct request *r = request_take(HANDLE_BITS(requests[i]));
        if (r)
            started(&call, r);
        if (r && !(r->kind & REQUEST_RECV))
            bytes += r->bytes;
    }
    call_leave(&call, rc, MPI_COMM_NULL, bytes);
    return rc;
}
