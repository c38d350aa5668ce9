/* Finds and preloads collprof's own libraries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Looks for collprof's library NAME in directories relative to the calling program or library
 * (those of a build tree or an installation), then in the configured directory. Sets PATH, of SIZE
 * bytes, to its absolute path; if it is not found, to the last path tried, and returns false. */
bool beside_find(const char *name, char *path, size_t size);

/* Prepends collprof's library NAME to LD_PRELOAD. False, with a reason (base/reason.h), if it is
 * not found or if its path contains a separator of LD_PRELOAD. */
bool beside_preload(const char *name);

/* Prepends any library to LD_PRELOAD. False, with a reason, if there is no memory. */
bool beside_preload_path(const char *path);
