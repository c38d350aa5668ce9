/* Protects the causes of waiting and the critical path: programs of a few ranks are played on
 * paper, so that every wait and its cause follow from the times that are written here. */
#include "causes/causes.h"
#include "causes/history.h"
#include "causes/phases.h"
#include "causes/what_if.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- a program, played --- */

enum step_kind {
    COMPUTE,
    SEND,
    SYNCHRONOUS, /* a send that waits for its receive, by its mode or by its size */
    RECEIVE,
    PROBE, /* of a message that the next receive gets */
    POST,  /* a receive that WAIT completes */
    WAIT,
    BARRIER, /* and further collectives */
    BCAST,
    REDUCE,
    SCAN,
    BETWEEN /* two groups, of which each waits for the other one */
};

/* The N-th step of a rank: computes NS, or calls MPI at SITE, for PEER (a collective's root). */
struct step {
    enum step_kind kind;
    int64_t ns; /* of COMPUTE; else the site */
    uint32_t peer;
};

enum {
    RANKS = 16,
    STEPS = 4096,
    LATENCY = 10,
    POSTING = 5,
    RENDEZVOUS = 90 /* sites of large messages */
};

struct played {
    struct step step[RANKS][STEPS];
    uint32_t ranks;
    int64_t percent; /* of its time each computation takes */
    int64_t latency, overhead;
    uint32_t length[RANKS], at[RANKS];
    int64_t now[RANKS], entered[RANKS][STEPS], posted[RANKS];
    uint32_t ordinal[RANKS][RANKS], waiting[RANKS][RANKS], collectives[RANKS];
    struct act *act;
    size_t n;
    uint32_t last_rank;
    int64_t last;
};

static void does(struct played *p, uint32_t rank, enum step_kind kind, int64_t ns, uint32_t peer)
{
    cr_assert_lt(p->length[rank], STEPS);
    p->step[rank][p->length[rank]++] = (struct step){kind, ns, peer};
}

static struct act *event(struct played *p, uint32_t rank, enum act_kind kind, int64_t end)
{
    const struct step *s = &p->step[rank][p->at[rank]];
    struct act *a = &p->act[p->n++];
    *a = (struct act){.entry_ns = p->now[rank],
                      .exit_ns = end,
                      .posted_ns = p->now[rank],
                      .comm_id = 7,
                      .bytes = s->ns < RENDEZVOUS ? 100 : 100000,
                      .rank = rank,
                      .site = (uint32_t)s->ns,
                      .operation = (uint32_t)s->kind,
                      .peer = s->peer,
                      .kind = (uint8_t)kind};
    return a;
}

/* Entry of the step at which RANK sends its message of that ORDINAL to PEER, or posts the receive
 * of that one from PEER; 0: not yet entered. */
