/* What of a profile is drawn, and what came of it. */
#ifndef COLLPROF_PICTURE_VIEW_H
#define COLLPROF_PICTURE_VIEW_H

#include "profile/profile.h"

#include <stddef.h>

enum picture_result {
    PICTURE_DRAWN,
    PICTURE_EMPTY, /* the profile has nothing for it */
    PICTURE_FAILED /* the reason is on stderr */
};

/* What of a profile is drawn. */
struct picture_view {
    size_t top;        /* lines */
    double from, to;   /* of a timeline: seconds since the start of the run; below 0: not given;
                          both: around the longest wait */
    const char *ranks; /* of a timeline: "0-3,7"; NULL: all, the first 64 of them */
};

/* What a picture of P is of: program, ranks, date, MPI, and whether its times mean anything. */
void picture_caption(const struct profile *p, char *text, size_t room);

#endif
