/* Several ranks in one process, over the fake MPI: the clock of all ranks, handshakes, and the fake
 * itself, whose times are what its network says. */
#include "fake_mpi.h"

#include "base/clock.h"
#include "inject/handshake.h"
#include "record/layer.h"
#include "sync/harmonize.h"
#include "sync/sync.h"
#include "unit.h"

#include <mpi.h>

enum { RANKS = 5 };

static double result[RANKS];

/* --- the fake --- */

static void ping_pong(int rank, void *arg)
{
    char data[100] = {0};
    int bytes = *(int *)arg;
    double begin = fake_mpi_now();
    for (int k = 0; k < 10; k++) {
        if (rank == 0)
            PMPI_Send(data, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        PMPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            PMPI_Send(data, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
    }
    result[rank] = (fake_mpi_now() - begin) / 10;
}

Test(fake_mpi, messages_take_what_the_network_says)
{
    struct fake_network net = {.latency = 10e-6, .per_byte = 1e-8, .eager = 50};
    int bytes = 20;
    cr_assert(fake_mpi_run(2, ping_pong, &bytes, &net));
    cr_expect_float_eq(result[0], 2 * 10.2e-6, 0.1e-6);
    bytes = 100; /* announced, asked for, sent */
    cr_assert(fake_mpi_run(2, ping_pong, &bytes, &net));
    cr_expect_float_eq(result[0], 2 * (3 * 10e-6 + 1e-6), 0.2e-6);
}

static void wait_in_a_ring(int rank, void *arg)
{
    int data = 0;
    (void)arg;
    PMPI_Recv(&data, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

Test(fake_mpi, a_deadlock_ends)
{
    cr_assert_not(fake_mpi_run(3, wait_in_a_ring, NULL, &(struct fake_network){.latency = 1e-6}));
}

static void reduce_and_split(int rank, void *arg)
{
    int sum = 0, size = 0, one = rank;
    MPI_Comm half;
    (void)arg;
    PMPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    cr_assert_eq(sum, RANKS * (RANKS - 1) / 2);
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    PMPI_Comm_rank(half, &one);
    PMPI_Comm_size(half, &size);
    cr_assert_eq(size, rank % 2 ? RANKS / 2 : (RANKS + 1) / 2);
    cr_assert_eq(one, (RANKS - 1 - rank) / 2, "by key");
    result[rank] = sum;
}

Test(fake_mpi, collectives_and_communicators)
{
    cr_assert(fake_mpi_run(RANKS, reduce_and_split, NULL, &(struct fake_network){.latency = 1e-6}));
}

/* --- one clock for all ranks --- */

/* Every rank is a host of its own, with a clock that is off and drifts. */
static double own_clock(int rank, double t)
{
    return 1000.0 * rank + t * (1 + 50e-6 * rank);
}

/* Rank 3 is far away, and messages to lower ranks take longer. */
static double lopsided(int from, int to, size_t bytes)
{
    (void)bytes;
    return (from == 3 || to == 3 ? 100e-6 : 10e-6) + (from > to ? 4e-6 : 0);
}

static void synchronize(int rank, void *arg)
{
    struct sync_clock clock;
    (void)arg;
    cr_assert_eq(sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1, 1), MPI_SUCCESS);
    fake_mpi_compute(1);
    cr_assert_eq(sync_remeasure(&clock), MPI_SUCCESS);
    double local = own_clock(rank, fake_mpi_now()), bound = sync_bound(&clock, local);
    result[rank] = fabs(sync_global(&clock, local) - own_clock(1, fake_mpi_now()));
    cr_expect_leq(result[rank], bound, "rank %d: %g s off, bound %g s", rank, result[rank], bound);
    /* Half a round trip, and no more for rates, though each point alone leaves 200 ppm open. */
    cr_expect_leq(bound, rank == 3 ? 103e-6 : 12.5e-6, "rank %d: %g s", rank, bound);
}

Test(sync, clocks_of_several_hosts_agree_within_their_bound)
{
    cr_assert(fake_mpi_run(RANKS, synchronize, NULL,
                           &(struct fake_network){.way = lopsided, .clock = own_clock}));
    cr_expect_leq(result[0], 5e-6);
}

/* Clocks of four hosts that drift by up to 500 ppm; after 12 of 30 s the rates change by up to
 * CHANGE ppm. */
static double change;

static double of_host(int rank, double t)
{
    const double drift = 500e-6 * cos(2.4 * rank), after = fmax(0, t - 12);
    return 1e8 * sin(1 + rank) + t * (1 + drift) + after * 1e-6 * change * sin(rank);
}

/* Hosts in a row: each follows the one before it, by messages that take up to a half longer. */
static double row_of_hosts(int from, int to, size_t bytes)
{
    static uint64_t drawn = 1;
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    (void)bytes;
    return 10e-6 * abs(from - to) * (1 + 0.5 * (double)(drawn >> 40) / (1 << 24));
}

/* No reading is off by more than the point after it says, nor, where rates last, by more than is
 * said at once. Ranks that begin together leave within what each knows of its clock, and within
 * *WITHIN seconds of each other once the rates are known. */
static void read_and_begin(int rank, void *within)
{
    enum { READINGS = 1000, EVERY = 20 };
    struct sync_clock clock, followed;
    struct harmony start;
    double apart, wrong[EVERY];
    cr_assert_eq(sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1, 0), MPI_SUCCESS);
    cr_assert_eq(sync_start(&followed, MPI_COMM_WORLD, (uint64_t)rank + 1, 0), MPI_SUCCESS);
    cr_assert_eq(harmonize_open(&start, &followed, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int k = 0; k < READINGS; k++) {
        fake_mpi_compute(1e-3 * (1 + (k * 37 + rank * 11) % 60));
        double now = fake_mpi_now(), local = of_host(rank, now);
        /* Offsets of years leave a clock's double 15 ns. */
        wrong[k % EVERY] = fabs(sync_global(&clock, local) - of_host(0, now)) - 5e-8;
        cr_expect(change != 0 || wrong[k % EVERY] <= sync_bound(&clock, local));
        if (k % EVERY < EVERY - 1)
            continue;
        cr_assert_eq(sync_check(&clock, MPI_COMM_WORLD, -1, &apart), MPI_SUCCESS);
        for (int i = 0; i < EVERY; i++)
            cr_expect(wrong[i] <= clock.missed && wrong[i] <= apart, "%g s", wrong[i]);
        cr_assert_eq(harmonize(&start), MPI_SUCCESS);
        double left[2] = {fake_mpi_now(), -fake_mpi_now()}, all[2];
        double now_here = of_host(rank, left[0]),
               late = sync_global(&followed, now_here) - start.begin;
        cr_expect(change != 0 || fabs(of_host(0, left[0]) - start.begin) <=
                                     late + sync_bound(&followed, now_here) + 5e-8);
        PMPI_Allreduce(left, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (k > READINGS / 2)
            cr_expect_leq(all[0] + all[1], *(double *)within);
    }
}

Test(sync, clocks_that_drift)
{
    static const struct {
        double change, within;
    } known[] = {{0, 5e-6}, {100, 60e-6}, {-500, 60e-6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double within = known[i].within;
        change = known[i].change;
        cr_assert(fake_mpi_run(4, read_and_begin, &within,
                               &(struct fake_network){.way = row_of_hosts, .clock = of_host}));
        cr_expect_eq(fake_mpi_unreceived(), 0, "each child's turn ends before the next one's");
    }
}

/* --- handshakes --- */

static struct ledger_header header;

static void shake(int rank, void *arg)
{
    double *late = arg;
    static struct handshake h[RANKS];
    enum handshake_result all;
    fake_mpi_compute(rank == 2 ? *late : 0);
    double begin = fake_mpi_now();
    all = handshake(&h[rank], MPI_COMM_WORLD, 5, 0.5, true);
    result[rank] = fake_mpi_now() - begin;
    cr_expect_eq(all, *late < 0.5 ? HANDSHAKE_DONE : HANDSHAKE_TIMEOUT, "rank %d", rank);
    if (rank != 2 && *late > 0.5)
        cr_expect(result[rank] < 0.6, "rank %d waits %g s and no longer", rank, result[rank]);
}

Test(handshake, waits_for_a_late_member_up_to_its_timeout)
{
    double late = 0.3;
    layer.ledger.header = &header;
    cr_assert(fake_mpi_run(RANKS, shake, &late, &(struct fake_network){.latency = 1e-6}));
    cr_expect_float_eq(result[0], 0.3, 0.01);
    cr_expect_eq(handshake_waited(), 0);
    late = 2;
    cr_assert(fake_mpi_run(RANKS, shake, &late, &(struct fake_network){.latency = 1e-6}));
    cr_expect_float_eq(handshake_waited(), (RANKS - 1) * 0.5, 0.1);
}

static void disagree(int rank, void *arg)
{
    static struct handshake h[RANKS];
    (void)arg;
    cr_expect_eq(handshake(&h[rank], MPI_COMM_WORLD, (uint64_t)rank / 4, 0.5, true),
                 HANDSHAKE_DISAGREED);
    cr_expect(handshake_is_over(&h[rank], 0));
}

Test(handshake, shows_different_calls)
{
    layer.ledger.header = &header;
    cr_assert(fake_mpi_run(RANKS, disagree, NULL, &(struct fake_network){.latency = 1e-6}));
}
