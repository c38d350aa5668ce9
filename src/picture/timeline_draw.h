/* What the ranks did over time, with the messages between them. */
#ifndef COLLPROF_PICTURE_TIMELINE_DRAW_H
#define COLLPROF_PICTURE_TIMELINE_DRAW_H

#include "picture/view.h"
#include "profile/profile.h"

/* NULL, or what would be right instead of TEXT as a list of ranks. */
const char *timeline_ranks_valid(const char *text);

/* A lane per rank and thread: white computation, coloured calls, black arrows for messages. */
enum picture_result timeline_draw(const struct profile *p, const char *path,
                                  const struct picture_view *view);

#endif
