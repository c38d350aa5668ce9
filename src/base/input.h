/* Files that the user names, to be read. */
#ifndef COLLPROF_BASE_INPUT_H
#define COLLPROF_BASE_INPUT_H

#include <stdio.h>
#include <sys/stat.h>

/* Opens a regular file, seen from DIRECTORY (AT_FDCWD: the current one), and waits for nothing: a
 * FIFO or a device is none. Otherwise -1, or NULL, with the reason in WHY. ST may be NULL. */
int input_open(int directory, const char *path, struct stat *st, const char **why);
FILE *input_file(int directory, const char *path, const char **why);

#endif
