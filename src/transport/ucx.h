/* Functions called by the wrappers that ucx.awk generates. */
#pragma once

#include "transport/watch.h"

#include <ucp/api/ucp.h>

/* The signature of a callback. */
enum completes { COMPLETES_SEND, COMPLETES_RECEIVE, COMPLETES_STREAM };

struct follower;

struct start {
    uint64_t from, bytes;
    uint32_t number;
    enum transport_kind kind;
    struct follower *follower;
};

static inline bool ucx_listens(void)
{
    return transport_listens() && !watcher.starting;
}

/* Call it before the operation. */
struct start ucx_start(enum transport_kind kind, uint64_t bytes);

/* For functions with parameters. OWN becomes a copy of them with our callback, which calls the
 * original one; *PARAM becomes what to pass on. */
struct start ucx_start_with_callback(enum transport_kind kind, enum completes completes,
                                     size_t count, const ucp_request_param_t **param,
                                     ucp_request_param_t *own);

/* Call it after the operation. */
void ucx_started(struct start *start, ucs_status_ptr_t result);

static inline uint64_t ucx_bytes(size_t count, ucp_datatype_t type)
{
    if ((type & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_CONTIG)
        return TRANSPORT_UNKNOWN_BYTES;
    uint64_t bytes = count * (type >> UCP_DATATYPE_SHIFT);
    return bytes < TRANSPORT_UNKNOWN_BYTES ? bytes : TRANSPORT_UNKNOWN_BYTES;
}
