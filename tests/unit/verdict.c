/* Drawn tables of open calls with known answers. Each case says what the ranks at fault are in, and
 * what those are in that wait for them; nothing of the judge is used to know the answer. */
#include "verdict/judge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OP_BARRIER = 1, OP_ALLREDUCE, OP_BCAST, OP_REDUCE, OP_DUP };
/* Communicators: all ranks, in the same order and in another; and what makes communicators of the
 * first one. */
enum { WORLD, OTHER, SUB, MADE };
enum { FAULT = 1000, WAITER = 2000 };

struct drawn {
    struct situation *s;
    size_t n;
    int32_t *rank; /* a permutation: the first ones are at fault */
    size_t fault;  /* how many */
    double age;
    /* the answer */
    enum verdict_kind kind;
    bool proven;
    size_t core; /* of the first ranks */
    size_t idle; /* so many others do not wait for them */
};

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

static void shuffle(int32_t *a, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        size_t k = draw((uint32_t)i + 1);
        int32_t x = a[i];
        a[i] = a[k];
        a[k] = x;
    }
}

static void add_comm(struct drawn *d, bool shuffled, uint64_t id)
{
    struct member_list *c = PUSH(&d->s->comms);
    c->n = d->n;
    c->id = id;
    c->member = memory_alloc(d->n * sizeof *c->member);
    c->entered = memory_alloc(d->n * sizeof *c->entered);
    for (size_t i = 0; i < d->n; i++)
        c->member[i] = (int32_t)i;
    if (shuffled)
        shuffle(c->member, d->n);
}

static void set_entered(struct drawn *d, uint32_t comm, int32_t rank, int64_t n)
{
    struct member_list *c = &d->s->comms.at[comm];
    for (size_t i = 0; i < c->n; i++)
        if (rank < 0 || c->member[i] == rank)
            c->entered[i] = n;
}

static void begin(struct drawn *d)
{
    *d = (struct drawn){.n = 2 + draw(63), .age = 5 + draw(1000)};
    d->s = situation_new(d->n);
    d->s->settled = 2;
    d->s->counted = true;
    d->rank = memory_alloc(d->n * sizeof *d->rank);
    for (size_t i = 0; i < d->n; i++)
        d->rank[i] = (int32_t)i;
    shuffle(d->rank, d->n);
    for (int i = 0; i < 4; i++) {
        add_comm(d, i == OTHER, i == MADE ? 1 : 1 + (uint64_t)i);
        set_entered(d, (uint32_t)i, -1, 7 + i);
    }
}

static struct open_call *call_in(struct drawn *d, int32_t rank, struct awaited a, uint32_t site)
{
    a.name = a.site = site;
    struct open_call *c = situation_call(d->s, rank, &a, 1);
    c->seconds = d->age;
    c->site = c->name = site;
    return c;
}

static struct awaited message(enum awaited_what what, int32_t peer, int32_t tag, uint32_t comm)
{
    return (struct awaited){.what = what, .comm = comm, .peer = peer, .tag = tag};
}

static struct awaited collective(uint32_t operation, uint32_t comm, uint64_t number, int32_t root)
{
    return (struct awaited){.what = AWAIT_COLLECTIVE,
                            .comm = comm,
                            .sequence = number,
                            .operation = operation,
                            .root = root,
                            .bytes = 8,
                            .shape = operation == OP_BCAST    ? SHAPE_FROM_ROOT
                                     : operation == OP_REDUCE ? SHAPE_TO_ROOT
                                                              : SHAPE_ALL};
}

static void count(struct drawn *d, int32_t from, int32_t to, int32_t tag, uint32_t comm,
                  uint64_t sent, uint64_t received)
{
    *PUSH(&d->s->counts) = (struct message_count){comm, from, to, tag, sent, received};
}

/* All that are not at fault wait for all in one collective, or in a chain for the first. */
static void add_waiters(struct drawn *d)
{
    bool chain = draw(3) == 0;
    for (size_t i = d->fault; i < d->n; i++)
        if (chain)
            call_in(d, d->rank[i], message(AWAIT_RECEIVE, d->rank[i - 1], 77, WORLD), WAITER);
        else
            call_in(d, d->rank[i], collective(OP_ALLREDUCE, SUB, 9, -1), WAITER);
}

static size_t some(const struct drawn *d, size_t least)
{
    size_t most = d->n < least + 6 ? d->n : least + 6;
    return least + draw((uint32_t)(most - least) + 1);
}

