/* Opens and reads files: those that the user names, and those of the kernel about a process. */
#pragma once

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* CLOSED int fd = open(...); it is closed where its scope ends, unless it is negative. */
#define CLOSED __attribute__((cleanup(input_close)))
static inline void input_close(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Opens a regular file, and never blocks: a FIFO or a device is refused. On failure -1, or NULL,
 * with the reason in WHY. ST may be NULL. input_file() also refuses a text too large for memory. */
int input_open(const char *path, struct stat *st, const char **why);
FILE *input_file(const char *path, const char **why);

/* Opens PATH again, whatever the application has closed or where it is now, if it is still the file
 * with these numbers; otherwise -1 with errno. */
int input_open_again(const char *path, int flags, dev_t device, ino_t inode);

/* Reads the beginning of a small file, as in /proc, into TEXT, terminated. Returns the number of
 * bytes; 0, and an empty TEXT, on failure. Allocates nothing. */
size_t input_read(const char *path, char *text, size_t room);

/* /proc/PID/stat from the state on, the third field in proc(5); "" if there is no such process. The
 * result points into TEXT. */
const char *input_process(pid_t pid, char text[1024]);

/* The paths of DIRECTORY, which is taken as it is, without slashes at its end, followed by what
 * matches PATTERN. Release by globfree(). */
glob_t input_list(const char *directory, const char *pattern);
