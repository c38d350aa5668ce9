/* Protects the trace and the communication matrix inside a profile: merged, sent, saved, bounded.
 */
#include "made_profile.h"

/* Rank 0 sends N messages to rank 1, which has waited 400 ns for each; one every millisecond. */
static struct profile *traced(uint32_t rank, uint32_t n)
{
    struct profile *p = profile_new();
    PUSH(&p->ranks)->rank = (int32_t)rank;
    p->hosts.n = 0;
    profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = 1});
    uint32_t site = profile_add_site(
        p, &(struct profile_site){.depth = 1,
                                  .frame = {{.module = PROFILE_NONE, .address = rank + 1}}});
    uint32_t operation =
        profile_add_operation(p, rank ? "MPI_Recv" : "MPI_Send", rank ? FAMILY_RECV : FAMILY_SEND);
    p->trace = (struct profile_trace){.on = true, .first_ns = 0, .last_ns = 1000000ll * n};
    for (uint32_t i = 0; i < n; i++) {
        int64_t entry = 1000000ll * i + (rank ? 0 : 400);
        *PUSH(&p->events) = (struct event){.entry_ns = entry,
                                           .posted_ns = entry,
                                           .exit_ns = 1000000ll * i + 500,
                                           .comm_id = 3,
                                           .bytes = 10,
                                           .rank = rank,
                                           .site = site,
                                           .operation = operation,
                                           .peer = 1 - rank,
                                           .ordinal = i,
                                           .kind = rank ? EVENT_RECEIVED : EVENT_SEND};
    }
    *PUSH(&p->peers) = (struct profile_peer){rank, 1 - rank, rank, site, operation, n, 10ull * n};
    return p;
}

Test(trace, survives_the_file)
{
    struct profile *p = traced(0, 100);
    profile_merge(p, traced(1, 100));
    profile_symbolize(p);
    json_auto_t *json = written(p);
    profile_free(p);
    const char *reason;
    p = profile_from_json(json, &reason);
    cr_assert(p, "%s", reason);
    cr_assert_eq(p->trace.matched, 100);
    cr_assert_eq(p->trace.contradictions, 0);
    cr_assert_eq(p->waits.n, 1);
    cr_assert_eq(p->waits.at[0].state, WAIT_LATE_SENDER);
    cr_assert_eq(p->waits.at[0].rank, 0);
    cr_assert_eq(p->waits.at[0].calls, 100);
    cr_assert_eq(p->waits.at[0].wait_ns, 100 * 400);
    cr_assert_str_eq(p->operations.at[p->waits.at[0].operation].name, "MPI_Recv");
    cr_assert_eq(p->peers.n, 2);
    cr_assert_eq(p->peers.at[0].messages, 100);
    cr_assert_eq(p->peers.at[0].bytes, 1000);
    cr_assert_eq(p->peers.at[1].received, 1);
    profile_free(p);
}

/* What is left of a long run are windows of the same time on every rank. */
Test(trace, windows)
{
    struct profile *p RELEASED(profile_end) = traced(0, 4000), *q = traced(1, 4000);
    profile_thin_trace(q, 1000);
    size_t kept = q->events.n;
    cr_assert(kept <= 1000 && kept >= 200, "%zu", kept);
    profile_merge(p, q);
    cr_assert_eq(p->events.n, 2 * kept);
    trace_find(p);
    cr_assert_eq(p->trace.matched, kept);
    cr_assert_eq(p->trace.sends, kept);
    cr_assert_eq(p->waits.at[0].wait_ns, 400 * kept);
    cr_assert_float_eq(p->trace.covered, (double)kept / 4000, 0.01);
    profile_thin_trace(p, 100);
    cr_assert(p->events.n && p->events.n <= 100);
}

/* What the transport did counts against the limit, too. */
Test(trace, transport_is_bounded)
{
    struct profile *p RELEASED(profile_end) = traced(0, 4000);
    for (uint32_t i = 0; i < 4000; i++)
        *PUSH(&p->nets) = (struct net){.from_ns = 1000000ll * i, .to_ns = 1000000ll * i + 10};
    profile_thin_trace(p, 4000);
    cr_assert(p->events.n && p->nets.n && p->events.n + p->nets.n <= 4000, "%zu, %zu", p->events.n,
              p->nets.n);
}

