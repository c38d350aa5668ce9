/* The wrappers' work on requests: starting, completing and freeing them. */
#include "wrappers/completion.h"
#include "wrappers/prologue.h"

#include <string.h>

static struct ledger_request *claim(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : request_claim(HANDLE_BITS(handle), false);
}

void pending_begin(struct pending *p, struct call *c, int n, const MPI_Request *requests,
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
    if (!layer.threaded)
        return;
    for (int i = 0; i < p->n; i++)
        p->record[i] = claim(p->handle[i]);
    c->entry = clock_ticks();
}

/* Whether the call, which returned RC, has completed request I. After an error a request is
 * complete if its handle became null; a persistent request keeps its handle: it is complete if its
 * status is not MPI_ERR_PENDING (only known after a call for ALL requests, such as MPI_Waitall). */
static bool completed(const struct pending *p, int i, int rc, bool all)
{
    const struct ledger_request *r = p->record[i];
    bool stays = all && r && r->kind & REQUEST_PERSISTENT && rc == MPI_ERR_IN_STATUS;
    return r && r->active &&
           (rc == MPI_SUCCESS || (stays ? p->status[i].MPI_ERROR != MPI_ERR_PENDING
                                        : p->requests[i] == MPI_REQUEST_NULL));
}

/* A record whose request is not complete returns to the front of its handle's queue of records. */
void pending_end(struct call *c, const struct pending *p, int rc, int count, const int *indices,
                 bool tested)
{
    const bool all = !indices;
    const int *at = rc ? NULL : indices, n = !p->n ? 0 : rc ? p->n : count;
    unsigned sharing = 0;
    if (tested)
        call_polls(c);
    for (int k = 0; k < n; k++) {
        const int i = at ? at[k] : k;
        if (!layer.threaded)
            p->record[i] = claim(p->handle[i]);
        sharing += completed(p, i, rc, all);
    }
    for (int k = 0; k < n; k++) {
        const int i = at ? at[k] : k;
        const MPI_Status *status = &p->status[k];
        if (!completed(p, i, rc, all))
            continue;
        if (rc && !all)
            call_lost(c, p->record[i], rc, p->n == 1 ? status : NULL);
        else if (rc && status->MPI_ERROR != MPI_SUCCESS)
            call_lost(c, p->record[i], status->MPI_ERROR, status);
        else
            call_complete(c, p->record[i], sharing, status, tested);
        p->record[i] = NULL;
    }
    for (int i = layer.threaded || (n && !at) ? p->n : 0; i-- > 0;)
        if (p->record[i])
            request_return(p->record[i]);
    if (tested) /* the trace has no event for a test */
        c->traced = true;
    call_leave(c, rc, MPI_COMM_NULL, 0);
}

int MPI_Request_free(MPI_Request *request)
{
    struct call call;
    struct ledger_request *r = NULL;
    if (!call_enter(&call, OP_Request_free, CALL_ABOUT_NOTHING))
        return NEXT(Request_free)(request);
    if (request && *request != MPI_REQUEST_NULL)
        r = request_claim(HANDLE_BITS(*request), true);
    if (r && r->active && r->kind & REQUEST_RECV) { /* it may or may not receive a message */
        messages_lose();
        channels_lose_order();
    }
    if (r) {
        r->kind = REQUEST_PLAIN;
        request_release(r);
    }
    int rc = NEXT(Request_free)(request);
    call.exit = clock_ticks();
    call_leave(&call, rc, MPI_COMM_NULL, 0);
    return rc;
}

void leave_started(struct call *c, int rc, int n, const MPI_Request *requests)
{
    uint64_t bytes = 0;
    for (int i = 0; rc == MPI_SUCCESS && i < n; i++) {
        struct ledger_request *r = request_claim(HANDLE_BITS(requests[i]), false);
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
