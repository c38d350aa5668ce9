/* What a profile shows, as values: the screen, the full report, the page, JSON and the tests read
 * the same list. Where to add one: a function in findings.c or findings_waits.c, and its line in
 * the table at the end of findings.c. */
#ifndef COLLPROF_REPORT_FINDINGS_H
#define COLLPROF_REPORT_FINDINGS_H

#include "report/diagnosis.h"

/* DIRECTORY: of the run, for advice; may be NULL. The result is for findings_free(). */
struct diagnoses *findings_of(const struct view *v, const char *directory);
void findings_free(struct diagnoses *d);

/* An array of objects: key, severity, text, cost_seconds, cost_low_seconds, share_percent,
 * operation, call_site, ranks, numbers, advice. */
json_t *findings_json(const struct view *v, const struct diagnoses *d);

#endif
