/* What a wrapper records on entry and on exit of an MPI call.
 *
 * Once the call site and the communicator are known, this code takes no lock (except with
 * MPI_THREAD_MULTIPLE), allocates nothing and makes no system call. On entry it reads the clock
 * last, and on exit first, so that the recorded time is that of the MPI library. */
#pragma once

#include "record/counts.h"
#include "record/requests.h"
#include "record/samples.h"
#include "record/sites.h"
#include "record/trace.h"

/* The arguments of a call, as the application passed them. They may be invalid: an MPI function
 * that is called with them could end the application. */
struct call_about {
    MPI_Comm comm; /* MPI_COMM_NULL if none */
    int peer, tag; /* CALL_NONE if the operation has none */
    int root;      /* -1 if none */
    MPI_Count count;
    MPI_Datatype type; /* MPI_DATATYPE_NULL: no payload, or a count for each rank */
    int to, to_tag;    /* MPI_Sendrecv: destination and send tag; otherwise CALL_NONE */
};
#define CALL_NONE INT32_MIN
/* TAG of MPI_Isendrecv's request: its receive is not recorded, so further ordinals are unknown. */
#define CALL_UNORDERED (INT32_MIN + 1)
#define CALL_ABOUT_NOTHING                                                                         \
    ((struct call_about){MPI_COMM_NULL, CALL_NONE, CALL_NONE, -1, 0, MPI_DATATYPE_NULL, CALL_NONE, \
                         CALL_NONE})

/* A callback of layer/life.c. MPI calls call it until the layer has started, because MPI may have
 * been initialized without the layer's wrappers. */
extern void (*call_first_seen)(void);

/* Wrappers of frequent calls inline the code of entry and exit. All others are compiled with
 * CALL_RARE and call one copy of this code. CALL_OWN_FRAMES: number of stack frames from
 * site_here() to the wrapper, which are not part of the call site. */
#ifdef CALL_RARE
#define CALL_INLINE static __attribute__((noinline, unused))
#define CALL_ALWAYS
enum { CALL_OWN_FRAMES = 3 };
#else
#define CALL_INLINE static inline
#define CALL_ALWAYS __attribute__((always_inline))
enum { CALL_OWN_FRAMES = 2 };
#endif

/* Entry of a call while the layer is off or this thread is in a wrapper. Returns true if the call
 * is to be recorded nevertheless: the call starts the layer, or the application has left the
 * previous wrapper by longjmp() or an exception. FRAME: the stack frame of the present wrapper. */
bool call_enter_rarely(const char *frame);

/* The slot of TYPE in this thread's cache of datatype sizes, which may contain another type. */
static inline struct type_size *call_named(MPI_Datatype type)
{
    uint64_t bits = (uint64_t)(uintptr_t)type;
    return &thread.named[(bits ^ bits >> 4 ^ bits >> 8) %
                         (sizeof thread.named / sizeof *thread.named)];
}

static inline uint64_t call_bytes_if_known(MPI_Count count, MPI_Datatype type)
{
    const struct type_size *t = call_named(type);
    if (type == MPI_DATATYPE_NULL)
        return 0;
    return LIKELY(t->type == type && t->known) ? (uint64_t)(count * t->size) : LEDGER_UNKNOWN_BYTES;
}

/* Shows the call in the record as this thread's open one, and reads the clock. */
static inline __attribute__((always_inline)) void call_show_open(struct call *c,
                                                                 struct call_about about)
{
    struct ledger_call *now = thread.call;
    if (UNLIKELY(!now))
        now = thread_call_slot();
    struct comm *comm = about.comm == MPI_COMM_NULL ? NULL : comm_find(about.comm);
    c->comm = comm;
    c->bytes = call_bytes_if_known(about.count, about.type);
    now->operation = c->operation;
    now->site = c->site;
    now->comm_id = comm ? comm->id : 0;
    now->comm = comm ? comm->index : LEDGER_NO_COMM;
    now->sequence = comm ? comm->sequence : 0;
    now->bytes = c->bytes;
    now->peer = about.peer;
    now->tag = about.tag;
    now->root = about.root;
    now->to = about.to;
    now->to_tag = about.to_tag;
    now->n_requests = 0;
    c->entry = clock_ticks();
    __atomic_store_n(&now->since, c->entry, __ATOMIC_RELEASE);
}

/* The time that recording adds to a call is measured in one of COST_EVERY calls. The report has the
 * mean if at least COSTS_LEAST were measured. A longer time counts as COST_MOST_NS, because a
 * thread may lose its processor meanwhile. Not in simulation, where computation takes no time. */
enum { COST_EVERY = 128, COSTS_LEAST = 16, COST_MOST_NS = 5000 };
void call_add_overhead(const struct call *c);

