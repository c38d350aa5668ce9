/* How often a measurement is repeated, and when it is enough.
 *
 * A plan is given by the caller; a tally follows one series of samples and says when to stop.
 * Only one rank keeps the tally; the others learn from it whether to go on. */
#ifndef COLLPROF_MEASURE_PLAN_H
#define COLLPROF_MEASURE_PLAN_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum stop_rule {
    STOP_CI,    /* 95 % interval of the median within 2 % of it or 5 ns, or no budget left */
    STOP_PAPER, /* de Supinski and Karonis, section 3: means of M; 8 to 30 of them; sd < 3 % of
                   their mean, otherwise the whole attempt is thrown away and made again */
    STOP_FIXED  /* exactly repeats_min times M operations */
};

struct plan {
    int repetitions; /* M: operations in one batch; paper: 100 */
    enum stop_rule stop;
    int repeats_min, repeats_max; /* batches; paper: 8 and 30 */
    double budget;                /* seconds; 0: no limit. Later nothing becomes more precise */
    double budget_most; /* seconds, BUDGET or more, for what has no interval yet; 0: as BUDGET */
    double until;       /* clock_now() of each rank after which no batch begins, whatever is then
                           without a figure; 0: never. Applications wait */
    int warmup;         /* operations before the first sample */
};

/* M = 100, STOP_CI, 1 to 30 batches, 10 s, 5 operations of warm-up. */
struct plan plan_default(void);

/* Of each enum stop_rule, ending by NULL. */
extern const char *const plan_stop_names[];

/* clock_now() for budgets: where the clock is a simulator's, what was simulated counts, too, by its
 * messages, since that takes a processor whatever the clock says. */
double budget_now(void);
/* N messages among RANKS are sent. */
void budget_messages(int n, int ranks);
void budget_barrier(int ranks);

struct samples {
    double *value; /* every raw sample, in the order taken, seconds */
    size_t n, room;
};

struct tally {
    const struct plan *plan;
    struct samples samples;     /* one value per operation */
    struct samples batch_means; /* loop time over M, one per batch: the paper's figure */
    long operations;            /* that count, made in this series */
    double started;             /* budget_now() */
    int attempts;               /* STOP_PAPER: attempts made, the accepted one included */
    bool over_budget;           /* stopped by the budget, not by the rule */
};

/* The median of fewer independent samples has no 95 % interval. */
enum { SAMPLES_FOR_INTERVAL = 6 };

void samples_add(struct samples *s, double value);
void samples_free(struct samples *s);

void tally_start(struct tally *t, const struct plan *plan);

/* Whether to run another batch, and how many operations it may have at most. */
bool tally_go_on(struct tally *t);
long tally_operations_left(const struct tally *t);
void tally_free(struct tally *t);

#endif
