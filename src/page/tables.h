/* A profile as plain tables, for spreadsheets and programs: every line, nothing rounded. */
#ifndef COLLPROF_PAGE_TABLES_H
#define COLLPROF_PAGE_TABLES_H

#include "profile/model.h"

#include <stdio.h>

/* Operations, call sites, requests, collectives, ranks. SORT as in struct report_options. */
void tables_csv(const struct profile *p, FILE *out, const char *sort);

/* Every entry: call site, operation, communicator, region, size class. */
void tables_entries_csv(const struct profile *p, FILE *out);

/* Every entry's histogram: a line per bucket. */
void tables_histograms_csv(const struct profile *p, FILE *out);

/* The kept instances of collective operations, as a Chrome trace (chrome://tracing, Perfetto):
 * a row per rank. Returns how many bars. */
size_t tables_trace(const struct profile *p, FILE *out);

#endif