/* First statement of a wrapper. False: the wrapper must only call the MPI library. */
#define call_enter(c, operation, about)                                                            \
    call_enter_at((c), (operation), (about), __builtin_frame_address(0))
CALL_INLINE CALL_ALWAYS bool call_enter_at(struct call *c, unsigned operation,
                                           struct call_about about, const char *frame)
{
    if (UNLIKELY(!layer.on | thread.inside) && !call_enter_rarely(frame))
        return false;
    thread_enter_at(frame);
    c->from = 0;
    if (UNLIKELY(++thread.calls % COST_EVERY == 0) && clock_source != CLOCK_SOURCE_EXTERNAL)
        c->from = clock_ticks();
    c->operation = operation;
    c->traced = false;
    c->site = layer.stack_depth ? site_here(CALL_OWN_FRAMES) : LEDGER_NO_SITE;
    if (UNLIKELY(layer.sample))
        samples_enter(c->site, operation);
    call_show_open(c, about);
    return true;
}

/* Adds the call's duration to its slice of header.in_mpi; call_add_slices(): to several slices. */
void call_add_slices(const struct call *c);
static inline void call_add_slice(const struct call *c)
{
    struct ledger_header *h = layer.ledger.header;
    const uint32_t shift = __atomic_load_n(&h->slice_shift, __ATOMIC_RELAXED);
    const uint64_t start = h->pair[0].ticks, i = (c->exit - start) >> shift;
    if (LIKELY(i < LEDGER_SLICES && (c->entry - start) >> shift == i))
        __atomic_store_n(&h->in_mpi[i],
                         __atomic_load_n(&h->in_mpi[i], __ATOMIC_RELAXED) + c->exit - c->entry,
                         __ATOMIC_RELAXED);
    else
        call_add_slices(c);
}

static inline struct ledger_entry *call_entry(const struct call *c, const struct comm *comm,
                                              uint64_t bytes)
{
    return entry_of(entry_key(c->site, c->operation, comm ? comm->index : LEDGER_NO_COMM,
                              thread.region, size_class_of(bytes)));
}

/* Excludes this thread's calls from timing, because a measurement of the layer may delay them: from
 * the present or next call to the end of the COLLECTIVES-th collective on communicator COMM_ID, but
 * at most CALLS_EXCLUDED calls. They are still counted. All members must call it at the same
 * collective, since a collective's times are only used if no member has excluded it. */
enum { CALLS_EXCLUDED = 32 };
void call_exclude(uint64_t comm_id, uint32_t collectives);

/* Called when a collective on ON returns: after COLLECTIVES of them, the exclusion ends. */
static inline void call_exclusion_advance(const struct comm *on)
{
    if (UNLIKELY(thread.excluded.of) && on && on->id == thread.excluded.of &&
        --thread.excluded.collectives == 0)
        thread.excluded.of = 0;
}

void call_count_excluded(struct ledger_entry *e, uint64_t duration_ns, uint64_t bytes, bool failed);

/* Adds the time before C, a poll, to header.polled if the call before was a poll without result. */
static inline void call_polls(const struct call *c)
{
    if (thread.calls > 1 && thread.call->progress != thread.left)
        __atomic_fetch_add(&layer.ledger.header->polled, c->entry - thread.left, __ATOMIC_RELAXED);
}

/* Last statement of a wrapper. E: the counters of such calls; NULL: the call is not counted. */
static inline void call_leave_with_entry(const struct call *c, int rc, struct ledger_entry *e,
                                         uint64_t bytes)
{
    const uint64_t duration = ticks_to_ns(c->exit - c->entry);
    if (LIKELY(e && !thread.excluded.of))
        entry_count(e, duration, bytes, rc != MPI_SUCCESS);
    else if (e)
        call_count_excluded(e, duration, bytes, rc != MPI_SUCCESS);
    __atomic_store_n(&layer.ledger.header->last_ticks, c->exit, __ATOMIC_RELAXED);
    if (LIKELY(!c->traced | layer.trace)) /* TRACED, not --trace: nothing was found */
        thread.call->progress = c->exit;
    if (UNLIKELY(layer.trace))
        trace_left(c);
    call_add_slice(c);
    thread.outside += c->entry - thread.left;
    thread.left = c->exit;
    thread.call->since = 0;
    if (UNLIKELY(c->from))
        call_add_overhead(c);
    if (UNLIKELY(layer.sample))
        samples_leave(c->site, c->operation);
    thread.inside = false;
}

/* The communicator of call C, or NULL. After an error, COMM may be invalid: then comm_of(), which
 * calls MPI functions with it, must not be used. */
static inline struct comm *call_comm(const struct call *c, MPI_Comm comm, int rc)
{
    if (LIKELY(c->comm != NULL))
        return c->comm;
    return LIKELY(rc == MPI_SUCCESS) ? comm_of(comm) : comm_find(comm);
}

