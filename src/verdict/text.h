/* A verdict as text and JSON: one sentence, groups of ranks, and what is unknown. */
#pragma once

#include "profile/profile.h"
#include "verdict/judge.h"

#include <stdio.h>

enum { VERDICT_TEXT = 1000 };

/* Appends "rank 2 in MPI_Bcast number 5 of MPI_COMM_WORLD with root 1, 8 B, at x.c:12 main, but
 * rank 3 in ..." to TEXT. Indices of A and B (or NULL) are into NAMES. A receive without an
 * operation is shown by its datatype: "rank 3 received 8-byte reals". */
void verdict_text_pair(char text[VERDICT_TEXT], const struct profile *names,
                       const struct awaited *a, const struct awaited *b);

/* The finding "verdict": {"kind", "proven", "text", "ranks" at fault, "groups" of ranks in the same
 * call: [{"ranks", "at_fault", "text"}], "notes", "next": where to look}. A new reference. */
json_t *verdict_json(const struct situation *s, const struct verdict *v);

/* The verdict on S as JSON: S->kept, otherwise verdict_of(S). Returns a new reference. */
json_t *verdict_json_of(const struct situation *s);

/* Writes VALUE, a verdict as JSON, to OUT in lines of WIDTH characters. The sentence follows MARK,
 * each group the value of its JSON member "mark". If MARK is "", "next" is left out. */
void verdict_write(const json_t *value, FILE *out, const char *mark, size_t width);

/* Adds findings "verdict" {"kind", "text", "ranks"} to P, a completed run whose call sites have
 * names. "mismatch": each call site of a collective whose members did not agree on operation, root,
 * number of bytes, datatype or reduction. Where all calls were recorded, also "missing": a member
 * called fewer collectives than another; "unmatched": messages that were never received and
 * requests that were never completed; "mismatch": messages received with another datatype. */
void verdict_of_ended(struct profile *p);
