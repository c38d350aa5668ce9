#include "record/call.h"

void (*call_first_seen)(void);

/* Shorter waits are the price of the call itself, not of waiting. */
enum { NO_WAIT_NS = 1000 };

/* A request that nobody has to wait for. What a receive from MPI_PROC_NULL brings is nothing. */
static void complete_at_once(struct ledger_entry *e, const struct call *c, enum request_kind kind,
                             uint64_t bytes)
{
    spin_lock(&e->lock);
    e->completed++;
    e->hidden++;
    e->span_ns += ticks_to_ns(c->exit - c->entry);
    e->completed_bytes += kind & REQUEST_RECV ? 0 : bytes;
    spin_unlock(&e->lock);
}

void call_leave_request(const struct call *c, int rc, MPI_Comm comm, uint64_t bytes, int root,
                        enum request_kind kind, const MPI_Request *request)
{
    struct comm *on = call_comm(comm, rc);
    struct ledger_entry *e = call_entry(c, on, bytes);
    if (LIKELY(e != NULL)) {
        /* What a receive brings is known when it completes. A persistent request carries
         * nothing until it is started. */
        uint64_t now = kind & (REQUEST_RECV | REQUEST_PERSISTENT) ? 0 : bytes;
        entry_count(e, ticks_to_ns(c->exit - c->entry), now, rc != MPI_SUCCESS);
    }
    if (e && rc == MPI_SUCCESS && HANDLE_IS_COMPLETE(*request) &&
        (kind == REQUEST_PLAIN || kind == REQUEST_RECV)) {
        complete_at_once(e, c, kind, bytes);
    } else if (e && rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL) {
        struct request r = {.handle = HANDLE_BITS(*request),
                            .entry = e,
                            .post_entry = c->entry,
                            .post_exit = c->exit,
                            .bytes = bytes,
                            .site = c->site,
                            .root = root,
                            .operation = (uint16_t)c->operation,
                            .kind = (uint8_t)kind,
                            .comm_index = (uint16_t)(on ? on->index : LEDGER_NO_COMM),
                            .active = !(kind & REQUEST_PERSISTENT)};
        if (kind == REQUEST_COLLECTIVE && on && on->size > 1) {
            r.comm_id = on->id;
            r.sequence = __atomic_fetch_add(&on->sequence, 1, __ATOMIC_RELAXED);
        }
        request_add(&r);
    }
    thread.inside = false;
}

void call_leave_comm(const struct call *c, int rc, MPI_Comm comm, const MPI_Comm *new_comm)
{
    const struct comm *on = call_comm(comm, rc);
    struct comm *made = rc == MPI_SUCCESS ? comm_of(*new_comm) : NULL;
    if (made && comm_made)
        comm_made(made);
    call_leave_known(c, rc, on, 0);
}

struct comm *comm_of_freed(MPI_Comm comm)
{
    static PER_THREAD struct comm copy;
    const struct comm *c = comm == MPI_COMM_NULL ? NULL : comm_find(comm);
    if (!c)
        return NULL;
    copy = *c;
    return &copy;
}

void call_complete(const struct call *c, struct request *r, unsigned sharing,
                   const MPI_Status *status, bool tested)
{
    struct ledger_entry *e = r->entry;
    uint64_t wait = ticks_to_ns(c->exit - c->entry);
    uint64_t bytes = r->bytes;
    int cancelled = 0;
    if ((r->kind & REQUEST_RECV) && status) {
        bytes = call_received(status, bytes);
        PMPI_Test_cancelled(status, &cancelled);
    }
    spin_lock(&e->lock);
    if (cancelled) {
        e->cancelled++;
    } else {
        /* Another thread may wait for a request that this one is still posting. */
        uint64_t waited_from = c->entry > r->post_exit ? c->entry : r->post_exit;
        e->completed++;
        e->window_ns += ticks_to_ns(waited_from - r->post_exit);
        e->wait_ns += wait / sharing;
        e->span_ns += ticks_to_ns(c->exit - r->post_entry);
        e->hidden += tested || wait < NO_WAIT_NS;
        e->completed_bytes += bytes;
        if (r->kind & REQUEST_RECV)
            e->bytes += bytes;
    }
    spin_unlock(&e->lock);
    if (r->kind == REQUEST_COLLECTIVE && r->comm_id)
        instance_add(&(struct ledger_instance){.comm_id = r->comm_id,
                                               .entry_ticks = r->post_entry,
                                               .exit_ticks = c->exit,
                                               .bytes = r->bytes,
                                               .sequence = r->sequence,
                                               .site = r->site,
                                               .operation = r->operation,
                                               .comm = r->comm_index,
                                               .root = r->root});
    request_release(r);
}
