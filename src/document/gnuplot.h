/* Running gnuplot: the one that GNUPLOT in the environment names, or that configure found. */
#ifndef COLLPROF_DOCUMENT_GNUPLOT_H
#define COLLPROF_DOCUMENT_GNUPLOT_H

#include "document/save.h"

/* A script under way, and the picture that it will draw. */
struct gnuplot_script {
    FILE *out; /* the script: write commands there */
    struct save picture;
    const char *path;
};

/* True for a path that ends in .png, .svg or .pdf; otherwise gives the reason. */
bool gnuplot_path_valid(const char *path);

/* Begins a picture of WIDTH x HEIGHT pixels at PATH, which must outlive S. On failure gives the
 * reason, and nothing is to be run. */
bool gnuplot_begin(struct gnuplot_script *s, const char *path, int width, int height);

/* Runs gnuplot and puts the picture in place; S is freed. On failure gives the reason, and nothing
 * is left. */
bool gnuplot_run(struct gnuplot_script *s);

/* Instead: nothing is left. */
void gnuplot_abandon(struct gnuplot_script *s);

#endif
