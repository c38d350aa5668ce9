/* Protects what is reported of the transport: what calls started there, and in which calls that
 * ended. Every case is worked out by hand: rank 0 sends at site 0, rank 1 receives at site 1. */
#include "timeline/network.h"
#include "profile/model.h"
#include "unit.h"

static struct net net(uint8_t kind, uint32_t rank, uint32_t number, int64_t call)
{
    return (struct net){.call_entry_ns = call,
                        .bytes = 100,
                        .rank = rank,
                        .site = rank,
                        .transfer = number,
                        .kind = kind,
                        .completed_at_start = false};
}

static struct profile *p;

/* Finds the rows of N events. */
static void find(const struct net *nets, size_t n)
{
    p = profile_new();
    p->trace.on = true;
    for (size_t i = 0; i < n; i++)
        *PUSH(&p->nets) = nets[i];
    trace_find(p);
}

static void finish(void)
{
    profile_free(p);
}

/* Ends in the call itself (at once, or seen in it), in a later one, in no call; one is not seen. */
Test(network, ends_by_call, .fini = finish)
{
    struct net nets[] = {
        net(TRANSPORT_COMPLETED, 1, 2, 5000), net(TRANSPORT_COMPLETED, 0, 3, 1000),
        net(TRANSPORT_SEND, 0, 1, 1000),      net(TRANSPORT_SEND, 0, 2, 1000),
        net(TRANSPORT_SEND, 0, 3, 1000),      net(TRANSPORT_RECEIVE, 1, 2, 500),
        net(TRANSPORT_RECEIVE, 1, 1, 700),    net(TRANSPORT_COMPLETED, 1, 1, NET_NO_CALL),
        net(TRANSPORT_POLL, 1, 0, 5000)};
    nets[2].completed_at_start = true;
    find(nets, sizeof nets / sizeof *nets);
    cr_assert_eq(p->below.n, 2);
    const struct net_row *at = p->below.at;
    cr_expect_eq(at[0].sends, 3);
    cr_expect_eq(at[0].receives, 0);
    cr_expect_eq(at[0].same_call, 2);
    cr_expect_eq(at[0].other_call + at[0].outside, 0, "rank 1 has other transfers");
    cr_expect_eq(at[1].sends, 0);
    cr_expect_eq(at[1].receives, 2);
    cr_expect_eq(at[1].same_call, 0);
    cr_expect_eq(at[1].other_call, 1);
    cr_expect_eq(at[1].outside, 1);
}

/* Each operation at each site has one row of a profile, whatever the order of the events. */
Test(network, rows_by_operation_and_site, .fini = finish)
{
    struct net nets[] = {net(TRANSPORT_COPY, 0, 0, 1000), net(TRANSPORT_SEND, 0, 1, 1000),
                         net(TRANSPORT_READ, 1, 0, 1000), net(TRANSPORT_WROTE, 0, 0, 1000),
                         net(TRANSPORT_COPY, 0, 0, 1000)};
    nets[3].operation = 1;
    find(nets, sizeof nets / sizeof *nets);
    cr_assert_eq(p->below.n, 3);
    cr_expect_eq(p->below.at[0].sends, 1);
    cr_expect_eq(p->below.at[0].moved_bytes, 200);
    cr_expect_eq(p->below.at[1].site, 1);
    cr_expect_eq(p->below.at[1].moved_bytes, 100);
    cr_expect_eq(p->below.at[2].operation, 1);
}

/* A message counts as seen if its call started a send of the transport. */
Test(network, messages_that_were_seen)
{
    struct net nets[] = {net(TRANSPORT_SEND, 0, 1, 1000), net(TRANSPORT_RECEIVE, 1, 1, 1000),
                         net(TRANSPORT_SEND, 1, 2, 2000)};
    struct event events[] = {
        {.entry_ns = 1000, .rank = 0, .kind = EVENT_POST},
        {.entry_ns = 1000, .rank = 1, .kind = EVENT_SEND},
        {.entry_ns = 2000, .rank = 1, .kind = EVENT_SEND},
        {.entry_ns = 2000, .rank = 1, .kind = EVENT_RECEIVED},
        {.entry_ns = 2000, .rank = 1, .kind = EVENT_POST, .peer = TIMELINE_NONE}};
    for (size_t i = 0; i < 5; i++)
        events[i].comm_id = 7;
    struct net_traffic traffic = net_traffic_of(nets, 3);
    cr_assert_eq(net_sends_seen(&traffic, events, 5), 2);
    net_traffic_free(&traffic);
}
