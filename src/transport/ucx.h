/* What the wrappers of UCX's start functions call; ucx.awk generates these wrappers from ucp.h. */
#pragma once

#include "transport/watch.h"

#include <ucp/api/ucp.h>

/* Which type of completion callback a start function of UCX takes (ucp_request_param_t.cb). */
enum completes { COMPLETES_SEND, COMPLETES_RECEIVE, COMPLETES_STREAM };

struct follower;

/* A call of a start function; the first four members become those of struct transport_event. */
struct start {
    uint64_t from, bytes;
    uint32_t number;
    enum transport_kind kind;
    struct follower *follower; /* has the caller's callback, if ours replaces it; else NULL */
};

static inline bool ucx_listens(void)
{
    return transport_listens() && !watcher.starting;
}

/* To be called before UCX's start function. */
struct start ucx_start(enum transport_kind kind, uint64_t bytes);

/* As ucx_start(), for functions with a ucp_request_param_t. OWN becomes a copy of *PARAM with a
 * callback of ours, which calls the caller's; *PARAM becomes the pointer to pass to UCX. */
struct start ucx_start_with_callback(enum transport_kind kind, enum completes completes,
                                     size_t count, const ucp_request_param_t **param,
                                     ucp_request_param_t *own);

/* To be called after UCX's start function, which returned RESULT: reports the start. */
void ucx_started(struct start *start, ucs_status_ptr_t result);

static inline uint64_t ucx_bytes(size_t count, ucp_datatype_t type)
{
    if ((type & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_CONTIG)
        return TRANSPORT_UNKNOWN_BYTES;
    uint64_t bytes = count * (type >> UCP_DATATYPE_SHIFT);
    return bytes < TRANSPORT_UNKNOWN_BYTES ? bytes : TRANSPORT_UNKNOWN_BYTES;
}
