/* A verdict in words: one sentence, the ranks in groups, and what is unknown. */
#ifndef COLLPROF_VERDICT_TEXT_H
#define COLLPROF_VERDICT_TEXT_H

#include "verdict/records.h"

#include <stdio.h>

enum { VERDICT_TEXT = 1000 };

/* Adds to TEXT "rank 2 in MPI_Bcast number 5 of MPI_COMM_WORLD with root 1, 8 B, at x.c:12 main,
 * but rank 3 in ...". NAMES has the operations, call sites and communicators of A and B (NULL:
 * none) at their positions there. */
void verdict_text_pair(char text[VERDICT_TEXT], const struct profile *names,
                       const struct awaited *a, const struct awaited *b);

/* Adds to TEXT "ranks 0, 2: in MPI_Barrier number 2 of MPI_COMM_WORLD": a GROUP of verdict_json().
 */
void verdict_text_group(char text[VERDICT_TEXT], const json_t *group);

/* The value of a finding of kind "verdict": {"kind", "proven", "text", "ranks" at fault, "groups"
 * of ranks that are in the same call: [{"ranks", "at_fault", "text"}], "notes"}. A new reference.
 */
json_t *verdict_json(const struct evidence *e, const struct verdict *v);

/* The same of verdict_of() its situation. */
json_t *verdict_json_of(const struct evidence *e);

/* Writes VALUE to OUT in lines of WIDTH, the sentence behind MARK. */
void verdict_write(const json_t *value, FILE *out, const char *mark, size_t width);

#endif
