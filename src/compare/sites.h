/* The call sites of several runs, with the times of each run. Private to src/compare. */
#pragma once

#include "base/array.h"
#include "profile/profile.h"

/* The times of one run at a call site. */
struct site_run {
    double time; /* ns a rank */
    double wait; /* share of TIME spent waiting for the last rank; NaN: unknown */
};

/* One operation called from one call site, identified across runs: since line numbers change when a
 * program is edited, the key is the functions on the call path and, among several calls in the same
 * functions, the order of their addresses. */
struct compared_site {
    char *key, *operation, *label;
    struct site_run *run;
};

struct compared_sites {
    size_t runs;
    ARRAY(struct compared_site *) list;
};

/* RUN: N profiles, which may be freed afterwards. Release by sites_free(). */
struct compared_sites *sites_find(struct profile *const *run, size_t n);
void sites_free(struct compared_sites *s);
