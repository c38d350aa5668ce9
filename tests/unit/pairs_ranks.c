/* Pairs measured over the fake MPI: every figure against what its network says, in every order. */
#include "fake_mpi.h"

#include "base/clock.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/pairs.h"
#include "sync/sync.h"
#include "trees/schedule_run.h"
#include "unit.h"

enum { N = 5, EAGER = 64, LARGE = 4096 };
static const double overhead = 1e-6, per_byte = 1e-9;

static double way(int from, int to, size_t bytes)
{
    return 10e-6 * abs(from - to) + (from < to ? 0 : 4e-6) + (double)bytes * per_byte;
}

static const struct fake_network network = {.overhead = overhead, .eager = 1024, .way = way};

struct measured {
    struct pairs_plan plan;
    bool own_clocks; /* that each rank reads */
    double end;      /* of the measurement, simulated */
    struct pairs pairs;
    int error[FAKE_RANKS_MAX];
};

static void measure(int rank, void *arg)
{
    struct measured *m = arg;
    struct pairs_plan plan = m->plan;
    struct sync_clock clock;
    struct pairs p;
    cr_assert_eq(sync_start(&clock, MPI_COMM_WORLD, m->own_clocks ? 1 + (uint64_t)rank : 1, 0),
                 MPI_SUCCESS);
    for (int k = 0; k < 4 && m->own_clocks; k++, clock_hold(0.25)) /* until drifts are known */
        sync_remeasure(&clock);
    plan.clock = m->own_clocks ? &clock : plan.clock;
    m->error[rank] = pairs_measure(MPI_COMM_WORLD, &plan, &p);
    if (rank == 0)
        m->pairs = p, m->end = fake_mpi_now();
    else
        pairs_free(&p);
}

/* WITHIN seconds: in the paper's order a barrier comes right before each exchange. */
static void expect_pair(const struct pairs *p, int s, int i, int j, double within)
{
    const struct pairs_size *of = &p->size[s];
    size_t k = pairs_cell(p, i, j);
    double there = overhead + way(i, j, of->bytes);
    double trip = there + overhead + way(j, i, of->bytes);
    if (of->bytes == EAGER) {
        cr_expect_float_eq(of->of[PAIRS_MIN][k], trip, within, "%d %d: %g", i, j,
                           of->of[PAIRS_MIN][k]);
        cr_expect_float_eq(of->of[PAIRS_ONE_WAY][k], there, within, "%d %d: %g", i, j,
                           of->of[PAIRS_ONE_WAY][k]);
        cr_expect_float_eq(of->of[PAIRS_SEND][k], overhead, 0.1e-6);
        cr_expect_float_eq(of->of[PAIRS_GAP][k], overhead, 0.1e-6);
    }
    cr_expect_eq(of->of[PAIRS_MIN][k], of->of[PAIRS_MIN][pairs_cell(p, j, i)]);
    cr_expect_float_eq(of->of[PAIRS_MEAN][k], of->of[PAIRS_MEDIAN][k], 0.1e-6);
    cr_expect_float_eq(of->of[PAIRS_SD][k], 0, 0.1e-6);
    cr_expect_eq(of->of[PAIRS_BOUND][k], 0, "one clock");
    cr_expect_eq(of->of[PAIRS_RENDEZVOUS][k], of->bytes == LARGE, "%d %d %zu: %g", i, j, of->bytes,
                 of->of[PAIRS_RENDEZVOUS][k]);
}

static void expect_all(enum pairs_order order)
{
    static const size_t sizes[] = {EAGER, LARGE};
    struct measured m = {.plan = pairs_plan_default()};
    m.plan.sizes = sizes;
    m.plan.n_sizes = 2;
    m.plan.repeats = 5;
    m.plan.order = order;
    m.plan.receives = true;
    cr_assert(fake_mpi_run(N, measure, &m, &network));
    for (int r = 0; r < N; r++)
        cr_assert_eq(m.error[r], MPI_SUCCESS);
    cr_assert(m.pairs.n == N && m.pairs.n_sizes == 2 && m.pairs.host[N - 1]);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i != j)
                    expect_pair(&m.pairs, s, i, j, order == PAIRS_PAPER ? 3e-6 : 0.3e-6);
                else
                    cr_expect_eq(m.pairs.size[s].of[PAIRS_MEAN][pairs_cell(&m.pairs, i, i)], 0);
    if (order == PAIRS_TOURNAMENT) /* nothing is shared */
        cr_expect_float_eq(m.pairs.slowdown, 1, 0.05);
    pairs_free(&m.pairs);
}

Test(pairs_ranks, in_every_order)
{
    expect_all(PAIRS_TOURNAMENT);
    expect_all(PAIRS_ONE_AT_A_TIME);
    expect_all(PAIRS_PAPER);
}

