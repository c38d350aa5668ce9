#include "record/call.h"
#include "base/hash.h"

#include <string.h>

void (*call_first_seen)(void);

/* Ends the previous call, whose wrapper the application left by longjmp() or an exception (for
 * example in an MPI error handler): counts it as failed, without a time. */
static void abandon(void)
{
    struct ledger_call *left = thread.call;
    if (left && left->since && left->site < layer.ledger.header->section[LEDGER_SITES].count) {
        uint64_t key = entry_key(left->site, left->operation, left->comm, thread.region, 0);
        struct ledger_entry *e = entry_of(key);
        if (e) {
            spin_lock(&e->lock);
            entry_called(e, 0, true);
            spin_unlock(&e->lock);
        }
        left->since = 0;
    }
    thread.inside = false;
}

bool call_enter_rarely(const char *frame)
{
    /* If the previous wrapper is active, its frame is above this one on the stack, and intact. */
    if (thread.inside && layer.phase == LAYER_RUNNING &&
        (frame >= thread.frame || caller_of(thread.frame) != thread.caller))
        abandon();
    if (thread.inside)
        return false;
    if (layer.phase == LAYER_ASLEEP)
        call_first_seen();
    return layer.on;
}

void call_add_overhead(const struct call *c)
{
    const uint64_t ns = ticks_to_ns(c->entry - c->from + clock_ticks() - c->exit);
    __atomic_fetch_add(&layer.cost_ns, ns < COST_MOST_NS ? ns : COST_MOST_NS, __ATOMIC_RELAXED);
    __atomic_fetch_add(&layer.costs, 1, __ATOMIC_RELAXED);
}

static uint64_t in_mpi(const struct ledger_header *h, uint64_t i)
{
    return i < LEDGER_SLICES ? __atomic_load_n(&h->in_mpi[i], __ATOMIC_RELAXED) : 0;
}

void call_add_slices(const struct call *c)
{
    struct ledger_header *h = layer.ledger.header;
    const uint64_t start = h->pair[0].ticks, from = c->entry > start ? c->entry - start : 0,
                   to = c->exit > start ? c->exit - start : 0;
    uint32_t shift = __atomic_load_n(&h->slice_shift, __ATOMIC_RELAXED);
    for (; to >> shift >= LEDGER_SLICES; shift++)
        for (uint64_t i = 0; i < LEDGER_SLICES; i++)
            __atomic_store_n(&h->in_mpi[i], in_mpi(h, 2 * i) + in_mpi(h, 2 * i + 1),
                             __ATOMIC_RELAXED);
    __atomic_store_n(&h->slice_shift, shift, __ATOMIC_RELAXED);
    for (uint64_t i = from >> shift; i << shift < to; i++) {
        const uint64_t begin = i << shift, end = (i + 1) << shift;
        __atomic_store_n(&h->in_mpi[i],
                         in_mpi(h, i) + (to < end ? to : end) - (from > begin ? from : begin),
                         __ATOMIC_RELAXED);
    }
}

/* The form (enum ledger_form) of predefined datatype TYPE by its name: equal for equivalent types
 * of C and Fortran. Unknown for pairs (MPI_DOUBLE_INT), which match two elements of other types. */
static enum ledger_form form_of(MPI_Datatype type)
{
    static const struct {
        char word[9];
        uint8_t form;
    } words[] = {{"PACKED", FORM_UNKNOWN}, {"COMPLEX", FORM_COMPLEX}, {"FLOAT", FORM_REAL},
                 {"DOUBLE", FORM_REAL},    {"REAL", FORM_REAL},       {"LOGICAL", FORM_LOGICAL},
                 {"BOOL", FORM_LOGICAL},   {"BYTE", FORM_BYTE},       {"UNSIGNED", FORM_UNSIGNED},
                 {"UINT", FORM_UNSIGNED},  {"INT", FORM_INTEGER},     {"LONG", FORM_INTEGER},
                 {"SHORT", FORM_INTEGER},  {"CHAR", FORM_INTEGER},    {"AINT", FORM_INTEGER},
                 {"OFFSET", FORM_INTEGER}, {"COUNT", FORM_INTEGER}};
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length;
    PMPI_Type_get_name(type, name, &length);
    const char *pair = strstr(name + 4, "_INT");
    if (name[4] == '2' || (pair && strcmp(name, "MPI_LONG_LONG_INT") != 0))
        return FORM_UNKNOWN;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i].word))
            return words[i].form;
    return FORM_UNKNOWN;
}

