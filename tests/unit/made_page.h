/* The page of a profile that was made in a test. */
#pragma once

#include "made_profile.h"
#include "report/report.h"

/* What report_text() prints of P, until the next call. */
char *text_of(const struct profile *p, const struct report_options *o);

/* One of four ranks, of which each takes longer in MPI_Allreduce than the one before. */
void made_one_of_four(struct ledger *l, int rank);

/* All of them merged, with ten broadcasts whose root 0 comes last. */
struct profile *made_four_ranks(void);
