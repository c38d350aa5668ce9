/* The algorithms among which the MPI library can choose for an operation, and how one is chosen
 * while the program runs. MPICH reads its control variables in every call, Open MPI 4.1 when a
 * communicator is made. */
#pragma once

#include "measure/collective/operation.h"
#include "tune/rules.h"

struct tuning_library {
    /* Puts the algorithms for messages of BYTES into LIST; returns how many, at most ROOM. */
    int (*list)(const struct tuned_operation *o, size_t bytes, struct algorithm *list, int room);
    /* Makes the library use A for the operation, in calls from now on and on communicators that are
     * made from now on; NULL: its own choice, as it was at first. STRICT: a call for which A is
     * impossible returns an error, if the library can do that, instead of using another algorithm.
     * Local; false if the library refuses. */
    bool (*choose)(const struct tuned_operation *o, const struct algorithm *a, bool strict);
    /* Makes the operation by the algorithm chosen; NULL: the library's own function does. */
    collective_run *run;
    double start_seconds; /* that the first of these calls takes, at most */
};

/* A library of a test's own, in place of the process's. */
const struct tuning_library *tuning_of_test(void) __attribute__((weak));

/* The library that this process uses; NULL if its algorithms cannot be chosen. For Open MPI its
 * parameter coll_tuned_use_dynamic_rules must have been 1 in MPI_Init. */
const struct tuning_library *tuning_library(void);

/* The first line of the library's name and version, without its MPI standard: "MPICH 4.0.2". */
void tuning_library_name(char *name, size_t room);
