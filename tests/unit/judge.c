/* Protects what is said of calls in which ranks are blocked, and of collectives that do not fit. */
#include "made_profile.h"

#include <criterion/criterion.h>
#include <string.h>

/* Of a rank that was killed nobody knows until when it stood there. */
Test(judge, how_long_a_call_was_open_is_said_where_it_is_known)
{
    static const double seconds[] = {-1, 75.2e-6};
    struct profile *p = profile_new();
    uint32_t recv = profile_add_operation(p, "MPI_Recv", FAMILY_RECV);
    for (int r = 0; r < 2; r++) {
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .calls = 1};
        *PUSH(&p->stands) = (struct profile_stand){.rank = r,
                                                   .operation = recv,
                                                   .site = PROFILE_NONE,
                                                   .comm = PROFILE_NONE,
                                                   .peer = 1 - r,
                                                   .tag = 3,
                                                   .root = -1,
                                                   .entered = 2.3,
                                                   .seconds = seconds[r],
                                                   .witnessed = r ? -1 : 8.04,
                                                   .witness = 1};
    }
    stands_judge(p);
    misfits_judge(p);
    cr_assert(made_warns(
        p, "rank 0 stood in MPI_Recv, with rank 1, tag 3, from 2.30 s after the start on; "
           "for how long is not known; the record of rank 1 ends 8.04 s after that"));
    cr_assert(made_warns(p, "rank 1 stood in MPI_Recv, with rank 0, tag 3, for 75.2 us"));
    cr_assert_eq(p->warnings.n, 2);
    profile_free(p);
}

/* Threads of a rank that stand in one place are one rank that does. */
Test(judge, a_rank_is_named_once)
{
    char text[60] = "";
    int32_t rank[] = {0, 1, 2, 3, 0, 1, 2, 3}, pair[] = {5, 4, 5, 9}, one[] = {7, 7};
    rank_list(text, sizeof text, rank, 8);
    cr_assert_str_eq(text, "0-3");
    rank_list(text, sizeof text, pair, 4);
    cr_assert_str_eq(text, "4, 5, 9");
    rank_list(text, sizeof text, one, 2);
    cr_assert_str_eq(text, "7");
}

static struct profile_stand in_collective(int rank, uint32_t operation, uint32_t comm, int root,
                                          double seconds)
{
    return (struct profile_stand){.rank = rank,
                                  .operation = operation,
                                  .site = PROFILE_NONE,
                                  .comm = comm,
                                  .comm_id = comm + 1,
                                  .sequence = 4,
                                  .collective = true,
                                  .peer = INT32_MIN,
                                  .tag = INT32_MIN,
                                  .root = root,
                                  .entered = 0.5,
                                  .seconds = seconds};
}

/* In one instance on one communicator: other operations or roots never meet. */
Test(judge, who_waits_for_whom_in_vain)
{
    struct profile *p = profile_new();
    uint32_t bcast = profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE);
    for (uint32_t i = 0; i < 2; i++)
        *PUSH(&p->comms) = (struct profile_comm){.id = i + 1, .name = {"AB"[i]}};
    for (int r = 0; r < 5; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .calls = 1};
    *PUSH(&p->stands) = in_collective(0, bcast, 0, 0, 2);
    *PUSH(&p->stands) = in_collective(1, bcast, 0, 0, 1);
    *PUSH(&p->stands) = in_collective(2, bcast, 0, 3, 1);
    *PUSH(&p->stands) = in_collective(3, bcast, 1, 0, 1);
    *PUSH(&p->stands) = in_collective(4, bcast, 1, 0, -1);
    table_sort(p, TABLE_STANDS);
    stands_judge(p);
    misfits_judge(p);
    cr_assert(made_warns(p,
                         "ranks 0, 1 stood in MPI_Bcast, root 0, on A, collective number 5 there, "
                         "for up to 2.00 s"));
    cr_assert(made_warns(p, "rank 2 stood in MPI_Bcast, root 3, on A"));
    cr_assert(made_warns(p,
                         "ranks 3, 4 stood in MPI_Bcast, root 0, on B, collective number 5 there, "
                         "from 500 ms after the start on; for how long is not known"));
    cr_assert(
        made_warns(p, "in vain: rank 1 in MPI_Bcast (root 0), and rank 2 in MPI_Bcast (root 3)"));
    cr_assert_eq(p->warnings.n, 4);
    profile_free(p);
}

/* Who has left the collective, and who stands in it with another size, which MPI may survive. */
Test(judge, who_does_not_fit_to_whom)
{
    struct profile *p = profile_new();
    uint32_t bcast = profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE);
    uint32_t barrier = profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE);
    for (uint32_t i = 0; i < 2; i++)
        *PUSH(&p->comms) = (struct profile_comm){.id = i + 1, .size = 2, .name = {"AB"[i]}};
    for (int r = 0; r < 4; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .calls = 1};
    *PUSH(&p->stands) = in_collective(0, bcast, 0, 0, 2);
    *PUSH(&p->stands) = in_collective(1, bcast, 0, 0, 1);
    p->stands.at[1].bytes = 8;
    *PUSH(&p->stands) = in_collective(2, barrier, 1, -1, 1);
    *PUSH(&p->events) = (struct profile_event){.comm_id = p->stands.at[2].comm_id,
                                               .sequence = 4,
                                               .rank = 3,
                                               .operation = bcast,
                                               .site = PROFILE_NONE,
                                               .comm = 1};
    table_sort(p, TABLE_STANDS);
    stands_judge(p);
    misfits_judge(p);
    cr_assert(made_warns(p, "disagree about a collective operation: rank 0 in MPI_Bcast (root 0), "
                            "and rank 1 in MPI_Bcast (root 0): 0 B and 8 B"));
    cr_assert(made_warns(p, "operation: rank 3 in MPI_Bcast (root 0), and rank 2 in MPI_Barrier"));
    cr_assert_not(made_warns(p, "in vain"));
    profile_free(p);
}