/* A budget of a pair leaves three repeats; without time left all ranks give up alike. */
Test(pairs_ranks, limits_of_time)
{
    struct measured m = {.plan = pairs_plan_default()};
    m.plan.budget = 1e-6;
    cr_assert(fake_mpi_run(N, measure, &m, &network));
    cr_expect_float_eq(m.pairs.size[0].of[PAIRS_MIN][1],
                       2 * overhead + way(0, 1, 64) + way(1, 0, 64), 0.3e-6);
    pairs_free(&m.pairs);
    m.plan.until = 20e-6;
    cr_assert(fake_mpi_run(N, measure, &m, &network));
    for (int r = 0; r < N; r++)
        cr_expect_eq(m.error[r], PAIRS_TOO_LONG);
}

/* A star. THIN: by rank, seconds of a message through its link. Odd ranks are reached by a second
 * port, SECOND times slower; if that is 0, by the same. FREE_AT: when ports and links have served
 * all messages. FURTHER: by how much all are slower after the search for ports. */
enum { STAR = 6, SEARCHED = 270, DRAWN = 12 };
static double thin[STAR], second, free_at[STAR][3], further;

static double by_star(int from, int to, size_t bytes)
{
    const bool odd = second > 0 && to % 2, others = fake_mpi_collectives() > SEARCHED;
    const double now = fake_mpi_now(),
                 part = bytes != EAGER ? 0
                        : others       ? further
                                       : 1,
                 gap = part * thin[from] * (odd ? second : 1);
    double *port = &free_at[from][odd], *in = &free_at[to][2];
    *port = fmax(*port, now) + gap;
    *in = fmax(*port, fmax(*in, *port - gap) + part * thin[to]);
    return *in + 1e-3 - now;
}

/* A flat tree's interval contains when all have the message from ROOT if links thinner than their
 * port get none of it before the others have arrived, and if they get all they can use. */
static void expect_limits(const struct pairs *p, int root)
{
    struct choice c;
    char why[128];
    double first = 0, last = 0;
    for (int port = 0; port < 2; port++) {
        double gap = thin[root] * (port ? second : 1), all = 0, wide = 0, most = 0;
        for (int v = 0; v < STAR; v++)
            if (v != root && port == (second > 0 && v % 2)) {
                all += gap;
                wide += thin[v] > gap ? 0 : gap;
                most = fmax(most, thin[v] > gap ? thin[v] : 0);
            }
        first = fmax(first, fmax(all, most) + 1e-3);
        last = fmax(last, wide + fmax(all - wide, most) + 1e-3);
    }
    cr_assert(choice_find_schedules(p, root, EAGER, &tree_flat, 0, &c, why, sizeof why));
    const struct estimate e = schedule_predict_interval(p, EAGER, c.s, false);
    cr_expect(e.low <= first && last <= e.high, "%g to %g: %g, %g", e.low, e.high, first, last);
    choice_free(&c);
}

/* Ranks behind links up to 12 times thinner use the port of all others, and a slow port is one of
 * its own. What messages share beyond is seen when all ranks send, and unknown without time: then
 * all count as having one port. */
Test(pairs_ranks, search_for_ports)
{
    unsigned short seed[3] = {1};
    struct measured m = {.plan = pairs_plan_default()};
    const struct fake_network net = {.overhead = overhead, .way = by_star};
    m.plan.ports = true;
    m.plan.repeats = 3;
    for (int k = 0; k < DRAWN + 2; k++) {
        m.plan.until = k > DRAWN ? 0.8 * m.end : 0;
        further = k < DRAWN ? 1 : 2;
        second = k % 3 || k == DRAWN ? 0 : 1 + 3 * erand48(seed);
        for (int v = 0; v < STAR && k < DRAWN; v++)
            thin[v] = 10e-3 * (k % 3 && v < 1 + k % 4 ? 3 + 9 * erand48(seed) : 1);
        memset(free_at, 0, sizeof free_at);
        cr_assert(fake_mpi_run(STAR, measure, &m, &net) && m.error[0] == MPI_SUCCESS);
        const double shared = m.pairs.size[0].shared, *port = m.pairs.size[0].of[PAIRS_PORT];
        for (int root = 0; root < STAR && k < DRAWN; root++)
            expect_limits(&m.pairs, root);
        cr_expect(k == DRAWN ? shared > 1.8 : fabs(shared - (k < DRAWN)) < 0.01, "%g", shared);
        cr_expect(k > DRAWN ? isnan(port[1]) : second > 0 ? port[1] != port[2] : true);
        pairs_free(&m.pairs);
    }
}

static double at_times_early(int from, int to, size_t bytes)
{
    static int sent;
    return way(from, to, bytes) * (bytes == EAGER && ++sent % 11 == 0 ? 0.5 : 1);
}

