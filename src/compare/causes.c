/* What comes from what: causes before their effects, ranks that do the same together. */
#include "base/array.h"
#include "base/stats.h"
#include "compare/differences_inner.h"
#include "compare/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Waiting, and calls that may wait, come after what nobody else can have caused. */
static int tier(const struct difference *x)
{
    if (x->kind == DIFFERENCE_WALL)
        return 0;
    if (x->certainty == CERTAINTY_NONE || x->joined)
        return x->joined ? 4 : 5;
    if (x->kind == DIFFERENCE_OUTSIDE || x->kind == DIFFERENCE_COMPUTING)
        return 1;
    return x->kind == DIFFERENCE_OWN ? 2 : 3;
}

static int causes_first(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    double change = fabs(x->change), other = fabs(y->change);
    return ORDER(tier(x), tier(y)) ?: ORDER(other, change) ?: ORDER(x->rank, y->rank);
}

/* Ranks that do the same at one place are one cause. */
static void join_ranks(struct differences *d, struct difference *first)
{
    int32_t *rank = memory_alloc((d->list.n + 1) * sizeof *rank);
    size_t n = 0;
    for (struct difference *x = first; x < d->list.at + d->list.n; x++) {
        if (x->kind != first->kind || x->at != first->at || x->certainty == CERTAINTY_NONE ||
            !same_sign(x, first) || x->joined)
            continue;
        rank[n++] = x->rank;
        x->joined = x != first;
    }
    rank_list(first->ranks, sizeof first->ranks, rank, n);
    free(rank);
}

static bool is_cause(const struct difference *x)
{
    return x->kind == DIFFERENCE_OUTSIDE && x->certainty != CERTAINTY_NONE;
}

/* What a rank computes more in all is said already if it is known before which collective. */
static void leave_out_computing(struct differences *d)
{
    for (size_t i = 0; i < d->list.n; i++)
        for (size_t k = 0; k < d->list.n; k++) {
            struct difference *x = &d->list.at[i];
            const struct difference *y = &d->list.at[k];
            if (x->kind == DIFFERENCE_COMPUTING && x->certainty != CERTAINTY_NONE && is_cause(y) &&
                y->rank == x->rank && same_sign(x, y))
                x->joined = true;
        }
}

/* How much more is waited at AT for messages of RANK: the medians of the traced runs. */
static double waited_more(const struct differences *d, const struct place *at, int32_t rank)
{
    size_t n = d->runs[0], all = n + d->runs[1];
    double *value = memory_alloc((all + 1) * sizeof *value);
    for (size_t run = 0; run < all; run++)
        value[run] = at->waited[run] ? at->waited[run][rank] : 0;
    double more = stats_median(value + n, all - n) - stats_median(value, n);
    free(value);
    return more;
}

/* X for Y's rank: the collective that Y comes later to, or half of X and more is waiting for its
 * messages, as traces say. */
static bool waits_for(const struct differences *d, const struct difference *x,
                      const struct difference *y)
{
    const struct places *places = d->memory;
    if (is_cause(y))
        return y->at == x->at;
    if (y->kind != DIFFERENCE_COMPUTING || y->certainty == CERTAINTY_NONE || y->rank < 0)
        return false;
    double more = waited_more(d, places->list.at[x->at], y->rank) / x->change;
    return more >= 0.5;
}

/* Waiting, or time in calls, for the rank that came later by its own doing. */
static void find_effects(struct differences *d)
{
    for (size_t i = 0; i < d->list.n; i++) {
        struct difference *x = &d->list.at[i];
        if ((x->kind != DIFFERENCE_WAIT && x->kind != DIFFERENCE_TIME) ||
            x->certainty == CERTAINTY_NONE)
            continue;
        for (size_t k = i; k-- > 0;) {
            const struct difference *y = &d->list.at[k];
            if (!y->joined && same_sign(x, y) && waits_for(d, x, y) &&
                fabs(x->change) <= fabs(y->change) * 1.1)
                x->follows = k + 1;
        }
    }
}

void differences_put_in_order(struct differences *d)
{
    leave_out_computing(d);
    qsort(d->list.at, d->list.n, sizeof *d->list.at, causes_first);
    for (size_t i = 0; i < d->list.n; i++) {
        struct difference *x = &d->list.at[i];
        if (x->rank >= 0 && x->certainty != CERTAINTY_NONE && !x->joined)
            join_ranks(d, x);
        else
            snprintf(x->ranks, sizeof x->ranks, "%d", (int)x->rank);
    }
    find_effects(d);
}
