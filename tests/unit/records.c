/* Protects what the verdict reads from the records of ranks that were ended in their calls. */
#include "made_profile.h"
#include "verdict/text.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One rank is in MPI_Barrier, one in OTHER. The verdict on their records, which are removed. WORDS
 * of them have recorded that they were asked to end. */
static json_t *verdict_on_two(uint32_t other, bool threads, int words)
{
    char directory[] = "/tmp/collprof-verdict-test.XXXXXX", path[2][100];
    cr_assert_not_null(mkdtemp(directory));
    for (int r = 0; r < 2; r++) {
        struct ledger l;
        snprintf(path[r], sizeof path[r], "%s/rank-%06d.ledger", directory, r);
        made_ledger(&l, path[r], r, 2);
        l.header->state = r < words ? LEDGER_SIGNALLED : LEDGER_RUNNING;
        l.header->state_detail = r < words ? SIGTERM : 0;
        gethostname(l.header->host, sizeof l.header->host); /* where its process is not */
        l.header->threads_at_once = threads;
        l.calls[0] = (struct ledger_call){.since = l.header->pair[1].ticks - 1500000000,
                                          .operation = r ? other : OP_BARRIER,
                                          .site = 1,
                                          .comm = 1,
                                          .comm_id = 5,
                                          .sequence = 6,
                                          .peer = INT32_MIN,
                                          .tag = INT32_MIN,
                                          .root = -1,
                                          .thread = 1};
        l.header->section[LEDGER_CALLS].count = 1;
        ledger_close(&l);
    }
    struct evidence *e = evidence_now(directory, VERDICT_SETTLED);
    cr_assert_not_null(e);
    struct verdict *v = verdict_of(e->s);
    json_t *value = verdict_json(e, v);
    verdict_free(v);
    evidence_free(e);
    for (int r = 0; r < 2; r++)
        unlink(path[r]);
    rmdir(directory);
    return value;
}

static const char *text_in(const json_t *value)
{
    return json_string_value(json_object_get(value, "text"));
}

Test(records, different_collectives)
{
    json_t *value = verdict_on_two(OP_ALLREDUCE, false, 2);
    cr_assert_str_eq(json_string_value(json_object_get(value, "kind")), "mismatch");
    cr_assert(json_is_true(json_object_get(value, "proven")));
    assert_has(text_in(value), "when the run ended, a deadlock of 2 of 2 ranks: ");
    assert_has(text_in(value), "rank 0 in MPI_Barrier number 7 of MPI_COMM_WORLD");
    assert_has(text_in(value), ", but rank 1 in MPI_Allreduce number 7 of MPI_COMM_WORLD");
    cr_assert_eq(json_array_size(json_object_get(value, "groups")), 2);
    json_decref(value);
}

/* Another thread, even one that has not called MPI yet, may release them. */
Test(records, threads_may_release)
{
    json_t *value = verdict_on_two(OP_ALLREDUCE, true, 2);
    const json_t *notes = json_object_get(value, "notes");
    cr_assert_str_eq(json_string_value(json_object_get(value, "kind")), "mismatch");
    cr_assert(json_is_false(json_object_get(value, "proven")));
    assert_lacks(text_in(value), "deadlock");
    assert_has(json_string_value(json_array_get(notes, json_array_size(notes) - 1)),
               "not called a deadlock: another thread");
    json_decref(value);
}

/* A launcher kills at last who does not heed its signal; what they were in is the verdict. */
Test(records, killed_in_a_call_with_the_others)
{
    json_t *value = verdict_on_two(OP_ALLREDUCE, false, 1);
    cr_assert_str_eq(json_string_value(json_object_get(value, "kind")), "mismatch", "%s",
                     text_in(value));
    json_decref(value);
}

Test(records, killed_in_finalize_with_the_others)
{
    json_t *value = verdict_on_two(OP_FINALIZE, false, 1);
    cr_assert_str_eq(json_string_value(json_object_get(value, "kind")), "missing", "%s",
                     text_in(value));
    json_decref(value);
}