static int32_t next_of(const struct drawn *d, size_t i)
{
    return d->rank[(i + 1) % d->fault];
}

/* --- the kinds --- */

static void circle(struct drawn *d, enum awaited_what what)
{
    d->core = d->fault = some(d, 2);
    d->kind = VERDICT_CYCLE;
    d->proven = true;
    for (size_t i = 0; i < d->fault; i++) {
        call_in(d, d->rank[i], message(what, next_of(d, i), 4, OTHER), FAULT);
        count(d, next_of(d, i), d->rank[i], 4, OTHER, 3, 3);
    }
}

static void circle_of_receives(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
}

static void circle_of_sends(struct drawn *d)
{
    circle(d, AWAIT_SEND);
}

/* Another rank has sent what the first one would take from its peer. */
static void circle_beside_a_message(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
    count(d, d->rank[d->n - 1], d->rank[0], 4, OTHER, d->fault > 2 || d->n > 2, 0);
}

static void circle_with_threads(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
    d->s->threads[d->rank[draw((uint32_t)d->fault)]] = true;
    d->proven = false;
}

static void circle_of_unknown_age(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
    d->proven = d->s->counted = draw(2);
    for (size_t i = 0; i < d->s->calls.n; i++)
        d->s->calls.at[i].seconds = -1;
    d->age = -1;
}

/* What the first one waits for is sent, so that nothing is stuck. */
static void circle_that_opens(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
    count(d, next_of(d, 0), d->rank[0], 4, OTHER, 1, 0);
    d->kind = VERDICT_UNKNOWN;
    d->proven = false;
}

static void pair_that_meets(struct drawn *d)
{
    d->fault = 2;
    call_in(d, d->rank[0], message(AWAIT_RECEIVE, d->rank[1], draw(2) ? AWAIT_ANY : 4, WORLD),
            FAULT);
    call_in(d, d->rank[1], message(AWAIT_SEND, d->rank[0], 4, WORLD), FAULT);
    d->kind = VERDICT_UNKNOWN;
}

static void young(struct drawn *d)
{
    circle(d, AWAIT_RECEIVE);
    d->s->calls.at[draw((uint32_t)d->fault)].seconds = 1.9;
    d->kind = VERDICT_MOVING;
    d->proven = false;
}

/* The first waits for a message of another tag or communicator than the one that is sent. */
static void another_message(struct drawn *d)
{
    bool tag = draw(2);
    d->core = d->fault = 2;
    d->kind = VERDICT_UNMATCHED;
    d->proven = true;
    call_in(d, d->rank[0], message(AWAIT_RECEIVE, d->rank[1], 4, WORLD), FAULT);
    call_in(d, d->rank[1],
            draw(2) ? message(AWAIT_RECEIVE, d->rank[0], 9, WORLD)
                    : collective(OP_BARRIER, WORLD, 7, -1),
            FAULT + 1);
    count(d, d->rank[1], d->rank[0], tag ? 5 : 4, tag ? WORLD : OTHER, 2, 1);
}

static void send_of_another_tag(struct drawn *d)
{
    d->core = d->fault = 2;
    d->kind = VERDICT_UNMATCHED;
    d->proven = true;
    call_in(d, d->rank[0], message(AWAIT_RECEIVE, d->rank[1], 4, WORLD), FAULT);
    call_in(d, d->rank[1], message(AWAIT_SEND, d->rank[0], 5, WORLD), FAULT + 1);
}

static void partner_finished(struct drawn *d)
{
    d->fault = 2;
    d->core = 1;
    d->kind = VERDICT_UNMATCHED;
    d->proven = true;
    d->s->state[d->rank[0]] = RANK_FINISHED;
    call_in(d, d->rank[1], message(AWAIT_RECEIVE, d->rank[0], 4, WORLD), FAULT);
}

static void receive_from_itself(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_UNMATCHED;
    d->proven = true;
    call_in(d, d->rank[0], message(AWAIT_RECEIVE, d->rank[0], 4, WORLD), FAULT);
}

/* One waits for any message, all others in a collective for it. */
static void receive_from_any(struct drawn *d)
{
    d->core = 1;
    d->fault = d->n;
    d->kind = VERDICT_UNMATCHED;
    d->proven = true;
    call_in(d, d->rank[0], message(AWAIT_RECEIVE, AWAIT_ANY, AWAIT_ANY, WORLD), FAULT);
    for (size_t i = 1; i < d->n; i++)
        call_in(d, d->rank[i], collective(OP_BARRIER, WORLD, 7, -1), FAULT + 1);
}

