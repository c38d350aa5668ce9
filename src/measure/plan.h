/* How often a measurement is repeated, and when it stops. The caller gives a plan; series.h follows
 * it. */
#pragma once

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum stop_rule {
    STOP_CI,    /* 95 % interval of the median within 2 % of it or 5 ns, or the budget is spent */
    STOP_PAPER, /* de Supinski and Karonis, section 3: 8 to 30 means of M operations; sd < 3 % of
                   their mean, otherwise the attempt is rejected and repeated */
    STOP_FIXED  /* exactly repeats_min times M operations */
};

struct plan {
    int repetitions; /* M: operations in one batch; paper: 100 */
    enum stop_rule stop;
    int repeats_min, repeats_max; /* batches; paper: 8 and 30 */
    double budget;                /* seconds; 0: no limit. A series that exceeds it ends */
    double
        budget_most; /* seconds, BUDGET or more, for a series without an interval; 0: as BUDGET */
    double until;    /* clock_now() of each rank after which no batch begins, even if a figure is
                        missing, because an application waits; 0: never */
    int warmup;      /* operations before the first sample */
};

/* Defaults: M = 100, STOP_CI, 1 to 30 batches, 10 s, 5 operations of warm-up. */
struct plan plan_default(void);

/* Names of enum stop_rule, ending with NULL. */
extern const char *const plan_stop_names[];

/* clock_now() for budgets. In a simulator it adds an estimate of the real processor time that
 * simulated messages cost. */
double budget_now(void);
/* Counts N messages among RANKS towards budget_now(). */
void budget_messages(int n, int ranks);
void budget_barrier(int ranks);

struct samples {
    double *value; /* every raw sample, in the order taken, seconds */
    size_t n, room;
};

/* With fewer independent samples the median has no 95 % interval. */
enum { SAMPLES_FOR_INTERVAL = 6 };

void samples_add(struct samples *s, double value);
void samples_free(struct samples *s);
struct summary samples_summary(const struct samples *s);
