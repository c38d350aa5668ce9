/* Protects what collbench-overlap says of why a map is as it is: worked out by hand, of events at
 * known times beside a computation from 1000 to 2000. */
#include "measure/overlap/overlap_inner.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct overlap_spans once = {.n = 1, .span = {{1000, 2000}}};
static struct overlap_seen seen;
static char text[400];

static struct transport_event event(uint8_t kind, uint64_t from, uint64_t to, uint64_t bytes)
{
    return (struct transport_event){.kind = kind, .from = from, .to = to, .bytes = bytes};
}

static void start(void)
{
    seen = (struct overlap_seen){.bytes = 100, .rounds = 1};
}

static void says(const char *part)
{
    overlap_why(&seen, text, sizeof text);
    cr_assert(strstr(text, part), "%s: not in: %s", part, text);
}

Test(overlap_watch, moved_by_whom_and_when, .init = start)
{
    struct transport_event mine[] = {event(TRANSPORT_COPY, 2000, 2100, 60)};
    struct transport_event theirs[] = {event(TRANSPORT_COPY, 1900, 2100, 80),
                                       event(TRANSPORT_COPY, 500, 600, 20)};
    overlap_see(&seen, mine, 1, true, &once);
    overlap_see(&seen, theirs, 2, false, &once);
    says("moved by system calls, 37.5 % by node 0 after its computation, 12.5 % by the others "
         "before "
         "it, 25.0 % by the others while it computed, 25.0 % by the others after it");
    cr_assert(!strstr(text, "lay"), "%s", text);
    seen.rounds = 2; /* that was not all of it */
    says("nothing of it is seen");
}

Test(overlap_watch, between_two_computations_is_after, .init = start)
{
    const struct overlap_spans twice = {.n = 2, .span = {{1000, 2000}, {3000, 4000}}};
    struct transport_event mine[] = {event(TRANSPORT_COPY, 2500, 2600, 50),
                                     event(TRANSPORT_COPY, 3500, 3600, 50)};
    overlap_see(&seen, mine, 2, true, &twice);
    cr_assert_float_eq(seen.moved[OVERLAP_AFTER], 50, 1e-9);
    cr_assert_float_eq(seen.moved[OVERLAP_BESIDE], 50, 1e-9);
}

/* Small messages of the roles themselves are not the message. */
Test(overlap_watch, eager, .init = start)
{
    struct transport_event mine[] = {event(TRANSPORT_SEND, 900, 910, 100),
                                     event(TRANSPORT_SEND, 920, 930, 0),
                                     event(TRANSPORT_SEND, 940, 950, TRANSPORT_UNKNOWN_BYTES)};
    mine[0].at_once = true;
    overlap_see(&seen, mine, 3, true, &once);
    cr_assert_eq(seen.sends, 1);
    says("every send was complete when its call returned");
    mine[0].at_once = false;
    start();
    overlap_see(&seen, mine, 2, true, &once);
    says("nothing of it is seen");
}

Test(overlap_watch, polls_where_nothing_else_is_seen, .init = start)
{
    struct transport_event mine[] = {event(TRANSPORT_POLL, 900, 910, 0),
                                     event(TRANSPORT_POLL, 2100, 2110, 0)};
    overlap_see(&seen, mine, 2, true, &once);
    says("not seen; node 0's polls found something 50.0 % before its computation, 50.0 % after it");
}

Test(overlap_watch, lay_until_the_wait, .init = start)
{
    struct transport_event theirs[] = {event(TRANSPORT_SEND, 1400, 1500, 100)};
    struct transport_event mine[] = {event(TRANSPORT_POLL, 900, 910, 0),
                                     event(TRANSPORT_POLL, 2100, 2110, 0)};
    overlap_see_lying(&seen, mine, 2, theirs, 1, &once);
    says("1 of 1 messages, or their announcements, came while node 0 computed and lay until it "
         "looked, for 600 ns");
    theirs[0].to = 2050; /* came when node 0 was waiting already */
    start();
    overlap_see_lying(&seen, mine, 2, theirs, 1, &once);
    cr_assert_eq(seen.lay, 0);
    cr_assert_eq(seen.messages, 1);
}

/* Where a thread of MPI's own looks meanwhile nothing lies until the end. */
Test(overlap_watch, found_beside, .init = start)
{
    struct transport_event theirs[] = {event(TRANSPORT_SEND, 1400, 1500, 100)};
    struct transport_event mine[] = {event(TRANSPORT_POLL, 1600, 1700, 0)};
    overlap_see_lying(&seen, mine, 1, theirs, 1, &once);
    cr_assert_eq(seen.lay, 0);
}

Test(overlap_watch, other_hosts_are_not_known, .init = start)
{
    seen.apart = true;
    says("of other hosts' doing nothing is known");
}
