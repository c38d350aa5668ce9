/* Opens and reads files that the user names, and files in /proc. */
#pragma once

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* CLOSED int fd = open(...); closes FD at the end of its scope, unless it is negative. */
#define CLOSED __attribute__((cleanup(input_close)))
static inline void input_close(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Open a regular file for reading; a FIFO, on which opening could block, or a device is refused. -1
 * or NULL on failure, with the reason, a static text, in *WHY. *ST becomes the file's status; ST
 * may be NULL. input_file() also refuses a file whose JSON would not fit into memory. */
int input_open(const char *path, struct stat *st, const char **why);
FILE *input_file(const char *path, const char **why);

/* Opens PATH again, since the application may have closed collprof's descriptor of it. Returns -1
 * with errno on failure; ENOENT if PATH is no longer the file with this DEVICE and INODE. */
int input_open_again(const char *path, int flags, dev_t device, ino_t inode);

/* Reads up to ROOM - 1 bytes from the start of a file into TEXT as a string. Returns the number of
 * bytes; 0, with an empty TEXT, on failure. Allocates nothing. */
size_t input_read(const char *path, char *text, size_t room);

/* The fields of /proc/PID/stat (proc(5)) from the third one, the state, as a pointer into TEXT; ""
 * if there is no such process. */
const char *input_process(pid_t pid, char text[1024]);

/* The existing paths that match DIRECTORY + PATTERN by glob(); only PATTERN may contain wildcards.
 * Slashes at the end of DIRECTORY are ignored. Release by globfree(). */
glob_t input_list(const char *directory, const char *pattern);
