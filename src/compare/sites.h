/* Steps of compare_document(): the call sites of several runs with the times of each run, and the
 * findings of gains.c. Private to src/compare. */
#pragma once

#include "base/array.h"
#include "document/document.h"
#include "profile/profile.h"

/* The times of one run in calls from one call site. */
struct site_run {
    double time; /* time of a rank in these calls, mean over ranks, ns */
    double wait; /* share of TIME spent waiting for the last rank to enter; NaN: unknown */
};

/* Calls of one size class and, if collective, on communicators of one size. */
struct site_part {
    uint32_t size_class, ranks; /* RANKS: of the communicator; 0: no collective */
    /* [0]: means over runs and ranks of A; [1]: of B. */
    double bytes[2], calls[2], time[2]; /* TIME in ns */
};

/* One operation at one call site, identified across runs. Line numbers change when a program is
 * edited, so the key is the functions on the call path and, among several calls in the same
 * functions, the order of their addresses. */
struct compared_site {
    char *key, *operation, *label;
    struct site_run *run;
    ARRAY(struct site_part) parts;
};

struct compared_sites {
    size_t before, runs;
    ARRAY(struct compared_site *) list;
};

/* The call sites of N profiles RUN, of which the first BEFORE are of A. The profiles may be freed
 * afterwards. Release by sites_free(). */
struct compared_sites *sites_find(struct profile *const *run, size_t before, size_t n);
void sites_free(struct compared_sites *s);

/* Writes which calls of OPERATION are meant, " of 4 KiB on 8 ranks (MPI_COMM_WORLD)". RANKS: of a
 * collective's communicator, otherwise 0. P: a run with these calls. Returns TEXT. */
enum { SITE_PART_TEXT = 160 };
const char *call_text(const struct profile *p, const char *operation, double bytes, uint32_t ranks,
                      char text[SITE_PART_TEXT]);
/* Writes, in the form of call_text(), the part of S whose time changes most. */
const char *site_part_text(const struct compared_site *s, const struct profile *p,
                           char text[SITE_PART_TEXT]);
/* Writes how the part of site_part_text() changed: its share of NS, the time by which all calls of
 * S take longer in B, " by 110 us a call"; or its number of calls, " in 10 -> 20 calls a rank". */
const char *site_calls_text(const struct compared_site *s, double ns, char text[SITE_PART_TEXT]);

/* Adds the table "gains" to D, savings that tuning predicted and savings measured, and a finding.
 * The runs A used the library's own choice, the runs B the rules of R->tuned. Marks rules as
 * refuted that did not make the application significantly faster, or all rules if the runs B are
 * significantly SLOWER as a whole; none with fewer than 4+4 runs. */
struct compare_request;
void gains_add(struct document *d, const struct compare_request *r, bool slower);

/* Adds a finding for each operation, number of ranks and size for which all runs A show one
 * algorithm and all runs B another one (--trace=transport). */
void algorithms_add(struct document *d, const struct compare_request *r);

/* Adds a finding if the runs B have another MPI library, or other hosts, ranks or variables. */
void setup_add(struct document *d, const struct compare_request *r);
