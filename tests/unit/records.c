/* Protects what the verdict reads from the records of ranks that were ended in their calls. */
#include "made_profile.h"
#include "scratch.h"
#include "verdict/hosts.h"
#include "verdict/text.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a rank is in: a call, or of MPI_Wait the operation that is pending. */
struct in {
    uint32_t operation;
    int32_t peer, tag, to, to_tag;
    int32_t has_sent; /* tag of a message of 400 bytes to the other rank; 0: none */
    bool received;    /* or from it */
    uint64_t bytes;
    uint32_t waits; /* 1: in MPI_Wait for the second of two requests; 2: for both */
    bool reversed;  /* on a communicator in which the other rank is the first */
    bool outside;   /* of MPI, in no call */
    bool freed;     /* it has freed an active receive */
    bool brief;     /* its call has just begun */
};
enum { NONE = INT32_MIN };
#define RECEIVE(from) .operation = OP_RECV, .peer = from, .tag = 4
#define TWO(...) ((const struct in[2]){__VA_ARGS__})

/* Of rank R of two, which has ended by signal if WORDS says so: the path of its record. */
static const char *record(int r, const struct in *in, bool threads, bool words)
{
    static char path[100];
    struct ledger l;
    snprintf(path, sizeof path, "%s/rank-%06d.ledger", scratch, r);
    made_ledger(&l, path, r, 2);
    struct ledger_header *h = l.header;
    h->state = words ? LEDGER_SIGNALLED : LEDGER_RUNNING;
    h->state_detail = words ? SIGTERM : 0;
    gethostname(h->host, sizeof h->host); /* where its process is not */
    h->threads_at_once = threads;
    h->messages_lost = in->freed;
    l.calls[0] = (struct ledger_call){.since = h->pair[1].ticks - (in->brief ? 1000 : 1500000000),
                                      .operation = in->waits ? OP_WAIT : in->operation,
                                      .site = 1,
                                      .comm = 1,
                                      .comm_id = 5,
                                      .sequence = 6,
                                      .bytes = in->bytes,
                                      .peer = in->peer,
                                      .tag = in->tag,
                                      .to = in->to,
                                      .to_tag = in->to_tag,
                                      .root = -1,
                                      .thread = 1};
    h->section[LEDGER_CALLS].count = in->outside ? 0 : 1;
    if (in->reversed) {
        l.comms[2] = l.comms[1];
        l.comms[2].flags = 0;
        l.comms[2].id++;
        l.comms[2].rank = 1 - (uint32_t)r;
        h->section[LEDGER_COMMS].count = 3;
        l.calls[0].comm = 2;
        l.calls[0].comm_id = 9;
    }
    /* Of two requests the second is awaited. */
    for (int i = 0; in->waits && i < 2; i++)
        l.requests[i] = (struct ledger_request){.handle = 100 + (uint64_t)i,
                                                .posted = h->pair[0].ticks + 100 - (uint64_t)i,
                                                .comm_id = 5,
                                                .site = 2,
                                                .peer = i ? in->peer : 0,
                                                .tag = i ? in->tag : 77,
                                                .root = -1,
                                                .operation = (uint16_t)in->operation,
                                                .comm = 1,
                                                .active = 1};
    if (in->waits) {
        h->section[LEDGER_REQUESTS].count = 2;
        l.calls[0].peer = l.calls[0].tag = NONE;
        l.calls[0].n_requests = in->waits;
        memcpy(l.calls[0].request, (uint64_t[]){101, 100}, 2 * sizeof(uint64_t));
    }
    if (in->operation == OP_WIN_FENCE)
        l.calls[0].comm_id = l.calls[0].comm = 0;
    if (in->has_sent) {
        l.messages[0] = (struct ledger_messages){.comm_id = 5,
                                                 .n = 1,
                                                 .bytes = 400,
                                                 .peer = 1 - (uint32_t)r,
                                                 .tag = in->has_sent,
                                                 .received = in->received};
        h->section[LEDGER_MESSAGES].count = 1;
    }
    ledger_close(&l);
    return path;
}

static json_t *value; /* the verdict that was asked for last */

/* Judges the records, and removes them. */
static void judge(void)
{
    struct situation *e = situation_read(scratch, VERDICT_SETTLED);
    cr_assert_not_null(e);
    json_decref(value);
    value = verdict_json_of(e);
    situation_free(e);
    scratch_remove();
}

/* The verdict on two ranks by their records, which are removed. WORDS of them have recorded that
 * they were asked to end. */
