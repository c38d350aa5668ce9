/* What the wrappers of UCX and of the C library in libcollprof-transport.so share. */
#pragma once

#include "transport/transport.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

extern struct transport collprof_transport_3;

struct watcher {
    uint64_t first; /* ticks at the first event since the last poll of UCX began; 0: none */
    bool busy;      /* the thread is in the profiling layer, whose calls are not recorded */
    bool starting;  /* the thread is in a UCX start function: one that it calls is not recorded */
};
extern __thread struct watcher watcher __attribute__((tls_model("initial-exec")));

/* Whether events are to be recorded now. */
static inline bool transport_listens(void)
{
    return __atomic_load_n(&collprof_transport_3.event, __ATOMIC_ACQUIRE) && !watcher.busy;
}

#define EXPORT __attribute__((visibility("default")))
#define UCX_LIBRARY "libucp.so.0"

/* The original of the wrapped function NAME, also from LIBRARY (if not NULL) outside of the global
 * scope. Aborts if there is none: MPI, which calls NAME, could not have been linked without it. */
void *transport_next_function(const char *name, const char *library);
#define NEXT(name, library)                                                                        \
    static __typeof__(name) *next;                                                                 \
    if (UNLIKELY(!next))                                                                           \
        next = (__typeof__(next))transport_next_function(#name, library);

static inline uint64_t transport_now(void)
{
    return collprof_transport_3.now();
}

/* Passes EVENT to the layer, if the layer still records. */
void transport_record(const struct transport_event *event);

/* A new number for an operation of UCX, never 0. */
uint32_t transport_number(void);
