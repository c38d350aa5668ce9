/* Whichever collective call of MPI returns an error on all ranks, and whichever allocation fails on
 * one, what measures returns an error on all of them, and none is left waiting for the others. */
#include "fake_mpi.h"

#include "measure/collective/operation.h"
#include "measure/pairs/grid.h"
#include "measure/pairs/pairs.h"
#include "sync/sync.h"
#include "unit.h"

#include <stdint.h>

enum { RANKS = 3 };
static const double hop = 10e-6;

/* What each rank returned, how many collective calls it had made, and how many allocations that it
 * has to check. */
static struct {
    int error, calls, allocations;
} end[RANKS];

static int refusing, refused; /* the rank, and the number of its allocation that fails */
static _Thread_local int allocations;

static bool refuses(void)
{
    return ++allocations == refused;
}

/* The linker puts these in the place of malloc(), calloc() and memory_alloc(). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_memory_alloc(size_t size);

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuses() ? NULL : __real_calloc(n, size);
}

void *__wrap_memory_alloc(size_t size)
{
    return __real_calloc(1, size);
}

struct work {
    int (*run)(int rank, const void *arg); /* an MPI error code */
    const void *arg;
};

static void on_rank(int rank, void *arg)
{
    const struct work *w = arg;
    allocations = rank == refusing ? 0 : -1000000;
    end[rank].error = w->run(rank, w->arg);
    end[rank].calls = fake_mpi_collectives();
    end[rank].allocations = allocations;
}

/* Lets each collective call of RUN fail in turn, or each allocation of RANK (if not negative), at
 * most MOST. Without memory all ranks may go on, with statistics unknown or a candidate less. */
static void expect_errors_of(const char *name, int (*run)(int rank, const void *arg),
                             const void *arg, int rank, int most)
{
    struct fake_network network = {.latency = hop};
    refusing = rank;
    for (int k = 0; k <= most; k++) {
        *(rank < 0 ? &network.fails : &refused) = k;
        cr_assert(fake_mpi_run(RANKS, on_rank, &(struct work){run, arg}, &network),
                  "%s: a rank waits for ever where call %d of %d fails", name, k, rank);
        for (int r = 0; r < RANKS; r++) {
            const int made = rank < 0 ? end[r].calls : end[rank].allocations;
            const bool goes_on = rank >= 0 && end[0].error == MPI_SUCCESS;
            cr_expect((end[r].error == MPI_SUCCESS) == (k == 0 || made < k || goes_on),
                      "%s: rank %d of %d calls returns %d where call %d of %d fails", name, r, made,
                      end[r].error, k, rank);
            most = k == 0 && made < most ? made : most;
        }
    }
}

static void expect_errors(const char *name, int (*run)(int rank, const void *arg), const void *arg,
                          int most)
{
    for (int rank = -1; rank < 2; rank++)
        expect_errors_of(name, run, arg, rank, most);
}

static int synchronize(int rank, const void *arg)
{
    struct sync_clock clock;
    (void)arg;
    int error = sync_start(&clock, MPI_COMM_WORLD, (uint64_t)rank + 1, 0);
    return error ?: sync_remeasure(&clock);
}

Test(mpi_errors, clocks)
{
    expect_errors("sync", synchronize, NULL, 1000);
}

/* An error of one rank alone is an error of all. */
Test(mpi_errors, clocks_of_hosts_that_one_rank_does_not_find)
{
    cr_assert(fake_mpi_run(RANKS, on_rank, &(struct work){synchronize, NULL},
                           &(struct fake_network){.latency = hop, .split_fails = 1}));
    for (int r = 0; r < RANKS; r++)
        cr_expect_neq(end[r].error, MPI_SUCCESS, "rank %d", r);
}

