/* Protects what is said of the transport: which protocol, who carried a message, how long it lay.
 * Every case is worked out by hand: rank 0 sends 100 bytes at site 0, rank 1 receives at site 1. */
#include "timeline/network.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Sent by a call from 1000 to 1100 that starts it from 1010 to 1020; received by one that is posted
 * at POSTED, and completed by one from WAIT to its end. */
static void message(struct act act[2], int64_t posted, int64_t wait, int64_t end)
{
    act[0] = (struct act){.entry_ns = 1000, .exit_ns = 1100, .posted_ns = 1000, .kind = ACT_POST};
    act[1] = (struct act){.entry_ns = wait,
                          .exit_ns = end,
                          .posted_ns = posted,
                          .rank = 1,
                          .site = 1,
                          .kind = ACT_RECEIVED};
    for (uint32_t i = 0; i < 2; i++) {
        act[i].comm_id = 7;
        act[i].bytes = 100;
        act[i].peer = 1 - i;
    }
}

static struct net net(uint8_t kind, uint32_t rank, int64_t from, int64_t to, int64_t call)
{
    return (struct net){.from_ns = from,
                        .to_ns = to,
                        .call_ns = call,
                        .bytes = 100,
                        .rank = rank,
                        .site = rank,
                        .number = kind <= TRANSPORT_COMPLETED ? 1 : 0,
                        .kind = kind};
}

static struct net_found found;
static struct timeline t;

static void find(const struct act act[2], const struct net *nets, size_t m)
{
    timeline_find(&t, act, 2, 0);
    cr_assert_eq(t.matched, 1);
    net_find(&found, act, 2, &t, nets, m, 0);
}

static const struct net_row *at(uint32_t site)
{
    for (size_t i = 0; i < found.n_rows; i++)
        if (found.rows[i].site == site)
            return &found.rows[i];
    cr_assert_fail("no row of site %u", site);
    return NULL;
}

static void finish(void)
{
    net_free(&found);
    timeline_free(&t);
}

/* The receiver computes from 600 to 5000: the message lay from 1020 on. */
Test(network, eager_lies_until_the_wait, .fini = finish)
{
    struct act act[2];
    message(act, 500, 5000, 5100);
    struct net nets[] = {
        net(TRANSPORT_RECEIVE, 1, 510, 520, 500), net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
        net(TRANSPORT_COMPLETED, 1, 5050, 5050, 5000), net(TRANSPORT_POLL, 1, 5050, 5060, 5000)};
    nets[1].at_once = true;
    find(act, nets, 4);
    cr_assert_eq(found.sends, 1);
    cr_assert_eq(at(0)->eager, 1);
    cr_assert_eq(at(0)->rendezvous, 0);
    cr_assert_eq(at(0)->eager_max, 100);
    cr_assert_eq(at(0)->same_call, 1);
    cr_assert_eq(at(1)->lay, 1);
    cr_assert_eq(at(1)->lay_ns, 5000 - 1020);
    cr_assert_eq(at(1)->other_call, 1);
    cr_assert_eq(at(1)->carried, 1);
}

Test(network, nothing_lies_before_one_who_polls, .fini = finish)
{
    struct act act[2];
    message(act, 500, 600, 1200);
    struct net nets[] = {net(TRANSPORT_RECEIVE, 1, 510, 520, 500),
                         net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
                         net(TRANSPORT_COMPLETED, 1, 1150, 1150, 600)};
    nets[1].at_once = true;
    find(act, nets, 3);
    cr_assert_eq(at(1)->lay, 1);
    cr_assert_eq(at(1)->lay_ns, 0);
}

/* Open, and polled for, when the receive is posted: seen to wait for it. */
Test(network, rendezvous_by_its_patience, .fini = finish)
{
    struct act act[2];
    message(act, 3000, 3000, 3200);
    struct net nets[] = {
        net(TRANSPORT_SEND, 0, 1010, 1020, 1000), net(TRANSPORT_COMPLETED, 0, 3150, 3150, 2000),
        net(TRANSPORT_RECEIVE, 1, 3010, 3020, 3000), net(TRANSPORT_POLL, 1, 3030, 3040, 3000),
        net(TRANSPORT_COMPLETED, 1, 3100, 3100, 3000)};
    find(act, nets, 5);
    cr_assert_eq(at(0)->rendezvous, 1);
    cr_assert_eq(at(0)->rendezvous_min, 100);
    cr_assert_eq(at(0)->eager, 0);
    cr_assert_eq(at(1)->lay_ns, 3000 - 1020);
    /* Nobody looked for its end before: it may have been over for long. */
    nets[1].call_ns = 3140;
    finish();
    find(act, nets, 5);
    cr_assert_eq(at(0)->rendezvous, 0);
    cr_assert_eq(at(0)->eager, 0);
    cr_assert_eq(at(1)->lay, 0);
}

