/* Where each thread writes the call that it is in; and what the transport tells of, in whose call.
 */
#include "made_layer.h"
#include "record/counts.h"
#include "record/trace.h"
#include "transport/transport.h"

#include <pthread.h>
#include <string.h>

static void start(void)
{
    layer_make();
    layer.phase = LAYER_RUNNING;
}

TestSuite(lanes, .init = start, .fini = layer_remove);

static void *take_place(void *place)
{
    struct ledger_call *c = thread_call_slot();
    cr_expect(c == thread.call && thread.left && !c->since);
    c->since = 1;
    *(struct ledger_call **)place = c;
    return NULL;
}

static struct ledger_call *of_another(void)
{
    pthread_t other;
    struct ledger_call *place = NULL;
    cr_assert_eq(pthread_create(&other, NULL, take_place, &place), 0);
    pthread_join(other, NULL);
    return place;
}

Test(lanes, a_place_is_one_threads_until_that_ends)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_CALLS];
    struct ledger_call *mine = thread_call_slot(), *theirs = of_another();
    cr_expect_eq(t->count, 2);
    cr_expect(mine == &layer.ledger.calls[0] && theirs == &layer.ledger.calls[1]);
    cr_expect_neq(mine->thread, 0);
    cr_expect_eq(theirs->thread, 0);
    cr_expect_eq(of_another(), theirs, "free again");
    cr_expect_eq(t->count, 2);
    theirs->thread = 1;
    for (uint32_t i = 0; i < 100000 && !t->dropped; i++)
        thread_call_slot();
    cr_expect_eq(t->dropped, 1);
    cr_expect(t->count > 2 && t->count <= t->capacity);
    cr_expect(thread.call, "all that have none share one");
}

Test(lanes, scratch_grows_and_is_kept)
{
    char *some = thread_scratch(100);
    cr_expect_eq(thread_scratch(4096), some);
    some[99] = 'x';
    some = thread_scratch(5000);
    cr_expect_eq(some[99], 'x');
    cr_expect_eq(thread.scratch_size, 10000);
    memset(some, 0, 10000);
}

/* --- the transport --- */

extern __attribute__((visibility("default"))) struct transport collprof_transport_3;
struct transport collprof_transport_3 = {.knows_ucx = true};

static uint64_t begun; /* ticks */

static void tell(uint64_t since, bool ours)
{
    const uint64_t from = begun + since;
    collprof_transport_3.event(&(struct transport_event){
        .from = from, .to = from + 5, .bytes = 10, .number = 3, .ours = ours});
}

static void listen(void)
{
    layer.settings.trace = "transport";
    layer.on = true;
    trace_start(0);
    begun = clock_ticks();
    cr_assert_eq(layer.ledger.header->network, LEDGER_NETWORK_ON);
}

Test(lanes, transport_of_a_call_and_of_none)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_EVENTS];
    listen();
    tell(100, false);
    cr_expect_eq(t->count, 0, "the application's own");
    tell(200, true);
    cr_assert_eq(t->count, 1);
    cr_expect_eq(layer.ledger.events[0].posted_ticks, 0);
    thread_call_slot();
    thread.inside = true;
    tell(300, true);
    cr_expect_eq(t->count, 1, "what the layer sends");
    thread.call->since = begun + 350;
    thread.call->site = 4;
    tell(400, false);
    cr_assert_eq(t->count, 2);
    const struct ledger_event *e = &layer.ledger.events[1];
    cr_expect(e->posted_ticks == begun + 350 && e->site == 4 && e->ordinal == 3 &&
              !EVENT_CHANNEL(e) && EVENT_BYTES(e) == 10 &&
              EVENT_KIND(e) == LEDGER_TRANSPORT + TRANSPORT_SEND);
    cr_expect(EVENT_EXCLUDED(&layer.ledger.events[0]) && !EVENT_EXCLUDED(e));
    layer.on = false;
    tell(500, true);
    cr_expect_eq(t->count, 2, "switched off");
    trace_stop();
    cr_expect_null(collprof_transport_3.event);
}

Test(lanes, no_transport)
{
    layer.settings.trace = "calls";
    trace_start(0);
    cr_expect_eq(layer.ledger.header->network, 0);
    layer.settings.trace = "transport";
    collprof_transport_3.knows_ucx = false;
    trace_start(0);
    cr_expect_eq(layer.ledger.header->network, LEDGER_NETWORK_NO_UCX);
}