static int64_t entered_at(const struct played *p, uint32_t rank, uint32_t peer, uint32_t ordinal,
                          bool sends)
{
    for (uint32_t i = 0; i <= p->at[rank] && i < p->length[rank]; i++) {
        const struct step *s = &p->step[rank][i];
        const bool fits = sends ? s->kind == SEND || s->kind == SYNCHRONOUS
                                : s->kind == RECEIVE || s->kind == POST;
        if (fits && s->peer == peer && !ordinal--)
            return p->entered[rank][i];
    }
    return 0;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A receive, or the completion of one that was posted at POSTED. */
static bool receive(struct played *p, uint32_t rank, uint32_t from, int64_t posted)
{
    const int64_t sent = entered_at(p, from, rank, p->ordinal[from][rank], true);
    if (!sent)
        return false;
    const int64_t end = later(p->now[rank] + p->overhead, later(sent, posted) + p->latency);
    const bool probes = p->step[rank][p->at[rank]].kind == PROBE;
    struct act *a = event(p, rank, probes ? ACT_PROBED : ACT_RECEIVED, end);
    a->peer = from;
    a->posted_ns = posted;
    a->ordinal = p->ordinal[from][rank];
    p->ordinal[from][rank] += !probes;
    p->now[rank] = end;
    return true;
}

static bool synchronous(struct played *p, uint32_t rank, uint32_t to)
{
    const int64_t posted = entered_at(p, to, rank, p->waiting[rank][to], false);
    if (!posted)
        return false;
    const int64_t end = later(p->now[rank], posted) + p->latency;
    struct act *a = event(p, rank, ACT_SEND, end);
    a->synchronous = a->site < RENDEZVOUS;
    p->waiting[rank][to]++;
    p->now[rank] = end;
    return true;
}

/* Whether RANK cannot complete the collective before rank R has entered it. */
static bool needs(const struct played *p, const struct step *s, uint32_t rank, uint32_t r)
{
    return s->kind == BARRIER   ? true
           : s->kind == BCAST   ? r == s->peer
           : s->kind == SCAN    ? r < rank
           : s->kind == BETWEEN ? (r < p->ranks / 2) != (rank < p->ranks / 2)
                                : rank == s->peer;
}

static bool collective(struct played *p, uint32_t rank)
{
    static const enum collective_kind kinds[] = {COLLECTIVE_ALL, COLLECTIVE_FROM_ROOT,
                                                 COLLECTIVE_TO_ROOT, COLLECTIVE_PREFIX,
                                                 COLLECTIVE_ALL};
    const struct step *s = &p->step[rank][p->at[rank]];
    int64_t end = p->now[rank] + p->overhead;
    for (uint32_t r = 0; r < p->ranks; r++) {
        uint32_t count = p->collectives[rank] + 1, i = 0;
        for (; i < p->length[r] && (count -= p->step[r][i].kind >= BARRIER);)
            i++;
        if (!needs(p, s, rank, r))
            continue;
        if (!p->entered[r][i])
            return false;
        end = s->kind == BCAST && r == rank ? end : later(end, p->entered[r][i] + p->latency);
    }
    struct act *a = event(p, rank, ACT_COLLECTIVE, end);
    a->collective = (uint8_t)kinds[s->kind - BARRIER];
    a->tag = (int32_t)rank;
    a->members = p->ranks;
    a->first = s->kind == BETWEEN ? p->ranks / 2 : 0;
    a->peer = s->kind == BCAST || s->kind == REDUCE ? s->peer : TIMELINE_NONE;
    a->ordinal = p->collectives[rank]++;
    p->now[rank] = end;
    return true;
}

/* Executes a call; false if it has to wait for a rank that has not got there yet. */
static bool call(struct played *p, uint32_t rank, const struct step *s)
{
    switch (s->kind) {
    case SEND:
        event(p, rank, ACT_SEND, p->now[rank] + p->overhead);
        p->now[rank] += p->overhead;
        p->waiting[rank][s->peer]++;
        return true;
    case POST: /* it takes as long on an ideal network */
        event(p, rank, ACT_CALL, p->now[rank] + POSTING)->peer = TIMELINE_NONE;
        p->posted[rank] = p->now[rank];
        p->now[rank] += POSTING;
        return true;
    case SYNCHRONOUS:
        return synchronous(p, rank, s->peer);
    case RECEIVE:
    case PROBE:
    case WAIT:
        return receive(p, rank, s->peer, s->kind == WAIT ? p->posted[rank] : p->now[rank]);
    default:
        return collective(p, rank);
    }
}

static bool go(struct played *p, uint32_t rank)
{
    const struct step *s = &p->step[rank][p->at[rank]];
    if (p->at[rank] == p->length[rank])
        return false;
    if (s->kind != COMPUTE && !p->entered[rank][p->at[rank]])
        p->entered[rank][p->at[rank]] = p->now[rank];
    if (s->kind == COMPUTE) {
        p->now[rank] += s->ns * p->percent / 100;
    } else if (!call(p, rank, s)) {
        return false;
    }
    p->at[rank]++;
    return true;
}

static void play(struct played *p)
{
    size_t steps = 0;
    for (uint32_t r = 0; r < p->ranks; r++) {
        p->now[r] = 1;
        steps += p->length[r];
    }
    p->act = calloc(steps + 1, sizeof *p->act);
    for (bool any = true; any;) {
        any = false;
        for (uint32_t r = 0; r < p->ranks; r++)
            while (go(p, r))
                any = true;
    }
    for (uint32_t r = 0; r < p->ranks; r++) {
        cr_assert_eq(p->at[r], p->length[r], "rank %u is stuck", r);
        if (p->now[r] > p->last) {
            p->last = p->now[r];
            p->last_rank = r;
        }
    }
    uint32_t number[RANKS][RANKS] = {{0}};
    for (size_t i = 0; i < p->n; i++)
        if (p->act[i].kind == ACT_SEND)
            p->act[i].ordinal = number[p->act[i].rank][p->act[i].peer]++;
}

/* --- what follows --- */

struct answer {
    struct timeline t;
    struct causes c;
};

static struct answer analysed(const struct played *p, uint64_t mask)
{
    struct answer a;
    timeline_find(&a.t, p->act, p->n, 0);
    causes_find(&a.c, &a.t, p->act, p->n, &(struct causes_run){1, p->last, mask, p->last_rank, 0});
    cr_expect(causes_add_up(a.c.rows, a.c.n, a.t.wait_sum_ns, a.c.path_ns));
    if (!mask)
        cr_expect_eq(a.c.path_ns, p->last - 1);
    return a;
}

static void answer_free(struct answer *a)
{
    causes_free(&a->c);
    timeline_free(&a->t);
}

/* Of computation on RANK before the call at SITE; of all kinds where SITE is negative. */
static double cost(const struct answer *a, uint32_t rank, int site)
{
    double sum = 0;
    for (size_t i = 0; i < a->c.n; i++) {
        const struct root_cause *c = &a->c.rows[i];
        if (c->rank == rank &&
            (site < 0 || (c->kind == CAUSE_COMPUTATION && c->site == (uint32_t)site)))
            sum += (double)c->direct_ns + (double)c->passed_ns;
    }
    return sum;
}

static double cost_of_kind(const struct answer *a, enum cause_kind kind)
{
    double sum = 0;
    for (size_t i = 0; i < a->c.n; i++)
        if (a->c.rows[i].kind == kind)
            sum += (double)a->c.rows[i].direct_ns + (double)a->c.rows[i].passed_ns;
    return sum;
}

static struct played *program(uint32_t ranks)
{
    struct played *p = calloc(1, sizeof *p);
    p->ranks = ranks;
    p->percent = 100;
    p->latency = LATENCY;
    p->overhead = 1;
    return p;
}

static void played_free(struct played *p)
{
    free(p->act);
    free(p);
}

/* Rank 0 computes 600 more; 1, 2 and 3 each wait for the one before, all wait 600. */
Test(causes, delay_that_three_ranks_pass_on)
{
    struct played *p = program(4);
    for (uint32_t r = 0; r < 4; r++) {
        does(p, r, COMPUTE, r ? 400 : 1000, 0);
        if (r)
            does(p, r, RECEIVE, 11, r - 1);
        if (r < 3)
            does(p, r, SEND, 12, r + 1);
    }
    play(p);
    struct answer a = analysed(p, 0);
    /* Each waits for the transfer to the rank before, too: one and two latencies. */
    cr_expect_eq(a.t.wait_sum_ns, 600 + 610 + 620);
    cr_expect_float_eq(cost(&a, 0, 12), 1800, 1);
    cr_expect_eq(a.c.rows[0].rank, 0);
    cr_expect_eq(a.c.rows[0].direct_ns, 600);
    cr_expect_float_eq((double)a.c.rows[0].passed_ns, 1200, 1);
    cr_expect_float_eq(cost_of_kind(&a, CAUSE_TRANSFER), 30, 1);
    cr_expect_eq(a.c.rows[0].wait_site, 11);
    cr_expect_eq(a.c.rows[0].wait_state, WAIT_LATE_SENDER);
    /* The path: 1000 of rank 0, and three transfers. */
    cr_expect_eq(a.c.rows[0].path_ns, 1000);
    answer_free(&a);
    played_free(p);
}

/* While rank 2 waits for rank 1, that does its usual work: it began late, for it had waited for
 * rank 0 before. */
Test(causes, delay_that_arrives_a_step_later)
{
    struct played *p = program(3);
    for (int step = 0; step < 3; step++)
        for (uint32_t r = 0; r < 3; r++) {
            does(p, r, COMPUTE, step == 0 && r == 0 ? 900 : 500, 0);
            if (r < 2)
                does(p, r, SEND, 12, r + 1);
            if (r)
                does(p, r, RECEIVE, 11, r - 1);
        }
    play(p);
    struct answer a = analysed(p, 0);
    cr_expect_float_eq(cost(&a, 0, 12), 400 + 400, 25);
    cr_expect_lt(cost(&a, 1, -1), 25);
    answer_free(&a);
    played_free(p);
}

/* What rank 0 is slow at is made up for by rank 1 before they meet: only the rest costs. */
Test(causes, delay_that_slack_absorbs)
{
    struct played *p = program(2);
    for (uint32_t r = 0; r < 2; r++) {
        does(p, r, COMPUTE, r ? 100 : 400, 0);
        does(p, r, SEND, 20, 1 - r);
        does(p, r, COMPUTE, r ? 300 : 100, 0);
        does(p, r, RECEIVE, 21, 1 - r);
        does(p, r, BARRIER, 22, 0);
    }
    play(p);
    struct answer a = analysed(p, 0);
    cr_expect_eq(a.t.wait_sum_ns, 100);
    cr_expect_float_eq(cost(&a, 0, 20), 100, 1);
    answer_free(&a);
    played_free(p);
}

/* Two segments, of which each delays by its part; in the third the delayed rank is faster. */
Test(causes, waits_are_shared_by_the_delays)
{
    struct played *p = program(2);
    const int64_t first[2][3] = {{400, 300, 100}, {100, 200, 200}};
    for (uint32_t r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++) {
            does(p, r, COMPUTE, first[r][i], 0);
            if (i < 2)
                does(p, r, SEND, 30 + i, 1 - r);
            else
                does(p, r, BARRIER, 32, 0);
        }
    for (uint32_t r = 0; r < 2; r++)
        for (int i = 0; i < 2; i++)
            does(p, r, RECEIVE, 33, 1 - r);
    play(p);
    struct answer a = analysed(p, 0);
    cr_expect_eq(a.t.wait_sum_ns, 300);
    cr_expect_float_eq(cost(&a, 0, 30), 300 * 0.75, 1);
    cr_expect_float_eq(cost(&a, 0, 31), 300 * 0.25, 1);
    cr_expect_eq(cost(&a, 0, 32), 0);
    answer_free(&a);
    played_free(p);
}

static uint32_t drawn(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* In a ring rank 2 naps once: a wave of waiting goes round in both directions, one rank a step, and
 * ends where they meet. The step after it, and another rank's usual time, belong to no wave. */
Test(causes, idle_wave)
{
    enum { RING = 8, WORK = 1000, NAP = 5000 };
    struct played *p = program(RING);
    p->overhead = 0;
    for (int step = 0; step < 12; step++)
        for (uint32_t r = 0; r < RING; r++) {
            does(p, r, COMPUTE, WORK + (step == 3 && r == 2 ? NAP : 0), 0);
            for (uint32_t by = 1; by < RING; by += RING - 2)
                does(p, r, SEND, 71, (r + by) % RING);
            for (uint32_t by = 1; by < RING; by += RING - 2)
                does(p, r, RECEIVE, 72, (r + by) % RING);
        }
    play(p);
    struct answer a = analysed(p, 0);
    const struct root_cause *c = &a.c.rows[0];
    cr_expect_eq(c->rank, 2);
    cr_expect_float_eq((double)c->direct_ns + (double)c->passed_ns, (RING - 1) * NAP, 100);
    cr_expect_eq(c->wave_ranks, RING / 2);
    cr_expect_float_eq((double)c->wave_ns, (RING / 2 - 1) * WORK, 100);
    cr_expect_eq(c->wave_end, (2 + RING / 2) % RING);
    cr_expect_eq(c->error_ns, 0);
    for (size_t i = 1; i < a.c.n; i++)
        cr_expect_lt(a.c.rows[i].wave_ranks, RING / 2);
    answer_free(&a);
    played_free(p);
}

/* Of thinned traces: the cost in the whole run is within the interval from the windows, if waits at
 * their edges, whose cause is unknown, may have that cause. */
Test(causes, costs_in_windows_have_intervals)
{
    enum { PROGRAMS = 60, TIMES = 1024, KEPT = 1 << 15 };
    size_t right = 0, known = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        uint64_t at = seed;
        struct played *p = program(3);
        for (int step = 0; step < TIMES; step++)
            for (uint32_t r = 0; r < 3; r++) {
                does(p, r, COMPUTE, 300 + (r ? 0 : drawn(&at, 800)), 0);
                does(p, r, BARRIER, 14, 0);
            }
        play(p);
        struct answer whole = analysed(p, 0);
        const double truth = cost(&whole, 0, 14);
        double kept = 0;
        size_t n = 0;
        for (size_t i = 0; i < p->n; i++)
            if (!(p->act[i].entry_ns & KEPT) && !(p->act[i].exit_ns & KEPT))
                p->act[n++] = p->act[i];
        p->n = n;
        for (int64_t from = 0; from < p->last; from += 2 * KEPT)
            kept += (double)((from + KEPT < p->last ? from + KEPT : p->last) - from);
        struct answer part = analysed(p, KEPT);
        const double scale = (double)p->last / kept, unknown = cost_of_kind(&part, CAUSE_UNKNOWN);
        for (size_t i = 0; i < part.c.n; i++) {
            const struct root_cause *c = &part.c.rows[i];
            const double found = (double)c->direct_ns + (double)c->passed_ns;
            if (c->rank != 0 || c->kind != CAUSE_COMPUTATION || c->from_site != 14)
                continue;
            known++;
            right += scale * (found - c->error_ns) <= truth &&
                     truth <= scale * (found + c->error_ns + unknown);
            cr_expect_lt(c->error_ns, 0.35 * found, "%g of %g", c->error_ns, found);
        }
        answer_free(&whole);
        answer_free(&part);
        played_free(p);
    }
    cr_expect_eq(known, PROGRAMS);
    cr_expect_geq(right, 0.9 * PROGRAMS, "%zu", right);
}

/* Each wait is for the rank that is late in its turn, though all meet in between. */
Test(causes, collectives_in_between)
{
    struct played *p = program(4);
    for (int64_t step = 0; step < 8; step++)
        for (uint32_t r = 0; r < 4; r++) {
            does(p, r, COMPUTE, step % 4 == r ? 300 : 100, 0);
            does(p, r, BARRIER, 40 + step % 4, 0);
        }
    play(p);
    struct answer a = analysed(p, 0);
    cr_expect_eq(a.t.wait_sum_ns, 8 * 3 * 200);
    for (uint32_t r = 0; r < 4; r++)
        cr_expect_float_eq(cost(&a, r, 40 + (int)r), 2 * 3 * 200, 2);
    answer_free(&a);
    played_free(p);
}

/* Of rank 0 there is no record: that rank 1 waited for it is unknown, and so is why rank 2 did. */
Test(causes, rank_without_a_record)
{
    struct played *p = program(3);
    does(p, 0, COMPUTE, 1000, 0);
    does(p, 0, SEND, 12, 1);
    does(p, 1, RECEIVE, 11, 0);
    does(p, 1, SEND, 12, 2);
    does(p, 2, COMPUTE, 100, 0);
    does(p, 2, RECEIVE, 13, 1);
    play(p);
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->act[i].rank)
            p->act[n++] = p->act[i];
    p->n = n;
    struct answer a = analysed(p, 0);
    cr_expect_eq(a.t.wait_sum_ns, 910);
    cr_expect_float_eq(cost_of_kind(&a, CAUSE_UNKNOWN), 910, 1);
    answer_free(&a);
    played_free(p);
}

