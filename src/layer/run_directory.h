/* The directory of a run: always a new one, NAME-JOB, where JOB is an identity that all ranks know
 * before they communicate (base/launcher.h). NAME becomes a link to the newest one.
 *
 * Nothing is moved. Files are created under new names only, and links are not followed. A directory
 * that belongs to another user is refused, since that user could change its content at any time. */
#pragma once

#include "record/ledger.h"

#include <stdbool.h>
#include <sys/types.h>

struct run_directory {
    char shown[1100]; /* for messages: NAME if the link leads here, otherwise NAME-JOB */
    char path[4096];  /* absolute and without links; empty if there is none */
    dev_t device;
    ino_t inode;
    int fd; /* open during the start, for a rank that cannot open files later; -1: closed, or
               descriptors are scarce */
};

/* Makes NAME-JOB, unless another rank of the job has, and opens it. Returns NULL, or a text with
 * the obstacle; D->shown is valid in any case. Every rank calls it. */
const char *run_directory_make(struct run_directory *d, const char *name, uint64_t job);

/* Makes NAME a link to the directory, unless NAME is something other than a link made by collprof.
 * Returns whether it succeeded. One rank calls it. */
bool run_directory_link(const struct run_directory *d, const char *name);

/* Every rank calls it afterwards: sets D->shown to NAME if that leads here. */
void run_directory_follow(struct run_directory *d, const char *name);

/* Opens the directory again, whatever the application has changed meanwhile; -1 with errno if it is
 * gone. The caller closes the result. */
int run_directory_open(const struct run_directory *d);

/* Closes FD. */
void run_directory_close(struct run_directory *d);

/* Removes the file NAME ("": none) from the directory, and then the directory if it is empty. */
void run_directory_remove_file(const struct run_directory *d, const char *name);

/* How many ranks below SIZE have a record, by file names. All ranks must get the same answer, so
 * it neither allocates memory nor opens files. FIRST: the lowest of them; unchanged if there is
 * none. */
int run_directory_ranks(const struct run_directory *d, int size, int *first);
