/* What nearly every file of unit tests needs. */
#pragma once

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What CALL writes to "out"; to be freed. */
#define WRITTEN(call)                                                                              \
    ({                                                                                             \
        static char *written_;                                                                     \
        static size_t size_;                                                                       \
        FILE *out = open_memstream(&written_, &size_);                                             \
        call;                                                                                      \
        fclose(out);                                                                               \
        written_;                                                                                  \
    })

/* RELEASED(profile_end): at the end of its scope. */
struct profile;
struct document;
void profile_free(struct profile *p);
void document_free(struct document *d);

static inline void profile_end(struct profile **p)
{
    profile_free(*p);
}

static inline void document_end(struct document **d)
{
    document_free(*d);
}
