/* One MPI call on its way through a wrapper: what is done on the way in and on the way out.
 *
 * No lock (unless MPI_THREAD_MULTIPLE), no allocation, no system call and no symbol look-up here
 * once the call site and the communicator are known. The clock is read last on the way in and
 * first on the way out, so that the time recorded is the library's. */
#ifndef COLLPROF_RECORD_CALL_H
#define COLLPROF_RECORD_CALL_H

#include "record/comms.h"
#include "record/entries.h"
#include "record/instances.h"
#include "record/requests.h"
#include "record/sites.h"

struct call {
    uint64_t entry, exit; /* ticks */
    uint32_t operation, site;
};

/* Set by the layer's life cycle: what to do about a call that comes before MPI_Init was seen. */
extern void (*call_first_seen)(void);

/* False: pass the call on and do nothing else. */
static inline __attribute__((always_inline)) bool call_enter(struct call *c, unsigned operation)
{
    if (UNLIKELY(!layer.on | thread.inside)) {
        if (layer.phase != LAYER_ASLEEP || thread.inside)
            return false;
        call_first_seen();
        if (!layer.on)
            return false;
    }
    thread.inside = true;
    c->operation = operation;
    c->site = layer.stack_depth ? site_here() : LEDGER_NO_SITE;
    c->entry = clock_ticks();
    return true;
}

static inline struct ledger_entry *call_entry(const struct call *c, const struct comm *comm,
                                              uint64_t bytes)
{
    return entry_of(entry_key(c->site, c->operation, comm ? comm->index : LEDGER_NO_COMM,
                              thread.region, size_class_of(bytes)));
}

static inline void call_leave_known(const struct call *c, int rc, const struct comm *comm,
                                    uint64_t bytes)
{
    struct ledger_entry *e = call_entry(c, comm, bytes);
    if (LIKELY(e != NULL))
        entry_count(e, ticks_to_ns(c->exit - c->entry), bytes, rc != MPI_SUCCESS);
    layer.ledger.header->last_ticks = c->exit;
    thread.inside = false;
}

/* After an error the handle may be invalid: it is then only looked for. */
static inline struct comm *call_comm(MPI_Comm comm, int rc)
{
    return LIKELY(rc == MPI_SUCCESS) ? comm_of(comm) : comm_find(comm);
}

static inline void call_leave(const struct call *c, int rc, MPI_Comm comm, uint64_t bytes)
{
    call_leave_known(c, rc, call_comm(comm, rc), bytes);
}

static inline void call_leave_collective(const struct call *c, int rc, MPI_Comm comm,
                                         uint64_t bytes, int root)
{
    struct comm *on = call_comm(comm, rc);
    if (on && on->id && on->size > 1)
        instance_add(&(struct ledger_instance){
            .comm_id = on->id,
            .entry_ticks = c->entry,
            .exit_ticks = c->exit,
            .bytes = bytes,
            .sequence = __atomic_fetch_add(&on->sequence, 1, __ATOMIC_RELAXED),
            .site = c->site,
            .operation = (uint16_t)c->operation,
            .comm = (uint16_t)on->index,
            .root = root});
    call_leave_known(c, rc, on, bytes);
}

void call_leave_request(const struct call *c, int rc, MPI_Comm comm, uint64_t bytes, int root,
                        enum request_kind kind, const MPI_Request *request);
void call_leave_comm(const struct call *c, int rc, MPI_Comm comm, const MPI_Comm *new_comm);

/* The communicator about to be freed; its record goes with it, its ledger index stays. */
struct comm *comm_of_freed(MPI_Comm comm);

/* A handle of whatever type this MPI has, as a number. */
#define HANDLE_BITS(handle) ((uint64_t)(uintptr_t)(handle))

/* MPICH says by a request's handle that the operation was complete when it was posted: a send
 * whose data have left, or an operation with MPI_PROC_NULL. All of these share one handle, so a
 * queue of records could not tell whose completion it sees; nor need it. */
#ifdef MPICH_VERSION
#define HANDLE_IS_COMPLETE(handle) ((uint32_t)(handle) >> 30 == 1)
#else
#define HANDLE_IS_COMPLETE(handle) false
#endif

/* Only for arguments of a call that has succeeded: they are valid then. */
static inline uint64_t call_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size_x(type, &size);
    return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
}

/* Payload given by one count per member. */
#define CALL_BYTES_OF_ARRAY(count_i, type, comm)                                                   \
    ({                                                                                             \
        MPI_Count sum_ = 0;                                                                        \
        const struct comm *comm_ = comm_of(comm);                                                  \
        for (int i = 0; comm_ && !comm_->inter && i < comm_->size; i++)                            \
            sum_ += count_i;                                                                       \
        call_bytes(sum_, type);                                                                    \
    })

/* Bytes received, or OTHERWISE where the status cannot tell. */
static inline uint64_t call_received(const MPI_Status *status, uint64_t otherwise)
{
    int count = 0;
    if (PMPI_Get_count(status, MPI_BYTE, &count) || count == MPI_UNDEFINED)
        return otherwise;
    return (uint64_t)count;
}

/* R was found complete by the call C, together with SHARING tracked requests in all; STATUS may
 * be NULL. TESTED: by a call that does not wait. Releases R. */
void call_complete(const struct call *c, struct request *r, unsigned sharing,
                   const MPI_Status *status, bool tested);

#endif
