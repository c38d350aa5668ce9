/* Protects what a rank keeps while it runs: requests in the order of their posting, totals when the
 * tables are full, a sample of instances that still matches, and all of it with threads. */
#include "made_layer.h"
#include "record/call.h"
#include "record/channels.h"
#include "record/counts.h"
#include "record/requests.h"
#include "record/trace.h"
#include "sync/yielding.h"

static void start(void)
{
    layer_make();
}

TestSuite(record, .init = start, .fini = layer_remove);
TestSuite(channels, .init = start, .fini = layer_remove);
TestSuite(events, .init = start, .fini = layer_remove);

static void post(uint64_t handle, uint64_t bytes, unsigned kind)
{
    request_add(&(struct ledger_request){
        .handle = handle, .bytes = bytes, .kind = (uint8_t)kind, .active = true});
}

static uint64_t take(uint64_t handle)
{
    struct ledger_request *r = request_claim(handle, false);
    uint64_t bytes = r ? r->bytes : 0;
    if (r)
        request_release(r);
    return bytes;
}

static uint64_t untracked(void)
{
    return layer.ledger.header->untracked_requests;
}

Test(record, equal_handles_first_in_first_out)
{
    for (uint64_t i = 1; i <= 3; i++)
        post(7, i, REQUEST_PLAIN);
    post(8, 80, REQUEST_PLAIN);
    cr_assert_eq(take(7), 1);
    struct ledger_request *r = request_claim(7, false);
    cr_assert_eq(r->bytes, 2);
    request_return(r); /* not complete after all: it is the next again */
    cr_assert_eq(take(7), 2);
    cr_assert_eq(take(8), 80);
    cr_assert_eq(take(7), 3);
    cr_assert_eq(take(7), 0);
    cr_assert_eq(untracked(), 0);
}

Test(record, persistent_requests_stay_until_they_are_freed)
{
    post(5, 50, REQUEST_PERSISTENT);
    struct ledger_request *r = request_claim(5, false);
    request_release(r);
    cr_assert_not(r->active);
    cr_assert_eq(request_claim(5, false), r);
    requests_clear();
    cr_assert_eq(request_claim(5, false)->bytes, 50);
    cr_assert_eq(request_claim(5, true), r);
    cr_assert_null(request_claim(5, true));
    cr_assert_null(request_claim(5, false));
    cr_assert_eq(untracked(), 0);
}

Test(record, requests_beyond_the_table_are_counted)
{
    const uint64_t room = layer.ledger.header->section[LEDGER_REQUESTS].limit - 1;
    const uint64_t many = room + 5000;
    /* Several of them share a queue, where the last, with the least handle, is looked for first. */
    for (uint64_t i = 0; i < many; i++)
        post((many - i) * 8, i + 1, REQUEST_PLAIN);
    cr_assert_eq(untracked(), many - room);
    for (uint64_t i = many; i-- > 0;)
        cr_assert_eq(take((many - i) * 8), i < room ? i + 1 : 0);
    /* What was given back can be used again. */
    post(3, 33, REQUEST_PLAIN);
    cr_assert_eq(take(3), 33);
    cr_assert_eq(untracked(), many - room);
}

Test(record, a_queue_gets_shorter_or_is_dropped)
{
    post(9, 1, REQUEST_PLAIN);
    for (uint64_t i = 1; i <= 5000; i++) {
        post(9, i + 1, REQUEST_PLAIN);
        cr_assert_eq(take(9), i);
    }
    cr_assert_eq(untracked(), 0);
    for (uint64_t i = 1; i <= 4096; i++) /* somebody completes them behind our back */
        post(9, i, REQUEST_PLAIN);
    cr_assert_eq(untracked(), 4096, "dropped, which is said");
    cr_assert_eq(take(9), 4096);
}

static void call(uint32_t site, uint32_t operation, uint64_t bytes, uint64_t ns, bool failed)
{
    struct ledger_entry *e = entry_of(entry_key(site, operation, 1, 0, size_class_of(bytes)));
    if (e)
        entry_count(e, ns, bytes, failed);
}

