/* Files to be read: those that the user names, and what the kernel says of a process. */
#ifndef COLLPROF_BASE_INPUT_H
#define COLLPROF_BASE_INPUT_H

#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens a regular file, seen from DIRECTORY (AT_FDCWD: the current one), and waits for nothing: a
 * FIFO or a device is none. Otherwise -1, or NULL, with the reason in WHY. ST may be NULL. A FILE
 * is of text, and small enough to be held in memory when it has been read. */
int input_open(int directory, const char *path, struct stat *st, const char **why);
FILE *input_file(int directory, const char *path, const char **why);

/* Reads the beginning of a small file, as the kernel has them in /proc, into TEXT, which ends
 * behind it. Returns the number of bytes; 0, and an empty TEXT, if it cannot be read. Allocates
 * nothing. */
size_t input_read(const char *path, char *text, size_t room);

/* What /proc/PID/stat says, from the state on: the first of its fields is the third of proc(5).
 * "": there is no such process. It lies in TEXT. */
const char *input_process(pid_t pid, char text[1024]);

#endif