MPI_Count call_size_of_type(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_UNDEFINED;
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    struct type_size *t = call_named(type);
    /* If two types have the same slot in the cache, the one that was added first keeps it. */
    if (!t->known &&
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
        combiner == MPI_COMBINER_NAMED)
        *t = (struct type_size){
            type, 1 + LEDGER_SIGNATURE(0, form_of(type), size < UINT16_MAX ? size : 0), size};
    return size;
}

void call_know_types(void)
{
    const MPI_Datatype common[] = {
        MPI_BYTE,   MPI_CHAR,    MPI_INT,      MPI_LONG,          MPI_FLOAT,
        MPI_DOUBLE, MPI_INT64_T, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_C_DOUBLE_COMPLEX};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        call_size_of_type(common[i]);
}

static int class_of(int rc)
{
    int class = MPI_ERR_OTHER;
    PMPI_Error_class(rc, &class);
    return class;
}

bool call_cut_off(int rc)
{
    return class_of(rc) == MPI_ERR_TRUNCATE;
}

/* Whether RC is an error of arguments: MPI checks these before it sends anything, so that this rank
 * has taken no part in the collective. */
static bool was_refused(int rc)
{
    int class = class_of(rc);
    return class == MPI_ERR_BUFFER || class == MPI_ERR_COUNT || class == MPI_ERR_TYPE ||
           class == MPI_ERR_COMM || class == MPI_ERR_ROOT || class == MPI_ERR_OP ||
           class == MPI_ERR_ARG || class == MPI_ERR_RANK || class == MPI_ERR_TAG ||
           class == MPI_ERR_GROUP || class == MPI_ERR_TOPOLOGY;
}

void call_collective_failed(struct comm *on, int rc)
{
    if (!on || on->size < 2)
        return;
    __atomic_fetch_add(&layer.ledger.header->failed_collectives, 1, __ATOMIC_RELAXED);
    if (!was_refused(rc))
        call_sequence(on);
}

void call_instance(const struct call *c, const struct comm *on, const struct ledger_entry *e,
                   uint64_t sequence, int root, uint64_t bytes, uint32_t signature)
{
    instance_add(&(struct ledger_instance){.comm_id = on->id,
                                           .entry_ticks = c->entry,
                                           .exit_ticks = c->exit,
                                           .outside_ticks = thread.outside + c->entry - thread.left,
                                           .bytes = bytes & LEDGER_48_BITS,
                                           .sequence = sequence & LEDGER_48_BITS,
                                           .site = c->site,
                                           .operation = c->operation & 0x7ff,
                                           .spared = (e ? ledger_spared(entry_calls(e)) : 0) & 0x1f,
                                           .comm = on->index & 0xffffu,
                                           .root = root,
                                           .signature = signature});
}

void call_exclude(uint64_t comm_id, uint32_t collectives)
{
    bool longer = thread.excluded.of == comm_id && thread.excluded.collectives > collectives;
    thread.excluded = (struct exclusion){
        comm_id, longer ? thread.excluded.collectives : collectives, CALLS_EXCLUDED};
}

void call_count_excluded(struct ledger_entry *e, uint64_t duration_ns, uint64_t bytes, bool failed)
{
    spin_lock(&e->lock);
    entry_called(e, bytes, failed);
    e->excluded++;
    e->excluded_ns += duration_ns;
    spin_unlock(&e->lock);
    if (--thread.excluded.calls == 0)
        thread.excluded.of = 0;
}

/* A completing call (MPI_Wait, ...) below this did not wait: it is the cost of the call itself. */
enum { NO_WAIT_NS = 1000 };

/* Counts a non-blocking send that was complete when C, the call that posted it, returned. */
static void complete_at_once(struct ledger_entry *e, const struct call *c, uint64_t bytes)
{
    bool excluded = thread.excluded.of != 0;
    spin_lock(&e->lock);
    e->excluded_requests += excluded;
    e->completed += !excluded;
    e->complete_at_wait += !excluded;
    e->post_to_completion_ns += excluded ? 0 : ticks_to_ns(c->exit - c->entry);
    e->completed_bytes += bytes;
    spin_unlock(&e->lock);
}

struct comm *call_comm_of(const struct ledger_request *r)
{
    struct comm *on = r ? (struct comm *)index_find(&layer.comms, r->comm_handle) : NULL;
    return on && on->id == r->id ? on : NULL;
}

struct ledger_request *call_matched(const MPI_Message *message)
{
    return message && *message != MPI_MESSAGE_NULL ? request_claim(MESSAGE_BITS(*message), false)
                                                   : NULL;
}

