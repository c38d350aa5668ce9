/* Protects what round trips say of the machine: levels of nearness, and pairs and hosts that stand
 * out. */
#include "measure/pairs/hierarchy.h"
#include "base/topology.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"
#include "measure/pairs/slow.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Cores within nodes within sites, with noise on top of every pair: three levels and no more, and
 * the middle one is what the host names say. */
Test(hierarchy, hierarchy_is_found)
{
    enum { N = 16 };
    struct pairs p;
    cr_assert(pairs_new(&p, N));
    struct pairs_size *s = pairs_add_size(&p, 64, 10);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "node%d", i / 4);
        pairs_set_host(&p, i, name);
        for (int j = 0; j < N; j++) {
            double t = i / 2 == j / 2 ? 1 : i / 4 == j / 4 ? 2 : i / 8 == j / 8 ? 20 : 900;
            if (i != j)
                s->of[PAIRS_MIN][i * N + j] = 1e-6 * t * (1 + 0.02 * ((i * j) % 7));
        }
    }
    struct hierarchy h;
    cr_assert(hierarchy_find(&p, s, 1.5, &h));
    cr_assert_eq(h.n_levels, 3, "%d", h.n_levels);
    cr_assert_eq(h.level[0].groups, 8);
    cr_assert_eq(h.level[1].groups, 4);
    cr_assert_eq(h.level[2].groups, 2);
    cr_assert_null(h.level[0].seen_as);
    cr_assert_str_eq(h.level[1].seen_as, "node");
    cr_assert_null(h.level[2].seen_as);
    for (int i = 0; i < N; i++)
        cr_assert_eq(h.level[1].group[i], i / 4);
    /* With the noise of the nearest pairs: 0 and 1, 0 and 2; the farthest step is from 0 to 8. */
    cr_assert_float_eq(h.level[0].outside, 2e-6, 1e-12);
    cr_assert_float_eq(h.level[2].outside, 900e-6, 1e-9);
    cr_assert_float_eq(h.farthest, 900e-6, 1e-9);
    hierarchy_free(&h);
    /* What is near is the nodes, although the two halves part still more clearly. */
    int *cluster;
    cr_assert(pairs_clusters(&p, &cluster));
    cr_assert_not_null(cluster);
    for (int i = 0; i < N; i++)
        cr_assert_eq(cluster[i], i / 4);
    free(cluster);
    pairs_free(&p);
}

/* Ranks in a row, each near its neighbours: however far the ends are, all are joined by short
 * steps. What the log says of who shares a core counts more than names of hosts. */
Test(hierarchy, a_row_is_one_group)
{
    enum { N = 6 };
    struct pairs p;
    struct hierarchy h;
    cr_assert(pairs_new(&p, N));
    struct pairs_size *s = pairs_add_size(&p, 64, 10);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s->of[PAIRS_MIN][i * N + j] = 1e-6 * abs(i - j);
    cr_assert(hierarchy_find(&p, s, 1.5, &h));
    cr_assert_eq(h.n_levels, 0);
    cr_assert_float_eq(h.farthest, 1e-6, 1e-12);
    p.relation = malloc(N * N * sizeof *p.relation);
    for (int i = 0; i < N; i++) {
        pairs_set_host(&p, i, "one");
        for (int j = 0; j < N; j++) {
            p.relation[i * N + j] = i / 2 == j / 2 ? 0 : SAME_NODE;
            s->of[PAIRS_MIN][i * N + j] = i / 2 == j / 2 ? 1e-6 : 5e-6;
        }
    }
    cr_assert(hierarchy_find(&p, s, 1.5, &h));
    cr_assert_eq(h.n_levels, 1);
    cr_assert_str_eq(h.level[0].seen_as, pairs_relation_name(0));
    cr_assert_float_eq(h.level[0].inside, 1e-6, 1e-12);
    cr_assert_float_eq(h.level[0].outside, 5e-6, 1e-12);
    hierarchy_free(&h);
    pairs_free(&p);
}

/* Noise alone makes no hierarchy. */
Test(hierarchy, noise_is_no_hierarchy)
{
    struct pairs p;
    cr_assert(pairs_new(&p, 8));
    struct pairs_size *s = pairs_add_size(&p, 64, 10);
    for (int i = 0; i < 64; i++)
        s->of[PAIRS_MIN][i] = 1e-6 * (1 + 0.3 * ((i / 8 * (i % 8)) % 5) / 5);
    struct hierarchy h;
    cr_assert(hierarchy_find(&p, s, 1.5, &h));
    cr_assert_eq(h.n_levels, 0);
    pairs_free(&p);
}

