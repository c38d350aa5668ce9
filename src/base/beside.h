/* Finds our other files: libraries and modules. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Finds one of our libraries: beside the library or program that contains this function, in the
 * build tree or as installed, or in the configured directory. False if it does not exist: PATH is
 * then the last path tried. */
bool beside_find(const char *name, char *path, size_t size);

/* Prepends our library NAME to LD_PRELOAD. False, with a reason_give(), if it does not exist or its
 * path cannot be in such a list. */
bool beside_preload(const char *name);

/* beside_preload() for any library, by its path. */
bool beside_preload_path(const char *path);
