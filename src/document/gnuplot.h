/* Running gnuplot: the one that GNUPLOT in the environment names, or that configure found. */
#ifndef COLLPROF_DOCUMENT_GNUPLOT_H
#define COLLPROF_DOCUMENT_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* True for a path that ends in .png, .svg or .pdf; otherwise gives the reason. */
bool gnuplot_path_valid(const char *path);

/* A script for a picture of WIDTH x HEIGHT pixels at PATH, to which commands are to be written.
 * NULL, with the reason, if the path is not valid or there is no room for it. For fclose(). */
FILE *gnuplot_script(const char *path, int width, int height);

/* Runs gnuplot on SCRIPT and puts the picture in place. On failure gives the reason, and nothing is
 * left. */
bool gnuplot_run(FILE *script, const char *path);

#endif
