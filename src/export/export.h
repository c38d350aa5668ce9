/* The formats of `collprof report`. To add one: a file here with a struct export_format, above it a
 * comment for the manual, and the file's name in src/local.mk. */
#pragma once

#include "base/reason.h"
#include "report/report.h"
#include "verdict/situation.h"

#include <stdio.h>

/* The part of a run that a timeline of at most 64 threads shows, in seconds since the start. NaN:
 * not given; if both are NaN, the time around a typical wait. */
struct timeline_view {
    double from, to;
};

struct export_request {
    const struct export_format *format;
    const char *path;              /* path of the output; NULL: standard output */
    const char *what_if;           /* predict this change instead, as text; NULL: the report */
    struct report_options options; /* of the report; ROWS also limits the call sites in metrics */
    struct timeline_view view;
    const struct profile *trace; /* for EVENTS_BESIDE: by profile_load_trace(), or NULL */
};

struct export_format {
    const char *name;  /* as in --format=NAME */
    const char *file;  /* default name in the run's directory; NULL: standard output */
    const char *note;  /* printed after the path of what was written; NULL: nothing */
    bool is_directory; /* WRITE makes the directory R->path and ignores OUT */
    enum {
        EVENTS_UNUSED,
        EVENTS_BESIDE,
        EVENTS_NEEDED
    } events; /* where the events are: not needed; in R->trace; in P */
    /* Writes P, to which it may add findings. False after reason_give(), which may also remark on
     * success. */
    bool (*write)(const struct export_request *r, struct profile *p, FILE *out);
};

/* All formats, the default first. The list is made by src/local.mk. */
extern const struct export_format *const export_formats[];
extern const struct export_format export_text, export_csv, export_html;
extern const size_t n_export_formats;

/* The open calls of a run that goes on or ended abnormally, for situation_free(); otherwise
 * NULL. */
struct situation *export_situation(const struct export_request *r, const struct profile *p);

/* Adds the verdict on a run that ended abnormally: as text to OUT or, if OUT is NULL, to the
 * findings of P. Returns whether it names a cause. */
bool export_verdict(const struct export_request *r, struct profile *p, FILE *out);

/* Adds the timeline of a traced run with its tables to D. False, without a picture, if VIEW shows
 * no call. */
bool picture_timeline(struct document *d, const struct profile *p,
                      const struct timeline_view *view);
