/* Pictures of a profile, each a declared value. */
#ifndef COLLPROF_PICTURE_PICTURES_H
#define COLLPROF_PICTURE_PICTURES_H

#include "profile/model.h"

enum picture_result {
    PICTURE_DRAWN,
    PICTURE_EMPTY, /* the profile has nothing for it */
    PICTURE_FAILED /* the reason is on stderr */
};

/* What of a profile is drawn. */
struct picture_view {
    size_t top;        /* lines */
    double from, to;   /* of a timeline: seconds since the start of the run; both 0: around the
                          longest wait */
    const char *ranks; /* of a timeline: "0-3,7"; NULL: all, the first 64 of them */
};

struct picture {
    const char *name;    /* also the file's, without .png */
    const char *summary; /* what it shows */
    const char *needs;   /* what the profile lacks when it is empty */
    enum picture_result (*draw)(const struct profile *p, const char *path,
                                const struct picture_view *view);
    bool traced; /* of a profile by profile_load_trace() */
};

/* What a picture of P is of: program, ranks, date, MPI, and whether its times mean anything. */
void picture_caption(const struct profile *p, char *text, size_t room);

extern const struct picture pictures[];
extern const size_t n_pictures;

#endif