Test(record, one_entry_adds_up)
{
    static const uint64_t ns[] = {500, 100, 900};
    for (int i = 0; i < 3; i++)
        call(1, 2, 64, ns[i], i == 1);
    call(1, 2, 63, 5, false); /* another size class */
    cr_assert_eq(layer.ledger.header->section[LEDGER_ENTRIES].count, 2);
    const struct ledger_entry *e = &layer.ledger.entries[0];
    cr_assert(e->calls == 3 && e->errors == 1 && e->bytes == 192);
    cr_assert(e->time_ns == 1500 && e->min_ns == 100 && e->max_ns == 900);
    cr_assert(e->size_class == 7 && e->site == 1 && e->operation == 2 && e->comm == 1);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(e->histogram[histogram_bucket(ns[i])], 1);
    cr_assert_eq(size_class_of(0), 0);
    cr_assert_eq(size_class_of(1), 1);
}

/* More call sites than there is room for: every operation keeps its totals. */
Test(record, totals_stay_right_when_the_table_is_full)
{
    enum { OPERATIONS = 40, CALLS = 400000 };
    static uint64_t of[OPERATIONS], found[OPERATIONS];
    const struct ledger_header *h = layer.ledger.header;
    uint64_t placed = 0, without_site = 0;
    uint32_t first = h->section[LEDGER_ENTRIES].capacity;
    for (uint32_t i = 0; i < CALLS && h->section[LEDGER_ENTRIES].dropped < 1000; i++) {
        call(i + 1, i % OPERATIONS, 8, 10, false);
        of[i % OPERATIONS]++;
    }
    cr_assert_eq(h->section[LEDGER_ENTRIES].dropped, 1000);
    cr_assert_gt(h->section[LEDGER_ENTRIES].capacity, first, "the table has grown before");
    cr_assert_leq(h->section[LEDGER_ENTRIES].count, h->section[LEDGER_ENTRIES].capacity);
    for (uint32_t i = 0; i < h->section[LEDGER_ENTRIES].count; i++) {
        const struct ledger_entry *e = &layer.ledger.entries[i];
        found[e->operation] += e->calls;
        *(e->site ? &placed : &without_site) += e->calls;
        cr_assert_eq(e->comm, e->site ? 1 : 0);
    }
    cr_assert_arr_eq(found, of, sizeof of);
    cr_assert_eq(placed, h->section[LEDGER_ENTRIES].capacity - 64);
    cr_assert_eq(without_site, 1000);
}

/* All ranks keep the same ones: what is kept depends on the mask alone. */
Test(record, a_full_log_keeps_a_sample)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_INSTANCES];
    uint32_t n = 3 * t->capacity, sampled = 0;
    for (uint32_t i = 0; i < n; i++)
        instance_add(&(struct ledger_instance){.comm_id = 1 + i % 2, .sequence = i / 2});
    uint32_t mask = layer.ledger.header->sample_mask;
    cr_assert(mask == 3 || mask == 7, "mask %u", mask);
    for (uint32_t i = 0; i < n; i++)
        sampled += ledger_is_sampled(1 + i % 2, i / 2, 0, mask);
    cr_assert_eq(t->count, sampled);
    cr_assert_eq(t->dropped, n - sampled);
    for (uint32_t i = 0; i < t->count; i++)
        cr_assert(ledger_is_sampled(layer.ledger.instances[i].comm_id,
                                    layer.ledger.instances[i].sequence, 0, mask));
}

/* Of a rare collective all are kept that came first, and the sum over those kept is right for both.
 */
