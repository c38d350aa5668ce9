/* The log of collective instances: of limited size, thinned by the same rule on all ranks. */
#ifndef COLLPROF_RECORD_INSTANCES_H
#define COLLPROF_RECORD_INSTANCES_H

#include "record/layer.h"

/* Logs the instance if the sampling rule keeps it. When the log is full, the sample is halved.
 * ledger_is_sampled() uses only data that ranks share, so the remaining instances match on all
 * ranks. */
void instance_add(const struct ledger_instance *i);

#endif
