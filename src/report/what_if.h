/* Predictions of a run's wall time after a change, as text. */
#ifndef COLLPROF_REPORT_WHAT_IF_H
#define COLLPROF_REPORT_WHAT_IF_H

#include "profile/profile.h"

/* "the run would take 345 ms instead of 495 ms (95 % CI 340 to 352 ms), 30 % less" */
enum { PREDICTION_TEXT = 200 };
const char *prediction_text(const struct profile *p, const struct prediction *x,
                            char text[PREDICTION_TEXT]);

/* Writes the effect of CHANGE ("balance:SITE", "faster:SITE,PERCENT", "no-transfer"). TRACE: from
 * profile_load_trace(). False, with a reason_give(), if CHANGE is invalid or selects nothing, or
 * the trace does not allow predictions. */
bool report_what_if(const struct profile *trace, const char *change, FILE *out);

#endif
