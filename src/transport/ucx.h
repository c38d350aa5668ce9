/* What the wrappers of UCX's start functions call; ucx.awk generates these wrappers from ucp.h. */
#pragma once

#include "transport/watch.h"

#include <ucp/api/ucp.h>

/* Which callback a start function takes (ucp_request_param_t.cb). */
enum completes { COMPLETES_SEND, COMPLETES_RECEIVE, COMPLETES_STREAM };

struct follower;

/* A call of a start function; its members are those of struct transport_event. */
struct start {
    uint64_t from, bytes;
    uint32_t number;
    enum transport_kind kind;
    struct follower *follower; /* replaces the caller's callback; NULL: does not */
};

static inline bool ucx_listens(void)
{
    return transport_listens() && !watcher.starting;
}

/* Call it before UCX's function. */
struct start ucx_start(enum transport_kind kind, uint64_t bytes);

/* The same for functions with a ucp_request_param_t. OWN becomes a copy of *PARAM with a callback
 * of this library, which calls the original one; *PARAM becomes the pointer to pass to UCX. */
struct start ucx_start_with_callback(enum transport_kind kind, enum completes completes,
                                     size_t count, const ucp_request_param_t **param,
                                     ucp_request_param_t *own);

/* Call it after UCX's function, which returned RESULT: reports the event. */
void ucx_started(struct start *start, ucs_status_ptr_t result);

static inline uint64_t ucx_bytes(size_t count, ucp_datatype_t type)
{
    if ((type & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_CONTIG)
        return TRANSPORT_UNKNOWN_BYTES;
    uint64_t bytes = count * (type >> UCP_DATATYPE_SHIFT);
    return bytes < TRANSPORT_UNKNOWN_BYTES ? bytes : TRANSPORT_UNKNOWN_BYTES;
}
