/* A run for other programs: traces, and its document for a page. Tables as CSV come from the
 * document (report/report.h, document/document.h). */
#ifndef COLLPROF_EXPORT_EXPORT_H
#define COLLPROF_EXPORT_EXPORT_H

#include "report/report.h"

#include <stdio.h>

/* A traced profile (profile_load_trace()) as JSON for Perfetto: calls, messages as arrows, wait
 * states. */
void export_perfetto(const struct profile *p, FILE *out);

/* Without a trace: the recorded instances of collectives. Returns how many slices. */
size_t export_perfetto_collectives(const struct profile *p, FILE *out);

/* A traced profile as an OTF2 archive, a new directory at PATH. NULL, or what went wrong. */
const char *export_otf2(const struct profile *p, const char *path);

/* The report of P as a page. TRACE: the same run by profile_load_trace(), or NULL. */
void export_page(const struct profile *p, const struct profile *trace,
                 const struct report_options *o, FILE *out);

/* Whether JSON (which may be NULL) is what a benchmark has written; that as a page. */
bool export_is_document(const json_t *json);
void export_document_page(const json_t *json, FILE *out);

#endif
