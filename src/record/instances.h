/* The log of collective instances: bounded, and thinned out by the same rule everywhere. */
#ifndef COLLPROF_RECORD_INSTANCES_H
#define COLLPROF_RECORD_INSTANCES_H

#include "record/layer.h"

/* Keeps the instance if it is one that is kept. When the log is full, the number of those is
 * halved: since ledger_is_sampled() uses only what ranks have in common, what all of
 * them have kept in the end still matches. */
void instance_add(const struct ledger_instance *i);

#endif