static void verdict_on(const struct in in[2], bool threads, int words)
{
    scratch_make();
    for (int r = 0; r < 2; r++)
        record(r, &in[r], threads, r < words);
    judge();
}

/* One rank is in MPI_Barrier, one in OTHER. */
static void verdict_on_two(uint32_t other, bool threads, int words)
{
    verdict_on(TWO({.operation = OP_BARRIER}, {.operation = other}), threads, words);
}

static const char *text_in(void)
{
    return json_string_value(json_object_get(value, "text"));
}

static const char *kind_in(void)
{
    return json_string_value(json_object_get(value, "kind"));
}

Test(records, different_collectives)
{
    verdict_on_two(OP_ALLREDUCE, false, 2);
    cr_assert_str_eq(kind_in(), "mismatch");
    cr_assert(json_is_true(json_object_get(value, "proven")));
    assert_has(text_in(), "rank 0 in MPI_Barrier number 7 of MPI_COMM_WORLD");
    assert_has(text_in(), ", but rank 1 in MPI_Allreduce number 7 of MPI_COMM_WORLD");
    FREED char *text = WRITTEN(verdict_write(value, out, "> ", 80));
    assert_has(text, "> when the run ended, a deadlock of 2 of 2 ranks: ");
    assert_has(text, "\n* rank 0: in MPI_Barrier number 7 of MPI_COMM_WORLD, at ");
    assert_has(text, "\n* rank 1: in MPI_Allreduce number 7 of MPI_COMM_WORLD, at ");
    assert_has(text, "\nNext: rank 0: look at MPI_Barrier, at application+0x1000\n");
}

/* Another thread, even one that has not called MPI yet, may release them. */
Test(records, threads_may_release)
{
    verdict_on_two(OP_ALLREDUCE, true, 2);
    const json_t *notes = json_object_get(value, "notes");
    cr_assert_str_eq(kind_in(), "mismatch");
    cr_assert(json_is_false(json_object_get(value, "proven")));
    assert_lacks(text_in(), "deadlock");
    assert_has(json_string_value(json_array_get(notes, json_array_size(notes) - 1)),
               "not reported as a deadlock: another");
}

/* MPI refuses a rank that the communicator does not have, and ends the process. */
Test(records, ended_by_an_error)
{
    verdict_on(TWO({.operation = OP_SEND, .peer = 7, .tag = 4}, {.operation = OP_BARRIER}), false,
               0);
    cr_assert_str_eq(kind_in(), "gone", "%s", text_in());
    assert_has(text_in(), "rank 0: ended by MPI after an error (MPI_ERRORS_ARE_FATAL), in "
                          "MPI_Send to a rank that the communicator does not have (tag 4");
}

/* A launcher kills at last who does not heed its signal; what they were in is the verdict. */
Test(records, killed_in_a_call_with_the_others)
{
    for (int i = 0; i < 2; i++) {
        verdict_on_two(i ? OP_FINALIZE : OP_ALLREDUCE, false, 1);
        cr_assert_str_eq(kind_in(), i ? "missing" : "mismatch", "%s", text_in());
        cr_assert_str_eq(json_string_value(json_object_get(value, "next")),
                         "rank 0: look at MPI_Barrier, at application+0x1000");
    }
}

/* MPI refuses at once what has another size. */
Test(records, refused_as_members_disagree)
{
    struct in in[2] = {{.operation = OP_ALLREDUCE, .bytes = 8, .brief = true}};
    for (in[1] = in[0]; in[1].bytes; in[1].bytes -= 4) {
        verdict_on(in, false, 1);
        cr_assert_str_eq(kind_in(), in[1].bytes == 8 ? "moving" : "mismatch", "%s", text_in());
    }
}

/* The time limit of a job: who computes may be killed before it handles the signal. */
Test(records, killed_outside_of_mpi_with_the_others)
{
    for (int words = 0; words < 2; words++) {
        verdict_on(TWO({.operation = OP_BARRIER}, {.outside = true}), false, words);
        cr_assert_str_eq(kind_in(), "unknown", "%s", text_in());
        assert_has(text_in(), "rank 1, awaited in MPI_Barrier number 7 of MPI_COMM_WORLD");
        assert_has(text_in(), "when it was killed (it is unknown whether before the other ranks)");
    }
}

Test(records, finalize_waits_for_who_computes)
{
    verdict_on(TWO({.operation = OP_FINALIZE}, {.outside = true}), false, 2);
    cr_assert_str_eq(kind_in(), "computes", "%s", text_in());
    assert_has(text_in(), "rank 1, awaited in MPI_Finalize, at application+");
    verdict_on_two(OP_FINALIZE, false, 2);
    cr_assert_str_eq(kind_in(), "missing");
    verdict_on(TWO({.operation = OP_FINALIZE}, {.operation = OP_FINALIZE}), false, 2);
    assert_has(text_in(), "for an unknown reason: ranks 0, 1: in or after MPI_Finalize");
}

