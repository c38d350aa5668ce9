/* Profiles of ranks that were made in a test, and what is asked of texts. */
#pragma once

#include "made_ledger.h"
#include "profile/model.h"
#include "timeline/timeline.h"

/* P with the rank that recorded L, which is closed. P may be NULL: the rank is all there is. */
struct profile *made_merged(struct profile *p, struct ledger *l);

/* The head of a loop over all ranks of SIZE: begins L, the record of RANK, after the one before was
 * merged into P. */
bool made_next(struct profile **p, struct ledger *l, int rank, int size);

/* P as its file has it. */
json_t *written(const struct profile *p);

/* Whether a warning of P contains TEXT. */
bool made_warns(const struct profile *p, const char *text);

/* RANK's call, from ENTRY to EXIT, of the K-th collective of two ranks that need each other. */
struct event made_collective(uint32_t rank, uint32_t k, int64_t entry, int64_t exit);

/* Fail the test and show TEXT. */
void assert_has(const char *text, const char *piece);
void assert_lacks(const char *text, const char *piece);
