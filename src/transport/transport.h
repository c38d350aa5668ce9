/* The interface between libcollprof-transport.so and the layer. The library sees the transport's
 * calls and knows nothing of MPI; the layer, which is loaded later, finds the library's symbol,
 * knows in which MPI call the thread is, and records the events that it gets. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Its number changes with the structures: a statically linked program may find another library. */
#define TRANSPORT_SYMBOL "collprof_transport_3"
#define TRANSPORT_UNKNOWN_BYTES ((1ull << 48) - 1)

/* Kinds of events. A start and its completion have the same number. */
enum transport_kind {
    TRANSPORT_SEND, /* these are starts */
    TRANSPORT_RECEIVE,
    TRANSPORT_ONE_SIDED, /* a put, a get, or an atomic operation */
    TRANSPORT_FLUSH,
    TRANSPORT_COMPLETED, /* the end of a transfer */
    TRANSPORT_POLL,      /* found something; FROM: of the first thing it found, or its end */
    TRANSPORT_COPY,      /* between processes: process_vm_readv, process_vm_writev */
    TRANSPORT_WROTE,     /* to a socket: sendmsg, writev, send */
    TRANSPORT_READ,      /* from a socket: recvmsg, readv, recv */
    TRANSPORT_KINDS,
    TRANSPORT_STARTS = TRANSPORT_COMPLETED
};

struct transport_event {
    uint64_t from, to; /* ticks */
    uint64_t bytes;    /* may be TRANSPORT_UNKNOWN_BYTES */
    uint32_t number;   /* of a start; 0 if none */
    uint8_t kind;
    bool at_once; /* a start that was already complete on return */
    bool ours;    /* certainly called by MPI or its transport, whatever call the thread is in */
};

struct transport {
    /* Set by the layer; EVENT is NULL as long as there is no layer. */
    uint64_t (*now)(void);
    void (*event)(const struct transport_event *event);
    /* Set by the library: */
    bool knows_ucx; /* built with UCX's header */
};

/* Whether PATH is a library of MPI or its transport. */
static inline bool transport_is_of_mpi(const char *path)
{
    static const char *const names[] = {"libmpi",    "libopen-", "mca_",   "libuc",
                                        "libfabric", "libpsm",   "libmca_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text_base_of(path), names[i], strlen(names[i])))
            return true;
    return false;
}
