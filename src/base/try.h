/* For functions that return as soon as something fails. */
#pragma once

#include "base/memory.h"

/* Returns CALL's error code from the function unless it succeeded (MPI_SUCCESS is 0). What the
 * function has to release is declared FREED. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_error = (call);                                                                    \
        if (__builtin_expect(try_error != 0, 0))                                                   \
            return try_error;                                                                      \
    } while (0)
