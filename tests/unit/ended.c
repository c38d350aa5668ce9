/* Protects what is said of the calls of a run that ended well. */
#include "made_profile.h"
#include "profile/model.h"
#include "verdict/text.h"

/* What is said in the only finding of P, which is freed; "" if there is none. */
static const char *only_verdict(struct profile *p, const char *kind, json_int_t one,
                                json_int_t other)
{
    static char text[1000];
    *text = '\0';
    profile_symbolize(p);
    verdict_of_ended(p);
    cr_assert_leq(p->findings.n, 1);
    if (p->findings.n) {
        const json_t *f = p->findings.at[0].value, *ranks = json_object_get(f, "ranks");
        cr_assert_str_eq(p->findings.at[0].kind, "verdict");
        cr_assert_str_eq(json_string_value(json_object_get(f, "kind")), kind);
        cr_assert_not_null(json_object_get(f, "next"));
        cr_assert_eq(json_integer_value(json_array_get(ranks, 0)), one);
        cr_assert_eq(json_integer_value(json_array_get(ranks, 1)), other);
        snprintf(text, sizeof text, "%s", json_string_value(json_object_get(f, "text")));
    }
    profile_free(p);
    return text;
}

static struct profile *one_instance_each(const uint32_t *operation, const int *root)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 3); r++)
        made_instance(&l, operation[r], 0, root[r], 0, 9);
    return p;
}

/* An error of the application that MPI need not find. */
Test(ended, operations_and_roots_that_differ)
{
    static const uint32_t mixed[] = {OP_BCAST, OP_BARRIER, OP_BCAST};
    static const uint32_t alike[] = {OP_BCAST, OP_BCAST, OP_BCAST};
    static const int roots[] = {0, 0, 1}, none[] = {-1, -1, -1};
    const char *text = only_verdict(one_instance_each(mixed, none), "mismatch", 0, 1);
    assert_has(text, "members of a communicator disagree about a collective: rank 0 in MPI_Bcast");
    assert_has(text, ", but rank 1 in MPI_Barrier");
    text = only_verdict(one_instance_each(alike, roots), "mismatch", 0, 2);
    assert_has(text, "rank 0 in MPI_Bcast number 1 of MPI_COMM_WORLD with root 0");
    assert_has(text, ", but rank 2 in MPI_Bcast number 1 of MPI_COMM_WORLD with root 1");
    cr_assert_str_eq(only_verdict(one_instance_each(alike, none), "", 0, 0), "");
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
        struct profile *p;
        struct ledger l;
        for (int r = 0; made_next(&p, &l, r, 3); r++) {
            for (uint32_t i = 0; i < 4; i++) {
                made_instance(&l, known[k].operation, i, known[k].root, 0, 9);
                l.instances[i].bytes = r == 2 ? 32u << i : 8;
            }
        }
        const char *text = only_verdict(p, "mismatch", 0, 2);
        cr_assert_eq(*text != '\0', known[k].said);
        if (known[k].said) {
            assert_has(text, ", 8 B");
            assert_has(text, ", 32 B");
        }
    }
}

/* Those of rank 2, after two of MPI_SUM and 4-byte integers. */
Test(ended, reductions_and_datatypes_that_differ)
{
    static const struct {
        uint32_t signature;
        const char *text;
    } known[] = {{LEDGER_SIGNATURE(2, FORM_INTEGER, 4), ", MPI_MAX, 4-byte integers"},
                 {LEDGER_SIGNATURE(1, FORM_REAL, 4), ", MPI_SUM, 4-byte reals"},
                 {LEDGER_SIGNATURE(1, FORM_INTEGER, 8), ", MPI_SUM, 8-byte integers"},
                 {LEDGER_SIGNATURE(1, FORM_INTEGER, 4), NULL},
                 {LEDGER_SIGNATURE(0, FORM_INTEGER, 4), NULL},
                 {LEDGER_SIGNATURE(1, FORM_UNKNOWN, 1), NULL},
                 {0, NULL}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct profile *p;
        struct ledger l;
        for (int r = 0; made_next(&p, &l, r, 3); r++) {
            made_instance(&l, OP_ALLREDUCE, 0, -1, 0, 9);
            l.instances[0].signature =
                r == 2 ? known[k].signature : LEDGER_SIGNATURE(1, FORM_INTEGER, 4);
        }
        const char *text = only_verdict(p, "mismatch", 0, 2);
        cr_expect_eq(*text != '\0', known[k].text != NULL, "%zu: %s", k, text);
        if (known[k].text) {
            assert_has(text, ", MPI_SUM, 4-byte integers");
            assert_has(text, known[k].text);
        }
    }
}

static void left(struct ledger *l, enum ledger_section section, size_t n)
{
    l->header->section[section].count = (uint32_t)n;
}

/* Rank 0 sends three messages, of which rank 1 has received RECEIVED, and waits for no other. */
struct exchange {
    uint64_t received;
    bool lost;   /* some calls were not seen */
    bool posted; /* rank 1 has posted a receive for one */
    bool killed; /* rank 2 */
};