/* Windows of 1024 ns, every second one. Rank 0 is late by what it did before the window began, or
 * in it between two calls. */
Test(causes, edges_of_windows)
{
    for (int inside = 0; inside < 2; inside++) {
        struct played *p = program(2);
        for (uint32_t r = 0; r < 2; r++) {
            does(p, r, COMPUTE, 2048 + 100 - 1, 0);
            does(p, r, SEND, 50, 1 - r);
            does(p, r, COMPUTE, inside && !r ? 500 : 10, 0);
            does(p, r, SEND, 51, 1 - r);
            does(p, r, BARRIER, 52, 0);
            does(p, r, RECEIVE, 53, 1 - r);
            does(p, r, RECEIVE, 53, 1 - r);
        }
        if (!inside)
            p->step[0][0].ns += 490;
        play(p);
        struct answer a = analysed(p, 1024);
        cr_expect_eq(a.t.wait_sum_ns, 490);
        cr_expect_float_eq(cost_of_kind(&a, CAUSE_UNKNOWN), inside ? 0 : 490, 1);
        cr_expect_float_eq(cost(&a, 0, 51), inside ? 490 : 0, 1);
        cr_expect_eq(a.c.path_ns, p->last - 2048);
        answer_free(&a);
        played_free(p);
    }
}

