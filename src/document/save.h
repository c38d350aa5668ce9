/* Writing a file so that nothing half-written is ever seen: into a temporary file beside it,
 * renamed when complete. Standard output, devices and pipes are written directly. */
#ifndef COLLPROF_DOCUMENT_SAVE_H
#define COLLPROF_DOCUMENT_SAVE_H

#include <stdbool.h>
#include <stdio.h>

struct save {
    FILE *out;
    char *path;      /* where it goes; NULL for standard output */
    char *temporary; /* NULL if written directly */
};

/* Opens for PATH (NULL, "-" or /dev/stdout: standard output) if it is safe. On failure gives the
 * reason (base/reason.h). */
bool save_open(struct save *s, const char *path);

/* The one rule for what is at PATH already, which save_open() keeps: no link is followed,
 * whoever has made it, but one to a device or a pipe; and a link, a pipe or a directory of another
 * user (root's are trusted) is left alone: where others may write it can lead to any file of this
 * user. Otherwise false, with the reason. */
bool save_is_safe(const char *path);

/* Whether PATH is a place for a file, which may have others beside it. */
bool save_is_file(const char *path);

/* Ends writing and puts the file in place. On failure (a full disk) gives the reason, leaves what
 * was there before and returns false. */
bool save_commit(struct save *s);

/* Gives up: removes what was written. */
void save_abandon(struct save *s);

/* Whether save_open() would work, which is tried without leaving anything: to refuse before an hour
 * of measuring instead of after it. Otherwise gives the reason. */
bool save_possible(const char *path);

#endif
