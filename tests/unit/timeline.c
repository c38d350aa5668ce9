/* Protects what a trace is made to say: which messages belong together, who waited for whom and
 * for how long. Every case is small enough to be worked out by hand. */
#include "timeline/timeline.h"
#include "unit.h"

/* What rank RANK did from ENTRY to EXIT. */
static struct event events(enum event_kind kind, uint32_t rank, int64_t entry, int64_t end)
{
    return (struct event){.entry_ns = entry,
                          .exit_ns = end,
                          .posted_ns = entry,
                          .comm_id = 7,
                          .bytes = 100,
                          .rank = rank,
                          .site = rank,
                          .peer = TIMELINE_NONE,
                          .kind = (uint8_t)kind};
}

static struct event message(enum event_kind kind, uint32_t rank, uint32_t peer, uint32_t ordinal,
                            int64_t entry, int64_t end)
{
    struct event a = events(kind, rank, entry, end);
    a.peer = peer;
    a.ordinal = ordinal;
    return a;
}

static struct event completed(struct event a, int64_t posted)
{
    a.posted_ns = posted;
    return a;
}

/* Member RANK of SIZE in instance 0 on one communicator. */
static struct event member(enum collective_kind kind, uint32_t rank, uint32_t size, uint32_t root,
                           int64_t entry, int64_t end)
{
    struct event a = events(EVENT_COLLECTIVE, rank, entry, end);
    a.collective = (uint8_t)kind;
    a.tag = (int32_t)rank;
    a.comm_size = size;
    a.peer = root;
    return a;
}

/* One event at the site AT waits for RANK; with 0 NS none waits. */
static void one_wait(const struct timeline *t, const struct event *a, size_t n,
                     enum wait_state state, uint32_t at, uint32_t rank, int64_t ns)
{
    size_t waits = 0;
    for (size_t i = 0; i < n; i++) {
        if (!t->wait_ns[i])
            continue;
        waits++;
        cr_assert_eq(t->cause[i].wait_state, state, "%s", wait_names[t->cause[i].wait_state]);
        cr_assert_eq(a[i].site, at);
        cr_assert_eq(t->cause[i].enabling_rank, rank);
        cr_assert_eq(t->wait_ns[i], ns, "%lld ns", (long long)t->wait_ns[i]);
    }
    cr_assert_eq(waits, ns > 0, "%zu waits", waits);
    cr_assert_eq(t->wait_sum_ns, ns);
}

#define ONE_WAIT(events, ...) one_wait(&t, events, sizeof(events) / sizeof *(events), __VA_ARGS__)
#define FIND(t, events, error) timeline_find(&(t), events, sizeof(events) / sizeof *(events), error)

static void find_wait(const struct event *a, size_t n, int64_t error, enum wait_state state,
                      uint32_t at, uint32_t rank, int64_t ns)
{
    struct timeline t;
    timeline_find(&t, a, n, error);
    one_wait(&t, a, n, state, at, rank, ns);
    timeline_free(&t);
}
#define FIND_WAIT(events, ...) find_wait(events, sizeof(events) / sizeof *(events), __VA_ARGS__)
#define NO_WAIT WAIT_LATE_SENDER, 0, 0, 0

Test(timeline, late_sender)
{
    struct timeline t;
    struct event a[] = {message(EVENT_RECEIVED, 1, 0, 0, 100, 1000),
                        message(EVENT_SEND, 0, 1, 0, 800, 850)};
    FIND(t, a, 10);
    ONE_WAIT(a, WAIT_LATE_SENDER, 1, 0, 700);
    cr_assert_eq(t.matched_messages, 1);
    cr_assert_eq(t.partner[0], 1);
    cr_assert_eq(t.partner[1], 0);
    cr_assert_eq(t.calls_ns, 950);
    timeline_free(&t);
    FIND(t, a, 700); /* shorter than the clocks are good for: not said */
    cr_assert_eq(t.wait_sum_ns, 0);
    cr_assert_eq(t.matched_messages, 1);
    timeline_free(&t);
    /* By clocks that differ it was sent after it came: the wait is no longer than its call. */
    a[1].entry_ns = 1008, a[1].exit_ns = 1050;
    FIND_WAIT(a, 10, WAIT_LATE_SENDER, 1, 0, 900);
}

