#include "measure/buffer.h"

#include <stdlib.h>
#include <string.h>

void *buffer_new(size_t bytes)
{
    void *buffer = malloc(bytes + 1);
    return buffer ? memset(buffer, 1, bytes + 1) : NULL;
}

void buffer_write_anew(void *buffer, size_t bytes)
{
    enum { LINE = 64 };
    volatile char *data = buffer;
    for (size_t i = 0; i < bytes; i += LINE)
        data[i] = data[i];
    if (bytes)
        data[bytes - 1] = data[bytes - 1];
    /* Stores that are still pending would be charged to the timed operation. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