/* Rank 0 on one host, rank 1 on another, whose clock may be off: what is shorter than that is not
 * told, and nothing at all where clocks were not compared. */
Test(trace, clocks_of_several_hosts)
{
    static const struct {
        bool synchronized;
        double bound;
        uint64_t matched;
        size_t waits;
    } known[] = {{true, 0.19e-6, 100, 1}, {true, 0.21e-6, 100, 0}, {false, 0, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = traced(0, 100), *q = traced(1, 100);
        profile_add_host(q, &(struct profile_host){.name = "beta", .ranks = 1});
        p->synchronized = q->synchronized = known[i].synchronized;
        p->clock_bound = q->clock_bound = known[i].bound;
        profile_merge(p, q);
        cr_assert_eq(p->hosts.n, 2);
        trace_find(p);
        cr_assert_eq(p->trace.matched, known[i].matched, "case %zu", i);
        cr_assert_eq(p->waits.n, known[i].waits, "case %zu", i);
        uint64_t waited = p->waits.n ? p->waits.at[0].wait_ns : 0;
        cr_assert_eq(p->ranks.at[0].message_wait_ns + p->ranks.at[1].message_wait_ns, waited);
        profile_free(p);
    }
}

/* A message that was there before it was sent is a contradiction, and one is told. */
Test(trace, contradictions_are_told)
{
    struct profile *p RELEASED(profile_end) = traced(0, 100);
    p->events.at[7].entry_ns = p->events.at[7].posted_ns = p->events.at[7].exit_ns + 1000;
    p->events.at[7].exit_ns += 2000;
    profile_merge(p, traced(1, 100));
    trace_find(p);
    cr_assert_eq(p->trace.contradictions, 1);
}

Test(trace, matrix_gives_up_places_before_pairs)
{
    struct profile *p RELEASED(profile_end) = profile_new();
    for (uint32_t i = 0; i < 30; i++)
        *PUSH(&p->peers) = (struct profile_peer){i / 3, 99, 0, i % 3, 0, 1, i};
    profile_limit_peers(p, 10);
    cr_assert_eq(p->peers.n, 10);
    cr_assert_eq(p->peers.at[9].bytes, 27 + 28 + 29);
    cr_assert_eq(p->peers.at[9].messages, 3);
    cr_assert_eq(p->peers.at[9].site, PROFILE_NONE);
    cr_assert_eq(p->peers_dropped, 0);
    profile_limit_peers(p, 4);
    cr_assert_eq(p->peers.n, 4);
    cr_assert_eq(p->peers.at[0].rank, 6);
    cr_assert_eq(p->peers_dropped, 18);
}

/* What a rank stands in when its record is read has no end yet; of two threads nobody knows whose.
 */
Test(trace, the_call_that_is_open)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct ledger l;
        made_ledger(&l, NULL, 0, 1);
        struct ledger_header *h = l.header;
        h->traced = 1;
        h->state = LEDGER_RUNNING;
        h->ticks_per_second = 1e9;
        h->section[LEDGER_CALLS].count = 3;
        l.calls[0] = (struct ledger_call){
            .thread = 1, .since = 9000000000u, .operation = OP_ALLREDUCE, .site = 1};
        l.calls[2].thread = threads - 1;
        struct profile *p = profile_from_ledger(&l);
        ledger_close(&l);
        cr_assert_eq(p->events.n, threads == 1);
        if (p->events.n) {
            const struct event *a = &p->events.at[0];
            cr_expect(a->kind == EVENT_CALL && a->exit_ns == INT64_MAX);
            cr_expect_str_eq(p->operations.at[a->operation].name, "MPI_Allreduce");
            cr_expect_eq(a->entry_ns - p->trace.first_ns, 4000000000ll);
            cr_expect_eq(p->trace.last_ns, a->entry_ns, "it lived to enter it");
        }
        profile_free(p);
    }
}
