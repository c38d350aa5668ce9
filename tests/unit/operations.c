/* The table of collective operations, over the fake MPI: what each brings, and its buffers. */
#include "fake_mpi.h"

#include "measure/collective/operation.h"
#include "unit.h"

#include <limits.h>

enum { RANKS = 4 };
static const struct fake_network network = {.latency = 10e-6, .per_byte = 1e-9, .overhead = 1e-6};

/* Each brings the data that it must, to those who get any, and none without a call. */
static void operate(int rank, void *arg)
{
    struct operation_call c;
    const struct operation *o = arg;
    for (int root = 0; root < RANKS; root += 2)
        for (size_t bytes = 0; bytes <= 8; bytes += 8) {
            cr_assert(operation_prepare(&c, o, MPI_COMM_WORLD, root, bytes));
            bool gets = c.recv_bytes && !(o->send == EXTENT_NONE && rank == root);
            cr_expect_eq(operation_check(&c), !gets, "%s, rank %d: before the call", o->name, rank);
            cr_assert_eq(operation_run(&c), MPI_SUCCESS);
            cr_expect(operation_check(&c), "%s, root %d, rank %d: wrong data", o->name, root, rank);
            if (gets) {
                c.recv[c.recv_bytes - 1]++;
                cr_expect_not(operation_check(&c));
            }
            operation_release(&c);
        }
    cr_expect_not(operation_prepare(&c, o, MPI_COMM_WORLD, 0, (size_t)INT_MAX + 1));
}

Test(operations, bring_their_data)
{
    for (size_t i = 0; i < n_operations; i++)
        cr_assert(fake_mpi_run(RANKS, operate, (void *)&operations[i], &network));
}

/* --- a broadcast as a case to be measured --- */

/* An element that never arrives, or a rank that gets nothing; every page of data that are to be
 * fresh is written by the root alone, and keeps its data. */
static int incomplete(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      const void *arg)
{
    int rank, missing = *(const int *)arg;
    char aside[8];
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Bcast(rank == missing ? aside : buffer, count - (missing == RANKS), type, root,
                      comm);
}

static void check_case(int rank, void *arg)
{
    struct operation_call c;
    const int missing = *(int *)arg;
    const struct bcast b = {.name = "x", .run = incomplete, .arg = arg};
    int wrong = -1;
    cr_assert(operation_prepare(&c, operation_find("broadcast", NULL), MPI_COMM_WORLD, 0, 8));
    c.by = &b;
    struct latency_case of = operation_case(&c, true);
    cr_assert_eq(of.check(of.arg, &wrong), MPI_SUCCESS);
    cr_expect_eq(wrong,
                 missing < 0        ? 0
                 : missing == RANKS ? RANKS - 1
                                    : 1,
                 "%d: %d", missing, wrong);
    (void)rank;
    operation_release(&c);
}

Test(operations, data_that_do_not_arrive_are_noticed)
{
    for (int missing = -1; missing <= RANKS; missing += missing < 0 ? 2 : RANKS - 1)
        cr_assert(fake_mpi_run(RANKS, check_case, &missing, &network));
}
