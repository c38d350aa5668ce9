/* Pictures of a schedule. */
#ifndef COLLPROF_PICTURE_SCHEDULE_DRAW_H
#define COLLPROF_PICTURE_SCHEDULE_DRAW_H

#include "trees/schedule.h"

#include <stdio.h>

/* The tree with predicted arrivals, a rank a line, children below their parent in the order of
 * sending. HOST (may be NULL) names the ranks' hosts. */
void schedule_draw_text(const struct schedule *s, char *const *host, FILE *out);

/* PATH ends in .txt, .dot, .png or .svg; the latter two by Graphviz' dot. False, having said why
 * on stderr, if that is not possible. */
bool schedule_draw(const struct schedule *s, char *const *host, const char *path);
bool schedule_draw_path_valid(const char *path);

#endif
