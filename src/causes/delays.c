#include "causes/delays.h"

#include <math.h>

/* How much longer delay D is than as many executions take on average in the other history, ns. */
static double weight_of(const struct delay_balance *b, const struct history_difference *d)
{
    return b->less > 0 ? fmax(0, d->ns - fmax(0, d->count) * b->squares / b->less) : d->ns;
}

/* The share of LESS to subtract from MORE: that of as many executions as MORE has. The rest of LESS
 * may match other delays by the next rule; the last rule subtracts all of LESS. */
static double matched_share(const struct delay_balance *b, enum matching m)
{
    if (m + 1 == MATCHINGS || !(b->less_count > b->more_count))
        return 1;
    return b->more_count / b->less_count;
}

/* The part of delay D that remains if LEFT ns of its group's delays remain, ns. D's excess over the
 * mean, weight_of(), is subtracted last, so that slow executions are charged rather than all. */
static double left_of(const struct delay_balance *b, const struct history_difference *d,
                      double left)
{
    const double weight = weight_of(b, d);
    if (left <= b->weights)
        return left * weight / b->weights;
    return weight + (left - b->weights) * (d->ns - weight) / (b->more - b->weights);
}

static void set_off_one(const struct delay_balance *b, struct history_difference *d,
                        enum matching m)
{
    const double share = matched_share(b, m), left = b->more - share * b->less;
    if (d->ns > 0) {
        d->ns = left > 0 ? left_of(b, d, left) : 0;
        d->count *= b->more_count > b->less_count ? 1 - b->less_count / b->more_count : 0;
    } else {
        d->ns *= left > 0 ? 1 - share : 1 - b->more / b->less;
        d->count *= 1 - share;
    }
}

/* Applies rule M: in each group, cancels negative differences against positive ones. */
static void set_off(struct history_differences *delays, enum matching m,
                    const struct delay_groups *groups, struct delay_balance *balance)
{
    struct history_difference *d, *end = delays->at + delays->n;
    for (d = delays->at; d < end; d++) {
        struct delay_balance *b = &balance[groups[d->key].piece[m]];
        *(d->ns > 0 ? &b->more : &b->less) += fabs(d->ns);
        if (d->ns > 0)
            b->more_count += fmax(0, d->count);
        else
            b->less_count += fmax(0, -d->count);
        if (d->ns < 0 && d->count < 0)
            b->squares += d->ns / d->count * -d->ns;
    }
    for (d = delays->at; d < end; d++) {
        struct delay_balance *b = &balance[groups[d->key].piece[m]];
        if (d->ns > 0)
            b->weights += weight_of(b, d);
    }
    for (d = delays->at; d < end; d++) {
        const struct delay_balance *b = &balance[groups[d->key].piece[m]];
        if (b->more > 0 && b->less > 0)
            set_off_one(b, d, m);
    }
    for (d = delays->at; d < end; d++)
        balance[groups[d->key].piece[m]] = (struct delay_balance){0};
}

void delays_match(struct history_differences *d, const struct delay_groups *groups,
                  struct delay_balance *balance)
{
    for (enum matching m = 0; m < MATCHINGS; m++)
        set_off(d, m, groups, balance);
}
