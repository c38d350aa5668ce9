/* What tuning found, and the files by which an MPI library is made to use it. No MPI. Memory as in
 * base/memory.h. */
#pragma once

#include "base/array.h"
#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A collective operation whose algorithm can be chosen. */
struct tuned_operation {
    const char *mpi_name; /* "MPI_Allreduce" */
    const char *stem;     /* in names of Open MPI's parameters: "allreduce" */
    const char *mpich;    /* in names of MPICH's control variables: "ALLREDUCE" */
    int openmpi;          /* its number in Open MPI's rules */
    bool by_ranks;        /* Open MPI's rules count the bytes of all ranks together */
    bool reduces;
};

/* NULL if there is none of that name. */
const struct tuned_operation *tuned_operation_find(const char *mpi_name);

/* Begins the names of collprof's broadcasts. */
#define ALGORITHM_OURS "collprof-"

/* A candidate: an algorithm of the library, or a broadcast of collprof ("collprof-chain"), for
 * which the library can have no rule. */
struct algorithm {
    char name[44];
    int number; /* value of its control variable; -1: the library's own choice; below: collprof's */
    int segment; /* bytes into which messages are cut; 0: none */
};
static inline bool algorithm_is_ours(const struct algorithm *a)
{
    return a->number < -1;
}

/* One signature: an operation among RANKS ranks, of one size and arrival pattern. */
enum { ALGORITHMS_MAX = 40 };
struct tuned {
    const struct tuned_operation *operation;
    int ranks, n;
    size_t bytes;
    char arrival[12]; /* the benchmark's pattern; empty: as in the application */
    double calls;     /* of the tuned run, by each member; 0: unknown */
    bool between;     /* interpolated: candidates are the library's choice and its fastest */
    bool refuted;     /* the application did not become faster: there must be no rule */
    struct algorithm candidate[ALGORITHMS_MAX]; /* N of them; the first is the library's choice */
    /* Seconds, and their ratio to those of the first candidate in the same block of measurements.
     * NaN: the candidate was not measured (an error, wrong data, too slow for the budget). */
    struct estimate time[ALGORITHMS_MAX], ratio[ALGORITHMS_MAX];
    int best; /* index of the library's fastest; 0: none is certainly faster than its choice */
};

/* Differences below 2 % are not worth a rule. */
#define TUNED_TIE 0.02

/* All signatures of a tuning. */
struct tuned_set {
    char library[128]; /* name and version: "Open MPI v4.1.4" */
    bool complete;     /* false: the tuning was ended before it had measured everything */
    bool changed;      /* since it was read, by comparing runs */
    ARRAY(struct tuned) list;
};

/* For Open MPI, whose rules have ranges of sizes: adds interpolated signatures between those that a
 * benchmark has measured, at doubled numbers of bytes and further numbers of ranks. */
void tuned_set_interpolate(struct tuned_set *s);

/* Signatures of one operation for which the library can only have one algorithm. */
struct rule {
    struct tuned **of; /* N of them, by ranks and bytes */
    size_t n;
    const struct algorithm *algorithm; /* NULL: the library's choice remains */
};

/* All rules of a set, by operation, ranks and bytes. */
struct rules {
    /* Open MPI: a rule is for a number of ranks and a size class of profiles. Otherwise, for MPICH,
     * it is for an operation as a whole. */
    bool by_size;
    struct tuned **sorted; /* all signatures of the set */
    ARRAY(struct rule) list;
};

/* A rule has the algorithm that is certainly faster in one of its signatures, slower by more than
 * TUNED_TIE in none, and saves most in all. It has none if a signature is refuted. There are no
 * rules for other libraries. S must outlive the result, which is for rules_free(). */
struct rules rules_of(struct tuned_set *s);
void rules_free(struct rules *r);

/* The number of rules with an algorithm. */
size_t rules_count(const struct rules *r);

/* Seconds that a call of T saves with A, with the interval of the ratio that was measured; NaN if
 * unknown. */
struct estimate tuned_saving(const struct tuned *t, const struct algorithm *a);

/* Whether too little was measured to tell that no algorithm is faster than the library's choice. */
bool tuned_open(const struct tuned *t);
#define TUNED_OPEN "unknown: another algorithm may be faster, but too little was measured"

/* Collprof's broadcast that is certainly faster than all of the library's; NULL if none is. */
const struct algorithm *tuned_ours(const struct tuned *t);

/* Writes Open MPI's dynamic rules. A rule is for the sizes from its signatures' least to their
 * largest, and for those up to the next rule if that has the same algorithm; elsewhere the
 * library's choice remains. */
void rules_openmpi_write(FILE *out, const struct rules *r);

/* Writes MPICH's control variables as lines for a shell. */
void rules_mpich_write(FILE *out, const struct rules *r);
