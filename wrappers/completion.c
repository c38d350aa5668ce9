/* Starting, completing and dropping requests. */
#include "wrappers/completion.h"
#include "wrappers/prologue.h"

#include <string.h>

void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
                   MPI_Status *statuses, bool single)
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
    p->taken = layer.threaded || single;
    if (!p->taken)
        return;
    for (int i = 0; i < p->n; i++)
        p->record[i] =
            p->handle[i] == MPI_REQUEST_NULL ? NULL : request_claim(HANDLE_BITS(p->handle[i]));
    if (count == 1 && p->record[0])
        call_waits_for(p->record[0]);
    c->entry = clock_ticks();
}

static struct ledger_request *pending_record(const struct pending *p, int i)
{
    if (p->taken)
        return p->record[i];
    return p->handle[i] == MPI_REQUEST_NULL ? NULL : request_claim(HANDLE_BITS(p->handle[i]));
}

/* A request that is not complete returns to the front of its queue. */
static void pending_return(const struct pending *p)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (p->record[i])
            request_return(p->record[i]);
}

/* After an error: a request that is gone has failed; its handle may already be another one's. */
static void pending_end_failed(struct call *c, const struct pending *p, int rc)
{
    for (int i = p->n - 1; i >= 0; i--) {
        bool gone = p->handle[i] != MPI_REQUEST_NULL && p->requests[i] == MPI_REQUEST_NULL;
        struct ledger_request *r = p->taken ? p->record[i] : gone ? pending_record(p, i) : NULL;
        if (r && gone)
            call_lost(c, r, rc, p->n == 1 ? p->status : NULL);
        else if (r)
            request_return(r);
    }
}

/* A test that found nothing is not recorded as an event. */
static void leave(struct call *c, int rc, bool tested)
{
    if (tested)
        c->traced = true;
    call_leave(c, rc, MPI_COMM_NULL, 0);
}

void pending_end_some(struct call *c, const struct pending *p, int rc, int count,
                      const int *indices, bool tested)
{
    if (rc != MPI_SUCCESS)
        pending_end_failed(c, p, rc);
    for (int k = 0; rc == MPI_SUCCESS && k < count && p->n; k++) {
        struct ledger_request *r = pending_record(p, indices[k]);
        if (r && r->active)
            call_complete(c, r, (unsigned)count, &p->status[k], tested);
        else if (r)
            request_return(r);
        p->record[indices[k]] = NULL;
    }
    if (rc == MPI_SUCCESS && p->taken)
        pending_return(p);
    leave(c, rc, tested);
}

void pending_end_one(struct call *c, const struct pending *p, int rc, int index, bool tested)
{
    pending_end_some(c, p, rc, index >= 0 && index < p->n, &index, tested);
}

static bool completed(const struct pending *p, int i, const struct ledger_request *r, int rc)
{
    if (rc == MPI_SUCCESS)
        return r->active;
    /* After MPI_ERR_IN_STATUS some requests failed and some may be pending. One that is gone is
     * complete, and so is a persistent one unless its status says pending. */
    bool stays = r->kind & REQUEST_PERSISTENT && rc == MPI_ERR_IN_STATUS;
    return r->active &&
           (stays ? p->status[i].MPI_ERROR != MPI_ERR_PENDING : p->requests[i] == MPI_REQUEST_NULL);
}

void pending_end_all(struct call *c, const struct pending *p, int rc, bool all, bool tested)
{
    unsigned sharing = 0;
    if (rc == MPI_SUCCESS && !all) {
        pending_end_some(c, p, rc, 0, NULL, tested);
        return;
    }
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
    leave(c, rc, tested);
}

int MPI_Request_free(MPI_Request *request)
{
    struct call call;
    struct ledger_request r;
    if (!call_enter(&call, OP_Request_free, CALL_ABOUT_NOTHING))
        return next.Request_free(request);
    if (request && *request != MPI_REQUEST_NULL && request_forget(HANDLE_BITS(*request), &r) &&
        r.active && r.kind & REQUEST_RECV) { /* it may have been cancelled */
        messages_lose();
        if (layer.trace)
            trace_lost(&r);
    }
    int rc = next.Request_free(request);
    call.exit = clock_ticks();
    call_leave(&call, rc, MPI_COMM_NULL, 0);
    return rc;
}

/* What a persistent request carries counts for the call that starts it. */
static void leave_started(struct call *c, int rc, int n, const MPI_Request *requests)
{
    uint64_t bytes = 0;
    for (int i = 0; rc == MPI_SUCCESS && i < n; i++) {
        struct ledger_request *r = request_claim(HANDLE_BITS(requests[i]));
        if (!r)
            continue;
        r->entry = entry_of(
            entry_key(c->site, c->operation, r->comm, thread.region, size_class_of(r->bytes)));
        r->posted = c->entry;
        r->post_exit = c->exit;
        r->active = r->entry != NULL;
        call_started(c, r);
        bytes += r->kind & REQUEST_RECV ? 0 : r->bytes;
    }
    call_leave(c, rc, MPI_COMM_NULL, bytes);
}

int MPI_Start(MPI_Request *request)
{
    struct call call;
    if (!call_enter(&call, OP_Start, CALL_ABOUT_NOTHING))
        return next.Start(request);
    int rc = next.Start(request);
    call.exit = clock_ticks();
    leave_started(&call, rc, 1, request);
    return rc;
}

int MPI_Startall(int count, MPI_Request *requests)
{
    struct call call;
    if (!call_enter(&call, OP_Startall, CALL_ABOUT_NOTHING))
        return next.Startall(count, requests);
    int rc = next.Startall(count, requests);
    call.exit = clock_ticks();
    leave_started(&call, rc, count, requests);
    return rc;
}
