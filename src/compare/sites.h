/* The call sites of several runs, and what each run has of them. Inside of src/compare. */
#ifndef COLLPROF_COMPARE_SITES_H
#define COLLPROF_COMPARE_SITES_H

#include "base/array.h"
#include "profile/profile.h"

/* What one run has of a call site. */
struct site_run {
    double time; /* ns a rank */
    double wait; /* share of it that was waiting for the last to enter; NaN: unknown */
};

/* One operation called from one call site, the same in all runs: lines move when a program is
 * edited, so that a site is known by the functions on its call path and, of several calls in the
 * same functions, by the order of their addresses. */
struct compared_site {
    char *key, *operation, *label;
    struct site_run *run;
};

struct compared_sites {
    size_t runs;
    ARRAY(struct compared_site *) list;
};

/* RUN: N profiles, which are needed no longer. For sites_free(). */
struct compared_sites *sites_find(struct profile *const *run, size_t n);
void sites_free(struct compared_sites *s);

#endif
