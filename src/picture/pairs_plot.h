/* Pictures of a latency log: PetaSHA's surface plots, and heat maps. */
#ifndef COLLPROF_PICTURE_PAIRS_PLOT_H
#define COLLPROF_PICTURE_PAIRS_PLOT_H

#include "measure/pairs/data.h"

#include <stdbool.h>

/* At PATH (.png or .svg): heat maps of mean and standard deviation, a row for each size; beside
 * it, with -surface and -surface-sd before the ending, both of the first size as surfaces. The
 * diagonal, which is not measured, stays white in the maps and is 0 in the surfaces, as the
 * paper has it. False if it cannot be drawn, having said why on stderr. */
bool pairs_plot(const struct pairs *p, const char *path);

/* The same from a log, the original tool's too; of several logs the maps of the smallest size of
 * each, a row for each, in one scale of colours. */
bool pairs_logs_plot(char *const *log, size_t n, const char *path);

#endif
