/* The timeline of a traced run as tables and a picture. */
#ifndef COLLPROF_EXPORT_TIMELINE_H
#define COLLPROF_EXPORT_TIMELINE_H

#include "document/document.h"
#include "profile/profile.h"

/* What of a run is drawn. */
struct picture_view {
    size_t top;      /* lines in a picture */
    double from, to; /* of a timeline: seconds since the start of the run; negative: not given;
                        both: around the longest wait */
    const char
        *ranks; /* of a timeline: "0-3,7"; NULL: all, of which the first 64 lanes are drawn */
};

/* Whether TEXT is a list of ranks; otherwise returns what one looks like. */
const char *picture_ranks_valid(const char *text);

/* P: by profile_load_trace(). Adds the tables "timeline" and "timeline_messages" and their picture;
 * false: there is no rank or no time with calls in it. */
bool add_timeline(struct document *d, const struct profile *p, const struct picture_view *view);

#endif
