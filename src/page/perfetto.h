/* A trace for Perfetto and chrome://tracing. */
#ifndef COLLPROF_PAGE_PERFETTO_H
#define COLLPROF_PAGE_PERFETTO_H

#include "profile/fields.h"

#include <stdio.h>

/* The profile must have been made from records: profile_load_trace(). */
void perfetto_write(const struct profile *p, FILE *out);

#endif
