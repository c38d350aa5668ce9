/* Messages: blocking and not, eager and by rendezvous. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANCELLED = -77 }; /* as the tag of a status */

double fake_way(int from, int to, size_t bytes)
{
    const struct fake_network *n = &fake_world.net;
    return n->way ? n->way(from, to, bytes) : n->latency + n->per_byte * (double)bytes;
}

struct fake_request *fake_request_new(int kind)
{
    for (int i = 0; i < REQUESTS_MAX; i++)
        if (fake_world.request[i].kind == FREE) {
            fake_world.request[i] = (struct fake_request){.kind = kind, .owner = fake_me};
            return &fake_world.request[i];
        }
    fputs("fake MPI: too many requests\n", stderr);
    abort();
}

/* What PMPI_Get_count() reads. */
static void set_count(MPI_Status *status, size_t bytes)
{
#ifdef MPICH_VERSION
    status->count_lo = (int)bytes;
    status->count_hi_and_cancelled = 0;
#else
    status->_ucount = bytes;
#endif
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
#ifdef MPICH_VERSION
    *count = status->count_lo / (int)fake_size(type);
#else
    *count = (int)(status->_ucount / fake_size(type));
#endif
    return MPI_SUCCESS;
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    int n;
    PMPI_Get_count(status, type, &n);
    *count = n;
    return MPI_SUCCESS;
}

static bool fits(const struct fake_request *r, const struct message *m)
{
    return r->comm == m->comm && r->context == m->context &&
           (r->from == MPI_ANY_SOURCE || r->from == m->from) &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

/* R, posted at the time POSTED, gets M. */
static void deliver(struct fake_request *r, struct message *m, int to, double posted)
{
    double done = m->arrival > posted ? m->arrival : posted;
    size_t bytes = m->bytes < r->room ? m->bytes : r->room;
    if (m->sender) { /* a rendezvous: the data set out when both are there */
        int from = m->sender->owner;
        done += fake_way(to, from, 0) + fake_way(from, to, m->bytes);
        m->sender->matched = true;
        m->sender->done = done;
        fake_wake(from);
    }
    fake_copy(r->buffer, m->data, bytes, r->type, true);
    r->matched = true;
    r->done = done;
    r->status.MPI_SOURCE = m->from;
    r->status.MPI_TAG = m->tag;
    r->status.MPI_ERROR = m->bytes > r->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    r->room = m->bytes;
    free(m->data);
    free(m);
}

struct fake_request *fake_send(const void *data, size_t n, MPI_Datatype type, int to, int tag,
                               MPI_Comm comm, int context, bool synchronous)
{
    struct fake_request *r = fake_request_new(SEND);
    const size_t bytes = n * fake_size(type);
    int target = fake_world_rank(comm, to);
    bool rendezvous = synchronous || (fake_world.net.eager && bytes > fake_world.net.eager);
    fake_self()->now += fake_world.net.overhead;
    struct message *m = memset(fake_alloc(sizeof *m), 0, sizeof *m);
    *m = (struct message){.comm = fake_comm_number(comm),
                          .context = context,
                          .from = fake_rank_in(comm),
                          .tag = tag,
                          .bytes = bytes,
                          .arrival =
                              fake_self()->now + fake_way(fake_me, target, rendezvous ? 0 : bytes)};
    m->data = fake_alloc(bytes);
    fake_copy((char *)data, m->data, bytes, type, false);
    m->sender = rendezvous ? r : NULL;
    r->matched = !rendezvous;
    r->done = fake_self()->now;
    fake_world.messages++;
    struct rank *other = &fake_world.rank[target];
    for (struct fake_request **at = &other->posted; *at; at = &(*at)->next)
        if (fits(*at, m)) {
            struct fake_request *found = *at;
            *at = found->next;
            deliver(found, m, target, 0);
            fake_wake(target);
            return r;
        }
    struct message **end = &other->first;
    while (*end)
        end = &(*end)->next;
    *end = m;
    fake_wake(target);
    return r;
}

struct fake_request *fake_receive(void *buffer, size_t n, MPI_Datatype type, int from, int tag,
                                  MPI_Comm comm, int context)
{
    struct fake_request *r = fake_request_new(RECEIVE);
    r->comm = fake_comm_number(comm);
    r->context = context;
    r->from = from;
    r->tag = tag;
    r->buffer = buffer;
    r->type = type;
    r->room = n * fake_size(type);
    for (struct message **at = &fake_self()->first; *at; at = &(*at)->next)
        if (fits(r, *at)) {
            struct message *m = *at;
            *at = m->next;
            deliver(r, m, fake_me, fake_self()->now);
            return r;
        }
    struct fake_request **end = &fake_self()->posted;
    while (*end)
        end = &(*end)->next;
    *end = r;
    return r;
}

/* Completes R and frees it. */
int fake_finish(struct fake_request *r, MPI_Status *status)
{
    fake_wait(r);
    int error = r->kind == RECEIVE ? r->status.MPI_ERROR : MPI_SUCCESS;
    if (status != MPI_STATUS_IGNORE && r->kind == RECEIVE) {
        *status = r->status;
        set_count(status, r->room);
        status->MPI_TAG = r->cancelled ? CANCELLED : status->MPI_TAG;
    }
    r->kind = FREE;
    return error;
}

static int null_status(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
        set_count(status, 0);
    }
    return MPI_SUCCESS;
}

int PMPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    fake_enter("MPI_Send", CALL);
    if (to == MPI_PROC_NULL)
        return MPI_SUCCESS;
    return fake_finish(fake_send(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, false),
                       MPI_STATUS_IGNORE);
}

int PMPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    fake_enter("MPI_Recv", CALL);
    if (from == MPI_PROC_NULL)
        return null_status(status);
    return fake_finish(fake_receive(data, (size_t)n, type, from, tag, comm, CONTEXT_POINT), status);
}

int fake_start(MPI_Request *request, struct fake_request *r)
{
    *request = HANDLE(MPI_Request, r - fake_world.request);
    return MPI_SUCCESS;
}

int PMPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    fake_enter("MPI_Isend", CALL);
    return fake_start(request,
                      fake_send(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, false));
}

int PMPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request)
{
    fake_enter("MPI_Issend", CALL);
    return fake_start(request,
                      fake_send(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, true));
}

int PMPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (from == MPI_PROC_NULL)
        return MPI_SUCCESS;
    fake_enter("MPI_Irecv", CALL);
    return fake_start(request, fake_receive(data, (size_t)n, type, from, tag, comm, CONTEXT_POINT));
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    fake_enter("MPI_Wait", CALL);
    if (*request == MPI_REQUEST_NULL)
        return null_status(status);
    struct fake_request *r = &fake_world.request[NUMBER(*request)];
    *request = MPI_REQUEST_NULL;
    return fake_finish(r, status);
}

int PMPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], status == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &status[i]);
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    fake_enter("MPI_Test", POLL);
    struct fake_request *r =
        *request == MPI_REQUEST_NULL ? NULL : &fake_world.request[NUMBER(*request)];
    *flag = !r || (r->matched && r->done <= fake_self()->now);
    if (!r)
        return null_status(status);
    if (!*flag)
        return MPI_SUCCESS;
    *request = MPI_REQUEST_NULL;
    return fake_finish(r, status);
}

/* Of those that have been matched the one that is done first. */
int PMPI_Waitany(int n, MPI_Request *request, int *index, MPI_Status *status)
{
    struct fake_request *first = NULL;
    for (fake_enter("MPI_Waitany", POLL); !first; fake_enter("MPI_Waitany", 0)) {
        for (int i = 0; i < n; i++) {
            struct fake_request *r =
                request[i] == MPI_REQUEST_NULL ? NULL : &fake_world.request[NUMBER(request[i])];
            if (r && r->matched && (!first || r->done < first->done))
                first = r, *index = i;
        }
        fake_self()->state = first ? fake_self()->state : WAITING;
    }
    request[*index] = MPI_REQUEST_NULL;
    return fake_finish(first, status);
}

int PMPI_Request_free(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL; /* what it is about goes on; its place is not used again */
    return MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request *request)
{
    struct fake_request *r = &fake_world.request[NUMBER(*request)];
    for (struct fake_request **at = &fake_self()->posted; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            r->matched = r->cancelled = true;
            break;
        }
    return MPI_SUCCESS;
}

ANSWER(Test_cancelled, (const MPI_Status *status, int *flag), *flag = status->MPI_TAG == CANCELLED)

int PMPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out, void *in,
                  int n_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                  MPI_Status *status)
{
    MPI_Request request;
    PMPI_Isend(out, n_out, type_out, to, tag_out, comm, &request);
    int error = PMPI_Recv(in, n_in, type_in, from, tag_in, comm, status);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return error;
}

static const struct message *probed(int from, int tag, MPI_Comm comm)
{
    struct fake_request wanted = {
        .comm = fake_comm_number(comm), .context = CONTEXT_POINT, .from = from, .tag = tag};
    for (const struct message *m = fake_self()->first; m; m = m->next)
        if (fits(&wanted, m) && m->arrival <= fake_self()->now)
            return m;
    return NULL;
}

int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    fake_enter("MPI_Iprobe", POLL);
    const struct message *m = probed(from, tag, comm);
    *flag = m != NULL;
    if (m && status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = m->from;
        status->MPI_TAG = m->tag;
        set_count(status, m->bytes);
    }
    return MPI_SUCCESS;
}