Test(pairs_ranks, few_early_messages_change_no_direction)
{
    struct measured m = {.plan = pairs_plan_default()};
    struct fake_network net = network;
    net.way = at_times_early;
    cr_assert(fake_mpi_run(N, measure, &m, &net));
    const struct pairs_size *of = &m.pairs.size[0];
    for (int i = 0, k = 0; i < N; i++)
        for (int j = 0; j < N; j++, k++) {
            double there = overhead + way(i, j, 64), trip = there + overhead + way(j, i, 64);
            cr_expect(i == j || of->of[PAIRS_MIN][k] < trip - 4e-6);
            cr_expect(i == j || fabs(of->of[PAIRS_ONE_WAY][k] - there) < 0.3e-6, "%d %d", i, j);
            cr_expect(i == j || fabs(of->of[PAIRS_GAP][k] - overhead) < 0.3e-6, "%d %d", i, j);
        }
    pairs_free(&m.pairs);
}

/* Two ranks, whose messages are slow during the tournament. */
static int slow[2];

static double slow_among_others(int from, int to, size_t bytes)
{
    bool both = (from == slow[0] && to == slow[1]) || (from == slow[1] && to == slow[0]);
    return way(from, to, bytes) * (both && fake_mpi_collectives() < 33 ? 1.15 : 1);
}

Test(pairs_ranks, each_pair_of_few_ranks_is_checked_alone)
{
    struct measured m = {.plan = pairs_plan_default()};
    struct fake_network net = network;
    m.plan.repeats = 3;
    net.way = slow_among_others;
    for (slow[0] = 0; slow[0] < N; slow[0]++)
        for (slow[1] = slow[0] + 1; slow[1] < N; slow[1]++) {
            cr_assert(fake_mpi_run(N, measure, &m, &net));
            cr_expect_gt(m.pairs.slowdown, 1.1, "ranks %d and %d", slow[0], slow[1]);
            double both = way(slow[0], slow[1], 64) + way(slow[1], slow[0], 64);
            cr_expect_float_eq(m.pairs.size[0].of[PAIRS_MIN][slow[0] * N + slow[1]],
                               2 * overhead + 1.15 * both, 0.3e-6, "not as among others");
            pairs_free(&m.pairs);
        }
}

static double minutes_apart(int rank, double t)
{
    return 100.0 * rank + t;
}

/* From 1.1 s on, while pairs are measured, the rates differ by 0.5 ms a second. */
static double changing(int rank, double t)
{
    return minutes_apart(rank, t) + 5e-4 * rank * fmax(0, t - 1.1);
}

/* Latencies are right within their bounds, and these within 0 and the round trip. */
static void expect_within_bounds(const struct pairs *p)
{
    for (int i = 0; i < N * N; i++) {
        double *const *of = p->size[0].of, way_seen = of[PAIRS_ONE_WAY][i],
                      off = i % (N + 1) ? fabs(way_seen - overhead - way(i / N, i % N, 64)) : 0;
        cr_expect(off <= of[PAIRS_BOUND][i] + 0.1e-6, "%d to %d: off by %g", i / N, i % N, off);
        cr_expect(of[PAIRS_BOUND][i] <= fmin(way_seen, of[PAIRS_MEDIAN][i] - way_seen) + 1e-12);
    }
}

/* Clocks that rest on messages do not show which direction takes longer; if their rates change
 * meanwhile, all bounds contain that. */
Test(pairs_ranks, clocks_of_their_own)
{
    struct fake_network net = network;
    for (int changes = 0; changes < 2; changes++) {
        struct measured m = {.plan = pairs_plan_default(), .own_clocks = true};
        net.clock = changes ? changing : minutes_apart;
        cr_assert(fake_mpi_run(N, measure, &m, &net));
        const double most = net.clock(N - 1, m.end) - minutes_apart(N - 1, m.end);
        cr_expect(!changes ||
                  (m.pairs.drift[N - 1] > 0.45 * most && m.pairs.drift[N - 1] < 1.5 * most));
        cr_expect_eq(m.pairs.drift[0], 0, "the common clock");
        expect_within_bounds(&m.pairs);
        for (int i = 0; i < N * N; i++) {
            double trip = 2 * overhead + way(i / N, i % N, 64) + way(i % N, i / N, 64);
            cr_expect(i % (N + 1) == 0 || (fabs(m.pairs.size[0].of[PAIRS_MIN][i] - trip) < 0.3e-6 &&
                                           m.pairs.size[0].of[PAIRS_BOUND][i] > 0));
        }
        pairs_free(&m.pairs);
    }
}

/* A tree of two levels, whole and in 20 segments of which eight are under way: all ranks have the
 * root's data, after the time that the network takes. Of a type with holes, 6 of every 8 bytes,
 * these stay as they are, and no segment cuts an element. */
