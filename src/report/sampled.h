/* What --sample shows: the functions that ranks execute between MPI calls. */
#ifndef COLLPROF_REPORT_SAMPLED_H
#define COLLPROF_REPORT_SAMPLED_H

#include "report/tables.h"

/* One function in one segment on one rank. Frames are NULL if unknown. */
struct sampled_function {
    const struct profile_sample *in;    /* names rank and segment */
    const struct profile_frame *called; /* what the code between the two MPI calls has called */
    const struct profile_frame *frame;  /* the innermost one below with debugging information, in
                                           the line of its most frequent stack */
    double ns;
};

struct sampled {
    struct sampled_function *at; /* by function called, segment and rank; released by free() */
    size_t n;
};
struct sampled sampled_functions(const struct profile *p);

/* Finds what the ranks that are SLOW (by index in p->ranks) execute longer than the others. Only in
 * the segment BETWEEN, if that is not NULL. TEXT becomes a sentence, or "" if no function explains
 * a third of EXCESS seconds per rank beyond chance, or some rank could not be sampled. */
enum { SAMPLED_TEXT = 2600 };
void sampled_excess(const struct view *v, const bool *slow, const struct root_cause *between,
                    double excess, char text[SAMPLED_TEXT]);

#endif
