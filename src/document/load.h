/* Documents from files, to be drawn: what document_save() has written as JSON. */
#ifndef COLLPROF_DOCUMENT_LOAD_H
#define COLLPROF_DOCUMENT_LOAD_H

#include <jansson.h>

/* The document in PATH[0], to whose tables the rows of N-1 more are added; maps side by side
 * (picture.panel) then have a row of maps for each file, named by its fact "MPI". A new reference.
 * NULL, with "PATH: what is wrong" in WHY, if one is no document with pictures, or if they are not
 * of one program. */
json_t *document_load(char *const *path, size_t n, char *why, size_t size);

#endif
