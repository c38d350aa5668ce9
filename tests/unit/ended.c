/* Protects what is said of collectives whose members do not agree, in a run that went on. */
#include "verdict/ended.h"
#include "made_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* What is said in the only finding of P, which is freed; "" if there is none. */
static const char *only_verdict(struct profile *p, json_int_t one, json_int_t other)
{
    static char text[1000];
    *text = '\0';
    profile_symbolize(p);
    verdict_of_ended(p);
    cr_assert_leq(p->findings.n, 1);
    if (p->findings.n) {
        const json_t *f = p->findings.at[0].value, *ranks = json_object_get(f, "ranks");
        cr_assert_str_eq(p->findings.at[0].kind, "verdict");
        cr_assert_str_eq(json_string_value(json_object_get(f, "kind")), "mismatch");
        cr_assert_eq(json_integer_value(json_array_get(ranks, 0)), one);
        cr_assert_eq(json_integer_value(json_array_get(ranks, 1)), other);
        snprintf(text, sizeof text, "%s", json_string_value(json_object_get(f, "text")));
    }
    profile_free(p);
    return text;
}

static struct profile *one_instance_each(const uint32_t *operation, const int *root)
{
    struct profile *p = NULL;
    for (int r = 0; r < 3; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 3);
        made_instance(&l, operation[r], 0, root[r], 0, 9);
        p = made_merged(p, &l);
    }
    return p;
}

/* An error of the application that MPI need not find. */
Test(ended, operations_and_roots_that_differ)
{
    static const uint32_t mixed[] = {OP_BCAST, OP_BARRIER, OP_BCAST};
    static const uint32_t alike[] = {OP_BCAST, OP_BCAST, OP_BCAST};
    static const int roots[] = {0, 0, 1}, none[] = {-1, -1, -1};
    const char *text = only_verdict(one_instance_each(mixed, none), 0, 1);
    assert_has(text, "members of a communicator disagree about a collective: rank 0 in MPI_Bcast");
    assert_has(text, ", but rank 1 in MPI_Barrier");
    text = only_verdict(one_instance_each(alike, roots), 0, 2);
    assert_has(text, "rank 0 in MPI_Bcast number 1 of MPI_COMM_WORLD with root 0");
    assert_has(text, ", but rank 2 in MPI_Bcast number 1 of MPI_COMM_WORLD with root 1");
    cr_assert_str_eq(only_verdict(one_instance_each(alike, none), 0, 0), "");
}

/* Four instances whose sizes differ are said once, and only where MPI wants one size of all. */
Test(ended, sizes_that_differ)
{
    static const struct {
        uint32_t operation;
        int root;
        bool said;
    } known[] = {{OP_BCAST, 0, true}, {OP_ALLTOALL, -1, true}, {OP_BARRIER, -1, false}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct profile *p = NULL;
        for (int r = 0; r < 3; r++) {
            struct ledger l;
            made_ledger(&l, NULL, r, 3);
            for (uint32_t i = 0; i < 4; i++) {
                made_instance(&l, known[k].operation, i, known[k].root, 0, 9);
                l.instances[i].bytes = r == 2 ? 32u << i : 8;
            }
            p = made_merged(p, &l);
        }
        const char *text = only_verdict(p, 0, 2);
        cr_assert_eq(*text != '\0', known[k].said);
        if (known[k].said) {
            assert_has(text, ", 8 B");
            assert_has(text, ", 32 B");
        }
    }
}