/* The rank that ends last may have made its last call long before. */
Test(causes, path_ends_with_the_last_rank)
{
    struct played *p = program(3);
    for (uint32_t r = 0; r < 3; r++) {
        does(p, r, COMPUTE, 100, 0);
        does(p, r, BARRIER, 60, 0);
        does(p, r, COMPUTE, r == 1 ? 700 : 50, 0);
    }
    play(p);
    struct answer a = analysed(p, 0);
    double tail = 0;
    for (size_t i = 0; i < a.c.n; i++)
        if (a.c.rows[i].rank == 1 && a.c.rows[i].operation == CAUSES_NONE)
            tail += (double)a.c.rows[i].path_ns;
    cr_expect_eq(tail, 700);
    answer_free(&a);
    played_free(p);
}

/* All at one time, each waiting for another: there is an end, and all waits have a cause. */
Test(causes, circles_at_one_time_end)
{
    struct act act[8];
    for (uint32_t i = 0; i < 8; i++)
        act[i] = (struct act){.entry_ns = i < 4 ? 10 : 20,
                              .exit_ns = 20,
                              .posted_ns = i < 4 ? 10 : 20,
                              .comm_id = 7,
                              .bytes = 1,
                              .rank = i % 4,
                              .peer = i < 4 ? (i + 1) % 4 : (i + 3) % 4,
                              .kind = i < 4 ? ACT_RECEIVED : ACT_SEND};
    struct answer a;
    timeline_find(&a.t, act, 8, 0);
    cr_expect_eq(a.t.wait_sum_ns, 40);
    causes_find(&a.c, &a.t, act, 8, &(struct causes_run){0, 20, 0, 0, 0});
    cr_expect(causes_add_up(a.c.rows, a.c.n, 40, 20));
    answer_free(&a);
}

Test(causes, sums_that_are_wrong_are_found)
{
    struct root_cause row = {.direct_ns = 1000000, .passed_ns = 500000, .path_ns = 3000000};
    cr_expect(causes_add_up(&row, 1, 1500000, 3000000));
    cr_expect_not(causes_add_up(&row, 1, 1500010, 3000000));
    cr_expect_not(causes_add_up(&row, 1, 1500000, 2999990));
    cr_expect_not(causes_add_up(NULL, 0, 100, 0));
}

/* Two that share a beginning: compared is what came after; in the end no node is left. */
Test(causes, histories_share_their_beginning)
{
    struct history_pool pool = {.levels = history_levels(5000)};
    struct history *a = NULL;
    for (uint32_t key = 0; key < 5000; key += 7)
        history_add(&pool, &a, key, key);
    struct history *b = history_share(a);
    history_add(&pool, &a, 14, 100);
    history_add(&pool, &b, 4999, 1);
    struct history_differences d = {0};
    history_compare(&pool, a, b, &d);
    cr_assert_eq(d.list.n, 2);
    cr_expect_eq(d.list.at[0].key, 14);
    cr_expect_eq(d.list.at[0].ns, 100);
    cr_expect_eq(d.list.at[0].count, 1);
    cr_expect_eq(d.list.at[1].key, 4999);
    cr_expect_eq(d.list.at[1].ns, -1);
    history_end(&pool, a);
    history_end(&pool, b);
    cr_expect_eq(pool.nodes, 0);
    history_pool_free(&pool);
    free(d.list.at);
}

/* --- programs that are drawn: a delay is put into one, and the waiting that it adds is its --- */

/* One of the ways to communicate that only predictions are tested with. */
static void communicate(struct played *p, uint32_t kind, uint32_t r, uint32_t by)
{
    const uint32_t right = (r + by) % p->ranks, left = (r + p->ranks - by) % p->ranks;
    static const enum step_kind collectives[] = {BCAST, REDUCE, SCAN, BETWEEN};
    if (kind > 5) {
        does(p, r, collectives[kind - 6], 77, by);
    } else if (kind < 3) {
        does(p, r, SEND, 84, right);
        does(p, r, PROBE, 85, left);
        does(p, r, RECEIVE, 86, left);
    } else if (kind < 5) { /* a ring of sends that wait */
        const int64_t site = kind == 3 ? 78 : RENDEZVOUS;
        does(p, r, POST, site, left);
        does(p, r, SYNCHRONOUS, site + 1, right);
        does(p, r, WAIT, site + 2, left);
    } else { /* messages that come while ranks compute */
        does(p, r, POST, 81, left);
        does(p, r, SEND, 82, right);
        does(p, r, COMPUTE, 2000, 0);
        does(p, r, WAIT, 83, left);
    }
}

