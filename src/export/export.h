/* The formats in which a run is written: for people, other programs, a browser. To add one: a file
 * here with a struct export_format, above it a comment for the manual, and the file's name in
 * src/local.mk. */
#pragma once

#include "base/reason.h"
#include "report/report.h"
#include "verdict/situation.h"

#include <stdio.h>

/* The part of a run that a timeline shows, in seconds since its start. NaN: not given; if both are
 * NaN, the time around a typical wait. Only the first 64 lanes are drawn. */
struct timeline_view {
    double from, to;
};

struct export_request {
    const struct export_format *format;
    const char *path;              /* of what is written; NULL: standard output */
    const char *what_if;           /* only the effect of this change, as text; NULL: the report */
    struct report_options options; /* ROWS also limits the call sites of metrics */
    struct timeline_view view;
    const struct profile *trace; /* for EVENTS_BESIDE: the run from profile_load_trace(), or NULL */
};

struct export_format {
    const char *name;  /* as in --format=NAME */
    const char *file;  /* default name in the run's directory; NULL: standard output */
    const char *note;  /* printed after the path of what was written; NULL: nothing */
    bool is_directory; /* WRITE makes the directory R->path, and does not use OUT */
    enum { EVENTS_UNUSED, EVENTS_BESIDE, EVENTS_NEEDED } events; /* NEEDED: P has them */
    /* Writes P, to which it may add findings. False after reason_give(), which may also remark. */
    bool (*write)(const struct export_request *r, struct profile *p, FILE *out);
};

/* All formats, the default first; made by src/local.mk. */
extern const struct export_format *const export_formats[];
extern const struct export_format export_text, export_csv, export_html;
extern const size_t n_export_formats;

/* Evidence about a run that ended abnormally or goes on, for situation_free(); otherwise NULL. */
struct situation *export_situation(const struct export_request *r, const struct profile *p);

/* Adds the cause of an abnormal end: as text to OUT or, if OUT is NULL, to the findings of P.
 * Returns whether the cause is known. */
bool export_verdict(const struct export_request *r, struct profile *p, FILE *out);

/* Adds the timeline of a traced profile, with its tables; returns false and adds nothing if there
 * is nothing to draw. */
bool picture_timeline(struct document *d, const struct profile *p,
                      const struct timeline_view *view);
