/* Protects predictions: programs are changed, and played again. */
#include "causes/what_if.h"
#include "made_profile.h"
#include "played.h"
#include "unit.h"

/* All computation, or what is after the last call. */
static bool selects(const struct root_cause *segment, const void *end)
{
    return end ? segment->operation == CAUSES_NONE : segment->kind == CAUSE_COMPUTATION;
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
        struct prediction x = {0};
        struct answer a = analysed(p, 0);
        const struct replay_check *c = what_if_check(a.graph);
        cr_assert_eq(c->state, REPLAY_GOOD, "seed %d: state %u", (int)seed, c->state);
        cr_expect_eq(c->recorded_ns, p->last - 1);
        cr_expect_eq(c->replayed_ns, c->recorded_ns);
        cr_expect_float_eq((double)c->ideal_ns, (double)ideal->last - 1, 3, "seed %d: ideal %d, %d",
                           (int)seed, (int)c->ideal_ns, (int)ideal->last - 1);
        struct what_if w = {.kind = WHAT_IF_FASTER, .percent = FASTER, .selects = selects};
        cr_expect(what_if_predict(a.graph, &w, &x));
        cr_expect_eq(x.ranks, p->ranks);
        cr_expect_float_eq(x.wall_ns, (double)faster->last - 1, 0.002 * (double)faster->last,
                           "seed %d: %.0f, in truth %d", (int)seed, x.wall_ns, (int)faster->last);
        cr_expect(x.low_ns <= x.wall_ns && x.wall_ns <= x.high_ns);
        w.context = p;
        cr_expect_not(what_if_predict(a.graph, &w, &x), "a replay does not change it");
        answer_end(&a, p);
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
    const struct what_if w = {
        .kind = kind, .percent = 50, .selects = selects_site, .context = &site};
    struct prediction x = {0};
    struct answer a = analysed(p, 0);
    what_if_check(a.graph);
    cr_assert(what_if_predict(a.graph, &w, &x));
    answer_free(&a);
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

/* A message is under way when its wait begins: if it is sent earlier nothing is waited for. */
Test(causes, message_that_is_under_way)
{
    struct played *p = program(2), *faster = program(2);
    for (struct played *x = p; x; x = x == p ? faster : NULL) {
        x->latency = 400;
        for (int step = 0; step < 64; step++) {
            does(x, 0, COMPUTE, x == p ? 1000 : 500, 0);
            does(x, 0, SEND, 70, 1);
            does(x, 1, POST, 71, 0);
            does(x, 1, COMPUTE, 1200, 0);
            does(x, 1, WAIT, 73, 0);
            does(x, 0, BARRIER, 72, 0);
            does(x, 1, BARRIER, 72, 0);
        }
        play(x);
    }
    const struct prediction x = predicted(p, WHAT_IF_FASTER, 70);
    cr_expect_float_eq(x.wall_ns, (double)faster->last, 64 * 4, "%.0f, in truth %d", x.wall_ns,
                       (int)faster->last);
    played_free(p);
    played_free(faster);
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
        struct answer a = play_and_analyse(p);
        const struct replay_check *c = what_if_check(a.graph);
        /* Ranks that vary by chance wait for each other, which means do not show. */
        const double expected = longer ? 2 * 0.2 / 2.2 : 0;
        cr_expect_eq(c->state, REPLAY_GOOD);
        cr_expect_float_eq(c->repeat_error, expected, 0.08, "%g", c->repeat_error);
        answer_end(&a, p);
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
            if (!(p->events[i].entry_ns & (int64_t)mask) && !(p->events[i].exit_ns & (int64_t)mask))
                p->events[n++] = p->events[i];
        struct answer a = answer_of(p->events, n, &run);
        struct prediction best[WHAT_IF_BEST];
        what_if_check(a.graph);
        size_t found = what_if_best(a.graph, a.c.rows, a.c.n, best);
        cr_assert_geq(found, 1);
        cr_expect_eq(best[0].segment.rank, 0);
        cr_expect(best[0].scope == SCOPE_LEFT && best[0].ranks == 4);
        double truth = (double)balanced->last, off = mask ? 0.05 * truth : 0.002 * truth;
        cr_expect_float_eq(best[0].wall_ns, truth, off, "%.0f, in truth %.0f", best[0].wall_ns,
                           truth);
        cr_expect(best[0].low_ns <= truth && truth <= best[0].high_ns, "%.0f to %.0f",
                  best[0].low_ns, best[0].high_ns);
        answer_end(&a, p);
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
            p->events[i].thread = expected[k] == REPLAY_THREADS && p->events[i].rank == 1 && i % 2;
            if (expected[k] != REPLAY_UNKNOWN_WAITS || p->events[i].rank != 1) /* has no record */
                p->events[kept++] = p->events[i];
        }
        const struct causes_run run = {1, p->last, 0, p->last_rank, 0};
        struct prediction x = {0};
        struct answer a = answer_of(p->events, kept, &run);
        const struct replay_check *c = what_if_check(a.graph);
        struct what_if w = {.kind = WHAT_IF_FASTER, .percent = 10, .selects = selects};
        cr_expect_eq(c->state, expected[k], "%u", c->state);
        cr_expect_eq(what_if_predict(a.graph, &w, &x), expected[k] == REPLAY_GOOD);
        cr_expect_eq(c->ideal_ns >= 0, expected[k] == REPLAY_GOOD);
        answer_end(&a, p);
    }
}