static void finished_early(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_MISSING;
    d->proven = true;
    d->s->state[d->rank[0]] = RANK_FINISHED;
    for (d->fault = 1; d->fault < d->n; d->fault++)
        call_in(d, d->rank[d->fault], collective(OP_BARRIER, WORLD, 7, -1), FAULT);
}

static void disagree(struct drawn *d)
{
    uint32_t what = draw(3);
    size_t odd = 1 + draw((uint32_t)d->n - 1);
    d->core = d->fault = d->n;
    d->kind = VERDICT_MISMATCH;
    d->proven = what < 2;
    for (size_t i = 0; i < d->n; i++) {
        struct awaited a = what == 0 ? collective(i < odd ? OP_BARRIER : OP_ALLREDUCE, WORLD, 7, -1)
                           : what == 1
                               ? collective(OP_BCAST, WORLD, 7, d->rank[i < odd ? 0 : d->n - 1])
                               : collective(OP_ALLREDUCE, WORLD, 7, -1);
        a.bytes = what == 2 && i < odd ? 16 : 8;
        call_in(d, d->rank[i], a, FAULT + (i < odd));
    }
    if (what == 1 && d->n == 2) /* each is the root of its own */
        d->proven = true;
}

/* The same, while all others compute. */
static void disagree_and_wait(struct drawn *d)
{
    if (d->n < 3) {
        disagree(d);
        return;
    }
    d->fault = d->n;
    d->kind = VERDICT_MISMATCH;
    call_in(d, d->rank[1], collective(OP_BARRIER, WORLD, 7, -1), FAULT);
    call_in(d, d->rank[2], collective(OP_BCAST, WORLD, 7, d->rank[0]), FAULT + 1);
}

/* As "disagree", but what differs is unknown on one side: nothing is stuck. */
static void agree_as_far_as_known(struct drawn *d)
{
    d->fault = d->n;
    d->kind = VERDICT_UNKNOWN;
    for (size_t i = 0; i < d->n; i++) {
        struct awaited a = collective(OP_ALLREDUCE, WORLD, 7, -1);
        a.bytes = i % 2 ? JUDGE_UNKNOWN_BYTES : 8;
        call_in(d, d->rank[i], a, FAULT);
    }
}

static void another_maker(struct drawn *d)
{
    size_t odd = 1 + draw((uint32_t)d->n - 1);
    d->core = d->fault = d->n;
    d->kind = VERDICT_MISMATCH;
    d->proven = true;
    for (size_t i = 0; i < d->n; i++)
        call_in(d, d->rank[i],
                i < odd ? collective(OP_BARRIER, WORLD, 7, -1) : collective(OP_DUP, MADE, 10, -1),
                FAULT + (i < odd));
}

/* As before, of a file: it may be the file system that the first ones wait for. */
static void file_not_opened_by_all(struct drawn *d)
{
    another_maker(d);
    d->proven = false;
    for (size_t i = 0; i < d->s->awaited.n; i++)
        d->s->awaited.at[i].maybe = d->s->awaited.at[i].operation == OP_DUP;
}

/* The file system lets all but the first go on, who wait for it in the next collective. */
static void slow_file_system(struct drawn *d)
{
    struct awaited a = collective(OP_DUP, MADE, 10, -1);
    a.maybe = true;
    d->core = d->fault = 1;
    d->kind = VERDICT_MISSING;
    set_entered(d, MADE, -1, 11);
    set_entered(d, MADE, d->rank[0], 10);
    call_in(d, d->rank[0], a, FAULT);
}

/* Some have not begun: the others wait for them in a collective. */
static void several_outside(struct drawn *d)
{
    d->core = d->fault = d->n < 4 ? 1 : 3;
    d->kind = VERDICT_COMPUTES;
    for (size_t i = d->fault; i < d->n; i++)
        call_in(d, d->rank[i], collective(OP_BARRIER, WORLD, 7, -1), WAITER);
    d->fault = d->n;
}

static void window_locked(struct drawn *d)
{
    d->kind = VERDICT_COMPUTES;
    d->core = 1;
    d->fault = 2;
    d->s->locks[d->rank[0]] = true;
    call_in(d, d->rank[1], (struct awaited){.what = AWAIT_LOCK}, WAITER);
}

