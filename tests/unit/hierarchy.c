/* Protects what round trips say of the machine: levels of nearness. */
#include "measure/pairs/hierarchy.h"
#include "base/topology.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"

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
    /* With the noise of the nearest pairs: 0 and 1, 0 and 2. */
    cr_assert_float_eq(h.level[0].outside, 2e-6, 1e-12);
    cr_assert_float_eq(h.level[2].outside, 900e-6, 1e-9);
    hierarchy_free(&h);
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
