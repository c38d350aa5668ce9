/* The places of several runs, and what each run has of them. Inside of src/compare. */
#ifndef COLLPROF_COMPARE_PLACES_H
#define COLLPROF_COMPARE_PLACES_H

#include "profile/profile.h"
#include "report/rows.h"

/* A value in one run, and the middle 80 % of what it is made of, as such values; NAN: not known. */
struct ranged {
    double value, low, high;
    double median, p99; /* ns of one call, where the value is the time of many; else 0 */
};

/* One operation at one call site, the same in all runs. */
struct place {
    char *operation, *exact, *functions, *label;
    uint64_t order;                     /* of its address */
    bool in[2];                         /* a run of A, of B */
    bool gone;                          /* was found to be another one */
    const struct profile_entry **entry; /* [run] its row; NULL: not there */
    struct ranged *time;                /* [run] ns a rank */
    double *wait;            /* [run] share of it that was waiting for the last; NAN: not known */
    double *calls;           /* [run] of a rank */
    struct ranged **outside; /* [run][rank] each time; NULL: no collective, or not known */
    double **waited;         /* [run][rank] ns a rank, for messages of that one; NULL: none seen */
};

struct places {
    struct profile *const *run; /* the caller's */
    struct rows *rows;          /* [run] by call site */
    size_t runs, n_before;      /* those of A */
    size_t ranks;               /* most of all runs */
    ARRAY(struct place *) list;
    void *by_exact;
};

struct places *places_find(struct profile *const *run, size_t n, size_t m);
void places_free(struct places *s);

#endif
