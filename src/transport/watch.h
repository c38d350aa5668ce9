/* Private to libcollprof-transport.so: what its wrappers share. */
#pragma once

#include "transport/transport.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

extern struct transport collprof_transport_3;

struct watcher {
    uint64_t first; /* time of the first thing found in the present poll; 0: none yet */
    bool busy;      /* in the layer: its own calls are not events */
    bool starting;  /* in a start: a further start that UCX makes from it is the same one */
};
extern __thread struct watcher watcher __attribute__((tls_model("initial-exec")));

/* Whether events are to be recorded now. */
static inline bool transport_listens(void)
{
    return __atomic_load_n(&collprof_transport_3.event, __ATOMIC_ACQUIRE) && !watcher.busy;
}

#define EXPORT __attribute__((visibility("default")))
#define UCX_LIBRARY "libucp.so.0"

/* The function that would be called without us, in LIBRARY if it is not in the global scope. It
 * always exists, otherwise nothing could be linked with it. */
void *transport_next_function(const char *name, const char *library);
#define NEXT(name, library)                                                                        \
    static __typeof__(name) *next;                                                                 \
    if (UNLIKELY(!next))                                                                           \
        next = (__typeof__(next))transport_next_function(#name, library);

static inline uint64_t transport_now(void)
{
    return collprof_transport_3.now();
}

void transport_record(const struct transport_event *event);

/* A new number for a start. */
uint32_t transport_number(void);
