/* The log of collective instances: bounded, and thinned out by the same rule everywhere. */
#ifndef COLLPROF_RECORD_INSTANCES_H
#define COLLPROF_RECORD_INSTANCES_H

#include "record/layer.h"

/* Keeps the instance if its sequence number is one that is kept. When the log is full, the number
 * of those is halved: since the rule looks at nothing but the sequence number, what all ranks
 * have kept in the end still matches. */
void instance_add(const struct ledger_instance *instance);

#endif
