/* Reports starts and completions of UCX's operations; ucx.awk generates the wrappers. */
#include "transport/ucx.h"

#include <stdlib.h>

/* The callback that a pending operation's caller has given, and which on_send() etc., called by UCX
 * in its place, calls. Allocated at the operation's start, freed at its completion. */
struct follower {
    __typeof__(((ucp_request_param_t *)0)->cb) cb;
    void *user_data;
    uint32_t number; /* of the operation */
    bool calls;      /* the caller has given a callback, CB */
};

/* Reports the completion of an operation. Frees its follower (USER_DATA), and returns a copy. */
static struct follower complete(void *user_data, ucs_status_t status)
{
    struct follower f = *(struct follower *)user_data;
    free(user_data);
    if (status == UCS_OK && __atomic_load_n(&collprof_transport_3.event, __ATOMIC_ACQUIRE)) {
        uint64_t now = transport_now();
        transport_record(&(struct transport_event){
            .from = now, .to = now, .number = f.number, .kind = TRANSPORT_COMPLETED, .ours = true});
    }
    return f;
}

static void on_send(void *request, ucs_status_t status, void *user_data)
{
    struct follower f = complete(user_data, status);
    if (f.calls)
        f.cb.send(request, status, f.user_data);
}

static void on_receive(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
                       void *user_data)
{
    struct follower f = complete(user_data, status);
    if (f.calls)
        f.cb.recv(request, status, info, f.user_data);
}

static void on_stream(void *request, ucs_status_t status, size_t length, void *user_data)
{
    struct follower f = complete(user_data, status);
    if (f.calls)
        f.cb.recv_stream(request, status, length, f.user_data);
}

struct start ucx_start(enum transport_kind kind, uint64_t bytes)
{
    struct start s = {transport_now(), bytes, transport_number(), kind, NULL};
    watcher.starting = true;
    return s;
}

/* Whether a copy of PARAM has all members that the caller set: a later UCX may have more members.
 * If not, the operation's completion is not reported. */
static bool can_copy(const ucp_request_param_t *param)
{
    const uint32_t flags = UINT32_MAX << 16, known = 2 * UCP_OP_ATTR_FIELD_MEMH - 1;
    return !(param->op_attr_mask & ~(flags | known));
}

struct start ucx_start_with_callback(enum transport_kind kind, enum completes completes,
                                     size_t count, const ucp_request_param_t **param,
                                     ucp_request_param_t *own)
{
    const ucp_request_param_t *given = *param;
    uint32_t mask = given->op_attr_mask;
    struct start s = ucx_start(kind, ucx_bytes(count, mask & UCP_OP_ATTR_FIELD_DATATYPE
                                                          ? given->datatype
                                                          : ucp_dt_make_contig(1)));
    if (!can_copy(given) || !(s.follower = malloc(sizeof *s.follower)))
        return s;
    *s.follower =
        (struct follower){.cb = given->cb,
                          .user_data = mask & UCP_OP_ATTR_FIELD_USER_DATA ? given->user_data : NULL,
                          .number = s.number,
                          .calls = mask & UCP_OP_ATTR_FIELD_CALLBACK};
    *own = *given;
    own->op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    own->user_data = s.follower;
    if (completes == COMPLETES_SEND)
        own->cb.send = on_send;
    else if (completes == COMPLETES_RECEIVE)
        own->cb.recv = on_receive;
    else
        own->cb.recv_stream = on_stream;
    *param = own;
    return s;
}

/* If RESULT is no pointer to a request, the operation is complete or failed: no callback comes. */
void ucx_started(struct start *s, ucs_status_ptr_t result)
{
    watcher.starting = false;
    if (!UCS_PTR_IS_PTR(result))
        free(s->follower);
    if (UCS_PTR_IS_ERR(result))
        return;
    transport_record(&(struct transport_event){.from = s->from,
                                               .to = transport_now(),
                                               .bytes = s->bytes,
                                               .number = s->number,
                                               .kind = (uint8_t)s->kind,
                                               .at_once = result == NULL,
                                               .ours = true});
}
