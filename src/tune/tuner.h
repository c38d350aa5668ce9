/* Which of the library's algorithms is the fastest for one signature.
 *
 * All candidates are measured in turn, a block of operations each, so that noise affects all
 * alike; a candidate's figure is the median of its blocks' times in relation to that of the
 * library's choice in the same round, with the interval of this median. A candidate
 * whose interval lies above that of another is dropped, after the third round one that is far
 * slower, so that the budget goes to those that may be the best. The library's choice remains
 * unless a candidate's interval lies below 1. */
#pragma once

#include "measure/latency/latency.h"
#include "tune/library.h"

struct tuning {
    const struct tuning_library *library; /* with its candidates for OPERATION */
    const struct tuned_operation *operation;
    size_t bytes;
    /* The operation and the delay of each rank's entry (AFTER), on a communicator of the caller's;
     * its plan is not used. */
    struct latency_case c;
    /* The variables of the case's operation that name its communicator, and the function that makes
     * it instead of the library's; RUN: NULL if it has none. */
    MPI_Comm *comm;
    collective_run **run;
    /* The variable that names the tree of a broadcast, so that collprof's are candidates. NULL on
     * all ranks: they are not, for example because the data are not contiguous. */
    const struct bcast **tree;
    double budget; /* seconds for all candidates together */
};

/* Sets OUT to T's signature with all candidates, without times. Local. */
void tuner_list(const struct tuning *t, int ranks, struct tuned *out);

/* Collective over the case's communicator. Nothing is measured if the library has no candidate
 * besides its own choice, or not the same ones on all ranks: then OUT->n is 1. OUT is complete on
 * rank 0 and has no times elsewhere. Returns an MPI error code. Afterwards the case uses its own
 * communicator. */
int tuner_measure(const struct tuning *t, struct tuned *out);

/* Judges N rounds, a time for each candidate (NaN: none) in TIME[round * ALGORITHMS_MAX + k]: fills
 * TIME, RATIO and BEST of OUT, and clears ALIVE[k] of candidates that are certainly slower than
 * another. Returns whether another round may change the choice by 2 % of the time of the library's
 * choice. */
bool tuner_judge(const double *time, int n, bool *alive, struct tuned *out);