void call_probed(struct call *c, int rc, MPI_Comm comm, bool found, const MPI_Status *status,
                 const MPI_Message *message)
{
    struct comm *on = call_comm(c, comm, rc);
    call_polls(c);
    if (rc != MPI_SUCCESS || !found || !on || status->MPI_SOURCE == MPI_PROC_NULL) {
        c->traced = !found;
        return;
    }
    struct ledger_request kept = {
        .comm_handle = comm_key(comm), .id = on->id, .turn = NO_TURN, .kind = REQUEST_MESSAGE};
    if (layer.trace)
        trace_probed(c, on, status, message ? &kept : NULL);
    if (message) {
        kept.handle = MESSAGE_BITS(*message);
        request_add(&kept);
    }
}

/* Counts the message of a started request R if it is a send: a receive is counted on completion,
 * when its source, tag and size are known. With --trace also assigns the ordinal (channels.h). */
static void message_posted(struct call *c, struct comm *on, struct ledger_request *r)
{
    if (!(r->kind & REQUEST_RECV))
        message_count(on, c->site, c->operation, r->peer, r->tag, false, r->bytes, r->signature);
    if (LIKELY(!layer.trace) || r->kind & REQUEST_PARTITIONED)
        return;
    if (r->tag == CALL_UNORDERED)
        channels_lose_order();
    else
        trace_posted(c, on, r);
}

void call_started(struct call *c, struct ledger_request *r)
{
    struct comm *on = call_comm_of(r);
    if (on && r->kind & REQUEST_MESSAGE)
        message_posted(c, on, r);
    if (r->kind & REQUEST_COLLECTIVE)
        r->spared = (uint8_t)ledger_spared(++r->sequence);
    r->excluded = thread.excluded.of != 0;
}

/* Sets the members of R that identify its message, and counts a send. */
static void message_of(struct call *c, int rc, struct comm *on, struct ledger_request *r,
                       struct ledger_request *matched)
{
    if (matched) {
        r->comm_handle = matched->comm_handle;
        r->comm_id = r->id = matched->id;
        r->turn = matched->turn;
        r->kind |= REQUEST_MESSAGE;
        request_release(matched);
    } else if (rc == MPI_SUCCESS && on && r->peer != CALL_NONE && r->peer != MPI_PROC_NULL) {
        r->kind |= REQUEST_MESSAGE;
        if (!(r->kind & REQUEST_PERSISTENT))
            message_posted(c, on, r);
    }
}

void call_leave_request(struct call *c, int rc, MPI_Comm comm, uint64_t bytes,
                        const MPI_Request *request, struct ledger_request *matched,
                        struct ledger_request *r)
{
    const unsigned kind = r->kind;
    struct comm *on = call_comm(c, comm, rc);
    struct ledger_entry *e = call_entry(c, on, bytes);
    r->entry = e;
    r->posted = c->entry;
    r->post_exit = c->exit;
    r->bytes = bytes;
    r->site = c->site;
    r->comm_handle = comm_key(comm);
    r->id = on ? on->id : 0;
    r->comm_id = kind & REQUEST_COLLECTIVE ? 0 : r->id;
    r->turn = NO_TURN;
    r->operation = (uint16_t)c->operation;
    r->comm = (uint16_t)(on ? on->index : LEDGER_NO_COMM);
    r->active = !(kind & REQUEST_PERSISTENT);
    r->excluded = thread.excluded.of != 0;
    message_of(c, rc, on, r, matched);
    if (r->peer == MPI_PROC_NULL && !(kind & REQUEST_PERSISTENT)) {
        /* the request is complete and has no message */
    } else if (e && rc == MPI_SUCCESS && HANDLE_IS_COMPLETE(*request) && kind == REQUEST_PLAIN) {
        complete_at_once(e, c, bytes);
    } else if (e && rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL) {
        r->handle = HANDLE_BITS(*request);
        if (kind & REQUEST_COLLECTIVE && on && comm_has_others(on)) {
            r->sequence = call_sequence(on);
            r->comm_id = on->id;
            r->spared = (uint8_t)ledger_spared(entry_calls(e));
            if (kind & REQUEST_PERSISTENT)
                r->comm_id = on->id ? hash_mix(on->id, r->sequence) | 1 : 0;
            if (layer.trace)
                trace_collective_posted(on, r);
            if (kind & REQUEST_PERSISTENT)
                r->sequence = UINT64_MAX; /* the first start wraps it to 0 */
        }
        request_add(r);
    }
    if (kind & REQUEST_COLLECTIVE && rc != MPI_SUCCESS)
        call_collective_failed(on, rc);
    /* A receive's size is known on completion; a persistent request has no data until its start. */
    call_leave_with_entry(c, rc, e, kind & (REQUEST_RECV | REQUEST_PERSISTENT) ? 0 : bytes);
    call_exclusion_advance(kind == REQUEST_COLLECTIVE ? on : NULL);
}