CALL_INLINE void call_leave(const struct call *c, int rc, MPI_Comm comm, uint64_t bytes)
{
    call_leave_with_entry(c, rc, call_entry(c, call_comm(c, comm, rc), bytes), bytes);
}

/* Returns the number of earlier collectives on ON, and counts one more. A failed collective is also
 * counted, unless MPI has refused its arguments: then this rank has taken no part in it. */
static inline uint64_t call_sequence(struct comm *on)
{
    uint64_t sequence = __atomic_fetch_add(&on->sequence, 1, __ATOMIC_RELAXED);
    struct ledger_comm *row = &layer.ledger.comms[on->index];
    row->entered = sequence + 1;
    row->last = on->id;
    return sequence;
}
void call_collective_failed(struct comm *on, int rc);

/* Adds collective C on communicator ON to the log. E: the counters of such calls, or NULL. */
void call_instance(const struct call *c, const struct comm *on, const struct ledger_entry *e,
                   uint64_t sequence, int root, uint64_t bytes, uint32_t signature);

/* 1 + the position of OP in LEDGER_REDUCTIONS; 0 for MPI_OP_NULL or an OP of MPI_Op_create. */
static inline uint32_t call_reduction(MPI_Op op)
{
    uint32_t number = 0;
    if (op == MPI_OP_NULL)
        return 0;
#define COMPARE(name)                                                                              \
    if (++number, op == MPI_##name)                                                                \
        return number;
    LEDGER_REDUCTIONS(COMPARE)
#undef COMPARE
    return 0;
}

/* LEDGER_SIGNATURE() of TYPE and OP. MPI_DATATYPE_NULL, MPI_OP_NULL: none. */
static inline uint32_t call_signature(MPI_Datatype type, MPI_Op op)
{
    const struct type_size *t = call_named(type);
    return call_reduction(op) |
           (type != MPI_DATATYPE_NULL && t->type == type && t->known ? t->known - 1 : 0);
}

CALL_INLINE void call_leave_collective(struct call *c, int rc, MPI_Comm comm, uint64_t bytes,
                                       int root, uint32_t signature)
{
    struct comm *on = call_comm(c, comm, rc);
    struct ledger_entry *e = call_entry(c, on, bytes);
    if (UNLIKELY(rc != MPI_SUCCESS))
        call_collective_failed(on, rc);
    else if (on && on->id && comm_has_others(on)) {
        uint64_t sequence = call_sequence(on);
        if (UNLIKELY(layer.trace))
            trace_collective(c, on, sequence, root, bytes);
        if (LIKELY(!thread.excluded.of))
            call_instance(c, on, e, sequence, root, bytes, signature);
    }
    call_leave_with_entry(c, rc, e, bytes);
    call_exclusion_advance(on);
    thread.outside = 0;
}

/* Whether RC is MPI_ERR_TRUNCATE: a truncated message was received in spite of this error. */
bool call_cut_off(int rc);
static inline bool call_failed(int rc)
{
    return UNLIKELY(rc != MPI_SUCCESS) && !call_cut_off(rc);
}

/* Records a message that a blocking call has sent. To be called before call_leave(). */
CALL_INLINE void call_sent(struct call *c, int rc, MPI_Comm comm, uint64_t bytes, int to, int tag,
                           MPI_Datatype type)
{
    struct comm *on = call_comm(c, comm, rc);
    if (UNLIKELY(call_failed(rc) || !on || to == MPI_PROC_NULL))
        return;
    message_count(on, c->site, c->operation, to, tag, false, bytes,
                  call_signature(type, MPI_OP_NULL));
    if (UNLIKELY(layer.trace))
        trace_sent(c, on, to, tag, bytes);
}

/* Records a message that a blocking call has received on ON. PROBED: for MPI_Mrecv the result of
 * call_matched(), which is released here; otherwise NULL. */
CALL_INLINE void call_got(struct call *c, int rc, struct comm *on, uint64_t bytes,
                          const MPI_Status *status, struct ledger_request *probed,
                          MPI_Datatype type)
{
    if (LIKELY(!call_failed(rc) && on && status->MPI_SOURCE != MPI_PROC_NULL)) {
        message_count(on, c->site, c->operation, status->MPI_SOURCE, status->MPI_TAG, true, bytes,
                      call_signature(type, MPI_OP_NULL));
        if (UNLIKELY(layer.trace))
            trace_received(c, on, status, rc ? LEDGER_UNKNOWN_BYTES : bytes, probed);
    }
    if (probed)
        request_release(probed);
}

/* Records a probe. FOUND: it has found a message. MESSAGE: the handle that a matched probe
 * (MPI_Mprobe) has returned, otherwise NULL. */
void call_probed(struct call *c, int rc, MPI_Comm comm, bool found, const MPI_Status *status,
                 const MPI_Message *message);

/* Takes the request record of a message that a matched probe has returned; NULL if unknown. */
struct ledger_request *call_matched(const MPI_Message *message);

/* The communicator on which R was posted; NULL: the communicator was freed, or R is NULL. */
struct comm *call_comm_of(const struct ledger_request *r);

/* Ends a call that returns a REQUEST, and records the request. The caller has set R's kind, root,
 * peer (CALL_NONE: not a message), tag and signature. BYTES: the payload. MATCHED: for MPI_Imrecv
 * the result of call_matched(), which is released here; otherwise NULL. */
void call_leave_request(struct call *c, int rc, MPI_Comm comm, uint64_t bytes,
                        const MPI_Request *request, struct ledger_request *matched,
                        struct ledger_request *r);

/* Writes the handles of the requests for which the present call waits into the record. */
static inline void call_completes(int n, const MPI_Request *requests)
{
    struct ledger_call *now = thread.call;
    const int most = sizeof now->request / sizeof *now->request;
    for (int i = 0; i < n && i < most; i++)
        now->request[i] = (uint64_t)(uintptr_t)requests[i];
    now->n_requests = (uint64_t)n;
}

/* Counts the message or collective of the persistent request R, which call C has started. */
void call_started(struct call *c, struct ledger_request *r);

/* Ends a call that has created NEW_COMM. OF_ALL: the call counts as a collective on COMM. */
void call_leave_comm(const struct call *c, int rc, MPI_Comm comm, const MPI_Comm *new_comm,
                     bool of_all);

/* An MPI handle as a number: its type, an integer or a pointer, depends on the MPI library. */
#define HANDLE_BITS(handle) ((uint64_t)(uintptr_t)(handle))
#define MESSAGE_BITS(handle) (HANDLE_BITS(handle) ^ 1ull << 63) /* differs from all requests */

/* In MPICH all sends that are complete on return share one handle, recognized by its upper bits
 * (kind "builtin"). Such sends are counted at once, and not added to the request table. */
#ifdef MPICH_VERSION
#define HANDLE_IS_COMPLETE(handle) ((uint32_t)(handle) >> 30 == 1)
#else
#define HANDLE_IS_COMPLETE(handle) false
#endif

/* Asks MPI for the size of TYPE, and puts it into the cache if TYPE is predefined. */
MPI_Count call_size_of_type(MPI_Datatype type);

/* Puts common datatypes into the cache, so that open calls show their bytes from the first call on.
 * A type that is not in the cache may be invalid until a call with it has succeeded. */
void call_know_types(void);

/* The bytes of COUNT elements. TYPE must be valid: a call with it has succeeded. */
CALL_INLINE uint64_t call_bytes(MPI_Count count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    const struct type_size *t = call_named(type);
    MPI_Count size = LIKELY(t->known && t->type == type) ? t->size : call_size_of_type(type);
    return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
}

/* The bytes of C's arguments: as computed at its entry, or now if the type was not cached then. */
CALL_INLINE uint64_t call_payload(const struct call *c, MPI_Count count, MPI_Datatype type)
{
    return LIKELY(c->bytes != LEDGER_UNKNOWN_BYTES) ? c->bytes : call_bytes(count, type);
}

/* The bytes of arguments with one count for each member, as of MPI_Gatherv. COUNT_I: an expression
 * for the count of member i. */
#define CALL_BYTES_OF_ARRAY(count_i, type, comm)                                                   \
    ({                                                                                             \
        MPI_Count sum_ = 0;                                                                        \
        const struct comm *comm_ = comm_of(comm);                                                  \
        for (int i = 0; comm_ && !comm_->inter && i < comm_->size; i++)                            \
            sum_ += count_i;                                                                       \
        call_bytes(sum_, type);                                                                    \
    })

/* Bytes received according to STATUS; OTHERWISE if it does not contain them. */
CALL_INLINE uint64_t call_received(const MPI_Status *status, uint64_t otherwise)
{
    int count = 0;
    MPI_Count large = 0;
    if (LIKELY(PMPI_Get_count(status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0))
        return (uint64_t)count;
    MPI_Status copy = *status; /* the simulator's mpi.h takes no const pointer */
    if (PMPI_Get_elements_x(&copy, MPI_BYTE, &large) || large < 0)
        return otherwise;
    return (uint64_t)large;
}

/* Records that call C has completed SHARING requests, of which R is one. STATUS: of R, or NULL.
 * TESTED: C is MPI_Test or the like, which does not wait. Releases R. */
void call_complete(struct call *c, struct ledger_request *r, unsigned sharing,
                   const MPI_Status *status, bool tested);

/* Records that R failed with error RC in its completing call C. STATUS may be NULL. Releases R. */
void call_lost(struct call *c, struct ledger_request *r, int rc, const MPI_Status *status);
