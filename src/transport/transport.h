/* The interface between libcollprof-transport.so and the profiling layer. The library intercepts
 * the calls that MPI makes to UCX and to the C library's communication, and knows nothing of MPI.
 * The layer sets a callback in the library, and records each event with the thread's MPI call. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The symbol of the library's struct transport. Its number changes with the structures: a
 * statically linked program may run with the library of another version. */
#define TRANSPORT_SYMBOL "collprof_transport_3"
#define TRANSPORT_UNKNOWN_BYTES ((1ull << 48) - 1)

/* Kinds of events. The first four start an operation of UCX. */
enum transport_kind {
    TRANSPORT_SEND,
    TRANSPORT_RECEIVE,
    TRANSPORT_ONE_SIDED, /* a put, a get, or an atomic operation */
    TRANSPORT_FLUSH,
    TRANSPORT_COMPLETED, /* an operation of UCX is complete */
    TRANSPORT_POLL,      /* a poll that found something; FROM: of the first event in it */
    TRANSPORT_COPY,      /* between processes: process_vm_readv, process_vm_writev */
    TRANSPORT_WROTE,     /* to a socket: sendmsg, writev, send */
    TRANSPORT_READ,      /* from a socket: recvmsg, readv, recv */
    TRANSPORT_KINDS,
    TRANSPORT_STARTS = TRANSPORT_COMPLETED
};

struct transport_event {
    uint64_t from, to; /* ticks at the call's entry and return */
    uint64_t bytes;    /* may be TRANSPORT_UNKNOWN_BYTES */
    uint32_t number;   /* of an operation: the same at start and completion; 0 if none */
    uint8_t kind;      /* enum transport_kind */
    bool at_once;      /* a started operation was complete on return: no TRANSPORT_COMPLETED */
    bool ours;         /* called by MPI or its transport, not by the application */
};

struct transport {
    /* Set by the layer: reads the clock, and records an event. EVENT is NULL otherwise. */
    uint64_t (*now)(void);
    void (*event)(const struct transport_event *event);
    bool knows_ucx; /* set by the library: it was built with UCX's header */
};

/* Whether PATH is a shared object of MPI or its transport. */
static inline bool transport_is_of_mpi(const char *path)
{
    static const char *const names[] = {"libmpi",    "libopen-", "mca_",   "libuc",
                                        "libfabric", "libpsm",   "libmca_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text_base_of(path), names[i], strlen(names[i])))
            return true;
    return false;
}
