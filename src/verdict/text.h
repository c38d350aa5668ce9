/* A verdict as text: one sentence, the ranks in groups, and what is unknown. */
#pragma once

#include "profile/profile.h"
#include "verdict/judge.h"

#include <stdio.h>

enum { VERDICT_TEXT = 1000 };

/* Appends "rank 2 in MPI_Bcast number 5 of MPI_COMM_WORLD with root 1, 8 B, at x.c:12 main, but
 * rank 3 in ...". A and B (or NULL) have indices into the operations, call sites and communicators
 * of NAMES; one without an operation is a receive with its datatype: "rank 3 received ...". */
void verdict_text_pair(char text[VERDICT_TEXT], const struct profile *names,
                       const struct awaited *a, const struct awaited *b);

/* The value of a finding of kind "verdict": {"kind", "proven", "text", "ranks" at fault, "groups"
 * of ranks in the same call: [{"ranks", "at_fault", "text"}], "notes"}. A new reference. */
json_t *verdict_json(const struct situation *s, const struct verdict *v);

/* The verdict kept in S (for which the watchdog ended the run), otherwise verdict_of(S), as JSON. A
 * new reference. */
json_t *verdict_json_of(const struct situation *s);

/* Writes VALUE to OUT in lines of WIDTH, the sentence after MARK. A group that has a "mark" is
 * written after it. */
void verdict_write(const json_t *value, FILE *out, const char *mark, size_t width);

/* Adds findings of kind "verdict" {"kind", "text", "ranks"} to P, which has its call sites' names
 * and what all ranks have recorded. "mismatch": each call site of a collective whose members
 * did not agree on the operation, root, number of bytes, datatype or reduction. Where all calls
 * were seen, also "missing": a member has called fewer collectives than another; "unmatched":
 * messages that were never received, and requests that were never completed; and "mismatch" also:
 * messages received with another datatype. */
void verdict_of_ended(struct profile *p);
