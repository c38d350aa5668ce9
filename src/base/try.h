/* For functions that return as soon as something fails. */
#pragma once

#include <stdlib.h>

/* Returns CALL's error code from the function unless it succeeded (MPI_SUCCESS is 0). What the
 * function has to release is declared FREED. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_error = (call);                                                                    \
        if (__builtin_expect(try_error != 0, 0))                                                   \
            return try_error;                                                                      \
    } while (0)

/* FREED int *p = malloc(n); P is released by free() where its scope ends; S by release(&s) with
 * struct x s RELEASED(release) = {0}. */
#define FREED RELEASED(try_free)
#define RELEASED(function) __attribute__((cleanup(function)))

static inline void try_free(void *pointer)
{
    typedef void *any __attribute__((may_alias));
    free(*(any *)pointer);
}
