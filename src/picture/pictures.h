/* Pictures of a profile, each a declared value. */
#ifndef COLLPROF_PICTURE_PICTURES_H
#define COLLPROF_PICTURE_PICTURES_H

#include "picture/view.h"
#include "profile/profile.h"

struct run_picture {
    const char *name;    /* also the file's, without .png */
    const char *summary; /* what it shows */
    const char *needs;   /* what the profile lacks when it is empty */
    enum picture_result (*draw)(const struct profile *p, const char *path,
                                const struct picture_view *view);
    bool traced; /* of a profile by profile_load_trace() */
};

extern const struct run_picture pictures[];
extern const size_t n_pictures;

#endif
