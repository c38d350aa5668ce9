/* A broadcast that is measured, over the fake MPI: data that arrive wrong are noticed, the root's
 * are kept, written anew where they are to be fresh, and what cannot be measured is refused. */
#include "fake_mpi.h"

#include "measure/latency/broadcast.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 3, PAGE = 4096, PAGES = 3 };
static const struct fake_network network = {.latency = 10e-6};

/* Elements that never arrive, at the beginning and at the end, and a rank that gets nothing. */
struct missing {
    int first, last, rank;
};

static int incomplete(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      const void *arg)
{
    const struct missing *m = arg;
    int rank, aside[16];
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Bcast(rank == m->rank ? aside : (int *)buffer + m->first,
                      count - m->first - m->last, type, root, comm);
}

/* Also where all ranks had the right data before, and where they are more than a piece of the
 * check. */
static void check_data(int rank, void *arg)
{
    static const struct {
        struct missing missing;
        int count, wrong;
    } cases[] = {{{0, 0, -1}, 4, 0},         {{0, 0, 1}, 4, 1},
                 {{0, 1, -1}, 4, RANKS - 1}, {{0, 1, -1}, (1 << 18) + 5, RANKS - 1},
                 {{1, 0, -1}, 4, RANKS - 1}, {{1, 0, -1}, (1 << 18) + 5, RANKS - 1}};
    (void)arg;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bcast b = {.name = "x", .run = incomplete, .arg = &cases[i].missing};
        int *data = calloc((size_t)cases[i].count, sizeof *data), wrong = -1;
        struct broadcast of = {.bcast = &b,
                               .buffer = data,
                               .count = cases[i].count,
                               .type = MPI_INT,
                               .comm = MPI_COMM_WORLD};
        cr_assert_eq(broadcast_check(&of, &wrong), MPI_SUCCESS);
        cr_expect(wrong == cases[i].wrong, "case %zu: %d", i, wrong);
        cr_expect(rank != 0 || data[0] == 0, "case %zu: the root keeps its data", i);
        free(data);
    }
}

Test(broadcast, data_that_do_not_arrive_are_noticed)
{
    cr_assert(fake_mpi_run(RANKS, check_data, NULL, &network));
}

/* A page of a private mapping that was not written shows what is written to its file later. */
static int pages_written(MPI_Datatype type, int count, int root)
{
    int file = memfd_create("data", 0), n = 0;
    cr_assert_eq(ftruncate(file, PAGES * PAGE), 0);
    char *data = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    broadcast_prepare(&(struct broadcast){
        .buffer = data, .count = count, .type = type, .root = root, .comm = MPI_COMM_WORLD});
    for (int page = 0; page < PAGES; page++) {
        cr_assert_eq(pwrite(file, "x", 1, page * PAGE), 1);
        n += data[page * PAGE] == 0;
    }
    munmap(data, PAGES * PAGE);
    close(file);
    return n;
}

/* Every page, by the root alone; holes stay as they are. */
static void write_fresh(int rank, void *arg)
{
    MPI_Datatype type;
    (void)arg;
    PMPI_Type_vector(PAGES, 1, PAGE / (int)sizeof(int), MPI_INT, &type);
    cr_expect_eq(pages_written(MPI_INT, PAGES * PAGE / (int)sizeof(int), 1), rank == 1 ? PAGES : 0);
    cr_expect_eq(pages_written(type, 1, rank), 0);
}

Test(broadcast, fresh_data_are_written)
{
    cr_assert(fake_mpi_run(RANKS, write_fresh, NULL, &network));
}

static void refuse(int rank, void *arg)
{
    const struct latency_method *method = latency_method_find("send-latency");
    struct latency_outcome outcome;
    int data = 0;
    struct broadcast one = {bcast_find("native"), &data, 1, MPI_INT, 0, MPI_COMM_SELF, false},
                     far = {bcast_find("native"), &data, 1, MPI_INT, RANKS, MPI_COMM_WORLD, false};
    struct latency_case of_one = broadcast_case(&one), from_far = broadcast_case(&far);
    (void)rank, (void)arg;
    of_one.plan = from_far.plan = plan_default();
    cr_expect_eq(latency_measure(&of_one, &method, 1, &outcome), MPI_ERR_COMM);
    cr_expect_eq(latency_measure(&from_far, &method, 1, &outcome), MPI_ERR_ROOT);
}

Test(broadcast, one_rank_and_a_root_out_of_range_are_refused)
{
    cr_assert(fake_mpi_run(RANKS, refuse, NULL, &network));
}
