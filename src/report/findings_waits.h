/* Findings about waiting for other ranks. */
#ifndef COLLPROF_REPORT_FINDINGS_WAITS_H
#define COLLPROF_REPORT_FINDINGS_WAITS_H

#include "report/diagnosis.h"

/* In this order: what a trace names; what imbalance shows, which a trace's finding may be; what is
 * left of waiting in collectives; and for requests. */
void find_waits(struct making *m);
void find_imbalance(struct making *m);
void find_late_arrivals(struct making *m);
void find_requests(struct making *m);

#endif
