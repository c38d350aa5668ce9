/* What collbench-scenario measures, as a document. */
#ifndef COLLPROF_BENCH_SCENARIO_RESULTS_H
#define COLLPROF_BENCH_SCENARIO_RESULTS_H

#include "document/document.h"
#include "measure/scenario/scenario.h"

struct scenario_row {
    const struct scenario *scenario;
    struct scenario_point point;
    struct scenario_sweep sweeps; /* of SCENARIO */
    int ranks;
    double alone; /* median T_sc of the same without computation, seconds; NaN: none */
    struct scenario_result result;
};

/* What may vary, and so be a picture's x axis: the first that does is. */
enum scenario_axis { AXIS_RANKS, AXIS_SIZE, AXIS_DELAY, AXIS_COMP, N_AXES };
enum { SCENARIO_FINDINGS = 6 };

struct scenario_results {
    bool varies[N_AXES]; /* given by the program */
    struct document *document;
    struct table *table;
    size_t rows, found[SCENARIO_FINDINGS]; /* rows with each of the findings */
    double bound;                          /* largest of all rows, seconds */
};

/* R has VARIES only. D gets the table, then rows, and at the end findings and pictures. */
void scenario_results_begin(struct scenario_results *r, struct document *d);
void scenario_results_add(struct scenario_results *r, const struct scenario_row *row);
void scenario_results_end(struct scenario_results *r);

#endif
