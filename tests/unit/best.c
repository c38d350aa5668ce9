/* The choice among all trees by measured latencies, and what stands out among these. */
#include "measure/pairs/best.h"
#include "measure/pairs/suspect.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct pairs made_up(int n)
{
    struct pairs p;
    cr_assert(pairs_new(&p, n));
    for (size_t bytes = 64; bytes <= 65536; bytes *= 32) {
        struct pairs_size *s = pairs_add_size(&p, bytes, 10, true);
        for (int k = 0; k < n * n; k++) {
            bool near = k / n / (n / 2) == k % n / (n / 2);
            s->way[k] = (near ? 2e-6 : 50e-6) + (double)bytes / 1e9;
            s->min[k] = s->mean[k] = s->median[k] = 2 * s->way[k];
            s->send[k] = k / n < k % n ? 1e-6 : 3e-6;
            s->post[k] = 4e-7;
            s->pace[k] = s->gap[k] = (double)bytes / 1e9;
            s->sooner[k] = s->doubt[k] = s->sd[k] = 0;
        }
    }
    for (int i = 0; i < n; i++)
        cr_assert(pairs_set_host(&p, i, i < n / 2 ? "left" : "right"));
    return p;
}

/* The finalists in the order of what is predicted of them, each of another builder, of large
 * messages also in segments; what is asked for by name is that, and of doubtful ways an interval.
 */
Test(pairs, best_of_all_trees)
{
    struct pairs p = made_up(4);
    struct best best;
    struct schedule s;
    char why[128];
    int length;
    cr_assert(best_find(&p, 0, 1 << 20, NULL, SIZE_MAX, &best, why, sizeof why), "%s", why);
    cr_assert_gt(best.n, 2);
    bool cut = false;
    for (int i = 0; i < best.n; i++) {
        cut = cut || best.s[i].segment > 0;
        cr_assert(i == 0 || best.s[i].completion >= best.s[i - 1].completion);
        for (int k = 0; k < i; k++)
            cr_assert_neq(best.by[i], best.by[k]);
    }
    cr_assert(cut && best.s[0].segment > 0, "the quickest is in segments");
    double quickest = best.s[0].completion;
    best_free(&best);
    cr_assert(best_schedule(&p, 0, 1 << 20, NULL, SIZE_MAX, &s, why, sizeof why));
    cr_assert_eq(s.completion, quickest);
    cr_assert_float_eq(best_predict(&p, 1 << 20, &s).value, quickest, 1e-3 * quickest);
    cr_assert_eq(strncmp(s.name, "grid (", 6), 0, "%s", s.name);
    cr_assert_eq(strncmp(best_builder(&s, &length), s.name + 6, (size_t)length), 0);
    schedule_free(&s);
    cr_assert(best_schedule(&p, 0, 64, bcast_find("flat"), 0, &s, why, sizeof why));
    cr_assert_str_eq(s.name, "flat");
    struct estimate sure = best_predict(&p, 64, &s);
    cr_assert(sure.value == s.completion && isnan(sure.low));
    for (int k = 0; k < 16; k++)
        p.size[0].doubt[k] = 1e-5;
    struct estimate e = best_predict(&p, 64, &s);
    cr_assert(e.low < e.value && e.value < e.high, "%g %g %g", e.low, e.value, e.high);
    schedule_free(&s);
    pairs_free(&p);
    p = made_up(20);
    cr_assert_not(best_schedule(&p, 0, 64, bcast_find("exhaustive"), 0, &s, why, sizeof why));
    cr_assert_str_eq(why, "no schedule: the algorithm does not fit 20 ranks");
    pairs_free(&p);
}

/* Two pairs of host 0 are three times as slow as others of their kind; of its other two pairs each
 * is the only one of its kind, which says nothing. Two pairs are named then, and not the host. */
Test(pairs, two_pairs_are_no_host)
{
    struct pairs p;
    size_t n;
    cr_assert(pairs_new(&p, 5) && pairs_need_relation(&p));
    struct pairs_size *s = pairs_add_size(&p, 64, 10, false);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int low = i < j ? i : j, high = i < j ? j : i;
            p.relation[i * 5 + j] = low == 0 && high < 3 ? high : 4;
            s->min[i * 5 + j] = s->median[i * 5 + j] = low == 0 && high > 2 ? 30e-6 : 10e-6;
        }
    for (int i = 0; i < 5; i++)
        pairs_set_host(&p, i, (const char *[]){"a", "b", "c", "d", "e"}[i]);
    struct suspect *found = pairs_suspects(&p, 2, &n);
    cr_assert_eq(n, 2);
    for (size_t i = 0; i < n; i++) {
        cr_assert(found[i].kind == SUSPECT_PAIR && found[i].a == 0);
        cr_assert_float_eq(found[i].factor, 3, 1e-9);
    }
    free(found);
    pairs_free(&p);
}
