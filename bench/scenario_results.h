/* What collbench-scenario has measured, as a document. */
#ifndef COLLPROF_BENCH_SCENARIO_RESULTS_H
#define COLLPROF_BENCH_SCENARIO_RESULTS_H

#include "base/array.h"
#include "document/document.h"
#include "measure/scenario/scenario.h"

struct scenario_row {
    const struct scenario *scenario;
    struct scenario_point point;
    struct scenario_sweep sweeps; /* of SCENARIO */
    int ranks;
    size_t value; /* of the --cvar that takes several */
    double alone; /* median T_sc of the same without computation, seconds; NaN: none */
    struct scenario_result result;
};

struct scenario_results {
    ARRAY(struct scenario_row) row;
};
void scenario_results_free(struct scenario_results *r);

/* Adds the table, findings, pictures and raw samples. */
void scenario_results_document(const struct scenario_results *r, struct document *d);

#endif