static struct played *drawn_on(uint64_t seed, uint32_t kinds, int64_t delay, int64_t percent,
                               int64_t latency)
{
    enum { WORK = 10000 };
    struct played *p = program(4 + drawn(&seed, RANKS - 4));
    p->percent = percent;
    p->latency = latency;
    p->overhead = latency ? 1 : 0;
    uint32_t ranks = p->ranks, late = drawn(&seed, ranks), at = drawn(&seed, 10);
    for (uint32_t step = 0; step < 20; step++) {
        uint32_t kind = drawn(&seed, kinds), by = 1 + drawn(&seed, ranks - 1);
        for (uint32_t r = 0; r < ranks; r++) {
            does(p, r, COMPUTE, WORK + (r == late && step == at ? delay : 0), 0);
            if (kind > 3) {
                communicate(p, kind - 4, r, by);
            } else if (kind == 0) {
                does(p, r, BARRIER, 70, 0);
            } else if (kind == 1) { /* a ring */
                does(p, r, SEND, 71, (r + by) % ranks);
                does(p, r, RECEIVE, 72, (r + ranks - by) % ranks);
            } else if (kind == 2) { /* to both neighbours of a row */
                for (int d = -1; d < 2; d += 2)
                    if (r + (uint32_t)d < ranks)
                        does(p, r, SEND, 73, r + (uint32_t)d);
                for (int d = -1; d < 2; d += 2)
                    if (r + (uint32_t)d < ranks)
                        does(p, r, RECEIVE, 74, r + (uint32_t)d);
            } else { /* a tree to rank 0 */
                for (uint32_t child = 2 * r + 1; child < ranks && child <= 2 * r + 2; child++)
                    does(p, r, RECEIVE, 75, child);
                if (r)
                    does(p, r, SEND, 76, (r - 1) / 2);
            }
        }
    }
    play(p);
    p->now[0] = late;
    return p;
}

static struct played *drawn_program(uint64_t seed, int64_t delay)
{
    return drawn_on(seed, 4, delay, 100, LATENCY);
}

Test(causes, drawn_delays)
{
    enum { PROGRAMS = 300, DELAY = 50000 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct played *without = drawn_program(seed, 0), *with = drawn_program(seed, DELAY);
        struct answer before = analysed(without, 0), after = analysed(with, 0);
        uint32_t late = (uint32_t)with->now[0];
        double added = (double)after.t.wait_sum_ns - (double)before.t.wait_sum_ns;
        double found = 0;
        for (size_t i = 0; i < after.c.n; i++)
            if (after.c.rows[i].rank == late && after.c.rows[i].kind == CAUSE_COMPUTATION)
                found += (double)after.c.rows[i].direct_ns + (double)after.c.rows[i].passed_ns;
        cr_expect(added <= DELAY || found >= 0.95 * added, "seed %d: %.3f", (int)seed,
                  found / added);
        answer_free(&before);
        answer_free(&after);
        played_free(without);
        played_free(with);
    }
}

/* --- predictions: programs are changed, and played again --- */

static bool selects_all(const struct root_cause *segment, const void *context)
{
    (void)context;
    return segment->kind == CAUSE_COMPUTATION;
}

/* As drawn_delays, in more ways to communicate, with all computation twice as fast, and on an ideal
 * network; of every second program the latency is half of a computation. */
Test(causes, drawn_predictions)
{
    enum { PROGRAMS = 300, DELAY = 50000, FASTER = 50, KINDS = 14 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const int64_t latency = seed % 2 ? LATENCY : 5000;
        struct played *p = drawn_on(seed, KINDS, DELAY, 100, latency),
                      *faster = drawn_on(seed, KINDS, DELAY, FASTER, latency),
                      *ideal = drawn_on(seed, KINDS, DELAY, 100, 0);
        const struct causes_run run = {1, p->last, 0, p->last_rank, 0};
        struct timeline t;
        struct prediction x = {0};
        timeline_find(&t, p->act, p->n, 0);
        struct what_if_replay *replay = what_if_open(&t, p->act, p->n, &run);
        const struct replay_check *c = what_if_check(replay);
        cr_assert_eq(c->state, REPLAY_GOOD, "seed %d: state %u", (int)seed, c->state);
        cr_expect_eq(c->recorded_ns, p->last - 1);
        cr_expect_eq(c->replayed_ns, c->recorded_ns);
        cr_expect_float_eq((double)c->ideal_ns, (double)ideal->last - 1, 3, "seed %d: ideal %d, %d",
                           (int)seed, (int)c->ideal_ns, (int)ideal->last - 1);
        struct what_if w = {WHAT_IF_FASTER, FASTER, selects_all, NULL};
        cr_expect(what_if_predict(replay, &w, &x));
        cr_expect_eq(x.ranks, p->ranks);
        cr_expect_float_eq(x.wall_ns, (double)faster->last - 1, 0.002 * (double)faster->last,
                           "seed %d: %.0f, in truth %d", (int)seed, x.wall_ns, (int)faster->last);
        cr_expect(x.low_ns <= x.wall_ns && x.wall_ns <= x.high_ns);
        what_if_close(replay);
        timeline_free(&t);
        played_free(p);
        played_free(faster);
        played_free(ideal);
    }
}

static bool selects_site(const struct root_cause *segment, const void *site)
{
    return segment->site == *(const uint32_t *)site;
}

static struct prediction predicted(const struct played *p, enum what_if_kind kind, uint32_t site)
{
    const struct causes_run run = {1, p->last, 0, p->last_rank, 0};
    const struct what_if w = {kind, 50, selects_site, &site};
    struct prediction x = {0};
    struct timeline t;
    timeline_find(&t, p->act, p->n, 0);
    struct what_if_replay *replay = what_if_open(&t, p->act, p->n, &run);
    cr_assert(what_if_predict(replay, &w, &x));
    what_if_close(replay);
    timeline_free(&t);
    return x;
}

/* Rank 1 ends early: the run does not end later since it gains less. */
Test(causes, a_rank_that_ends_early)
{
    struct played *p = program(3);
    for (int step = 0; step < 64; step++)
        for (uint32_t r = 0; r < 3; r += step < 4 ? 1 : 2) {
            does(p, r, COMPUTE, 1000, 0);
            if (r < 2)
                does(p, r, SEND, 60, 2);
            for (uint32_t from = 0; r == 2 && from < (step < 4 ? 2 : 1); from++)
                does(p, r, RECEIVE, 60, from);
        }
    play(p);
    const struct prediction x = predicted(p, WHAT_IF_FASTER, 60);
    cr_expect_float_eq(x.wall_ns, 64 * 500, 64 * 15, "%.0f", x.wall_ns);
    played_free(p);
}

