/* Returns CALL's error code from the function unless it succeeded. For functions that return MPI
 * error codes (MPI_SUCCESS is 0) and have nothing to release. */
#pragma once

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_error = (call);                                                                    \
        if (__builtin_expect(try_error != 0, 0))                                                   \
            return try_error;                                                                      \
    } while (0)