/* Broadcasts from each rank in turn, which enters last, but for one rank sometimes. A child has the
 * data a hop and some gaps after its parent, in turn, or as many as that has children if they SHARE
 * its bandwidth; a rank sends for BUSY ns to each. */
enum { MEMBERS = 6, BROADCASTS = 64 };
struct broadcasts {
    struct event event[BROADCASTS * MEMBERS];
    struct net net[2 * BROADCASTS * MEMBERS]; /* the transport's messages */
    size_t n, n_net;
    struct causes_run run;
};

static struct broadcasts *broadcasts(const struct by_rank *tree, bool share)
{
    enum { HOP = 300, GAP = 40, BUSY = 25, WORK = 20000 };
    struct broadcasts *b = calloc(1, sizeof *b);
    int64_t now[MEMBERS] = {0};
    uint64_t seed = 3;
    for (int step = 0; step < BROADCASTS; step++) {
        const int root = step % MEMBERS, late = (int)drawn(&seed, 4 * MEMBERS), large = step % 2;
        int64_t ready[MEMBERS] = {0};
        for (int at = 0, children = 0, k = 0; at < MEMBERS; at++, children = k = 0) {
            const int rank = by_rank_at(tree, at, root, MEMBERS);
            struct event *e = &b->event[b->n++];
            now[rank] += rank == late ? WORK + 1000 : rank == root ? WORK : WORK / 2;
            *e = made_collective((uint32_t)rank, (uint32_t)step, now[rank], 0);
            e->bytes = 1000u << large;
            e->operation = BCAST;
            e->peer = (uint32_t)root;
            e->comm_size = MEMBERS;
            e->collective = COLLECTIVE_FROM_ROOT;
            for (int to = 0; (to = tree->next(at, MEMBERS, to)) != 0;)
                children++;
            ready[at] = ready[at] > e->entry_ns ? ready[at] : e->entry_ns;
            const struct net start = {.call_entry_ns = e->entry_ns,
                                      .bytes = e->bytes,
                                      .rank = e->rank,
                                      .kind = TRANSPORT_SEND};
            for (int to = 0; (to = tree->next(at, MEMBERS, to)) != 0;) {
                ready[to] = ready[at] + (HOP << large) + GAP * (++k, share ? children : k);
                b->net[b->n_net++] = start;
            }
            b->net[b->n_net] = start;
            b->net[b->n_net].kind = TRANSPORT_RECEIVE;
            b->n_net += at > 0;
            now[rank] = e->exit_ns = ready[at] + children * BUSY;
            if (e->exit_ns > b->run.last_ns)
                b->run = (struct causes_run){.last_ns = e->exit_ns, .last_rank = e->rank};
        }
    }
    return b;
}

static struct prediction along(const struct broadcasts *b, const struct by_rank *tree,
                               bool binomial, uint32_t broadcast)
{
    struct prediction x = {0};
    struct net_traffic seen RELEASED(net_traffic_free) = net_traffic_of(b->net, b->n_net);
    struct answer a = answer_of(b->event, b->n, &b->run);
    const struct what_if w = {.kind = WHAT_IF_BROADCAST,
                              .tree = tree,
                              .binomial = binomial,
                              .traffic = &seen,
                              .broadcast = broadcast};
    cr_assert_eq(what_if_check(a.graph)->state, REPLAY_GOOD);
    cr_expect_eq(what_if_predict(a.graph, &w, &x), !x.unknown);
    answer_free(&a);
    return x;
}

/* The costs of a message follow from the binomial tree, and from these the time along another. */
Test(causes, broadcasts_along_another_tree)
{
    for (size_t i = 0; i < 2 * BY_RANK_TREES; i++) {
        const struct by_rank *tree = &by_rank_trees[i / 2];
        struct broadcasts *b = broadcasts(&by_rank_trees[BY_RANK_BINOMIAL], i % 2),
                          *truth = broadcasts(tree, i % 2);
        const double wall = (double)truth->run.last_ns;
        const struct prediction x = along(b, tree, true, BCAST);
        cr_expect_null(x.unknown, "%s", x.unknown);
        cr_expect_float_eq(x.wall_ns, wall, BROADCASTS, "%s: %.0f, in truth %.0f", tree->name,
                           x.wall_ns, wall);
        cr_expect(x.ranks == MEMBERS && x.low_ns <= x.wall_ns && x.wall_ns <= x.high_ns);
        cr_expect_null(along(b, tree, false, BCAST).unknown, "the transport's messages show it");
        b->net[0].bytes--;
        cr_expect(along(b, tree, false, BCAST).unknown, "part of a message");
        free(b);
        free(truth);
    }
}

Test(causes, broadcasts_of_unknown_trees)
{
    FREED struct broadcasts *b = broadcasts(&by_rank_trees[BY_RANK_FLAT], false);
    const struct by_rank *tree = &by_rank_trees[BY_RANK_LINEAR];
    cr_expect(strstr(along(b, tree, false, BCAST).unknown, "not all MPI_Bcasts are known to be"));
    cr_expect(strstr(along(b, tree, true, REDUCE).unknown, "no MPI_Bcast was recorded"));
    cr_expect_null(along(b, tree, true, BCAST).unknown, "it is known otherwise");
}