/* Rank 0 does twice as often what rank 1 takes four times as long for: the total is balanced. */
Test(causes, balance_of_different_numbers)
{
    struct played *p = program(2);
    for (int step = 0; step < 64; step++)
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t i = 0; i < 2 - r; i++) {
                does(p, r, COMPUTE, r ? 4000 : 1000, 0);
                does(p, r, SEND, 61, 1 - r);
            }
            does(p, r, BARRIER, 62, 0);
            for (uint32_t i = 0; i < 1 + r; i++)
                does(p, r, RECEIVE, 63, 1 - r);
        }
    play(p);
    const struct prediction x = predicted(p, WHAT_IF_BALANCE, 61);
    cr_expect_eq(x.ranks, 2);
    cr_expect_float_eq(x.wall_ns, 64 * 3000, 64 * 40, "%.0f", x.wall_ns);
    played_free(p);
}

/* Half of the interval is 0.6 of the remaining transfers where all steps are alike. Where only the
 * second half gains, it is that of 16 dependent parts, by Newey and West: with the gain of one part
 * G and q = G^2 / 4, their weighted sums of products are 16 q + 2 (0.8 x 13 + 0.6 x 10 + 0.4 x 7 +
 * 0.2 x 4) q = 56 q. */
Test(causes, intervals_have_closed_forms)
{
    enum { TIMES = 64, WORK = 1000, SLOW = 200 };
    for (int halves = 0; halves < 2; halves++) {
        struct played *p = program(2);
        p->latency = halves ? 0 : SLOW;
        p->overhead = 0;
        for (int step = 0; step < TIMES; step++)
            for (uint32_t r = 0; r < 2; r++) {
                does(p, r, COMPUTE, WORK, 0);
                does(p, r, BARRIER, halves && step < TIMES / 2 ? 64 : 65, 0);
            }
        play(p);
        const struct prediction x = predicted(p, WHAT_IF_FASTER, 65);
        const double gain = (double)TIMES / 16 * WORK / 2,
                     expected =
                         halves ? 2.131 * sqrt(56.0 * 16 / 15) * gain / 2 : 0.6 * TIMES * SLOW;
        const double wall = TIMES * (halves ? 0.75 * WORK : WORK / 2 + SLOW);
        cr_expect_float_eq(x.wall_ns, wall, 0.001 * wall, "%.0f", x.wall_ns);
        cr_expect_float_eq(x.high_ns - x.wall_ns, expected, 0.03 * expected, "%.0f, not %.0f",
                           x.high_ns - x.wall_ns, expected);
        cr_expect_float_eq(x.wall_ns - x.low_ns, expected, 0.03 * expected);
        played_free(p);
    }
}

/* How well means over the first half of a run predict the second one: where each step takes as long
 * on average, and where the second half takes a fifth longer. */
Test(causes, first_half_predicts_the_second)
{
    enum { TIMES = 400 };
    for (int longer = 0; longer <= 20; longer += 20) {
        uint64_t seed = 5;
        struct played *p = program(4);
        for (int step = 0; step < TIMES; step++)
            for (uint32_t r = 0; r < 4; r++) {
                const int64_t work = 900 + drawn(&seed, 200);
                does(p, r, COMPUTE, step < TIMES / 2 ? work : work * (100 + longer) / 100, 0);
                does(p, r, SEND, 50, r ^ 1);
                does(p, r, RECEIVE, 51, r ^ 1);
            }
        play(p);
        const struct causes_run run = {1, p->last, 0, p->last_rank, 0};
        struct timeline t;
        timeline_find(&t, p->act, p->n, 0);
        struct what_if_replay *replay = what_if_open(&t, p->act, p->n, &run);
        const struct replay_check *c = what_if_check(replay);
        /* Ranks that vary by chance wait for each other, which means do not show. */
        const double expected = longer ? 2 * 0.2 / 2.2 : 0;
        cr_expect_eq(c->state, REPLAY_GOOD);
        cr_expect_float_eq(c->repeat_error, expected, 0.08, "%g", c->repeat_error);
        what_if_close(replay);
        timeline_free(&t);
        played_free(p);
    }
}

/* Rank 0 takes twice as long as each of the others, in a segment of its own: it is balanced with
 * what the others do behind the same call. In every second step it is even longer. */
Test(causes, balance_with_other_segments)
{
    enum { TIMES = 64, WINDOW = 1 << 16 };
    for (uint64_t mask = 0; mask <= WINDOW; mask += WINDOW) {
        struct played *p = program(4), *balanced = program(4);
        for (int step = 0; step < TIMES; step++)
            for (uint32_t r = 0; r < 4; r++) {
                int64_t longer = step % 2 ? 14000 : 10000, own = r ? 5000 : longer;
                does(p, r, COMPUTE, own, 0);
                does(balanced, r, COMPUTE, step ? (3 * 5000 + longer) / 4 : own, 0);
                for (struct played *x = p; x; x = x == p ? balanced : NULL) {
                    if (r)
                        does(x, r, RECEIVE, 11, r - 1);
                    if (r < 3)
                        does(x, r, SEND, r ? 13 : 12, r + 1);
                    does(x, r, BARRIER, 14, 0);
                }
            }
        play(p);
        play(balanced);
        const struct causes_run run = {1, p->last, mask, p->last_rank, 0};
        /* Of a thinned trace only events in windows are left. */
        size_t n = 0;
        for (size_t i = 0; i < p->n; i++)
            if (!(p->act[i].entry_ns & (int64_t)mask) && !(p->act[i].exit_ns & (int64_t)mask))
                p->act[n++] = p->act[i];
        struct answer a;
        struct prediction best[WHAT_IF_BEST];
        timeline_find(&a.t, p->act, n, 0);
        causes_find(&a.c, &a.t, p->act, n, &run);
        struct what_if_replay *replay = what_if_open(&a.t, p->act, n, &run);
        size_t found = what_if_best(replay, a.c.rows, a.c.n, best);
        cr_assert_geq(found, 1);
        cr_expect_eq(best[0].segment.rank, 0);
        cr_expect(best[0].scope == SCOPE_LEFT && best[0].ranks == 4);
        double truth = (double)balanced->last, off = mask ? 0.05 * truth : 0.002 * truth;
        cr_expect_float_eq(best[0].wall_ns, truth, off, "%.0f, in truth %.0f", best[0].wall_ns,
                           truth);
        cr_expect(best[0].low_ns <= truth && truth <= best[0].high_ns, "%.0f to %.0f",
                  best[0].low_ns, best[0].high_ns);
        what_if_close(replay);
        answer_free(&a);
        played_free(p);
        played_free(balanced);
    }
}

