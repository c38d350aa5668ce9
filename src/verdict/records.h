/* Reads a run's records into a table of open calls to be judged. Records of living processes are
 * read at that moment, without their cooperation. */
#ifndef COLLPROF_VERDICT_RECORDS_H
#define COLLPROF_VERDICT_RECORDS_H

#include "verdict/judge.h"
#include "verdict/reading.h"

/* Default age in seconds from which an open call is judged. */
#define VERDICT_SETTLED 1.0

/* Reads the records in DIRECTORY of the run that started last. SETTLED: as in struct situation. A
 * living run is read twice, a moment apart: calls that changed meanwhile are considered moving.
 * NULL with a reason_give() if there are no readable records. Release by evidence_free(). */
struct evidence *evidence_now(const char *directory, double settled);
void evidence_free(struct evidence *e);

#endif