Test(timeline, late_receiver_only_where_sends_wait)
{
    struct event a[] = {message(EVENT_SEND, 0, 1, 0, 100, 1000),
                        message(EVENT_RECEIVED, 1, 0, 0, 900, 990),
                        message(EVENT_SEND, 0, 1, 1, 2000, 2010), /* buffered: back before 2500 */
                        message(EVENT_RECEIVED, 1, 0, 1, 2500, 2600)};
    find_wait(a, 2, 0, WAIT_LATE_RECEIVER, 0, 1, 800);
    FIND_WAIT(a, 0, NO_WAIT); /* the first came back late for another reason */
    a[0].synchronous = true;  /* MPI_Ssend */
    FIND_WAIT(a, 0, WAIT_LATE_RECEIVER, 0, 1, 800);
    a[0].synchronous = false; /* larger than the one that was buffered, and then smaller */
    a[0].bytes = a[1].bytes = 200;
    FIND_WAIT(a, 0, WAIT_LATE_RECEIVER, 0, 1, 800);
    a[2].bytes = a[3].bytes = 300;
    FIND_WAIT(a, 0, NO_WAIT);
    a[2].buffered = true; /* MPI_Bsend, which shows nothing of other sends */
    FIND_WAIT(a, 0, WAIT_LATE_RECEIVER, 0, 1, 800);
}

/* Three requests of one MPI_Waitall; the message of rank 2 is sent last. */
Test(timeline, waitall_waits_for_the_last)
{
    struct timeline t;
    struct event a[] = {completed(message(EVENT_RECEIVED, 0, 1, 0, 100, 2000), 10),
                        completed(message(EVENT_RECEIVED, 0, 2, 0, 100, 2000), 20),
                        completed(message(EVENT_RECEIVED, 0, 3, 0, 100, 2000), 30),
                        message(EVENT_POST, 1, 0, 0, 50, 60),
                        message(EVENT_POST, 2, 0, 0, 1500, 1510),
                        message(EVENT_POST, 3, 0, 0, 700, 710)};
    FIND(t, a, 0);
    ONE_WAIT(a, WAIT_LATE_SENDER, 0, 2, 1400);
    cr_assert_eq(t.matched_messages, 3);
    cr_assert_eq(t.wait_ns[1], 1400);
    cr_assert_eq(t.calls_ns, 1900 + 10 + 10 + 10);
    timeline_free(&t);
}

/* The wait for a synchronous send is seen where it is completed; also if a send of its size, here
 * the last one, need not wait. */
Test(timeline, completion_of_a_send)
{
    struct timeline t;
    struct event a[] = {
        message(EVENT_POST, 0, 1, 3, 0, 10), completed(message(EVENT_SENT, 0, 1, 3, 100, 1000), 0),
        message(EVENT_RECEIVED, 1, 0, 3, 600, 990), message(EVENT_SEND, 0, 1, 4, 1100, 1110),
        message(EVENT_RECEIVED, 1, 0, 4, 1200, 1210)};
    a[0].synchronous = true;
    FIND(t, a, 0);
    ONE_WAIT(a, WAIT_LATE_RECEIVER, 0, 1, 500);
    cr_assert_eq(t.partner[1], 2);
    timeline_free(&t);
}

/* Rank 0 waits for rank 1 although the message of rank 2, which it receives later, is there. */
Test(timeline, wrong_order)
{
    struct event a[] = {
        message(EVENT_RECEIVED, 0, 1, 0, 100, 1000), message(EVENT_RECEIVED, 0, 2, 0, 1010, 1020),
        message(EVENT_SEND, 1, 0, 0, 900, 910), message(EVENT_SEND, 2, 0, 0, 50, 60)};
    FIND_WAIT(a, 0, WAIT_WRONG_ORDER, 0, 1, 800);
    a[3].entry_ns = 499; /* it lay there for most of the wait */
    a[3].exit_ns = 510;
    FIND_WAIT(a, 0, WAIT_WRONG_ORDER, 0, 1, 800);
    a[1].thread = 1; /* which waited for it by then */
    FIND_WAIT(a, 0, WAIT_LATE_SENDER, 0, 1, 800);
    a[1].thread = 0;
    a[3].entry_ns = 500; /* for half of it */
    FIND_WAIT(a, 0, WAIT_LATE_SENDER, 0, 1, 800);
}

