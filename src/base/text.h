#ifndef COLLPROF_BASE_TEXT_H
#define COLLPROF_BASE_TEXT_H

#include <stddef.h>
#include <string.h>

/* Copies what fits of FROM into TO, which has SIZE bytes, and ends it. */
static inline void text_copy(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

#endif
