/* Between operation.c and operation_data.c. */
#ifndef COLLPROF_MEASURE_COLLECTIVE_OPERATION_INNER_H
#define COLLPROF_MEASURE_COLLECTIVE_OPERATION_INNER_H

#include "measure/collective/operation.h"

/* The call's op, from its data; false if MPI has none. */
bool operation_take_op(struct operation_call *c);

/* Where byte K of the data lies. */
size_t operation_laid(const struct operation_call *c, size_t k);

/* Bytes of what lies at one address and is compared: a byte, or a number. */
size_t operation_width(const struct operation_call *c);

/* X as the K-th of these. Small whole numbers: sums of them are exact, in whatever order. */
void operation_put(const struct operation_call *c, unsigned char *buffer, size_t k,
                   unsigned char x);

/* Seconds a byte that a user's operation takes from now on; returns what it was. */
double operation_set_cost(double cost);

#endif
