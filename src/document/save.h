/* Writing files so that no incomplete file is ever seen: a temporary file beside the target is
 * renamed when it is complete. Standard output, devices and pipes are written directly. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct save {
    FILE *out;
    char *path;      /* the target; NULL for standard output */
    char *temporary; /* NULL if written directly */
};

/* Opens PATH for writing (NULL, "-" or /dev/stdout: standard output) if that is safe. On failure
 * gives the reason (base/reason.h). */
bool save_open(struct save *s, const char *path);

/* Whether PATH may be written; save_open() checks it. Links are followed only to a device or a
 * pipe. A link, a pipe or a directory that belongs to another user (except root) is refused: in a
 * directory that others can write it could lead to any file of this user. Gives the reason. */
bool save_is_safe(const char *path);

/* Whether PATH can be a regular file, in a directory that may hold other files. */
bool save_is_file(const char *path);

/* Ends writing and moves the file into place. On failure (such as a full disk) gives the reason,
 * keeps the previous file and returns false. */
bool save_commit(struct save *s);

/* Gives up: removes the temporary file. */
void save_abandon(struct save *s);

/* Whether save_open() would succeed, without changing anything: a benchmark can refuse before an
 * hour of measuring instead of after it. Otherwise gives the reason. */
bool save_possible(const char *path);
