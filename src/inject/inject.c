/* The list of injections, and how a call passes through them. */
#include "inject/inject.h"
#include "inject/injection.h"

#include "document/json.h"

#include <limits.h>
#include <stdio.h>

enum { FINDINGS_MAX = 2000 };

/* In order of nesting: an acknowledged broadcast may also be a replaced one. */
struct injection *const injections[] = {&ack_injection, &benchmark_injection, &replace_injection,
                                        &tune_injection};
const size_t n_injections = sizeof injections / sizeof *injections;
_Static_assert(sizeof injections / sizeof *injections <= INJECTIONS_MAX, "room in kept[]");

static struct sync_clock *common_clock;
static double began;

double injection_elapsed(void)
{
    return clock_now() - began;
}

struct sync_clock *injection_clock(void)
{
    return common_clock;
}

void injection_found(struct injection *self, uint32_t comm, json_t *finding)
{
    json_object_set_new(finding, "communicator_index", json_integer(comm));
    pthread_mutex_lock(&layer.lock);
    if (!finding || json_array_size(self->findings) >= FINDINGS_MAX)
        json_decref(finding);
    else
        json_array_append_new(self->findings, finding);
    pthread_mutex_unlock(&layer.lock);
}

void inject_start(struct sync_clock *clock)
{
    common_clock = clock;
    began = clock_now();
    layer.inject = false;
    for (size_t i = 0; i < n_injections; i++) {
        struct injection *j = injections[i];
        j->index = (int)i;
        j->findings = json_array();
        j->on = j->start();
        layer.inject |= j->on;
    }
    if (layer.inject)
        internal_comms_start();
}

void inject_end(void)
{
    if (layer.inject)
        internal_comms_end();
    for (size_t i = 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->finish)
            injections[i]->finish();
    layer.inject = false;
}

void inject_findings(void (*add)(void *arg, const char *kind, json_t *finding),
                     void (*warn)(void *arg, const char *text), void *arg)
{
    char text[300];
    internal_comms_warn(warn, arg);
    for (size_t k = 0; k < n_injections; k++) {
        struct injection *j = injections[k];
        size_t i;
        json_t *finding;
        json_array_foreach(j->findings, i, finding) add(arg, j->name, json_incref(finding));
        json_decref(j->findings);
        j->findings = NULL;
        if (*j->remark)
            warn(arg, j->remark);
        /* Less than a thousandth of the run is not worth a remark. */
        if (layer.rank == 0 && injection_time_spent(j) > 0.001 * injection_elapsed()) {
            snprintf(text, sizeof text, "%s: measuring took %.3g s, %.0f %% of the run (rank 0)",
                     j->name, injection_time_spent(j),
                     100 * injection_time_spent(j) / injection_elapsed());
            warn(arg, text);
        }
    }
}

/* Moves the call's start to now: the time before is neither the library's nor the application's. */
static void restart(struct call *call)
{
    uint64_t now = clock_ticks();
    thread.left += now - call->entry;
    call->entry = now;
}

/* Counts the layer's own time: from ENTERED to the call, plus AFTER nanoseconds after it. */
static void count_injected(const struct call *call, uint64_t entered, uint64_t after)
{
    __atomic_fetch_add(&layer.ledger.header->injected_ns,
                       ticks_to_ns(call->entry - entered + after), __ATOMIC_RELAXED);
}

void inject_before(struct call *call, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands)
{
    uint64_t entered = call->entry;
    internal_comm_before(&(struct collective){.call = call,
                                              .on = internal_comm_of(comm_of(comm)),
                                              .comm = comm,
                                              .root = root,
                                              .bytes = bytes,
                                              .operands = operands});
    restart(call);
    count_injected(call, entered, 0);
}

static const struct injection *next_after(const struct injection *self)
{
    for (size_t i = self ? (size_t)self->index + 1 : 0; i < n_injections; i++)
        if (injections[i]->on && injections[i]->instead)
            return injections[i];
    return NULL;
}

/* Only MPI_Bcast_c has counts beyond an int. */
static int library_broadcast(const struct collective *c)
{
#ifdef HAVE_MPI_Bcast_c
    if (c->count > INT_MAX)
        return PMPI_Bcast_c(c->buffer, c->count, c->type, c->root, c->comm);
#endif
    return PMPI_Bcast(c->buffer, (int)c->count, c->type, c->root, c->comm);
}

int injection_pass(const struct injection *self, const struct collective *c)
{
    const struct injection *next = next_after(self);
    c->call->exit = 0;
    restart(c->call);
    int rc = next ? next->instead(c) : library_broadcast(c);
    if (!c->call->exit)
        c->call->exit = clock_ticks();
    return rc;
}

bool inject_broadcast(struct call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc)
{
    struct collective c = {.call = call,
                           .on = internal_comm_of(comm_of(comm)),
                           .comm = comm,
                           .root = root,
                           .is_broadcast = true,
                           .buffer = buffer,
                           .count = count,
                           .type = type};
    uint64_t entered = call->entry;
    bool fit = root >= 0 && count >= 0 && type != MPI_DATATYPE_NULL && (!c.on || root < c.on->size);
    c.bytes = fit ? call_bytes(count, type) : 0;
    if (fit)
        internal_comm_before(&c);
    if (!fit || !c.on) {
        call->entry = clock_ticks();
        return false;
    }
    *rc = injection_pass(NULL, &c);
    count_injected(call, entered, clock_ticks() - call->exit);
    return true;
}