/* Who holds the lock waits for one that wants it. */
static void window_locked_for_ever(struct drawn *d)
{
    window_locked(d);
    d->kind = VERDICT_CYCLE;
    d->core = 2;
    call_in(d, d->rank[0], collective(OP_BCAST, WORLD, 7, d->rank[1]), FAULT);
}

static void not_begun(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_MISSING;
    d->s->state[d->rank[0]] = RANK_UNSEEN;
    for (d->fault = 1; d->fault < d->n; d->fault++)
        call_in(d, d->rank[d->fault], (struct awaited){.what = AWAIT_INIT}, WAITER);
}

/* Requests: the same two, posted in another order; one is waited for. */
static void crossed_requests(struct drawn *d)
{
    d->core = d->fault = d->n;
    d->kind = VERDICT_MISMATCH;
    d->proven = true;
    set_entered(d, WORLD, -1, 9);
    size_t odd = 1 + draw((uint32_t)d->n - 1);
    for (size_t i = 0; i < d->n; i++) {
        struct awaited other = collective(i < odd ? OP_BARRIER : OP_ALLREDUCE, WORLD, 8, -1);
        other.rank = d->rank[i];
        other.posted = true;
        *PUSH(&d->s->awaited) = other;
        call_in(d, d->rank[i], collective(i < odd ? OP_ALLREDUCE : OP_BARRIER, WORLD, 7, -1),
                FAULT + (i < odd));
    }
}

static void crossed_communicators(struct drawn *d)
{
    size_t odd = 1 + draw((uint32_t)d->n - 1);
    d->core = d->fault = d->n;
    d->kind = VERDICT_CROSSED;
    d->proven = true;
    for (size_t i = 0; i < d->n; i++)
        call_in(d, d->rank[i], collective(OP_BARRIER, i < odd ? WORLD : OTHER, i < odd ? 7 : 8, -1),
                FAULT + (i < odd));
}

/* Not stuck: the root of a broadcast has gone on, and waits in the next for all. */
static void root_went_on(struct drawn *d)
{
    d->fault = d->n;
    d->kind = VERDICT_UNKNOWN;
    set_entered(d, WORLD, d->rank[0], 8);
    call_in(d, d->rank[0], collective(OP_BARRIER, WORLD, 8, -1), FAULT);
    for (size_t i = 1; i < d->n; i++)
        call_in(d, d->rank[i], collective(OP_BCAST, WORLD, 7, d->rank[0]), FAULT + 1);
}

static void outside(struct drawn *d)
{
    static const enum rank_state states[] = {RANK_RUNNING, RANK_SLEEPING, RANK_SYSTEM_CALL};
    d->core = d->fault = 1;
    d->kind = VERDICT_COMPUTES;
    d->s->state[d->rank[0]] = states[draw(3)];
}

static void gone(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = draw(2) ? VERDICT_GONE : VERDICT_STOPPED;
    d->proven = true;
    d->s->state[d->rank[0]] = d->kind == VERDICT_GONE ? RANK_GONE : RANK_STOPPED;
    if (draw(2))
        call_in(d, d->rank[0], collective(OP_ALLREDUCE, SUB, 9, -1), FAULT);
}

/* All others compute: they may do without it. */
static void gone_unmissed(struct drawn *d)
{
    gone(d);
    d->proven = false;
    d->fault = d->n;
    d->idle = d->n - 1;
}

/* Two ended, and all others wait for one of them. */
static void two_gone(struct drawn *d)
{
    gone(d);
    if (d->n < 3)
        return;
    d->core = d->fault = 2;
    d->s->state[d->rank[1]] = d->s->state[d->rank[0]];
}

/* The second of two equal receives is not served by the one send that there is. */
static void one_send_for_two(struct drawn *d)
{
    d->core = 1;
    d->fault = 2;
    d->kind = VERDICT_COMPUTES;
    struct awaited a = message(AWAIT_RECEIVE, d->rank[0], 4, WORLD), send = a;
    a.rank = d->rank[1];
    a.posted = 1;
    *PUSH(&d->s->awaited) = a;
    call_in(d, d->rank[1], a, FAULT);
    send.what = AWAIT_SEND;
    send.peer = d->rank[1];
    send.rank = d->rank[0];
    send.posted = 1;
    *PUSH(&d->s->awaited) = send;
}