Test(record, a_rare_collective_stays_in_a_full_log)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_INSTANCES];
    uint32_t n = 40 * t->capacity, calls[2] = {0}, kept[2] = {0};
    uint64_t population[2] = {0};
    for (uint32_t i = 0; i < n; i++) {
        unsigned rare = i % (n / 12) == n / 24;
        instance_add(&(struct ledger_instance){.comm_id = 0x123456789abcdef,
                                               .sequence = i,
                                               .site = rare,
                                               .spared = ledger_spared(calls[rare]++) & 0x1f});
    }
    uint32_t mask = layer.ledger.header->sample_mask;
    cr_assert(mask == 63 || mask == 127, "mask %u", mask);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct ledger_instance *k = &layer.ledger.instances[i];
        kept[k->site]++;
        population[k->site] += ledger_represented(k->spared, mask);
    }
    cr_assert_eq(calls[1], 12);
    cr_assert_eq(kept[1], 12);
    cr_assert_eq(population[1], 12);
    cr_assert_float_eq((double)population[0] / calls[0], 1, 0.1, "%g",
                       (double)population[0] / calls[0]);
}

Test(record, index_forgets_what_is_removed)
{
    struct index x;
    cr_assert_eq(index_start(&x), 0);
    for (uint64_t key = 10; key < 30; key++)
        cr_assert(index_put(&x, key, 7, false));
    index_remove(&x, 20, 8);
    cr_assert_eq(index_find(&x, 20), 7);
    index_remove(&x, 20, 7);
    for (uint64_t key = 10; key < 30; key++)
        cr_assert_eq(index_find(&x, key), key == 20 ? 0 : 7, "%d", (int)key);
    uint64_t mask = x.table->mask;
    for (uint64_t key = 100; key < 10000; key++) {
        cr_assert(index_put(&x, key, 7, false));
        index_remove(&x, key, 7);
    }
    cr_assert_leq(x.table->mask, 2 * mask + 1);
    cr_assert_eq(index_find(&x, 29), 7);
    free(x.table);
}

/* With one peer, whatever the tags: the directions are counted each by itself. */
Test(record, what_is_sent_is_not_what_is_received)
{
    struct comm c = {.id = 1, .handle = MPI_COMM_WORLD};
    for (int tag = 0; tag < 4; tag++)
        for (int received = 0; received < 2; received++)
            for (int n = 0; n <= tag; n++)
                message_count(&c, 3, 5, 7, tag, received, 10,
                              LEDGER_SIGNATURE(0, FORM_REAL, n % 2 ? 4 : 8));
    cr_assert_eq(layer.ledger.header->section[LEDGER_MESSAGES].count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const struct ledger_messages *m = &layer.ledger.messages[i];
        cr_expect(m->n == (uint64_t)m->tag + 1 && m->bytes == 10 * m->n);
        cr_expect_eq(ledger_type_of(m->types), LEDGER_SIGNATURE(0, FORM_REAL, m->n > 1 ? 4 : 8));
        cr_expect(m->site == 3 && m->operation == 5 && m->peer == 7);
    }
}

/* Of many tags the last ones share a row for each call site and peer: no message is missing. */
Test(record, messages_of_more_tags_than_rows)
{
    enum { TAGS = 40000 };
    struct comm c = {.id = 1, .handle = MPI_COMM_WORLD};
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_MESSAGES];
    uint64_t n = 0;
    message_count(&c, 1, 5, 7, 0, false, 1, 0);
    cr_expect_not(layer.ledger.header->messages_lost);
    for (int tag = 0; tag < TAGS; tag++)
        message_count(&c, 1 + (uint32_t)tag % 2, 5, 7, tag, false, 1, 0);
    cr_expect(layer.ledger.header->messages_lost);
    cr_expect_eq(t->count, t->limit / 2 + 2);
    cr_expect_eq(t->dropped, 0);
    for (uint32_t i = 0; i < t->count; i++)
        n += layer.ledger.messages[i].bytes;
    cr_expect_eq(n, TAGS + 1);
}

/* As many messages on one channel as places have numbers: the others have none, and are no second
 * round of the first. A cancelled receive takes nothing back from there. */