/* A channel that is shifted by one: two of its pairs look possible. The other tag's is. */
Test(timeline, a_channel_with_a_contradiction_is_not_used)
{
    struct timeline t;
    struct event a[] = {
        message(EVENT_SEND, 0, 1, 1, 100, 110),  message(EVENT_RECEIVED, 1, 0, 1, 50, 120),
        message(EVENT_SEND, 0, 1, 2, 200, 210),  message(EVENT_RECEIVED, 1, 0, 2, 150, 220),
        message(EVENT_SEND, 0, 1, 0, 90, 95),    message(EVENT_RECEIVED, 1, 0, 0, 40, 100),
        message(EVENT_SEND, 0, 1, 2, 300, 310),  message(EVENT_RECEIVED, 1, 0, 2, 250, 320),
        message(EVENT_PROBED, 1, 0, 2, 140, 205)};
    a[0].bytes++;
    a[6].tag++;
    a[7].tag++;
    FIND(t, a, 0);
    cr_assert_eq(t.contradictions, 1);
    cr_assert_eq(t.matched_messages, 1, "%d", (int)t.matched_messages);
    cr_assert_eq(t.partner[3], TIMELINE_NONE);
    cr_assert_eq(t.partner[2], TIMELINE_NONE);
    cr_assert_eq(t.partner[5], TIMELINE_NONE);
    cr_assert_eq(t.partner[4], TIMELINE_NONE);
    cr_assert_eq(t.partner[7], 6);
    cr_assert_eq(t.partner[8], TIMELINE_NONE);
    timeline_free(&t);
}

Test(timeline, contradictions_are_counted_and_not_used)
{
    struct timeline t;
    struct event a[] = {message(EVENT_RECEIVED, 1, 0, 0, 100, 200),
                        message(EVENT_SEND, 0, 1, 0, 800, 850), /* sent after it was received */
                        message(EVENT_RECEIVED, 1, 0, 1, 900, 2000),
                        message(EVENT_SEND, 0, 1, 1, 1800, 1850)};
    a[3].bytes = 99;
    FIND(t, a, 10);
    cr_assert_eq(t.contradictions, 2);
    cr_assert_eq(t.matched_messages, 0);
    cr_assert_eq(t.wait_sum_ns, 0);
    timeline_free(&t);
}

/* So many that their places in the table of ends meet: every part of what makes a message one is
 * asked for. All cross each other: received in reverse order. */
Test(timeline, crossing_messages_of_many_channels)
{
    enum { N = 500 };
    static struct event a[2 * N];
    for (int part = 0; part < 4; part++) {
        struct timeline t;
        for (uint32_t i = 0; i < N; i++) {
            struct event *send = &a[i], *receive = &a[2 * N - 1 - i];
            uint32_t from = part == 0 ? i : 0, ordinal = part == 1 ? i : 0;
            *send = message(EVENT_POST, from, N, ordinal, i, i + 1);
            *receive = message(EVENT_RECEIVED, N, from, ordinal, i, 10 * N - i);
            send->tag = receive->tag = part == 2 ? (int32_t)(i * i) : 0;
            send->comm_id = receive->comm_id = part == 3 ? 1 + i : 1;
        }
        FIND(t, a, 0);
        cr_assert_eq(t.matched_messages, N, "part %d: %d matched", part, (int)t.matched_messages);
        cr_assert(t.numbered_sends == N && t.numbered_receives == N && t.contradictions == 0);
        for (uint32_t i = 0; i < N; i++)
            cr_assert_eq(t.partner[i], 2 * N - 1 - i, "part %d: message %u", part, i);
        timeline_free(&t);
    }
}

Test(timeline, collectives)
{
    static const struct {
        enum collective_kind kind;
        enum wait_state state;
        uint32_t root, at, awaited;
        uint64_t ns;
    } cases[] = {{COLLECTIVE_ALL, WAIT_N_TO_N, TIMELINE_NONE, 0, 2, 400},
                 {COLLECTIVE_FROM_ROOT, WAIT_LATE_ROOT, 2, 0, 2, 400},
                 {COLLECTIVE_TO_ROOT, WAIT_EARLY_ROOT, 0, 0, 2, 400},
                 {COLLECTIVE_PREFIX, WAIT_PREFIX, TIMELINE_NONE, 1, 0, 50}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct event a[] = {member(cases[i].kind, 0, 3, cases[i].root, 100, 600),
                            member(cases[i].kind, 1, 3, cases[i].root, 50, 600),
                            member(cases[i].kind, 2, 3, cases[i].root, 500, 600)};
        a[1].entry_ns = a[1].posted_ns = cases[i].kind == COLLECTIVE_PREFIX ? 50 : 490;
        /* rank 1 waits for 10 ns in the first two */
        FIND_WAIT(a, 20, cases[i].state, cases[i].at, cases[i].awaited, cases[i].ns);
        a[1].comm_size = a[0].comm_size = a[2].comm_size = 4; /* one was not seen */
        FIND_WAIT(a, 20, NO_WAIT);
    }
}