/* A receive that was freed may have taken the message for which the rank waits. */
Test(records, receive_after_one_that_was_freed)
{
    for (int freed = 0; freed < 2; freed++) {
        verdict_on((const struct in[2]){{RECEIVE(1), .bytes = 400, .freed = freed},
                                        {.operation = OP_BARRIER, .has_sent = 4}},
                   false, 2);
        cr_expect_str_eq(kind_in(), "unknown");
    }
}

/* A fence has no communicator in the record: it may need any rank that is outside of MPI or in
 * another call. */
Test(records, fence_that_a_member_left_out)
{
    verdict_on_two(OP_WIN_FENCE, false, 2);
    cr_expect_str_eq(kind_in(), "missing");
    cr_expect(json_is_false(json_object_get(value, "proven")));
    assert_has(text_in(), "calls may wait for each other: rank 0: in MPI_Barrier number 7 of");
    assert_has(text_in(), "; rank 1: in MPI_Win_fence");
    verdict_on(TWO({.operation = OP_WIN_FENCE}, {.outside = true}), false, 2);
    assert_has(text_in(), "rank 1, awaited in MPI_Win_fence");
}

/* It is unknown whether the other rank is a member. */
Test(records, group_that_makes_a_communicator)
{
    verdict_on(TWO({.operation = OP_COMM_CREATE_GROUP}, {.outside = true}), false, 2);
    cr_expect_eq(json_array_size(json_object_get(value, "ranks")), 0, "%s", text_in());
}

static void expect_verdict(const char *kind, const char *first, const char *second,
                           const struct in in[2])
{
    verdict_on(in, false, 2);
    cr_assert_str_eq(kind_in(), kind, "%s", text_in());
    cr_expect(json_is_true(json_object_get(value, "proven")));
    assert_has(text_in(), first);
    assert_has(text_in(), second);
}

/* Making a communicator has a number like any collective. */
Test(records, messages_and_a_communicator_that_a_member_does_not_make)
{
    expect_verdict("mismatch", "rank 0 in MPI_Barrier number 7 of MPI_COMM_WORLD, at ",
                   ", but rank 1 in MPI_Comm_dup number 7 of MPI_COMM_WORLD, at ",
                   TWO({.operation = OP_BARRIER}, {.operation = OP_COMM_DUP}));
    expect_verdict("unmatched", "2 of 2 ranks can never continue: a rank waits for itself: rank 0",
                   "; 1 other rank waits for it", TWO({RECEIVE(0)}, {.operation = OP_BARRIER}));
    expect_verdict("cycle", "cycle: ranks 0, 1: in MPI_Recv",
                   "in MPI_Recv, each from a different rank (tag 4",
                   TWO({RECEIVE(1)}, {RECEIVE(0)}));
    expect_verdict("cycle", "cycle: ranks 0, 1: in MPI_Recv",
                   "in MPI_Recv, each from a different rank (tag 4",
                   TWO({RECEIVE(0), .reversed = true}, {RECEIVE(1), .reversed = true}));
    expect_verdict("cycle", "ranks 0, 1: in MPI_Recv", "(tag 4",
                   (const struct in[2]){{RECEIVE(1), .has_sent = 4, .received = true},
                                        {RECEIVE(0), .has_sent = 4}});
    expect_verdict("unmatched", "tag 4", "tag 5",
                   TWO({RECEIVE(1)}, {.operation = OP_BARRIER, .has_sent = 5}));
    expect_verdict("cycle", "cycle: ranks 0, 1: in MPI_Wait",
                   "for MPI_Irecv, each from a different rank (tag 4",
                   TWO({.operation = OP_IRECV, .peer = 1, .tag = 4, .waits = 1},
                       {.operation = OP_IRECV, .peer = 0, .tag = 4, .waits = 1}));
    expect_verdict("cycle", "rank 0: in MPI_Recv",
                   "rank 1: in MPI_Wait, at application+0x1000, for "
                   "MPI_Irecv from rank 0 (tag 77",
                   TWO({.operation = OP_RECV, .peer = 1, .tag = 5, .has_sent = 4},
                       {.operation = OP_IRECV, .tag = 4, .waits = 2}));
    expect_verdict("unmatched", "tag 5", "tag 6",
                   (const struct in[2]){
                       {.operation = OP_SENDRECV, .peer = 1, .tag = 5, .to = 1, .to_tag = 4},
                       {.operation = OP_SENDRECV, .peer = 0, .tag = 4, .to = 0, .to_tag = 6}});
}