static int latency(int rank, const void *method)
{
    struct operation_call data;
    bool good = operation_prepare(&data, operation_find("broadcast", NULL), MPI_COMM_WORLD, 0, 8);
    if (sync_all_have(MPI_COMM_WORLD, good))
        return MPI_ERR_NO_MEM;
    data.by = &tree_linear;
    struct latency_case c = operation_case(&data, false);
    struct latency_outcome out;
    const struct latency_method *of = method;
    (void)rank;
    c.plan = plan_default();
    c.plan.repetitions = 3;
    c.plan.stop = STOP_FIXED;
    c.plan.budget = 0;
    int error = latency_measure(&c, &of, 1, &out);
    latency_outcome_free(&out);
    operation_release(&data);
    return error;
}

Test(mpi_errors, latencies)
{
    for (size_t i = 0; i < n_latency_methods; i++)
        expect_errors(latency_methods[i]->name, latency, latency_methods[i], 40);
}

static int pairs(int rank, const void *order)
{
    struct pairs_plan plan = pairs_plan_default();
    struct pairs p;
    (void)rank;
    plan.repeats = 3;
    plan.receives = true;
    plan.order = *(const enum pairs_order *)order;
    int error = pairs_measure(MPI_COMM_WORLD, &plan, &p);
    pairs_free(&p);
    return error;
}

Test(mpi_errors, latencies_of_pairs)
{
    expect_errors("pairs", pairs, &(enum pairs_order){PAIRS_TOURNAMENT}, 100);
    expect_errors("pairs", pairs, &(enum pairs_order){PAIRS_PAPER}, 100);
}

static int grid(int rank, const void *arg)
{
    struct grid g = {.clock = NULL};
    struct bcast_grid_plan plan;
    char why[200] = "";
    (void)rank, (void)arg;
    bool good = bcast_grid_open(&g, MPI_COMM_WORLD, NULL, NULL, 0, 0, why, sizeof why);
    if (good && (good = bcast_grid_plan(&g, 0, 1000, &tree_grid, 0, &plan, why, sizeof why)))
        bcast_grid_plan_free(&plan);
    if (good)
        bcast_grid_close(&g);
    cr_expect(good == !*why, "%s", why);
    return good ? MPI_SUCCESS : MPI_ERR_OTHER;
}

Test(mpi_errors, trees)
{
    expect_errors("grid", grid, NULL, 40);
}

/* What cannot be planned is refused on all ranks alike, with the same reason. */
static void refuse(int rank, void *arg)
{
    struct grid g = {.clock = NULL};
    struct bcast_grid_plan plan;
    char why[200] = "";
    (void)rank, (void)arg;
    cr_assert(bcast_grid_open(&g, MPI_COMM_WORLD, NULL, &(size_t){4000}, 1, 0, why, sizeof why));
    cr_expect(!bcast_grid_plan(&g, RANKS, 4000, &tree_grid, SIZE_MAX, &plan, why, sizeof why));
    cr_expect(strstr(why, "is out of range"), "rank %d: %s", rank, why);
    cr_assert(bcast_grid_plan(&g, RANKS - 1, 4000, &tree_grid, SIZE_MAX, &plan, why, sizeof why));
    cr_expect(plan.bcast.run && *plan.name);
    bcast_grid_plan_free(&plan);
    bcast_grid_close(&g);
    cr_expect(!bcast_grid_open(&g, MPI_COMM_WORLD, "/no/such/log", NULL, 0, 0, why, sizeof why));
    cr_expect_str_eq(why, "/no/such/log: No such file or directory");
    cr_expect(
        !bcast_grid_open(&g, MPI_COMM_WORLD, NULL, &(size_t){4000}, 1, 1e-9, why, sizeof why));
    cr_expect(strstr(why, "are unknown: measuring them would take"), "rank %d: %s", rank, why);
}

Test(mpi_errors, refusals_are_the_same_on_all_ranks)
{
    cr_assert(fake_mpi_run(RANKS, refuse, NULL, &(struct fake_network){.latency = hop}));
}
