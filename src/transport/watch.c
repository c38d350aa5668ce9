#include "transport/watch.h"

#include "config.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

EXPORT struct transport collprof_transport_3 = {
#ifdef HAVE_UCX
    .knows_ucx = true,
#endif
};
__thread struct watcher watcher;

void *transport_next_function(const char *name, const char *library)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (!next && library) { /* LIBRARY was loaded by MPI's dlopen(), not globally */
        void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        next = handle ? dlsym(handle, name) : NULL;
    }
    if (next)
        return next;
    fprintf(stderr, "collprof: %s was called, but no loaded library defines it\n", name);
    abort();
}

uint32_t transport_number(void)
{
    static uint32_t last;
    const uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return number ? number : transport_number();
}

void transport_record(const struct transport_event *event)
{
    void (*tell)(const struct transport_event *) =
        __atomic_load_n(&collprof_transport_3.event, __ATOMIC_ACQUIRE);
    bool was_busy = watcher.busy;
    if (!watcher.first)
        watcher.first = event->from;
    watcher.busy = true;
    if (tell)
        tell(event);
    watcher.busy = was_busy;
}

EXPORT unsigned ucp_worker_progress(void *worker);
EXPORT bool collprof_yield_works(void);

/* YIELDS: a rank releases its processor after a poll of UCX that found nothing. MPI libraries
 * busy-wait: with more ranks than processors a waiting rank would occupy, for a scheduler time
 * slice of milliseconds, the processor that the awaited rank needs. POLLED: MPI has polled UCX. */
static bool yields, polled;

/* Sets YIELDS if the library is loaded for --yield, not only for --trace=transport. */
__attribute__((constructor)) static void read_settings(void)
{
    const char *trace = getenv("COLLPROF_TRACE") ?: "", *yield = getenv("COLLPROF_YIELD") ?: "";
    yields = strcmp(trace, "transport") != 0 || *yield == 'y' || *yield == '1';
}

/* The function by which MPI polls UCX, millions of times. Few polls find something: for the others
 * the clock is not read. */
unsigned ucp_worker_progress(void *worker)
{
    NEXT(ucp_worker_progress, UCX_LIBRARY)
    watcher.first = 0;
    polled = true;
    unsigned found = next(worker);
    if (!found && yields)
        sched_yield();
    if (UNLIKELY(found) && transport_listens()) {
        uint64_t now = transport_now(), first = watcher.first;
        transport_record(&(struct transport_event){
            .from = first ? first : now, .to = now, .kind = TRANSPORT_POLL, .ours = true});
    }
    return found;
}

/* Whether waiting ranks yield: YIELDS is set, and this MPI library waits by polling UCX. */
bool collprof_yield_works(void)
{
    return yields && polled;
}
