/* The findings of a run. The screen, the full report, the page, JSON and the tests use the same
 * ones. To add one: a function in one of the files findings*.c and doubts.c, and its line in the
 * list at the end of findings.c. */
#ifndef COLLPROF_REPORT_FINDINGS_H
#define COLLPROF_REPORT_FINDINGS_H

#include "report/imbalance.h"

/* Adds all findings of V to D. DIRECTORY: that of the run, for advice; NULL if unknown. */
void findings_add(struct document *d, const struct view *v, const char *directory);

/* "MPI_Recv at x.c:12 main": a call with its call site, if known. Without an operation
 * (PROFILE_NONE) TEXT remains as it is. */
enum { CALL_LABEL = 600 };
void call_label(const struct view *v, uint32_t operation, uint32_t site, char text[CALL_LABEL]);

/* --- for the files that find them --- */

struct finding_context {
    struct document *d;
    const struct view *v;
    const char *directory; /* NULL if unknown */
    double run;            /* seconds */
    double ranks;
    bool little;   /* MPI takes too little time to matter */
    bool doubtful; /* a cost that would matter may have other reasons: see noise_doubt() */
    bool traced;   /* the run has a trace */
    struct imbalances imbalances;
};

/* Whether COST seconds per rank, at least LOW (NaN without an interval), matter without DOUBT. */
bool finding_matters(struct finding_context *c, double cost, double low, double doubt);

/* A finding that costs COST seconds per rank, at least LOW (NaN if unknown). */
struct finding finding_of_cost(const struct finding_context *c, const char *key, double cost,
                               double low);

/* "WHY: mpiexec -n RANKS collprof run OPTIONS PROGRAM ARGUMENTS", just "PROGRAM" if several were
 * run. Returns TEXT. */
enum { RUN_AGAIN = 7000 };
const char *run_again(const struct finding_context *c, const char *why, const char *options,
                      char text[RUN_AGAIN]);

/* Finds what the ranks that are SLOW (by index in p->ranks) execute longer than the others. Only in
 * the segment BETWEEN, if that is not NULL. TEXT becomes a sentence, or "" if no function explains
 * a third of EXCESS seconds per rank beyond chance, or some rank could not be sampled. */
enum { SAMPLED_TEXT = 2600 };
void sampled_excess(const struct view *v, const bool *slow, const struct root_cause *between,
                    double excess, char text[SAMPLED_TEXT]);

/* What ranks wait for: first from a trace, then from imbalance, then the rest of the waiting in
 * collectives. Each excludes what the earlier ones explain. */
void find_waits(struct finding_context *c);
void find_imbalances(struct finding_context *c);
void find_late_arrivals(struct finding_context *c);

/* Ranks that did not end well. */
void find_ends(struct finding_context *c);

/* Why figures are incomplete or less certain than they appear. */
void find_doubts(struct finding_context *c);

#endif
