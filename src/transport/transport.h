/* What libcollprof-transport.so and the layer say to each other. The library sees the transport's
 * calls and knows nothing of MPI; the layer, which is loaded later, finds collprof_transport by its
 * name, knows in which MPI call the thread is, and records what it is given. */
#ifndef COLLPROF_TRANSPORT_TRANSPORT_H
#define COLLPROF_TRANSPORT_TRANSPORT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define TRANSPORT_VERSION 1u /* of this header: both ends have the same */
#define TRANSPORT_UNKNOWN_BYTES ((1ull << 48) - 1)

/* What happened; the first four are starts. A start and its completion have the same number. */
enum transport_kind {
    TRANSPORT_SEND,
    TRANSPORT_RECEIVE,
    TRANSPORT_ONE_SIDED, /* put, get, atomic */
    TRANSPORT_FLUSH,
    TRANSPORT_STARTS,
    TRANSPORT_COMPLETED = TRANSPORT_STARTS,
    TRANSPORT_POLL,  /* one that found something; FROM: of the first thing seen in it, or its end */
    TRANSPORT_COPY,  /* process_vm_readv, process_vm_writev */
    TRANSPORT_WROTE, /* sendmsg, writev, send */
    TRANSPORT_READ,  /* recvmsg, readv, recv */
    TRANSPORT_KINDS
};

struct transport_event {
    uint64_t from, to; /* ticks */
    uint64_t bytes;    /* TRANSPORT_UNKNOWN_BYTES */
    uint32_t number;   /* of a start; 0: none */
    uint8_t kind;
    bool at_once; /* a start that was complete when it returned */
    bool ours;    /* surely called by MPI or its transport, wherever the thread is */
};

/* Polls of one thread, since they were last taken. */
struct transport_polls {
    uint64_t polls, found;
};
enum { TRANSPORT_THREADS = 64 };

struct transport {
    uint32_t version;
    /* The layer's; event NULL: no layer is there. */
    uint64_t (*now)(void);
    void (*event)(const struct transport_event *event);
    /* The library's. */
    struct transport_polls *(*polls)(void);           /* of the calling thread */
    struct transport_polls thread[TRANSPORT_THREADS]; /* [0]: of all that found no other */
    uint32_t threads;
    bool knows_ucx; /* built with UCX's header */
};

/* Whether that is a library of MPI or its transport. */
static inline bool transport_is_of_mpi(const char *path)
{
    static const char *const names[] = {"libmpi",    "libopen-", "mca_",   "libuc",
                                        "libfabric", "libpsm",   "libmca_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text_base_of(path), names[i], strlen(names[i])))
            return true;
    return false;
}

#endif
