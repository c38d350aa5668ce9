/* Finding our other files: libraries and modules. */
#ifndef COLLPROF_BASE_BESIDE_H
#define COLLPROF_BASE_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Path of one of our libraries: beside the library or the program that this is in, in the build
 * tree or as installed, or where it was configured to be. False if it is nowhere: PATH is then
 * the last place. */
bool beside_find(const char *name, char *path, size_t size);

/* Adds our library NAME to the loader's VARIABLE, LD_PRELOAD or LD_AUDIT, before what is there.
 * False, with a reason_give(), if it is nowhere, or its path cannot be in such a list. */
bool beside_preload(const char *variable, const char *name);

/* The same for any library, by its path. */
bool beside_preload_path(const char *variable, const char *path);

#endif
