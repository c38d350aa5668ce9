/* The directory of a run. Each run has a new directory: NAME-JOB, where JOB identifies the run and
 * is known to all ranks before they communicate (base/launcher.h). NAME links to the newest run.
 *
 * Existing files are never overwritten and links never followed. A directory of another user is
 * refused, since that user could replace its content at any time. */
#pragma once

#include "record/ledger.h"

#include <stdbool.h>
#include <sys/types.h>

struct run_directory {
    char shown[1100]; /* path in messages: NAME if it is a link to PATH, otherwise NAME-JOB */
    char path[4096];  /* absolute and without links; empty: there is no directory */
    dev_t device;     /* DEVICE and INODE identify the directory */
    ino_t inode;
    int fd; /* descriptor of the directory; -1: closed, or no suitable one was free */
};

/* Opens the directory NAME-JOB; the rank that calls this first creates it. Returns NULL, or an
 * error message; D->shown is set in any case. */
const char *run_directory_make(struct run_directory *d, const char *name, uint64_t job);

/* Makes NAME a link to the directory. False if it fails, or if NAME exists and is not a link made
 * by collprof. One rank calls it. */
bool run_directory_link(const struct run_directory *d, const char *name);

/* Sets D->shown to NAME if NAME links to the directory. Call it after run_directory_link(). */
void run_directory_follow(struct run_directory *d, const char *name);

/* Returns a new descriptor, which the caller closes; -1 with errno if D->path leads elsewhere. */
int run_directory_open(const struct run_directory *d);

/* Closes D->fd. */
void run_directory_close(struct run_directory *d);

/* Removes the file NAME ("": none) from the directory, and then the directory if it is empty. */
void run_directory_remove_file(const struct run_directory *d, const char *name);

/* Returns how many ranks below SIZE have a record file in the directory. FIRST: the lowest of them,
 * unchanged if there is none. Allocates no memory and uses D->fd, so that it does not fail on one
 * rank, which would then decide other than the others. */
int run_directory_ranks(const struct run_directory *d, int size, int *first);
