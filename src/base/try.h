/* A macro for functions that return an error code as soon as a call fails. */
#pragma once

#include "base/memory.h"

/* Returns CALL's error code from the enclosing function unless it is 0 (MPI_SUCCESS). Memory that
 * the function allocated must be declared FREED, or it would leak. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_error = (call);                                                                    \
        if (__builtin_expect(try_error != 0, 0))                                                   \
            return try_error;                                                                      \
    } while (0)
