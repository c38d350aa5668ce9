/* What tuning found, and the files by which an MPI library is made to use it. No MPI. */
#ifndef COLLPROF_TUNE_RULES_H
#define COLLPROF_TUNE_RULES_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A collective operation whose algorithm can be chosen. */
struct tuned_operation {
    const char *mpi_name; /* "MPI_Allreduce" */
    const char *stem;     /* in names of control variables: "allreduce"; MPICH: in capitals */
    int openmpi;          /* its number in Open MPI's rules */
    bool by_ranks;        /* Open MPI's rules count the bytes of all ranks together */
    bool reduces;
};

enum { TUNED_NUMBERS = 16 }; /* all Open MPI's numbers are less */

/* NULL if there is none of that name. */
const struct tuned_operation *tuned_operation_find(const char *mpi_name);

/* A candidate: an algorithm of the library. */
struct algorithm {
    char name[44]; /* the library's */
    int number;    /* value of its control variable; -1: the library's own choice */
    int segment;   /* bytes into which messages are cut; 0: none */
};

/* One signature: an operation among so many ranks, of one size and arrival pattern. */
enum { ALGORITHMS_MAX = 40 };
struct tuned {
    const struct tuned_operation *operation;
    int ranks, n;
    size_t bytes;
    char arrival[12]; /* the benchmark's pattern; empty: as in the application */
    double calls;     /* of the tuned run, by each member; 0: unknown */
    bool refuted;     /* the application did not become faster: there must be no rule */
    struct algorithm candidate[ALGORITHMS_MAX]; /* N of them; the first is the library's choice */
    /* Seconds, and the time in relation to that of the first in the same block; NaN where a
     * candidate was not measured, since it returned an error or wrong data. */
    struct estimate time[ALGORITHMS_MAX], ratio[ALGORITHMS_MAX];
    int best; /* index of the fastest, 0 if none is certainly faster than the library's choice */
};

/* Differences below 2 % are not worth a rule. */
#define TUNED_TIE 0.02

/* The candidate for several signatures T[0 .. N-1] of one operation that can have only one: it is
 * certainly faster in one of them, slower by more than TUNED_TIE in none, saves most in all, and is
 * not refuted.
 * Returns its index among the candidates of T[0]; 0 if there is none. */
int tuned_common(const struct tuned *const *t, size_t n);

/* The candidate of T[I], one of N signatures, that the files for LIBRARY name; 0 if they keep the
 * library's choice. */
int rules_candidate(const char *library, const struct tuned *t, size_t n, size_t i);

/* Writes Open MPI's dynamic rules. A rule is for the ranks and sizes that were measured, and for
 * sizes between two of them where both have the same algorithm; elsewhere the library's choice
 * remains. Returns the number of signatures that get another algorithm. */
size_t rules_openmpi_write(FILE *out, const struct tuned *t, size_t n);

/* Writes MPICH's control variables as lines for a shell. They are for all sizes and communicators,
 * so an operation gets one only by tuned_common(). Returns the number of operations that get one.*/
size_t rules_mpich_write(FILE *out, const struct tuned *t, size_t n);

/* Writes the files for LIBRARY ("Open MPI v4.1.4") into DIRECTORY, which is made if necessary:
 * env.sh, to be read by a shell, and for Open MPI also openmpi.rules. Without a faster algorithm
 * env.sh changes no setting. Returns the number that the functions above return; -1 if writing
 * failed, with the reason (base/reason.h). */
long rules_save(const char *directory, const char *library, const struct tuned *t, size_t n);

/* Makes DIRECTORY if necessary, and tests whether the files can be written there, so that a program
 * can refuse before it measures. Otherwise gives the reason. */
bool rules_possible(const char *directory);

#endif
