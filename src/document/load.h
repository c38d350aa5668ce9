/* Documents from files, to be drawn: what document_save() has written as JSON. */
#ifndef COLLPROF_DOCUMENT_LOAD_H
#define COLLPROF_DOCUMENT_LOAD_H

#include "document/document.h"

/* The header, tables and pictures of the document in PATH[0], for document_free(). The rows of N-1
 * more documents are added to the tables of the same name; maps side by side (picture.panel) then
 * have a row for each file, named by its fact "MPI". NULL, with "PATH: what is wrong" in WHY,
 * if one is no such file. */
struct document *document_load(char *const *path, size_t n, char *why, size_t size);

#endif
