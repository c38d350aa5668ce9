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
    if (!next && library) { /* MPI has loaded it by dlopen() */
        void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        next = handle ? dlsym(handle, name) : NULL;
    }
    if (next)
        return next;
    fprintf(stderr, "collprof: %s was called, and is in no library that is loaded\n", name);
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

/* YIELDS: a rank releases its processor after a poll that found nothing. MPI libraries busy-wait:
 * with more ranks than processors a waiting rank would occupy the processor that the awaited one
 * needs, for milliseconds (a time slice of the scheduler). POLLED: UCX was polled at all. */
static bool yields, polled;

/* --yield sets YIELDS; the library is also loaded by --trace=transport, which alone does not. */
__attribute__((constructor)) static void read_settings(void)
{
    const char *trace = getenv("COLLPROF_TRACE") ?: "", *yield = getenv("COLLPROF_YIELD") ?: "";
    yields = strcmp(trace, "transport") != 0 || *yield == 'y' || *yield == '1';
}

/* The function by which MPI polls UCX: millions of times, of which only few find something. So the
 * clock is not read for a poll that finds nothing. */
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

/* Whether ranks yield: this MPI library waits in ucp_worker_progress(). */
bool collprof_yield_works(void)
{
    return yields && polled;
}
