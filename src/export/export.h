/* A run for other programs: traces, pictures, and its page. Tables as CSV come from a document
 * (report/report.h, table_csv_write()). */
#ifndef COLLPROF_EXPORT_EXPORT_H
#define COLLPROF_EXPORT_EXPORT_H

#include "report/report.h"
#include "verdict/records.h"

#include <stdio.h>

/* A traced profile (profile_load_trace()) as JSON for Perfetto: calls, messages as arrows, wait
 * states. */
void export_perfetto(const struct profile *p, FILE *out);

/* A traced profile as an OTF2 archive, a new directory at PATH. NULL, or what went wrong. */
const char *export_otf2(const struct profile *p, const char *path);

/* P as text of OpenMetrics for a scraper, at most MOST samples of each metric. E and its VERDICT
 * (verdict_json()): of a run that has not ended well or goes on; otherwise NULL. */
void export_openmetrics(const struct profile *p, const struct evidence *e, const json_t *verdict,
                        size_t most, FILE *out);

/* The part of a run that a timeline shows: seconds since its start; NaN: not given, both: around
 * the longest wait. The first 64 lanes are drawn. */
struct timeline_view {
    double from, to;
};

/* A picture of a run: adds its tables and its declaration to a document, which a page carries. */
struct run_picture {
    const char *name;    /* also the picture's and the file's */
    const char *summary; /* what it shows */
    const char *needs;   /* what the profile lacks where there is nothing to draw */
    /* False, and nothing is added, where the profile has nothing for it. */
    bool (*add)(struct document *d, const struct profile *p, const struct timeline_view *view);
    bool traced; /* needs a profile by profile_load_trace() */
};
extern const struct run_picture run_pictures[];
extern const size_t n_run_pictures;

/* The one of a traced run: tables "timeline" and "timeline_messages". */
bool add_timeline(struct document *d, const struct profile *p, const struct timeline_view *view);

/* Sets the document's caption: program, ranks, date, MPI, and whether the times mean anything. */
void picture_caption(struct document *d, const struct profile *p);

/* The report of P as a page. TRACE: the same run by profile_load_trace(), or NULL. */
void export_page(const struct profile *p, const struct profile *trace,
                 const struct report_options *o, FILE *out);

/* What a benchmark has written as a page. False: JSON (which may be NULL) is none of these. */
bool export_document_page(const json_t *json, FILE *out);

#endif
