/* The list of injections, and how an application's collective passes through them. */
#include "inject/inject.h"
#include "inject/injection.h"

#include "document/json.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>

enum { FINDINGS_MAX = 2000 };

/* In order of nesting: an acknowledged broadcast may also be a replaced one. */
struct injection *const injections[] = {&ack_injection, &benchmark_injection, &replace_injection,
                                        &tune_injection};
const size_t n_injections = sizeof injections / sizeof *injections;
_Static_assert(sizeof injections / sizeof *injections <= INJECTIONS_MAX, "room in kept[]");

static struct sync_clock *common_clock;
static double began, starting; /* STARTING: seconds that the start took */

double injection_elapsed(void)
{
    return clock_now() - began;
}

static double time_spent(const struct injection *self)
{
    return 1e-9 * (double)__atomic_load_n(&self->spent_ns, __ATOMIC_RELAXED);
}

double injection_budget(const struct injection *self, double seconds, double percent)
{
    const uint64_t all = __atomic_load_n(&layer.ledger.header->injected_ns, __ATOMIC_RELAXED);
    double in_calls = 1e-9 * (double)all + starting;
    for (size_t i = 0; i < n_injections; i++)
        in_calls -= time_spent(injections[i]);
    const double share = percent / 100 * injection_elapsed() - fmax(0, in_calls);
    return (seconds > 0 ? seconds + fmax(0, share) : share) - time_spent(self);
}

struct sync_clock *injection_clock(void)
{
    return common_clock;
}

static json_t *findings; /* what inject_findings() returns */

static void add(json_t *finding)
{
    pthread_mutex_lock(&layer.lock);
    if (json_array_size(findings) < FINDINGS_MAX || !json_object_get(finding, "kind"))
        json_array_append(findings, finding);
    pthread_mutex_unlock(&layer.lock);
    json_decref(finding);
}

void injection_found(const struct injection *self, uint32_t comm, json_t *finding)
{
    json_object_set_new(finding, "communicator_index", json_integer(comm));
    if (finding)
        add(json_pack("{s:s, s:o}", "kind", self->name, "value", finding));
}

void injection_record(const struct injection *self, json_t *finding)
{
    pthread_mutex_lock(&layer.lock);
    json_t *list = json_pack("[{s:s, s:O}, {s:I}]", "kind", self->name, "value", finding, "before",
                             (json_int_t)layer.ledger.header->findings);
    char *text = json_dumps(list, JSON_COMPACT);
    uint32_t at = text ? ledger_add_text(&layer.ledger, text) : 0;
    if (at)
        layer.ledger.header->findings = at;
    pthread_mutex_unlock(&layer.lock);
    free(text);
    json_decref(list);
}

void injection_warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(json_pack("{s:o}", "warning", json_vsprintf(format, list)));
    va_end(list);
}

void inject_start(struct sync_clock *clock)
{
    common_clock = clock;
    began = clock_now();
    layer.inject = false;
    findings = json_array();
    for (size_t i = 0; i < n_injections; i++) {
        struct injection *j = injections[i];
        j->index = (int)i;
        j->on = j->start();
        layer.inject |= j->on;
    }
    if (layer.inject)
        internal_comms_start();
    starting = injection_elapsed();
}

void inject_end(void)
{
    if (layer.inject)
        internal_comms_end();
    for (size_t i = 0; i < n_injections; i++) {
        if (injections[i]->on && injections[i]->finish)
            injections[i]->finish();
        if (layer.rank == 0 && injections[i]->left_out)
            injection_warn("%s: %llu measurements were omitted, most of them because the budget "
                           "was used up: %.3g s were spent on the others",
                           injections[i]->name, (unsigned long long)injections[i]->left_out,
                           time_spent(injections[i]));
    }
    layer.inject = false;
}

json_t *inject_findings(void)
{
    json_t *all = findings ? findings : json_array(); /* inject_start() was not called */
    findings = NULL;
    return all;
}

/* Excludes the time since the call's entry, in which the layer measured or communicated, from the
 * call and from the application's time between calls: the call starts now. */
static void restart(struct call *call)
{
    uint64_t now = clock_ticks();
    thread.left += now - call->entry;
    call->entry = now;
}

/* Adds the layer's own time: from ENTERED to the call's entry, plus AFTER, all in ticks. */
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
                                              .operation = replica_find(call->operation),
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

/* The application's count may exceed an int only if it called MPI_Bcast_c. */
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
                           .operation = replica_find(call->operation),
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
