/* Inside of libcollprof-transport.so: what its wrappers have in common. */
#ifndef COLLPROF_TRANSPORT_WATCH_H
#define COLLPROF_TRANSPORT_WATCH_H

#include "transport/transport.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

extern struct transport collprof_transport;

struct watcher {
    struct transport_polls *polls;
    uint64_t first;  /* of what is seen in the poll in progress; 0: nothing yet */
    uint32_t number; /* of its last start */
    bool busy;       /* in the layer: what is called from there is no event */
    bool starting;   /* in a start: one that UCX makes out of it is the same */
};
extern __thread struct watcher watcher __attribute__((tls_model("initial-exec")));

/* Whether what happens now is to be recorded. */
static inline bool transport_listens(void)
{
    return __atomic_load_n(&collprof_transport.event, __ATOMIC_ACQUIRE) && !watcher.busy;
}

/* The function that would have been called without us, in LIBRARY if it is not among what all may
 * see. There is one, or nothing could have been linked with it. */
void *transport_next(const char *name, const char *library);
#define NEXT(name, library)                                                                        \
    static __typeof__(name) *next;                                                                 \
    if (UNLIKELY(!next))                                                                           \
        next = (__typeof__(next))transport_next(#name, library);

static inline uint64_t transport_now(void)
{
    return collprof_transport.now();
}

void transport_tell(const struct transport_event *event);

/* A number for a start. */
uint32_t transport_number(void);

/* Of the calling thread. */
struct transport_polls *transport_polls(void);

#endif
