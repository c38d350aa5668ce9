/* The call sites of several runs, and what each run has of them. Inside of src/compare. */
#ifndef COLLPROF_COMPARE_SITES_H
#define COLLPROF_COMPARE_SITES_H

#include "base/array.h"
#include "profile/profile.h"

/* One operation called from one place, the same in all runs: lines move when a program is edited,
 * so that a site is known by the functions on its call path and, of several calls in the same
 * functions, by the order of their addresses. */
struct compared_site {
    char *key, *operation, *label;
    double *time;     /* [run] ns a rank */
    double *wait;     /* [run] share of it that was waiting for the last to enter; NaN: unknown */
    double *calls;    /* [run] of a rank */
    double **outside; /* [run][rank] median time outside of MPI before each call, ns; NULL: unknown,
                         or no collective */
};

struct compared_sites {
    size_t runs;
    size_t ranks; /* most of all runs */
    ARRAY(struct compared_site *) list;
    struct lookup by_key;
};

/* RUN: N profiles, which are needed no longer. For sites_free(). */
struct compared_sites *sites_find(struct profile *const *run, size_t n);
void sites_free(struct compared_sites *s);

#endif