/* Two groups, of ranks 0 and 1, and of 2 to 4: each waits for the other one alone. */
Test(timeline, collectives_between_groups)
{
    enum { N = 5, NOBODY = -1 };
    static const struct {
        enum collective_kind kind;
        uint32_t root;
        int awaited[N]; /* rank 1 enters last of the first group, rank 4 of the second */
    } cases[] = {{COLLECTIVE_ALL, TIMELINE_NONE, {4, 4, 1, NOBODY, NOBODY}},
                 {COLLECTIVE_FROM_ROOT, 3, {3, 3, NOBODY, NOBODY, NOBODY}},
                 {COLLECTIVE_FROM_ROOT, 1, {NOBODY, NOBODY, 1, NOBODY, NOBODY}},
                 {COLLECTIVE_TO_ROOT, 2, {NOBODY, NOBODY, 1, NOBODY, NOBODY}},
                 {COLLECTIVE_TO_ROOT, 0, {4, NOBODY, NOBODY, NOBODY, NOBODY}}};
    static const int64_t entry[N] = {100, 500, 200, 600, 700};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct timeline t;
        struct event a[N];
        bool rooted = cases[i].kind != COLLECTIVE_ALL;
        for (uint32_t r = 0; r < N; r++) {
            bool names_root = rooted && (r < 2) != (cases[i].root < 2);
            a[r] = member(cases[i].kind, r, N, names_root ? cases[i].root : TIMELINE_NONE, entry[r],
                          1000);
            a[r].first_group_size = 2;
        }
        FIND(t, a, 0);
        for (int r = 0; r < N; r++) {
            int of = cases[i].awaited[r];
            cr_assert_eq(t.wait_ns[r], of < 0 ? 0 : entry[of] - entry[r],
                         "case %zu: rank %d: %d ns", i, r, (int)t.wait_ns[r]);
        }
        timeline_free(&t);
        for (uint32_t r = 0; r < N; r++)
            a[r].first_group_size = N; /* no second group */
        FIND(t, a, 0);
        cr_assert_eq(t.wait_sum_ns, 0, "case %zu", i);
        timeline_free(&t);
    }
}

/* Whoever comes after the root keeps nobody of a broadcast waiting. */
Test(timeline, in_a_broadcast_the_root_is_waited_for_not_the_last)
{
    struct event a[] = {member(COLLECTIVE_FROM_ROOT, 0, 3, 2, 100, 1000),
                        member(COLLECTIVE_FROM_ROOT, 1, 3, 2, 900, 1000),
                        member(COLLECTIVE_FROM_ROOT, 2, 3, 2, 400, 1000),
                        member(COLLECTIVE_FROM_ROOT, 0, 3, 2, 2000, 2100),
                        member(COLLECTIVE_FROM_ROOT, 1, 3, 2, 2000, 2100),
                        member(COLLECTIVE_FROM_ROOT, 2, 3, 2, 2000, 2100)};
    for (size_t i = 3; i < 6; i++)
        a[i].ordinal = 1; /* the next one, for which nobody waits */
    FIND_WAIT(a, 20, WAIT_LATE_ROOT, 0, 2, 300);
}

/* By the times of posting; the wait is in the completing call. */
Test(timeline, non_blocking_collective)
{
    struct event a[] = {member(COLLECTIVE_ALL, 0, 2, TIMELINE_NONE, 300, 1100),
                        member(COLLECTIVE_ALL, 1, 2, TIMELINE_NONE, 1050, 1100)};
    a[0].kind = a[1].kind = EVENT_COLLECTED;
    a[0].posted_ns = 100;
    a[1].posted_ns = 1000;
    FIND_WAIT(a, 0, WAIT_N_TO_N, 0, 1, 700);
}

Test(timeline, kinds_of_collectives)
{
    cr_assert_eq(collective_kind("MPI_Ibcast"), COLLECTIVE_FROM_ROOT);
    cr_assert_eq(collective_kind("MPI_Bcast_c"), COLLECTIVE_FROM_ROOT);
    cr_assert_eq(collective_kind("MPI_Iallreduce_c"), COLLECTIVE_ALL);
    cr_assert_eq(collective_kind("MPI_Exscan"), COLLECTIVE_PREFIX);
    cr_assert_eq(collective_kind("MPI_Scatter"), COLLECTIVE_FROM_ROOT);
    cr_assert_eq(collective_kind("MPI_Gatherv"), COLLECTIVE_TO_ROOT);
    cr_assert_eq(collective_kind("MPI_Bcast_init"), COLLECTIVE_FROM_ROOT);
    cr_assert_eq(collective_kind("MPI_Allreduce_init_c"), COLLECTIVE_ALL);
    cr_assert_eq(collective_kind("MPI_Ineighbor_alltoall"), COLLECTIVE_NEIGHBOURS);
    cr_assert_eq(collective_kind("MPI_Neighbor_allgather_init"), COLLECTIVE_NEIGHBOURS);
    cr_assert_eq(collective_kind("MPI_Send_init"), COLLECTIVE_OTHER);
}