static struct profile *messages(struct exchange x)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 3); r++) {
        l.comms[COMM_WORLD].last = 0xc0;
        left(&l, LEDGER_MESSAGES, r < 2);
        l.messages[0] = (struct ledger_messages){.comm_id = 0xc0,
                                                 .n = r ? x.received : 3,
                                                 .peer = r ? 0 : 1,
                                                 .tag = 5,
                                                 .bytes = 24,
                                                 .received = r > 0,
                                                 .site = 1,
                                                 .operation = OP_ISEND};
        left(&l, LEDGER_REQUESTS, r == 1 && x.posted);
        l.requests[0] = (struct ledger_request){.posted = 1,
                                                .active = 1,
                                                .operation = OP_IRECV,
                                                .site = 2,
                                                .comm = COMM_WORLD,
                                                .comm_id = 0xc0,
                                                .peer = 0,
                                                .tag = 5};
        l.header->messages_lost = x.lost && r == 2;
        if (r == 2 && x.killed)
            l.header->state = LEDGER_RUNNING;
        made_calls(&l, 2, OP_WAIT, 0, 1, 10);
    }
    return p;
}

Test(ended, messages_that_no_call_has_received)
{
    const char *text = only_verdict(messages((struct exchange){.received = 1}), "unmatched", 0, 0);
    assert_has(text, "2 messages were never received: rank 0 in MPI_Isend to rank 1 (tag 5, "
                     "MPI_COMM_WORLD), at application+");
    text =
        only_verdict(messages((struct exchange){.received = 2, .posted = true}), "unmatched", 1, 1);
    assert_has(text, "1 request was never completed: rank 1 in MPI_Irecv from rank 0 (tag 5");
    const struct exchange none[] = {{.received = 3},
                                    {.received = 1, .lost = true},
                                    {.received = 1, .killed = true},
                                    {.received = 4}}; /* not all calls were seen */
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        cr_expect_str_eq(only_verdict(messages(none[k]), "", 0, 0), "", "%zu", k);
}

/* Ranks 1 and 2 have a request; whether requests are completed by calls that are SEEN is unknown
 * else. */
static struct profile *request(bool seen)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 3); r++) {
        left(&l, LEDGER_REQUESTS, r ? 2 : 0);
        l.requests[1] = (struct ledger_request){.posted = 1,
                                                .active = 1,
                                                .operation = OP_ISEND,
                                                .site = 1,
                                                .comm = COMM_WORLD,
                                                .peer = 0,
                                                .tag = 7};
        made_calls(&l, 2, seen && r == 0 ? OP_WAIT : OP_BARRIER, 0, 1, 10);
    }
    return p;
}

Test(ended, request_that_is_not_complete)
{
    const char *text = only_verdict(request(true), "unmatched", 1, 1);
    assert_has(text, "2 requests were never completed, 1 of them of other ranks: rank 1 in "
                     "MPI_Isend to rank 0 (tag 7, "
                     "MPI_COMM_WORLD), at application+");
    cr_assert_str_eq(only_verdict(request(false), "", 0, 0), "");
}

/* Rank 1 has entered one collective less than the others. */
static struct profile *fewer(uint64_t created, bool seen)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 3); r++) {
        for (uint32_t i = 0; i < (r == 1 || !seen ? 1 : 2); i++)
            made_instance(&l, i ? OP_BCAST : OP_BARRIER, i, i ? 0 : -1, 0, 9);
        l.comms[COMM_WORLD].created = created;
        l.comms[COMM_WORLD].entered = r == 1 ? 1 : 2;
    }
    return p;
}

Test(ended, collective_that_not_all_have_called)
{
    const char *text = only_verdict(fewer(1, true), "missing", 1, 0);
    assert_has(text, "rank 1 has called 1 collective of MPI_COMM_WORLD, but rank 0 has called 2: "
                     "rank 0 in MPI_Bcast number 2 of MPI_COMM_WORLD with root 0");
    text = only_verdict(fewer(1, false), "missing", 1, 0);
    cr_assert_str_eq(text,
                     "rank 1 has called 1 collective of MPI_COMM_WORLD, but rank 0 has called 2 "
                     "(the next one was not recorded)");
    cr_assert_str_eq(only_verdict(fewer(2, true), "", 0, 0), ""); /* which of two is unknown */
}

/* Channels that agree are forgotten; where there are too many others nothing is known. */
Test(ended, channels_have_a_limit)
{
    for (int k = 0; k < 2; k++) {
        struct profile *p = messages((struct exchange){.received = 1});
        for (uint32_t i = 0; i < PROFILE_MAX_BALANCES; i++)
            profile_add(p, TABLE_BALANCES,
                        &(struct profile_balance){.comm_id = 0xc0,
                                                  .comm = PROFILE_NONE,
                                                  .to = 1,
                                                  .tag = 1000 + (int32_t)i,
                                                  .operation = PROFILE_NONE,
                                                  .site = PROFILE_NONE,
                                                  .sender = PROFILE_NONE,
                                                  .sent = 2,
                                                  .received = k ? 1 : 2});
        profile_limit_balances(p, PROFILE_MAX_BALANCES);
        cr_expect_eq(p->balances.n, k ? 0 : 1);
        cr_expect_eq(*only_verdict(p, "unmatched", 0, 0) != '\0', !k);
    }
}
