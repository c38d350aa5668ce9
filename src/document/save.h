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

/* Opens PATH for writing (NULL, "-" or /dev/stdout: standard output). A link, except to a device or
 * a pipe, and a link, pipe or directory of another user (except root) is refused, since it may lead
 * to any file of this user. On failure gives the reason (base/reason.h). */
bool save_open(struct save *s, const char *path);

/* False if PATH is standard output, a device or a pipe: a program that would write a second file
 * beside PATH then does not. */
bool save_is_file(const char *path);

/* Ends writing and renames the temporary file to the target. On failure (such as a full disk) gives
 * the reason and returns false; an earlier file at the target is then unchanged. */
bool save_commit(struct save *s);

void save_abandon(struct save *s); /* ends writing, and removes the temporary file */

/* Whether save_open() would succeed, without changing anything: a benchmark asks before it begins
 * to measure. Otherwise gives the reason. */
bool save_possible(const char *path);
