/* Protects which algorithm a collective's messages are taken for. What each rank sends and receives
 * is written by hand; N is the message. */
#include "made_profile.h"
#include "profile/model.h"

enum { N = 4096 };

static char name[ALGORITHM_NAME];

#define FIND(operation, root, ...)                                                                 \
    (algorithm_find(operation, sizeof(struct traffic[]){__VA_ARGS__} / sizeof(struct traffic),     \
                    root, N, (struct traffic[]){__VA_ARGS__}, name),                               \
     name)

Test(algorithms, reductions_to_all)
{
    const struct traffic doubling = {2, 2 * N, 2, 0}, ring = {6, 6 * N / 4, 6, 0},
                         halving = {4, 6 * N / 4, 4, 0}, once = {1, N, 1, 0};
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, doubling, doubling, doubling, doubling),
                     "recursive doubling");
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, ring, ring, ring, ring), "ring");
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, halving, halving, halving, halving),
                     "reduce-scatter + allgather");
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, once, doubling, once), "recursive doubling",
                     "rank 1 of three represents rank 0");
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, doubling, doubling, doubling, once), "");
    cr_expect_str_eq(
        FIND("MPI_Allreduce", 0, {2, N, 2, 0}, {2, N, 2, 0}),
        "reduce-scatter + allgather or ring or binomial reduce + broadcast or linear reduce + "
        "broadcast",
        "two ranks do not distinguish them");
    cr_expect_str_eq(FIND("MPI_Allreduce", 0, {3, 3 * N, 3, 0}, once, once, once),
                     "linear reduce + broadcast");
}

Test(algorithms, broadcasts_from_a_root)
{
    const struct traffic leaf = {0, 0, 1, 0};
    cr_expect_str_eq(FIND("MPI_Bcast", 1, leaf, {2, 2 * N, 0, 0}, leaf, {1, N, 1, 0}), "binomial");
    cr_expect_str_eq(FIND("MPI_Bcast", 1, leaf, {2, 2 * N, 0, 0}, {1, N, 1, 0}, leaf), "binomial",
                     "with other children");
    cr_expect_str_eq(FIND("MPI_Bcast", 0, {2, 2 * N, 0, 0}, leaf, {1, N, 1, 0}, leaf), "binomial",
                     "there is no way to rank 0");
    cr_expect_str_eq(FIND("MPI_Bcast", 1, leaf, {3, 3 * N, 0, 0}, leaf, leaf), "linear");
    cr_expect_str_eq(FIND("MPI_Bcast", 0, {8, N, 0, 0}, {8, N, 8, 0}, {0, 0, 8, 0}), "chain",
                     "in eight segments");
    cr_expect_str_eq(FIND("MPI_Bcast", 0, {8, N + 1, 0, 0}, {8, N, 8, 0}, {0, 0, 8, 0}), "");
    cr_expect_str_eq(FIND("MPI_Bcast", 0, {8, N, 0, 0}, {4, N, 8, 0}, {0, 0, 4, 0}), "");
    cr_expect_str_eq(FIND("MPI_Bcast", 1, {2, 2 * N, 1, 0}, {1, N, 1, 0}, {1, N, 1, 0}, leaf),
                     "to rank 0, binomial");
    cr_expect_str_eq(FIND("MPI_Bcast", 0, {5, 6 * N / 4, 3, 0}, {3, 3 * N / 4, 4, 0}, {4, N, 4, 0},
                          {3, 3 * N / 4, 4, 0}),
                     "scatter + ring allgather");
}

Test(algorithms, reductions_to_a_root)
{
    const struct traffic leaf = {1, N, 0, 0};
    cr_expect_str_eq(FIND("MPI_Reduce", 0, {0, 0, 3, 0}, leaf, leaf, leaf), "linear");
    cr_expect_str_eq(FIND("MPI_Reduce", 0, {0, 0, 2, 0}, leaf, {1, N, 1, 0}, leaf), "binomial");
}

Test(algorithms, blocks)
{
    const struct traffic three = {3, 3 * N, 3, 0}, two = {2, 3 * N, 2, 0}, empty = {2, 0, 2, 0},
                         halves = {2, 4 * N, 2, 0}, near = {2, 2 * N, 2, 0};
    cr_expect_str_eq(FIND("MPI_Allgather", 0, three, three, three, three), "ring or linear");
    cr_expect_str_eq(FIND("MPI_Allgather", 0, two, two, two, two), "recursive doubling or Bruck");
    cr_expect_str_eq(FIND("MPI_Allgather", 0, near, near, near), "ring or linear or Bruck");
    cr_expect_str_eq(FIND("MPI_Alltoall", 0, halves, halves, halves, halves), "Bruck");
    cr_expect_str_eq(FIND("MPI_Scan", 0, three, three, three, three), "");
    algorithm_find("MPI_Barrier", 3, 0, 0, (struct traffic[]){empty, empty, empty}, name);
    cr_expect_str_eq(name, "dissemination");
}

/* Two ranks: an allreduce by the messages of its calls, one of which another call's message does
 * not belong to, and a barrier without any. In time windows the messages of a call that goes on
 * when one has ended are missing: of the last one here. */
static struct profile *traced(uint64_t time_mask)
{
    struct profile *p = profile_new();
    const uint32_t sum = profile_add_operation(p, "MPI_Allreduce", FAMILY_COLLECTIVE),
                   barrier = profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE);
    p->trace.on = true;
    p->trace.network = LEDGER_NETWORK_ON;
    p->trace.time_mask = time_mask;
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t k = 0; k < 3; k++) {
            const int64_t entry = 1000 * k + rank;
            struct event *a = PUSH(&p->events);
            *a = made_collective(rank, k, entry, entry + 500);
            a->bytes = k == 2 ? 0 : N;
            a->operation = k == 2 ? barrier : sum;
            for (uint8_t kind = TRANSPORT_SEND; k < 2 && kind <= TRANSPORT_RECEIVE; kind++)
                *PUSH(&p->nets) = (struct net){.call_entry_ns = entry,
                                               .rank = rank,
                                               .kind = kind,
                                               .transfer = 2 * k + kind,
                                               .bytes = N};
        }
    trace_find(p);
    return p;
}

Test(algorithms, of_a_trace)
{
    struct profile *p = traced(0);
    cr_assert_eq(p->findings.n, 2);
    const json_t *first = p->findings.at[0].value, *second = p->findings.at[1].value;
    cr_expect_str_eq(p->findings.at[0].kind, "algorithms");
    cr_expect_eq(json_number_at(first, "calls"), 2);
    cr_expect_eq(json_number_at(first, "bytes"), N);
    cr_expect_str_eq(
        json_text_at(first, "algorithm"),
        "recursive doubling or binomial reduce + broadcast or linear reduce + broadcast");
    cr_expect_str_eq(json_text_at(second, "algorithm"), "unknown");
    cr_expect(strstr(json_text_at(second, "remark"), "no message recorded"));
    profile_free(p);
    p = traced(1024);
    cr_assert_eq(p->findings.n, 2);
    cr_expect_eq(json_number_at(p->findings.at[0].value, "calls"), 1);
    cr_expect_eq(json_number_at(p->findings.at[0].value, "bytes"), N);
    profile_free(p);
}