/* Of a broadcast they need the root, and no member that has finished without it. */
static void root_computes(struct drawn *d)
{
    outside(d);
    if (d->n < 3)
        return;
    d->s->state[d->rank[1]] = RANK_FINISHED;
    d->idle = 1;
    for (d->fault = 2; d->fault < d->n; d->fault++)
        call_in(d, d->rank[d->fault], collective(OP_BCAST, WORLD, 7, d->rank[0]), FAULT);
}

/* The root has gone on. Of the others one has finished, and of another it is unknown where it is:
 * who waits may not need them. */
static void root_only(struct drawn *d)
{
    if (d->n < 4) {
        outside(d);
        return;
    }
    d->kind = VERDICT_MISSING;
    d->core = 1;
    d->idle = 2;
    d->s->state[d->rank[0]] = RANK_FINISHED;
    set_entered(d, WORLD, d->rank[1], 8);
    set_entered(d, WORLD, d->rank[2], -1);
    for (d->fault = 3; d->fault < d->n; d->fault++)
        call_in(d, d->rank[d->fault], collective(OP_BCAST, WORLD, 7, d->rank[1]), FAULT);
}

/* Two wait for each other; two others disagree, of which one has left its collective. */
static void circle_and_mismatch(struct drawn *d)
{
    d->kind = VERDICT_CYCLE;
    d->proven = true;
    d->core = d->fault = 2;
    for (size_t i = 0; i < 2; i++)
        call_in(d, d->rank[i], message(AWAIT_RECEIVE, next_of(d, i), 4, OTHER), FAULT);
    if (d->n < 4)
        return;
    struct awaited left = collective(OP_BCAST, WORLD, 7, d->rank[3]);
    left.rank = d->rank[3];
    *PUSH(&d->s->left) = left;
    set_entered(d, WORLD, d->rank[3], 8);
    call_in(d, d->rank[2], collective(OP_BARRIER, WORLD, 7, -1), FAULT + 1);
    for (d->fault = 4; d->fault < d->n; d->fault++)
        call_in(d, d->rank[d->fault], message(AWAIT_RECEIVE, d->rank[0], 7, WORLD), WAITER);
    d->idle = 1;
}

static void unseen(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_MISSING;
    d->s->state[d->rank[0]] = RANK_UNSEEN;
}

static void in_what_is_unknown(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_MISSING;
    call_in(d, d->rank[0], (struct awaited){.what = AWAIT_OTHER}, FAULT);
}

static void polls(struct drawn *d)
{
    d->core = d->fault = 1;
    d->kind = VERDICT_POLLING;
    struct open_call *c;
    if (draw(2))
        (c = call_in(d, d->rank[0], message(AWAIT_RECEIVE, d->rank[d->n - 1], 4, WORLD), FAULT))
            ->polls = true;
    else
        (c = situation_call(d->s, d->rank[0], NULL, 0))->polls = true;
    c->seconds = d->age;
    if (d->s->awaited.n) /* a circle, with all in it that the last one waits for */
        d->core = 0;
}

/* All requests of one call; one of them nothing will complete. The sends may be complete. */
static void several_requests(struct drawn *d)
{
    d->core = d->fault = 2;
    d->kind = VERDICT_CYCLE;
    d->proven = true;
    for (size_t i = 0; i < 2; i++) {
        int32_t peer = d->rank[1 - i];
        struct awaited a[] = {message(AWAIT_RECEIVE, peer, 1, WORLD),
                              message(AWAIT_SEND, peer, 1, WORLD),
                              message(AWAIT_RECEIVE, peer, 2, WORLD)};
        for (int k = 0; k < 3; k++) {
            a[k].posted = true;
            a[k].site = FAULT + (uint32_t)k;
        }
        situation_call(d->s, d->rank[i], a, 3)->seconds = d->age;
        count(d, peer, d->rank[i], 1, WORLD, 6, 5);
    }
}

/* One of several is enough, and comes from a rank that computes. */
static void one_of_several(struct drawn *d)
{
    if (d->n < 3) {
        outside(d);
        return;
    }
    d->fault = 3;
    d->core = 1;
    d->kind = VERDICT_COMPUTES;
    for (size_t i = 1; i < 3; i++) {
        struct awaited a[] = {message(AWAIT_RECEIVE, d->rank[3 - i], 1, WORLD),
                              message(AWAIT_RECEIVE, d->rank[0], 1, WORLD)};
        struct open_call *c = situation_call(d->s, d->rank[i], a, 2);
        c->seconds = d->age;
        c->any = true;
    }
}

