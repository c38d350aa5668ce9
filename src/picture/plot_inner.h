/* Between plot.c (starting gnuplot, lines) and plot_map.c (maps, surfaces, sheets). */
#ifndef COLLPROF_PICTURE_PLOT_INNER_H
#define COLLPROF_PICTURE_PLOT_INNER_H

#include "document/save.h"
#include "picture/plot.h"

/* A script for gnuplot under way. */
struct script {
    FILE *out; /* the script */
    struct save picture;
    const char *path;
};

/* Begins a picture of WIDTH x HEIGHT pixels at PATH. False (said on stderr) if it cannot. */
bool script_begin(struct script *s, const char *path, int width, int height);

/* Gives it up: nothing is left. */
void script_abandon(struct script *s);

/* Runs gnuplot on it and puts the picture in place. */
bool script_run(struct script *s);

/* "set title", "set xlabel", "set ylabel". */
void script_axes(FILE *out, const struct plot_axes *axes);

/* TEXT in a line at the left, at Y of the sheet (0: bottom); NULL: that of plot_caption(). False:
 * there is none. */
bool script_caption(FILE *out, const char *text, double y);
const char *plot_standing_caption(void);

/* A tick's label: 65536 is "64K" where AXIS_LABEL tells of bytes. */
void tick_label(double value, const char *axis_label, char *text, size_t size);

#endif
