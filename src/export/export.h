/* The formats of `collprof report`. To add one: a file here with a struct export_format, above it a
 * comment for the manual, and the file's name in src/local.mk. */
#pragma once

#include "base/reason.h"
#include "report/report.h"
#include "verdict/situation.h"

#include <stdio.h>

/* The part of a run that a timeline of at most 64 threads shows, in seconds since the run's start.
 * NaN: start or end of the run; both NaN: the time around a typical wait. */
struct timeline_view {
    double from, to;
};

struct export_request {
    const struct export_format *format;
    const char *path;              /* path of the output; NULL: standard output */
    const char *what_if;           /* write the predicted effect of this change; NULL: the report */
    struct report_options options; /* ROWS also limits the call sites in OpenMetrics */
    struct timeline_view view;
    const struct profile *trace; /* for EVENTS_BESIDE: result of profile_load_trace(), or NULL */
};

struct export_format {
    const char *name;  /* as in --format=NAME */
    const char *file;  /* default name in the run's directory; NULL: standard output */
    const char *note;  /* text to print after the path of the output; NULL: none */
    bool is_directory; /* WRITE creates R->path as a directory, and ignores OUT */
    /* Where WRITE finds events: nowhere, since it needs none; in R->trace, if any; in P. */
    enum { EVENTS_UNUSED, EVENTS_BESIDE, EVENTS_NEEDED } events;
    /* Writes P, and may add findings to P. Returns false after reason_give(); may give a reason on
     * success, too, as a remark. */
    bool (*write)(const struct export_request *r, struct profile *p, FILE *out);
};

/* All formats, the default first. The list is made by src/local.mk. */
extern const struct export_format *const export_formats[];
extern const struct export_format export_text, export_csv, export_html;
extern const size_t n_export_formats;

/* Open calls of a run that goes on or ended abnormally, for situation_free(); otherwise NULL. */
struct situation *export_situation(const struct export_request *r, const struct profile *p);

/* Adds the verdict on a run that ended abnormally: as text to OUT or, if OUT is NULL, to the
 * findings of P. Returns a new reference to the verdict (verdict/text.h); NULL: none. */
json_t *export_verdict(const struct export_request *r, struct profile *p, FILE *out);

/* Adds the timeline of a traced run with its tables to D. False if VIEW shows no call. */
bool picture_timeline(struct document *d, const struct profile *p,
                      const struct timeline_view *view);