/* Any sender will do: some are in MPI_Finalize, one computes. */
static void any_from_one_that_computes(struct drawn *d)
{
    if (d->n < 3) {
        outside(d);
        return;
    }
    d->fault = d->n;
    d->core = 1;
    d->idle = d->n - 2;
    d->kind = VERDICT_COMPUTES;
    call_in(d, d->rank[1], message(AWAIT_RECEIVE, AWAIT_ANY, 1, WORLD), WAITER);
    for (size_t i = 2; i < d->n; i++)
        d->s->state[d->rank[i]] = RANK_FINISHED;
}

static const struct kind {
    const char *name;
    void (*make)(struct drawn *d);
} kinds[] = {
    {"circle of receives", circle_of_receives},
    {"circle of sends", circle_of_sends},
    {"circle beside a message", circle_beside_a_message},
    {"circle with threads", circle_with_threads},
    {"circle of unknown age", circle_of_unknown_age},
    {"circle that opens", circle_that_opens},
    {"pair that meets", pair_that_meets},
    {"young", young},
    {"another message", another_message},
    {"send of another tag", send_of_another_tag},
    {"partner finished", partner_finished},
    {"receive from itself", receive_from_itself},
    {"receive from any", receive_from_any},
    {"finished early", finished_early},
    {"disagree", disagree},
    {"disagree and wait", disagree_and_wait},
    {"agree as far as known", agree_as_far_as_known},
    {"another maker", another_maker},
    {"file not opened by all", file_not_opened_by_all},
    {"slow file system", slow_file_system},
    {"several outside", several_outside},
    {"window locked", window_locked},
    {"window locked for ever", window_locked_for_ever},
    {"not begun", not_begun},
    {"crossed requests", crossed_requests},
    {"crossed communicators", crossed_communicators},
    {"root went on", root_went_on},
    {"outside", outside},
    {"gone", gone},
    {"gone unmissed", gone_unmissed},
    {"two gone", two_gone},
    {"one send for two", one_send_for_two},
    {"root computes", root_computes},
    {"root only", root_only},
    {"circle and mismatch", circle_and_mismatch},
    {"unseen", unseen},
    {"in what is unknown", in_what_is_unknown},
    {"polls", polls},
    {"several requests", several_requests},
    {"one of several", one_of_several},
    {"any from one that computes", any_from_one_that_computes},
};
enum { KINDS = sizeof kinds / sizeof *kinds, CASES = 400 };

static bool right(const struct drawn *d, const struct verdict *v)
{
    bool good = v->kind == d->kind && v->proven == d->proven;
    if (d->kind >= VERDICT_UNKNOWN)
        return good;
    if (d->core) {
        good = good && v->n == d->core;
        for (size_t i = 0; good && i < d->core; i++) {
            bool found = false;
            for (size_t k = 0; k < v->n; k++)
                found = found || v->core[k] == d->rank[i];
            good = found;
        }
        good = good && v->n_waiting == d->n - d->core - d->idle;
    }
    if (d->kind == VERDICT_MISMATCH)
        good = good && v->first && v->second && v->first->site != v->second->site &&
               v->first->site / FAULT == 1;
    if (d->kind == VERDICT_UNMATCHED)
        good = good && v->first && v->first->site == FAULT;
    return good;
}

Test(verdict, drawn)
{
    const char *given = getenv("VERDICT_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    size_t wrong = 0;
    printf("verdict: seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < CASES; i++) {
        struct drawn d;
        state = (seed * 1000003 + i) * 0x9e3779b97f4a7c15ull | 1;
        for (int k = 0; k < 8; k++)
            draw(2);
        begin(&d);
        kinds[i % KINDS].make(&d);
        add_waiters(&d);
        struct verdict *v = verdict_of(d.s);
        if (!right(&d, v)) {
            wrong++;
            printf("case %u, %s, %zu ranks: %s%s of %zu ranks, %zu waiting; expected %s%s of %zu\n",
                   i, kinds[i % KINDS].name, d.n, v->proven ? "proven " : "",
                   verdict_names[v->kind], v->n, v->n_waiting, d.proven ? "proven " : "",
                   verdict_names[d.kind], d.core);
        }
        verdict_free(v);
        situation_free(d.s);
        free(d.rank);
    }
    fflush(stdout);
    cr_expect(wrong == 0, "%zu of %d cases are judged wrongly", wrong, CASES);
}