void call_leave_comm(const struct call *c, int rc, MPI_Comm comm, const MPI_Comm *new_comm,
                     bool of_all)
{
    struct comm *on = call_comm(c, comm, rc);
    if (of_all && rc != MPI_SUCCESS)
        call_collective_failed(on, rc);
    else if (of_all && on && on->id && comm_has_others(on))
        call_sequence(on);
    if (rc == MPI_SUCCESS)
        comm_add(*new_comm, c->site);
    call_leave(c, rc, comm, 0);
}

void call_complete(struct call *c, struct ledger_request *r, unsigned sharing,
                   const MPI_Status *status, bool tested)
{
    struct ledger_entry *e = r->entry;
    uint64_t wait = ticks_to_ns(c->exit - c->entry);
    uint64_t bytes = r->bytes;
    int cancelled = 0;
    if (r->peer == MPI_PROC_NULL) {
        request_release(r);
        return;
    }
    if ((r->kind & REQUEST_RECV) && status) {
        bytes = call_received(status, bytes);
        PMPI_Test_cancelled(status, &cancelled);
    }
    spin_lock(&e->lock);
    if (cancelled) {
        e->cancelled++;
    } else if (r->excluded || thread.excluded.of) {
        e->excluded_requests++;
        e->completed_bytes += bytes;
        e->bytes += r->kind & REQUEST_RECV ? bytes : 0;
    } else {
        /* With several threads the completing call may begin before the posting call returns. */
        uint64_t waited_from = c->entry > r->post_exit ? c->entry : r->post_exit;
        e->completed++;
        e->post_to_wait_ns += ticks_to_ns(waited_from - r->post_exit);
        e->wait_ns += wait / sharing;
        e->post_to_completion_ns += ticks_to_ns(c->exit - r->posted);
        e->complete_at_wait += tested || wait < NO_WAIT_NS;
        e->completed_bytes += bytes;
        if (r->kind & REQUEST_RECV)
            e->bytes += bytes;
    }
    spin_unlock(&e->lock);
    struct comm *on = r->kind & (REQUEST_MESSAGE | REQUEST_COLLECTIVE) ? call_comm_of(r) : NULL;
    if (on && r->kind & REQUEST_RECV && !cancelled && status && status->MPI_SOURCE != MPI_PROC_NULL)
        message_count(on, r->site, r->operation, status->MPI_SOURCE, status->MPI_TAG, true, bytes,
                      r->signature);
    else if (!on && r->kind & REQUEST_RECV)
        messages_lose(); /* unknown communicator: freed before the completion */
    thread.call->progress = c->exit;
    if (UNLIKELY(layer.trace) && r->kind & (REQUEST_MESSAGE | REQUEST_COLLECTIVE) &&
        !(r->kind & REQUEST_PARTITIONED))
        trace_completed(c, on, r, status, bytes, cancelled);
    if (r->kind & REQUEST_COLLECTIVE && r->comm_id && !r->excluded)
        instance_add(&(struct ledger_instance){.comm_id = r->comm_id,
                                               .entry_ticks = r->posted,
                                               .exit_ticks = c->exit,
                                               .outside_ticks = LEDGER_UNKNOWN_TICKS,
                                               .bytes = r->bytes & LEDGER_48_BITS,
                                               .sequence = r->sequence & LEDGER_48_BITS,
                                               .site = r->site,
                                               .operation = r->operation & 0x7ffu,
                                               .spared = r->spared & 0x1fu,
                                               .comm = r->comm,
                                               .root = r->root,
                                               .signature = r->signature});
    request_release(r);
}

void call_lost(struct call *c, struct ledger_request *r, int rc, const MPI_Status *status)
{
    struct comm *on = r->kind & REQUEST_MESSAGE ? call_comm_of(r) : NULL;
    const bool received = on && status && call_cut_off(rc);
    if (r->kind & REQUEST_RECV)
        messages_lose();
    if (r->kind & REQUEST_RECV && !received)
        channels_lose_order();
    else if (layer.trace && r->kind & REQUEST_RECV)
        trace_completed(c, on, r, status, LEDGER_UNKNOWN_BYTES, false);
    request_release(r);
}
