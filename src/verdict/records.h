/* What the records of a run say about the calls that are open, as a table to be judged. Records of
 * processes that live are read as they are at that moment, without their help. */
#ifndef COLLPROF_VERDICT_RECORDS_H
#define COLLPROF_VERDICT_RECORDS_H

#include "verdict/judge.h"
#include "verdict/reading.h"

/* Unless there is a reason for another time: a call that is open for so long (s) is judged. */
#define VERDICT_SETTLED 1.0

/* The records in DIRECTORY of the run that started last. SETTLED: as in struct situation. Of a run
 * that lives it takes a moment: what has changed meanwhile may go on. NULL with a reason_give() if
 * there are no records that can be read. For evidence_free(). */
struct evidence *evidence_now(const char *directory, double settled);
void evidence_free(struct evidence *e);

#endif
