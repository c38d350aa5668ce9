/* Finds and preloads collprof's own libraries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Finds collprof's library NAME near the calling program or library, as in the build tree or an
 * installation, or in the configured directory. PATH, of SIZE bytes, becomes its absolute path; if
 * it is not found, the result is false and PATH the last one tried. */
bool beside_find(const char *name, char *path, size_t size);

/* Prepends collprof's library NAME to LD_PRELOAD. False, with a reason (base/reason.h), if it is
 * not found or if its path contains a separator of LD_PRELOAD. */
bool beside_preload(const char *name);

/* Prepends any library to LD_PRELOAD. False, with a reason, if there is no memory. */
bool beside_preload_path(const char *path);
