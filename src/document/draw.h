/* A document's pictures as files, drawn by gnuplot. */
#ifndef COLLPROF_DOCUMENT_DRAW_H
#define COLLPROF_DOCUMENT_DRAW_H

#include "document/document.h"

/* How many pictures D has. */
size_t document_pictures(const struct document *d);

/* The file of the I-th picture where those of D go to PATH: PATH for one without a name, otherwise
 * "STEM-NAME.png". For free(). */
char *document_picture_path(const struct document *d, size_t i, const char *path);

/* Draws the I-th picture to PATH, which ends in .png, .svg or .pdf. On failure, also where its
 * table has nothing to draw, gives the reason (base/reason.h) and leaves no file. */
bool document_draw_one(const struct document *d, size_t i, const char *path);

/* Draws all pictures, each to its document_picture_path(). */
bool document_draw(const struct document *d, const char *path);

#endif
