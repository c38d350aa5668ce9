/* Pictures of a run: each adds its tables and its declaration to a document, which draws them into
 * files (document/draw.h) or carries them in a page. */
#ifndef COLLPROF_EXPORT_PICTURES_H
#define COLLPROF_EXPORT_PICTURES_H

#include "export/timeline.h"

struct run_picture {
    const char *name;    /* also the picture's and the file's */
    const char *summary; /* what it shows */
    const char *needs;   /* what the profile lacks where there is nothing to draw */
    bool (*add)(struct document *d, const struct profile *p, const struct picture_view *view);
    bool traced; /* needs a profile by profile_load_trace() */
};

/* One line for each; ADD returns false, and adds nothing, where the profile has nothing for it. */
extern const struct run_picture run_pictures[];
extern const size_t n_run_pictures;

/* Sets the document's caption: program, ranks, date, MPI, and whether the times mean anything. */
void picture_caption(struct document *d, const struct profile *p);

#endif