/* A record of another host, in which the rank waits for the other one's message. SUMMARY: what the
 * watchdog there has written, AGE seconds ago; NULL: nothing. */
static void verdict_on_other_host(const char *summary, int age)
{
    const struct in in[2] = {{RECEIVE(1)}, {RECEIVE(0)}};
    char path[100];
    scratch_make();
    for (int r = 0; r < 2; r++) {
        char host[sizeof((struct ledger_header *)NULL)->host] = "elsewhere";
        int fd = open(record(r, &in[r], false, false), O_WRONLY);
        cr_assert_eq(pwrite(fd, host, sizeof host, offsetof(struct ledger_header, host)),
                     (ssize_t)sizeof host);
        close(fd);
    }
    snprintf(path, sizeof path, "%s/watchdog-elsewhere", scratch);
    if (summary) {
        struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
        FILE *out = fopen(path, "w");
        fputs(summary, out);
        fclose(out);
        utimensat(AT_FDCWD, path, times, 0);
    }
    judge();
}

Test(records, what_another_hosts_watchdog_says_is_known)
{
    verdict_on_other_host("waiting 1e6\n0 1\n1 1\n", 0);
    cr_assert_str_eq(kind_in(), "cycle");
    cr_assert(json_is_true(json_object_get(value, "proven")), "%s", text_in());
    assert_has(text_in(), "nothing has moved for");
    verdict_on_other_host("waiting 1e6\n0 1\n", 0);
    cr_assert_str_eq(kind_in(), "gone");
    verdict_on_other_host("moving 1e6\n0 1\n1 1\n", 0);
    cr_assert_str_eq(kind_in(), "moving", "%s", text_in());
}

/* The verdict for which a watchdog ended the run is the run's; what is none is not used. */
Test(records, the_verdict_of_a_watchdog)
{
    static const char *const good =
        "{\"kind\": \"gone\", \"text\": \"kept\", \"groups\": [], \"notes\": []}";
    static const char *const saved[] = {"{}", "[1]", "{\"kind\": \"gone\", \"text\": \"kept\"}",
                                        good};
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++) {
        scratch_make();
        for (int r = 0; r < 2; r++)
            record(r, &(const struct in){.operation = r ? OP_ALLREDUCE : OP_BARRIER}, false, true);
        scratch_write(VERDICT_FILE, saved[i]);
        judge();
        cr_assert_eq(!strcmp(text_in(), "kept"), saved[i] == good, "%s", saved[i]);
    }
}

Test(records, a_host_that_says_nothing_is_named_and_proves_nothing)
{
    static const struct {
        const char *summary;
        int age;
    } cases[] = {{NULL, 0}, {"waiting 1e6\n0 1\n1 1\n", 100}, {"waiting 1e6\n0 9\n", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        verdict_on_other_host(cases[i].summary, cases[i].age);
        char *text = json_dumps(json_object_get(value, "notes"), 0);
        cr_assert(json_is_false(json_object_get(value, "proven")), "%zu: %s", i, text_in());
        assert_has(text, "watchdogs report nothing (elsewhere)");
        free(text);
    }
}

/* What the watchdog of a host writes is what those of other hosts read. */
Test(records, a_watchdog_writes_what_is_read, .init = scratch_make)
{
    for (int waiting = 0; waiting < 4; waiting++) {
        char host[] = "here";
        const enum rank_state state = waiting == 3 ? RANK_STOPPED : RANK_SLEEPING;
        struct rank_view r[6] = {
            [1] = {.alive = true, .other_host = true, .state = RANK_STOPPED},
            [3] = {.alive = true, .outside = true, .seconds = waiting == 1 ? 3 : 1},
            [5] = {.alive = true, .state = state, .call = {true, .seconds = waiting == 2 ? 3 : 1}}};
        cr_assert(hosts_write(scratch, host, &(struct situation){.rank = r, .n_ranks = 6}, 2));
        struct hosts again = hosts_read(scratch);
        const struct host_rank *x = hosts_find(&again, "here", 5);
        cr_expect(again.list.n == 2 && x && x->moving == !waiting && x->state == state);
        cr_expect(hosts_find(&again, "here", -1) && !hosts_find(&again, "here", 4) &&
                  !hosts_find(&again, "there", -1));
        free(again.list.at);
    }
    hosts_remove(scratch, "here");
    cr_expect(access(scratch, F_OK), "it was the last file");
}
