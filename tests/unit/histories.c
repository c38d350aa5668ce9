/* Protects the histories of waiting ranks, of which only the differences are attributed. */
#include "causes/delays.h"
#include "unit.h"

/* Different segments are subtracted from each other in the end, however often each is executed. */
Test(histories, any_computation_matches_in_the_end)
{
    const struct delay_groups groups[] = {{{0, 0, 0, 2}}, {{1, 1, 1, 2}}};
    struct history_difference at[] = {{0, 100, 1}, {1, -80, -2}};
    struct history_differences d = {.at = at, .n = 2};
    struct delay_balance balance[3] = {0};
    delays_match(&d, groups, balance);
    cr_expect_float_eq(at[0].ns, 20, 1e-9);
}

/* Two that share a beginning: compared is what came after; in the end no node is left. */
Test(histories, share_their_beginning)
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
    cr_assert_eq(d.n, 2);
    cr_expect(d.at[0].key == 14 && d.at[0].ns == 100 && d.at[0].count == 1);
    cr_expect(d.at[1].key == 4999 && d.at[1].ns == -1);
    history_end(&pool, a);
    history_end(&pool, b);
    cr_expect_eq(pool.nodes, 0);
    free(d.at);
}