Test(channels, more_messages_than_numbers)
{
    struct comm world = {.id = 5, .handle = MPI_COMM_WORLD, .size = 2};
    uint32_t channel = channel_sent(&world, 1, 7).channel;
    uint32_t receives = channel_posted(&world, 1, 7).channel;
    cr_assert(channel && receives && channel != receives);
    layer.ledger.channels[channel].next = layer.ledger.channels[receives].next = UINT32_MAX - 1;
    cr_assert_eq(channel_sent(&world, 1, 7).ordinal, UINT32_MAX - 1);
    cr_assert_eq(channel_posted(&world, 1, 7).ordinal, UINT32_MAX - 1);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(channel_sent(&world, 1, 7).ordinal, TURN_UNKNOWN);
        cr_assert_eq(channel_posted(&world, 1, 7).ordinal, TURN_UNKNOWN);
        cr_assert_eq(channel_probed(&world, 1, 7).ordinal, TURN_UNKNOWN);
    }
    struct turn any = channel_posted(&world, MPI_ANY_SOURCE, 7),
                behind = channel_posted(&world, 1, 7);
    any = channel_received(any, &world, 1, 7);
    cr_assert_eq(any.ordinal, TURN_UNKNOWN);
    channel_cancelled(behind);
    cr_assert_eq(layer.ledger.channels[receives].next, UINT32_MAX);
    cr_assert_eq(layer.ledger.channels[receives].flags & LEDGER_CHANNEL_DISORDERED, 0);
    cr_assert_eq(channel_sent(&world, 1, 8).ordinal, 0);
}

/* The number of a collective goes on beyond 32 bits, and in the trace is unknown there. */
Test(channels, more_collectives_than_numbers)
{
    struct comm world = {.id = 5, .handle = MPI_COMM_WORLD, .size = 2, .sequence = UINT32_MAX - 1};
    layer.settings.trace = "calls";
    trace_start(0);
    for (uint32_t i = 0; i < 3; i++) {
        struct call c = {.entry = clock_ticks(), .exit = clock_ticks()};
        uint64_t sequence = call_sequence(&world);
        trace_collective(&c, &world, sequence, -1, 8);
        instance_add(
            &(struct ledger_instance){.comm_id = 5, .sequence = sequence & LEDGER_48_BITS});
        cr_assert_eq(layer.ledger.instances[i].sequence, UINT32_MAX - 1 + (uint64_t)i);
        cr_assert_eq(layer.ledger.events[i].ordinal, i ? TURN_UNKNOWN : UINT32_MAX - 1);
    }
}

/* What a cancelled receive had is the next one's, and the line has room again once it is empty. */
Test(channels, places_are_given_back)
{
    struct comm world = {.id = 5, .handle = MPI_COMM_WORLD, .size = 2};
    channel_cancelled(channel_posted(&world, 1, 7));
    for (uint32_t i = 0; i < 5000; i++) {
        struct turn any = channel_posted(&world, MPI_ANY_SOURCE, 7),
                    behind = channel_posted(&world, 1, 7);
        cr_assert_eq(channel_received(any, &world, 1, 7).ordinal, 2 * i);
        cr_assert_eq(channel_received(behind, &world, 1, 7).ordinal, 2 * i + 1);
    }
}

/* Windows are of the time that all ranks have in common. */
Test(events, a_long_trace_keeps_the_same_windows_everywhere)
{
    const struct ledger_table *events = &layer.ledger.header->section[LEDGER_EVENTS];
    layer.settings.trace = "calls";
    trace_start(3ll << 41);
    for (int bit = 40; bit < 44; bit++) {
        layer.ledger.header->time_mask = 1ull << bit;
        const uint32_t before = events->count;
        struct call c = {.entry = clock_ticks(), .exit = clock_ticks()};
        trace_left(&c);
        cr_assert_eq(events->count - before, bit < 41 || bit > 42);
    }
}

/* Eight ranks wait for one that works: those who only yield would take its processor. */
Test(yielding, who_waits_for_long_sleeps)
{
    double start = clock_now();
    give_way(16e-3);
    cr_assert_geq(clock_now() - start, 0.9e-3);
    start = clock_now();
    give_way(15); /* a quarter of that would be missed */
    cr_assert_lt(clock_now() - start, 0.5);
}
