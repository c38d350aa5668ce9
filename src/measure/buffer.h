/* Memory for messages that are timed. */
#ifndef COLLPROF_MEASURE_BUFFER_H
#define COLLPROF_MEASURE_BUFFER_H

#include <stddef.h>

/* BYTES to be freed, written already: pages that no process has written are one page of zeros,
 * which comes from the nearest cache, in half the time of 4 MiB of one's own. NULL: no memory. */
void *buffer_new(size_t bytes);

/* A store to every cache line takes it away from all other caches; what it holds stays. */
void buffer_write_anew(void *buffer, size_t bytes);

#endif
