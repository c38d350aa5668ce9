/* What collbench-scenario says of its measurements: tables, notes and a picture. */
#ifndef COLLPROF_BENCH_SCENARIO_RESULTS_H
#define COLLPROF_BENCH_SCENARIO_RESULTS_H

#include "document/document.h"
#include "measure/scenario/scenario.h"

#include <stdbool.h>
#include <stddef.h>

enum against { AGAINST_RANKS, AGAINST_SIZE, AGAINST_DELAY, AGAINST_COMP, N_AGAINST };
extern const char *const against_names[N_AGAINST + 1]; /* "ranks", ..., NULL */

/* One measured point. */
struct scenario_row {
    const struct scenario *scenario;
    struct scenario_point point;
    bool sweeps_operation;
    size_t value; /* of the --cvar that takes several */
    int ranks;
    struct scenario_result result;
    double alone; /* median T_sc of the same without the sweep's computation; NaN if unknown */
};

struct scenario_results {
    struct scenario_row *at; /* by PUSH(), which takes over the result */
    size_t n, room;
};

void scenario_results_free(struct scenario_results *r);

/* A table per scenario and operation, in the paper's columns and ours, notes, raw samples. */
void scenario_results_tell(const struct scenario_results *r, struct document *d);

/* Draws median T_sc against what was chosen; AGAINST < 0: the first that varies. */
bool scenario_results_plot(const struct scenario_results *r, const char *path, int against);

#endif
