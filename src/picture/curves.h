/* Lines whose points come one by one, for plot_lines(). */
#ifndef COLLPROF_PICTURE_CURVES_H
#define COLLPROF_PICTURE_CURVES_H

#include "base/stats.h"
#include "picture/plot.h"
#include "profile/profile.h"

struct curves {
    ARRAY(struct plot_series) line;
};

/* A new line, LABEL copied, with room for so many points; valid until the next is made. */
struct plot_series *curves_line(struct curves *c, const char *label, size_t room);
void curves_point(struct plot_series *line, double x, double y);
/* E, in seconds, is drawn in microseconds, with its interval. */
void curves_estimate(struct plot_series *line, double x, struct estimate e);
void curves_free(struct curves *c);

#endif
