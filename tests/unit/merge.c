/* Ranks as threads send their ledgers to rank 0, which merges them: in parts, and what does not
 * arrive whole is no profile. What arrives whole: layer.c. */
#include "fake_mpi.h"
#include "layer/parts.h"
#include "made_ledger.h"
#include "profile/profile.h"

enum { RANKS = 5 };

static struct ledger ledgers[RANKS];
static struct profile *merged[RANKS];

static void merge_one(int rank, void *arg)
{
    (void)arg;
    merged[rank] = merge_ranks(&ledgers[rank], MPI_COMM_WORLD);
}

static void start(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        merged[rank] = NULL;
        made_ledger(&ledgers[rank], NULL, rank, RANKS);
        made_calls(&ledgers[rank], 1, OP_BCAST, 8, 10 + (uint64_t)rank, 1000);
        made_instance(&ledgers[rank], OP_BCAST, 0, 0, 100 + (uint64_t)rank, 200);
    }
}

static void finish(void)
{
    for (int rank = 0; rank < RANKS; rank++)
        ledger_close(&ledgers[rank]);
}
TestSuite(merge, .init = start, .fini = finish);

static bool run(void)
{
    return fake_mpi_run(RANKS, merge_one, NULL,
                        &(struct fake_network){.latency = 1e-6, .per_byte = 1e-10, .eager = 4096});
}

Test(merge, what_was_injected_comes_with_the_ledger)
{
    struct ledger *l = &ledgers[3];
    l->header->findings =
        ledger_add_text(l, "[{\"kind\": \"ack\", \"value\": {\"communicator_index\": 1, \"x\": 7}},"
                           " {\"warning\": \"late \\u001b[31m\"}]");
    cr_assert_neq(l->header->findings, 0);
    cr_assert(run());
    cr_assert_eq(merged[0]->findings.n, 1);
    const struct profile_finding *f = &merged[0]->findings.at[0];
    cr_assert_str_eq(f->kind, "ack");
    cr_assert_eq(json_integer_value(json_object_get(f->value, "x")), 7);
    cr_assert_str_eq(merged[0]->comms.at[f->comm].name, "MPI_COMM_WORLD");
    cr_assert_eq(merged[0]->warnings.n, 1);
    cr_assert_str_eq(merged[0]->warnings.at[0].text, "late ?[31m");
    profile_free(merged[0]);
}

/* No message is larger than MPI carries itself, whoever its user is by now. */
Test(merge, in_small_parts)
{
    made_calls(&ledgers[2], 2, OP_ALLREDUCE, 64, 1, 1);
    cr_assert(run());
    cr_assert_eq(merged[0]->entries.n, 2);
    cr_assert_eq(merged[0]->ranks.n, RANKS);
    for (int rank = 1; rank < RANKS; rank++)
        cr_assert_null(merged[rank]);
    cr_assert_geq(fake_mpi_messages(), (RANKS - 1) * sizeof(struct ledger_header) / 4096);
    profile_free(merged[0]);
}

Test(merge, damaged_or_without_memory_there_is_none_and_no_rank_waits)
{
    ledgers[2].entries[0].site = 1000;
    cr_assert(run());
    cr_assert_null(merged[0]);
    ledgers[2].entries[0].site = 1;
    ledgers[4].header->section[LEDGER_EVENTS].count = UINT32_MAX; /* 200 GB */
    cr_assert(run());
    cr_assert_null(merged[0]);
}
