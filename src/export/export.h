/* Exports of a run for other programs: traces, pictures, and the page. */
#pragma once

#include "report/report.h"
#include "verdict/situation.h"

#include <stdio.h>

/* A traced profile (profile_load_trace()) as JSON for Perfetto: calls, messages as arrows, wait
 * states. */
void export_perfetto(const struct profile *p, FILE *out);

/* A traced profile as an OTF2 archive in the new directory PATH. Returns NULL, or the error. */
const char *export_otf2(const struct profile *p, const char *path);

/* Writes P as OpenMetrics text for a scraper, with the MOST costliest call sites. E and its
 * VERDICT (from verdict_json()) are for a run that ended abnormally or is still running; otherwise
 * NULL. */
void export_openmetrics(const struct profile *p, const struct situation *e, const json_t *verdict,
                        size_t most, FILE *out);

/* The part of a run that a timeline shows, in seconds since its start. NaN: not given; if both are
 * NaN, the time around a typical wait. Only the first 64 lanes are drawn. */
struct timeline_view {
    double from, to;
};

/* Adds the timeline of a traced profile, with its tables; returns false and adds nothing if there
 * is nothing to draw. */
bool picture_timeline(struct document *d, const struct profile *p,
                      const struct timeline_view *view);

/* Writes the report of P as a page. TRACE: the same run from profile_load_trace(), or NULL. Returns
 * whether the page has a timeline. */
bool export_page(const struct profile *p, const struct profile *trace,
                 const struct timeline_view *view, const struct report_options *o, FILE *out);