/* Not complete at once, but before anybody wanted it: buffered on the way. */
Test(network, eager_by_its_end, .fini = finish)
{
    struct act act[2];
    message(act, 3000, 3000, 3200);
    struct net nets[] = {
        net(TRANSPORT_SEND, 0, 1010, 1020, 1000), net(TRANSPORT_COMPLETED, 0, 2150, 2150, 2000),
        net(TRANSPORT_RECEIVE, 1, 3010, 3020, 3000), net(TRANSPORT_COMPLETED, 1, 3100, 3100, 3000)};
    find(act, nets, 4);
    cr_assert_eq(at(0)->eager, 1);
    cr_assert_eq(at(0)->rendezvous, 0);
    nets[1].to_ns = nets[1].from_ns = 3001; /* now it was over only after the post */
    finish();
    find(act, nets, 4);
    cr_assert_eq(at(0)->eager, 0);
    cr_assert_eq(at(0)->rendezvous, 1);
}

/* The receive was there first; what shows the protocol is who fetches. */
Test(network, rendezvous_by_the_copy, .fini = finish)
{
    struct act act[2];
    message(act, 500, 5000, 5300);
    struct net nets[] = {
        net(TRANSPORT_RECEIVE, 1, 510, 520, 500),      net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
        net(TRANSPORT_COPY, 1, 5060, 5090, 5000),      net(TRANSPORT_COPY, 1, 5100, 5190, 5000),
        net(TRANSPORT_COMPLETED, 1, 5200, 5200, 5000), net(TRANSPORT_POLL, 1, 5060, 5210, 5000),
        net(TRANSPORT_COMPLETED, 0, 5250, 5250, 2000)};
    nets[2].bytes = 40;
    nets[3].bytes = 60;
    find(act, nets, 7);
    cr_assert_eq(at(0)->rendezvous, 1);
    cr_assert_eq(at(1)->lay_ns, 5000 - 1020);
    cr_assert_eq(at(1)->moved_bytes, 100);
    cr_assert_eq(at(0)->other_call, 1);
    nets[3].bytes = 59; /* that was not all of it */
    finish();
    find(act, nets, 7);
    cr_assert_eq(at(0)->rendezvous, 0);
}

/* The sender puts it where the receiver has said. */
Test(network, rendezvous_by_a_copy_of_the_senders, .fini = finish)
{
    struct act act[2];
    message(act, 500, 600, 5300);
    struct net nets[] = {
        net(TRANSPORT_RECEIVE, 1, 510, 520, 500), net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
        net(TRANSPORT_COPY, 0, 5060, 5190, 5000), net(TRANSPORT_COMPLETED, 0, 5200, 5200, 5000),
        net(TRANSPORT_COMPLETED, 1, 5250, 5250, 600)};
    find(act, nets, 5);
    cr_assert_eq(at(0)->rendezvous, 1);
    cr_assert_eq(at(0)->moved_bytes, 100);
    nets[2].bytes = 99;
    finish();
    find(act, nets, 5);
    cr_assert_eq(at(0)->rendezvous, 0);
}

/* A thread of MPI's own: no call. */
Test(network, carried_apart, .fini = finish)
{
    struct act act[2];
    message(act, 500, 5000, 5100);
    struct net nets[] = {net(TRANSPORT_RECEIVE, 1, 510, 520, 500),
                         net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
                         net(TRANSPORT_COMPLETED, 1, 1900, 1900, NET_NO_CALL)};
    nets[1].at_once = true;
    find(act, nets, 3);
    cr_assert_eq(at(1)->outside, 1);
    cr_assert_eq(at(1)->other_call, 0);
    cr_assert_eq(at(1)->lay_ns, 1900 - 1020);
}

/* Which of two starts in one call is the message's is not known. */
Test(network, two_in_one_call, .fini = finish)
{
    struct act act[2];
    message(act, 500, 5000, 5100);
    struct net nets[] = {net(TRANSPORT_SEND, 0, 1010, 1020, 1000),
                         net(TRANSPORT_SEND, 0, 1030, 1040, 1000)};
    nets[1].number = 2;
    find(act, nets, 2);
    cr_assert_eq(found.sends, 0);
    cr_assert_eq(at(0)->sends, 2);
    cr_assert_eq(at(0)->eager + at(0)->rendezvous, 0);
}

/* What starts in the call, but is of another size, is of the library's own. */
Test(network, of_another_size, .fini = finish)
{
    struct act act[2];
    message(act, 500, 5000, 5100);
    struct net nets[] = {net(TRANSPORT_SEND, 0, 1010, 1020, 1000)};
    nets[0].bytes = 64;
    find(act, nets, 1);
    cr_assert_eq(found.sends, 0);
    nets[0].bytes = TRANSPORT_UNKNOWN_BYTES;
    finish();
    find(act, nets, 1);
    cr_assert_eq(found.sends, 1);
}