enum { BYTES = 1984, BEHIND = 200 };

struct run {
    struct schedule s;
    char data[N][BYTES + BEHIND];
    double took[N];
    bool holes;
};

static void broadcast(int rank, void *arg)
{
    struct run *r = arg;
    struct schedule_part *part;
    cr_assert_eq(schedule_distribute(rank == 0 ? &r->s : NULL, MPI_COMM_WORLD, &part), MPI_SUCCESS);
    struct bcast b = bcast_from_schedule(part);
    MPI_Datatype type = MPI_BYTE;
    if (r->holes)
        PMPI_Type_vector(2, 3, 5, MPI_BYTE, &type);
    for (int k = 0; rank == r->s.root && k < BYTES + BEHIND; k++)
        r->data[rank][k] = (char)(k % 101);
    PMPI_Barrier(MPI_COMM_WORLD);
    double begin = fake_mpi_now();
    cr_assert_eq(
        b.run(r->data[rank], r->holes ? BYTES / 8 : BYTES, type, r->s.root, MPI_COMM_WORLD, part),
        MPI_SUCCESS);
    r->took[rank] = fake_mpi_now() - begin;
    cr_assert_eq(b.run(NULL, 0, MPI_BYTE, r->s.root + 1, MPI_COMM_WORLD, part), MPI_ERR_ROOT);
    free(part);
}

Test(pairs_ranks, schedules_bring_the_data)
{
    static const int parent[N] = {1, -1, 1, 0, 0};
    for (int i = 0; i < 4; i++) {
        const bool segmented = i % 2;
        struct run r;
        memset(&r, 0, sizeof r);
        cr_assert(schedule_new(&r.s, N, 1));
        memcpy(r.s.parent, parent, sizeof parent);
        for (int v = 0; v < N; v++)
            r.s.order[v] = v;
        cr_assert(schedule_link(&r.s));
        r.s.segment = segmented ? 100 : 0;
        r.holes = i / 2;
        cr_assert(fake_mpi_run(N, broadcast, &r,
                               &(struct fake_network){.latency = 10e-6, .overhead = overhead}));
        for (int v = 0; v < N; v++)
            for (int k = 0; k < BYTES + BEHIND; k++) {
                bool kept = k >= BYTES || (r.holes && (k % 8 == 3 || k % 8 == 4));
                cr_assert_eq(r.data[v][k], v != 1 && kept ? 0 : k % 101, "rank %d, byte %d", v, k);
            }
        cr_expect_geq(r.took[3], 10e-6);
        cr_expect_leq(r.took[3], segmented ? 90e-6 : 40e-6, "%g", r.took[3]);
        schedule_free(&r.s);
    }
}

/* --- what is predicted of a tree is what it takes --- */

struct trial {
    const struct bcast *bcast;
    int root;
    double left[N];
};

static void try_tree(int rank, void *arg)
{
    struct trial *t = arg;
    char data[8] = {0};
    if (rank == t->root)
        memcpy(data, "expected", sizeof data);
    cr_assert_eq(t->bcast->run(data, sizeof data, MPI_BYTE, t->root, MPI_COMM_WORLD, t->bcast->arg),
                 MPI_SUCCESS);
    t->left[rank] = fake_mpi_now();
    cr_expect_arr_eq(data, "expected", sizeof data, "%s from %d: rank %d", t->bcast->name, t->root,
                     rank);
}

/* In a network in which every pair differs, from every root: each rank's arrival. */
Test(pairs_ranks, trees_by_rank_take_what_is_predicted)
{
    struct graph g;
    int seen = 0;
    cr_assert(graph_new(&g, N));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            graph_edge(&g, i, j)->w = i == j ? 0 : way(i, j, 8);
            graph_edge(&g, i, j)->d = overhead;
        }
    for (size_t b = 0; b < n_bcasts; b++)
        for (int root = 0; root < N && bcasts[b]->run && bcasts[b]->build && !bcasts[b]->children;
             root++, seen++) {
            struct trial t = {.bcast = bcasts[b], .root = root};
            struct schedule s;
            double last = 0;
            cr_assert(schedule_build(bcasts[b], &g, root, &s), "%s", bcasts[b]->name);
            cr_assert(fake_mpi_run(N, try_tree, &t, &network));
            for (int v = 0; v < N; v++)
                last = fmax(last, v == root ? 0 : t.left[v]);
            cr_expect_float_eq(s.completion, last, 0.5e-6, "%s from %d: %g s, predicted %g",
                               bcasts[b]->name, root, last, s.completion);
            schedule_free(&s);
        }
    cr_expect_geq(seen, 2 * N);
    graph_free(&g);
}