/* What a replay cannot know is unknown, with the reason. */
Test(causes, unknown_predictions)
{
    static const enum replay_state expected[] = {REPLAY_GOOD, REPLAY_THREADS, REPLAY_UNKNOWN_WAITS,
                                                 REPLAY_NONE};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        struct played *p = drawn_program(7, 50000);
        size_t n = expected[k] == REPLAY_NONE ? 0 : p->n, kept = 0;
        for (size_t i = 0; i < n; i++) {
            p->act[i].thread = expected[k] == REPLAY_THREADS && p->act[i].rank == 1 && i % 2;
            if (expected[k] != REPLAY_UNKNOWN_WAITS || p->act[i].rank != 1) /* has no record */
                p->act[kept++] = p->act[i];
        }
        const struct causes_run run = {1, p->last, 0, p->last_rank, 0};
        struct timeline t;
        struct prediction x = {0};
        timeline_find(&t, p->act, kept, 0);
        struct what_if_replay *replay = what_if_open(&t, p->act, kept, &run);
        const struct replay_check *c = what_if_check(replay);
        struct what_if w = {WHAT_IF_FASTER, 10, selects_all, NULL};
        cr_expect_eq(c->state, expected[k], "%u", c->state);
        cr_expect_eq(what_if_predict(replay, &w, &x), expected[k] == REPLAY_GOOD);
        cr_expect_eq(c->ideal_ns >= 0, expected[k] == REPLAY_GOOD);
        what_if_close(replay);
        timeline_free(&t);
        played_free(p);
    }
}

/* --- efficiency over time --- */

static struct run_slices slices_of(const struct played *p, const struct act *act, size_t n,
                                   uint64_t mask)
{
    struct timeline t;
    const struct causes_run run = {1, p->last, mask, p->last_rank, 0};
    timeline_find(&t, act, n, 0);
    struct run_slices s = slices_find(&t, act, n, &run, p->now);
    timeline_free(&t);
    return s;
}

/* Four ranks: balanced, then rank 2 takes longer, then balanced; after the last call rank 1 alone
 * continues. In windows of a thinned trace the shares are the same. */
Test(causes, efficiency_over_time)
{
    enum { TIMES = 96, RANKS_HERE = 4, ALONE = 30000, WINDOW = 1 << 14 };
    struct played *p = program(RANKS_HERE);
    for (int step = 0; step < TIMES; step++)
        for (uint32_t r = 0; r < RANKS_HERE; r++) {
            bool slow = step / 32 == 1;
            does(p, r, COMPUTE, slow ? r == 2 ? 4000 : 2000 : 3990, 0);
            does(p, r, BARRIER, 14, 0);
        }
    does(p, 1, COMPUTE, ALONE, 0);
    play(p);
    const double phase = 32 * 4010.0, first = 32 * 4000.0;
    for (uint64_t mask = 0; mask <= WINDOW; mask += WINDOW) {
        size_t n = 0;
        for (size_t i = 0; i < p->n; i++)
            if (!(p->act[i].entry_ns & (int64_t)mask) && !(p->act[i].exit_ns & (int64_t)mask))
                p->act[n++] = p->act[i];
        struct run_slices s = slices_of(p, p->act, n, mask);
        cr_assert_geq(s.list.n, PHASE_LEAST - 1);
        cr_expect_eq(mask > 0, s.list.n < n / RANKS_HERE / PHASE_CALLS);
        for (size_t i = 0; i < s.list.n; i++) {
            const struct run_slice *x = &s.list.at[i];
            const bool slow = x->begin_ns >= first && x->end_ns <= first + phase;
            if (x->end_ns > first + phase + first)
                continue;
            if (slow)
                cr_expect_eq(x->rank, 2);
            if (slow || x->end_ns <= first || x->begin_ns >= first + phase) {
                cr_expect_float_eq(x->efficiency, slow ? 10000.0 / 4 / 4010 : 0.9975, 0.03,
                                   "%zu: %.3f", i, x->efficiency);
                cr_expect_float_eq(x->most, slow ? 4000.0 / 4010 : 0.9975, 0.03);
            }
        }
        if (!mask) { /* others have ended */
            cr_expect_float_eq(s.list.at[s.list.n - 1].efficiency, 0.25, 0.01);
            cr_expect_eq(s.list.at[s.list.n - 1].rank, 1);
        }
        struct phase found;
        while (s.list.at[s.list.n - 1].end_ns > first + phase + first)
            s.list.n--;
        cr_assert(phase_find(s.list.at, s.list.n, &found));
        const double width = (double)(s.list.at[0].end_ns - s.list.at[0].begin_ns);
        cr_expect_float_eq((double)s.list.at[found.first].begin_ns, first, (mask ? 4 : 1) * width);
        cr_expect_float_eq((double)s.list.at[found.last - 1].end_ns, first + phase,
                           (mask ? 4 : 1) * width);
        cr_expect_float_eq(found.efficiency, 0.62, 0.05);
        cr_expect_float_eq(found.other_efficiency, 0.99, 0.02);
        cr_expect_float_eq(found.most, 0.99, 0.02);
        cr_expect_eq(found.rank, 2);
        free(s.list.at);
    }
    played_free(p);
}

/* With several threads of a rank, or with few calls, there are none. */
Test(causes, no_slices)
{
    for (int k = 0; k < 3; k++) {
        struct played *p = program(2);
        for (int step = 0; step < (k == 1 ? 31 : 32); step++)
            for (uint32_t r = 0; r < 2; r++) {
                does(p, r, COMPUTE, 100, 0);
                does(p, r, BARRIER, 14, 0);
            }
        play(p);
        for (size_t i = 0; i < p->n; i++)
            p->act[i].thread = k == 2 && i % 2;
        struct run_slices s = slices_of(p, p->act, p->n, 0);
        cr_expect_eq(s.list.n, k ? 0 : PHASE_LEAST);
        free(s.list.at);
        played_free(p);
    }
}

/* Runs whose efficiency varies by chance, each slice like the one before, seldom have a phase; one
 * of a fifth of the run in which it is lower by 0.2 is found where it varies less. */
