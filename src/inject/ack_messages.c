/* The messages of --ack. All are smaller than what any MPI sends without waiting for the receiver,
 * and travel on the layer's own communicator of all ranks, so no context is used up. */
#include "inject/ack_inner.h"

#include <sched.h>
#include <stdlib.h>

/* Seconds, at the end for all that is left. */
static const double DRAIN_PATIENCE = 1;

/* Streams have tags of their own as far as there are enough: every MPI has 32767, most far more. */
int ack_tag(const struct ack_stream *a, enum ack_tag tag)
{
    int *most, known = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
    uint64_t streams = (uint64_t)((known ? *most : 32767) - ACK_TAG_FIRST) / ACK_TAGS;
    return ACK_TAG_FIRST + ACK_TAGS * (int)(a->id % streams) + (int)tag;
}

struct ack_pending *ack_expect(struct ack_stream *a, int from, enum ack_tag tag,
                               const struct ack_open *o)
{
    struct ack_pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->from = from;
    p->tag = tag;
    p->number = o->number;
    p->broadcast = o->broadcast;
    if (PMPI_Irecv(&p->message, sizeof p->message, MPI_BYTE, a->world[from], ack_tag(a, tag),
                   layer.comm, &p->request)) {
        free(p);
        return NULL;
    }
    p->next = a->pending;
    return a->pending = p;
}

void ack_send(const struct ack_stream *a, int to, enum ack_tag tag, const struct ack_message *m)
{
    PMPI_Send(m, sizeof *m, MPI_BYTE, a->world[to], ack_tag(a, tag), layer.comm);
}

/* Of several broadcasts under way the last may be the first to complete: what was expected of one
 * is then another's. They change places. */
static void settle(struct ack_stream *a, struct ack_pending *p)
{
    for (struct ack_pending *q = a->pending; q && p->message.number != p->number; q = q->next) {
        if (q->done || q->tag != p->tag || q->from != p->from || q->number != p->message.number)
            continue;
        struct ack_pending was = *p;
        p->number = q->number;
        p->broadcast = q->broadcast;
        p->waited_for = q->waited_for;
        q->number = was.number;
        q->broadcast = was.broadcast;
        q->waited_for = was.waited_for;
    }
}

bool ack_has_come(struct ack_stream *a, struct ack_pending *p)
{
    int flag = 0;
    if (!p->done && PMPI_Test(&p->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag) {
        p->done = true;
        settle(a, p);
    }
    return p->done;
}

void ack_echo(const struct ack_stream *a, const struct ack_pending *p, bool prompt)
{
    struct ack_message m = {.number = p->message.number, .prompt = prompt};
    ack_send(a, p->from, ACK_TAG_ECHO, &m);
}

static bool is_of_open(const struct ack_stream *a, const struct ack_pending *p)
{
    const struct ack_open *o = a->open;
    while (o && o->number != p->number)
        o = o->next;
    return o != NULL;
}

void ack_sweep(struct ack_stream *a)
{
    struct ack_pending **at = &a->pending;
    while (*at) {
        struct ack_pending *p = *at;
        bool was_done = p->done;
        /* One of a broadcast that is not over is looked for there. */
        if (is_of_open(a, p) || !ack_has_come(a, p)) {
            at = &p->next;
            continue;
        }
        if (p->tag == ACK_TAG_ACK && !was_done)
            ack_echo(a, p, false);
        *at = p->next;
        free(p);
    }
}

/* Waiting gives the processor away after a while. */
void ack_pause_since(double start)
{
    if (clock_now() - start > 5e-5)
        sched_yield();
}

void ack_drain(struct ack_stream *a, bool as_root)
{
    double start = clock_now();
    if (as_root != (a->rank == a->root))
        return;
    a->open = NULL;
    do {
        ack_sweep(a);
        ack_pause_since(start);
    } while (a->pending && clock_now() - start < DRAIN_PATIENCE);
    while (a->pending) {
        struct ack_pending *p = a->pending;
        a->pending = p->next;
        PMPI_Cancel(&p->request);
        PMPI_Request_free(&p->request);
        /* The library may still be writing there: it stays. */
    }
}
