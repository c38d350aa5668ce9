/* The interface between libcollprof-transport.so and the profiling layer. The library intercepts
 * the calls that MPI makes to UCX and to the C library's communication, and knows nothing of MPI.
 * The layer sets a callback in it, and records each event with the thread's current MPI call. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The symbol of the library's struct transport. The number in it changes with the structures, since
 * a statically linked layer may meet the library of another version. */
#define TRANSPORT_SYMBOL "collprof_transport_3"
#define TRANSPORT_UNKNOWN_BYTES ((1ull << 48) - 1)

/* Kinds of events. The first four start an operation of UCX. */
enum transport_kind {
    TRANSPORT_SEND,
    TRANSPORT_RECEIVE,
    TRANSPORT_ONE_SIDED, /* a put, a get, or an atomic operation */
    TRANSPORT_FLUSH,
    TRANSPORT_COMPLETED, /* an operation of UCX is complete */
    TRANSPORT_POLL,      /* a poll of UCX that found something; FROM is that of its first event */
    TRANSPORT_COPY,      /* a copy between processes: process_vm_readv, process_vm_writev */
    TRANSPORT_WROTE,     /* data written to a socket: sendmsg, writev, send */
    TRANSPORT_READ,      /* data read from a socket: recvmsg, readv, recv */
    TRANSPORT_KINDS,
    TRANSPORT_STARTS = TRANSPORT_COMPLETED
};

struct transport_event {
    uint64_t from, to; /* clock ticks at the call's entry and return */
    uint64_t bytes;    /* may be TRANSPORT_UNKNOWN_BYTES */
    uint32_t number;   /* of UCX's operation, equal at its start and completion; else 0 */
    uint8_t kind;      /* enum transport_kind */
    bool at_once;      /* a start: the operation is complete, no TRANSPORT_COMPLETED follows */
    bool ours;         /* called by MPI or its transport, not by the application */
};

struct transport {
    /* Set by the layer: NOW reads the clock; EVENT records an event (NULL: nothing is recorded). */
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
