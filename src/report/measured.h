/* Measurements made in the run (src/inject): acknowledged broadcasts, benchmarks, replaced
 * broadcasts. */
#ifndef COLLPROF_REPORT_MEASURED_H
#define COLLPROF_REPORT_MEASURED_H

#include "document/document.h"
#include "profile/profile.h"

/* Gives the communicators of measurements the names that tables use, and marks measurements that
 * were made at the same time as others: once, when all ranks' are there and call sites have names.
 */
void measured_name(struct profile *p);

/* Adds a table for each kind of measurement to D, and a note for each that could not be made. */
void measured_tables(struct document *d, const struct profile *p);

#endif
