#include "record/network.h"

#include "record/events.h"
#include "transport/transport.h"

#include <dlfcn.h>
#include <string.h>

static struct transport *transport;

static uint64_t now(void)
{
    return clock_ticks();
}

/* A thread that polls and never calls MPI is one of MPI's own. */
static void take_outside(void)
{
    struct transport_polls *p = transport->polls();
    if (thread.call || p->of_calls)
        return;
    struct ledger_header *h = layer.ledger.header;
    __atomic_fetch_add(&h->outside_polls, p->polls, __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->outside_empty, p->polls - p->found, __ATOMIC_RELAXED);
    p->polls = p->found = 0;
}

/* Called by MPI, from the application's call or a thread of its own; what the layer itself sends
 * is not recorded, nor the application's own business with the system. */
static void on_event(const struct transport_event *e)
{
    const struct ledger_call *call = thread.call;
    bool in_call = call && call->since;
    if (!layer.on || (thread.inside ? !in_call : !e->ours))
        return;
    event_of_network(e, call);
    if (!call)
        take_outside();
}

void network_forget(void)
{
    if (transport) {
        struct transport_polls *p = transport->polls();
        p->polls = p->found = 0;
    }
}

void network_start(void)
{
    struct ledger_header *h = layer.ledger.header;
    if (strcmp(layer.settings.trace, "transport") != 0)
        return;
    transport = dlsym(RTLD_DEFAULT, "collprof_transport");
    if (transport && transport->version != TRANSPORT_VERSION)
        transport = NULL;
    if (!transport) {
        h->network = LEDGER_NETWORK_MISSING;
        return;
    }
    h->network = transport->knows_ucx ? LEDGER_NETWORK_ON : LEDGER_NETWORK_NO_UCX;
    layer.shared_trace = true; /* a thread of MPI's own may have something to tell at any time */
    transport->now = now;
    network_forget(); /* what MPI_Init polled */
    __atomic_store_n(&transport->event, on_event, __ATOMIC_RELEASE);
}

void network_stop(void)
{
    if (!transport)
        return;
    __atomic_store_n(&transport->event, NULL, __ATOMIC_RELEASE);
    struct ledger_header *h = layer.ledger.header;
    for (uint32_t i = 0; i < TRANSPORT_THREADS; i++) {
        const struct transport_polls *p = &transport->thread[i];
        if (p->of_calls)
            continue;
        h->outside_polls += p->polls;
        h->outside_empty += p->polls - p->found;
    }
}

void network_polled(struct ledger_entry *e)
{
    if (!transport)
        return;
    struct transport_polls *p = transport->polls();
    p->of_calls = true;
    if (e && p->polls && p != transport->thread) {
        spin_lock(&e->lock);
        e->polls += p->polls;
        e->empty_polls += p->polls - p->found;
        spin_unlock(&e->lock);
    }
    p->polls = p->found = 0;
}