/* Twelve hosts of two ranks: 1 us inside, 10 us between, 3 % apart, which is no surprise. */
static struct pairs cluster_of_hosts(void)
{
    struct pairs p;
    char name[16];
    cr_assert(pairs_new(&p, 24));
    struct pairs_size *s = pairs_add_size(&p, 64, 10);
    for (int i = 0; i < p.n; i++) {
        snprintf(name, sizeof name, "host%d", i / 2);
        pairs_set_host(&p, i, name);
        for (int j = 0; j < p.n; j++)
            s->of[PAIRS_MEDIAN][pairs_cell(&p, i, j)] = s->of[PAIRS_MIN][pairs_cell(&p, i, j)] =
                (i / 2 == j / 2 ? 1e-6 : 10e-6) * (1 + 0.03 * ((i + j) % 3 - 1));
    }
    return p;
}

static void slow_down(struct pairs *p, int i, int j, double factor)
{
    struct pairs_size *s = &p->size[0];
    s->of[PAIRS_MEDIAN][pairs_cell(p, i, j)] *= factor;
    s->of[PAIRS_MEDIAN][pairs_cell(p, j, i)] = s->of[PAIRS_MEDIAN][pairs_cell(p, i, j)];
    s->of[PAIRS_MIN][pairs_cell(p, i, j)] = s->of[PAIRS_MIN][pairs_cell(p, j, i)] =
        s->of[PAIRS_MEDIAN][pairs_cell(p, i, j)];
}

static void expect_slow(const struct pairs *p, enum slow_kind kind, int a, int b, double factor)
{
    size_t n;
    struct slow *found = pairs_slow(p, 1.5, &n);
    cr_assert_eq(n, 1, "%zu", n);
    cr_expect_eq(found[0].kind, kind);
    cr_expect_eq(found[0].a, a);
    cr_expect_eq(found[0].b, b);
    cr_expect_float_eq(found[0].factor, factor, 0.1 * factor);
    free(found);
}

Test(hierarchy, slow_hosts_ranks_and_pairs)
{
    size_t n;
    struct pairs p = cluster_of_hosts();
    free(pairs_slow(&p, 1.1, &n));
    cr_expect_eq(n, 0, "all are alike");
    slow_down(&p, 3, 8, 4); /* one cable */
    expect_slow(&p, SLOW_PAIR, 3, 8, 4);
    /* At a second size it stands out less: the largest factor is told. */
    struct pairs_size *s = pairs_add_size(&p, 1 << 16, 10);
    for (int c = 0; c < p.n * p.n; c++)
        s->of[PAIRS_MEDIAN][c] = s->of[PAIRS_MIN][c] = 10 * p.size[0].of[PAIRS_MEDIAN][c];
    s->of[PAIRS_MEDIAN][pairs_cell(&p, 3, 8)] /= 2;
    s->of[PAIRS_MEDIAN][pairs_cell(&p, 8, 3)] /= 2;
    expect_slow(&p, SLOW_PAIR, 3, 8, 4);
    pairs_free(&p);

    p = cluster_of_hosts(); /* as far apart as on a wide network: nothing is usual, nothing stands
                               out */
    for (int i = 0; i < p.n; i++)
        for (int j = 0; j < i; j++)
            slow_down(&p, i, j, 1 + (i * 7 + j * 3) % 11);
    free(pairs_slow(&p, 1.5, &n));
    cr_expect_eq(n, 0, "%zu of a wide network", n);
    pairs_free(&p);

    cr_assert(pairs_new(&p, 4)); /* two pairs of a kind say nothing of each other */
    s = pairs_add_size(&p, 64, 10);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            pairs_set_host(&p, i, i < 2 ? "a" : "b");
            s->of[PAIRS_MEDIAN][i * 4 + j] = s->of[PAIRS_MIN][i * 4 + j] =
                i / 2 == j / 2 ? 1e-6 * (1 + 3 * (i / 2)) : 9e-6;
        }
    free(pairs_slow(&p, 1.5, &n));
    cr_expect_eq(n, 0, "%zu where two pairs are all there is", n);
    pairs_free(&p);

    p = cluster_of_hosts();
    for (int j = 0; j < p.n; j++) /* one rank */
        if (j / 2 != 5 / 2)
            slow_down(&p, 5, j, 2);
    expect_slow(&p, SLOW_RANK, 5, -1, 2);
    pairs_free(&p);

    p = cluster_of_hosts();
    for (int i = 6; i < 8; i++) /* one card, of both ranks of a host */
        for (int j = 0; j < p.n; j++)
            if (j / 2 != 3)
                slow_down(&p, i, j, 3);
    expect_slow(&p, SLOW_HOST, 6, -1, 3);
    pairs_free(&p);
}