Test(causes, phases_and_chance)
{
    enum { SERIES = 400 };
    size_t by_chance = 0;
    for (uint64_t seed = 1; seed <= SERIES; seed++) {
        uint64_t at = seed;
        struct run_slice s[PHASE_SLICES] = {0}, wild[PHASE_SLICES] = {0};
        struct phase found;
        double off = 0;
        for (size_t i = 0; i < PHASE_SLICES; i++) {
            off = 0.5 * off + (drawn(&at, 1000) - 499.5) / 1000 * 0.1;
            s[i] = (struct run_slice){.efficiency = 0.7 + off, .most = 0.9};
        }
        for (size_t i = 0; i < PHASE_SLICES; i++)
            wild[i].efficiency = 0.7 + 4 * (s[i].efficiency - 0.7);
        by_chance += phase_find(wild, PHASE_SLICES, &found);
        size_t first = drawn(&at, 100), last = first + PHASE_SLICES / 5;
        for (size_t i = first; i < last; i++)
            s[i] = (struct run_slice){.efficiency = s[i].efficiency - 0.2, .most = 0.9};
        cr_assert(phase_find(s, PHASE_SLICES, &found), "seed %d", (int)seed);
        cr_expect(labs((long)found.first - (long)first) <= 2);
        cr_expect(labs((long)found.last - (long)last) <= 2);
        cr_expect_float_eq(found.efficiency, 0.5, 0.06);
        cr_expect_float_eq(found.other_efficiency, 0.7, 0.06);
    }
    cr_expect_leq(by_chance, SERIES / 100, "%zu", by_chance);
    struct phase none;
    cr_expect_not(phase_find(NULL, 0, &none));
}

/* --- cost --- */

Test(causes, a_quarter_of_a_million_events)
{
    enum { N = 1 << 18, AT_ONCE = 64, SECONDS = 15 /* 0.3; 4 with sanitizers */ };
    struct act *act = calloc(N, sizeof *act);
    int64_t now[AT_ONCE] = {0}, last = 0;
    uint64_t seed = 3;
    size_t n = 0;
    for (uint32_t k = 0; n + 4 * AT_ONCE <= N; k++) {
        int64_t entered[AT_ONCE];
        for (uint32_t r = 0; r < AT_ONCE; r++) {
            entered[r] = now[r] += 1000 + drawn(&seed, 100) + (r == 9 ? 500 : 0);
            for (int left = 0; left < 2; left++)
                act[n++] = (struct act){.entry_ns = now[r],
                                        .exit_ns = now[r] + 1,
                                        .posted_ns = now[r],
                                        .comm_id = 7,
                                        .bytes = 8,
                                        .rank = r,
                                        .peer = (r + (left ? AT_ONCE - 1 : 1)) % AT_ONCE,
                                        .ordinal = k,
                                        .site = (uint32_t)left,
                                        .tag = left,
                                        .kind = ACT_POST};
        }
        for (uint32_t r = 0; r < AT_ONCE; r++) {
            int64_t latest = now[r] + 2;
            for (int left = 0; left < 2; left++) {
                uint32_t from = (r + (left ? 1 : AT_ONCE - 1)) % AT_ONCE;
                latest = entered[from] > latest ? entered[from] : latest;
            }
            for (int left = 0; left < 2; left++)
                act[n++] = (struct act){.entry_ns = now[r] + 2,
                                        .exit_ns = latest + 10,
                                        .posted_ns = now[r] + 2,
                                        .comm_id = 7,
                                        .bytes = 8,
                                        .rank = r,
                                        .peer = (r + (left ? 1 : AT_ONCE - 1)) % AT_ONCE,
                                        .ordinal = k,
                                        .site = 2,
                                        .tag = left,
                                        .kind = ACT_RECEIVED};
            now[r] = latest + 10;
            last = now[r] > last ? now[r] : last;
        }
    }
    struct answer a;
    clock_t start = clock();
    timeline_find(&a.t, act, n, 0);
    causes_find(&a.c, &a.t, act, n, &(struct causes_run){0, last, 0, CAUSES_NONE, 0});
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_log_info("%zu events: %.2f s", n, seconds);
    cr_expect_lt(seconds, SECONDS);
    struct prediction best[WHAT_IF_BEST];
    struct causes_run run = {0, last, 0, CAUSES_NONE, 0};
    start = clock();
    struct what_if_replay *replay = what_if_open(&a.t, act, n, &run);
    cr_expect_gt(what_if_best(replay, a.c.rows, a.c.n, best), 0);
    what_if_close(replay);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_log_info("its predictions: %.2f s", seconds);
    cr_expect_lt(seconds, SECONDS);
    cr_expect(causes_add_up(a.c.rows, a.c.n, a.t.wait_sum_ns, a.c.path_ns));
    cr_expect_gt(cost(&a, 9, -1), 0.85 * (double)a.t.wait_sum_ns); /* others are late by chance */
    answer_free(&a);
    free(act);
}

/* A token through thousands of ranks: each wait is for all of them. Where histories are too long
 * the rest is unknown; nothing is lost. */
Test(causes, histories_that_are_too_long)
{
    enum { MANY = 4096 };
    struct act *act = calloc(4 * MANY, sizeof *act);
    int64_t now = 0;
    size_t n = 0;
    for (uint32_t k = 0; k < 2 * MANY; k++) {
        struct act a = {.entry_ns = now,
                        .exit_ns = now + 10,
                        .posted_ns = now,
                        .comm_id = 7,
                        .bytes = 8,
                        .rank = k % MANY,
                        .ordinal = k / MANY};
        if (k) {
            a.kind = ACT_RECEIVED;
            a.peer = (k - 1) % MANY;
            a.ordinal = (k - 1) / MANY;
            a.entry_ns = a.posted_ns = k < MANY ? 0 : now - (MANY - 1) * (int64_t)110 + 1;
            act[n++] = a;
        }
        now += 110;
        a.entry_ns = a.posted_ns = now;
        a.exit_ns = now + 1;
        a.kind = ACT_SEND;
        a.peer = (k + 1) % MANY;
        a.ordinal = k / MANY;
        a.site = 1;
        act[n++] = a;
    }
    struct answer a;
    timeline_find(&a.t, act, n, 0);
    clock_t start = clock();
    causes_find(&a.c, &a.t, act, n, &(struct causes_run){0, now + 1, 0, CAUSES_NONE, 0});
    cr_expect_lt((double)(clock() - start) / CLOCKS_PER_SEC, 10);
    cr_expect(causes_add_up(a.c.rows, a.c.n, a.t.wait_sum_ns, now + 1));
    cr_expect_gt(cost_of_kind(&a, CAUSE_UNKNOWN), 0);
    cr_expect_eq(a.c.n, CAUSES_ROWS);
    cr_expect_gt(cost_of_kind(&a, CAUSE_REST), 0);
    answer_free(&a);
    free(act);
}
