/* Memory for messages that are timed. */
#ifndef COLLPROF_MEASURE_BUFFER_H
#define COLLPROF_MEASURE_BUFFER_H

#include <stddef.h>

/* Allocates BYTES, to be released by free(); NULL if there is no memory. All pages are written:
 * until then they all map to one page of zeros, which the nearest cache serves in half the time of
 * 4 MiB of real memory. */
void *buffer_new(size_t bytes);

/* Writes to every cache line, so that no other cache holds it any more; keeps the content. */
void buffer_write_anew(void *buffer, size_t bytes);

#endif
