/* A document's pictures as files, drawn by gnuplot. */
#ifndef COLLPROF_DOCUMENT_DRAW_H
#define COLLPROF_DOCUMENT_DRAW_H

#include "document/document.h"

/* Draws all pictures of D to PATH, which ends in .png, .svg or .pdf: one without a name, or the
 * only one, to PATH itself, others to "STEM-NAME.png". On failure, also where a table has nothing
 * to draw, gives the reason (base/reason.h) and leaves no file of that picture. */
bool document_draw(const struct document *d, const char *path);

/* The same of JSON, which is a document written as that; any other JSON is drawn as far as it has
 * pictures of tables. */
bool document_draw_json(const json_t *json, const char *path);

/* The same of the file FROM, which document_save() has written as JSON; also gives the reason where
 * it is no document with pictures. */
bool document_draw_file(const char *from, const char *path);

#endif
