/* Pictures of a profile, each a declared value. */
#ifndef COLLPROF_PICTURE_PICTURES_H
#define COLLPROF_PICTURE_PICTURES_H

#include "profile/model.h"

enum picture_result {
    PICTURE_DRAWN,
    PICTURE_EMPTY, /* the profile has nothing for it */
    PICTURE_FAILED /* the reason is on stderr */
};

struct picture {
    const char *name;    /* also the file's, without .png */
    const char *summary; /* what it shows */
    const char *needs;   /* what the profile lacks when it is empty */
    enum picture_result (*draw)(const struct profile *p, const char *path, size_t top);
};

extern const struct picture pictures[];
extern const size_t n_pictures;

#endif
