/* Several ranks in one process, over the fake MPI: the clock of all ranks, handshakes, and the fake
 * itself, whose times are what its network says. */
#include "fake_mpi.h"

#include "base/clock.h"
#include "inject/handshake.h"
#include "record/layer.h"
#include "sync/sync.h"

#include <criterion/criterion.h>
#include <math.h>
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
    cr_assert_eq(sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1), MPI_SUCCESS);
    fake_mpi_compute(1);
    cr_assert_eq(sync_remeasure(&clock), MPI_SUCCESS);
    double local = own_clock(rank, fake_mpi_now()), bound = sync_bound(&clock, local);
    result[rank] = fabs(sync_global(&clock, local) - own_clock(0, fake_mpi_now()));
    cr_expect_leq(result[rank], bound, "rank %d: %g s off, bound %g s", rank, result[rank], bound);
    /* A rate of 150 ppm does not show yet on rank 3, whose messages take 100 us. */
    cr_expect_leq(bound, rank == 3 ? 300e-6 : 20e-6);
}

Test(sync, clocks_of_several_hosts_agree_within_their_bound)
{
    cr_assert(fake_mpi_run(RANKS, synchronize, NULL,
                           &(struct fake_network){.way = lopsided, .clock = own_clock}));
    cr_expect_leq(result[1], 5e-6);
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
