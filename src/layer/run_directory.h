/* The directory of a run: always a new one, NAME-JOB, where JOB is what all ranks of the run know
 * before they talk to each other (base/launcher.h). NAME becomes a link to the newest.
 *
 * Nothing is moved. Files are created under names that were not there and links are not followed. A
 * directory that belongs to another user, who could put anything in it at any time, is refused. */
#ifndef COLLPROF_LAYER_RUN_DIRECTORY_H
#define COLLPROF_LAYER_RUN_DIRECTORY_H

#include "record/ledger.h"

#include <stdbool.h>
#include <sys/types.h>

struct run_directory {
    char shown[1100]; /* for messages: NAME where the link leads here, otherwise NAME-JOB */
    char path[4096];  /* absolute and without links; empty: there is none */
    dev_t device;
    ino_t inode;
    int error; /* errno of what was in the way; 0: nothing, or it was no system call */
    int fd; /* open during the start, for a rank that can open no more files later; -1: closed, or
             * there may be too few */
};

enum { RUN_DIRECTORY_RECORD = sizeof((struct run_directory *)0)->path + 40 };

/* Makes NAME-JOB, unless another rank of the job has, and opens it. Returns NULL, or a text that
 * says what is in the way; D->shown is valid in any case. Every rank calls it. */
const char *run_directory_make(struct run_directory *d, const char *name, uint64_t job);

/* Makes NAME a link to the directory, unless NAME is something else than a link of collprof's.
 * Returns whether it could. One rank calls it. */
bool run_directory_link(const struct run_directory *d, const char *name);

/* Every rank, afterwards: D->shown is NAME if that leads here. */
void run_directory_follow(struct run_directory *d, const char *name);

/* Removes all but the MOST newest of the earlier runs NAME-...: what collprof has written there,
 * and the directories that are empty then. A run with a living writer stays. One rank calls it. */
void run_directory_remove_old(const struct run_directory *d, const char *name, long most);

/* Opens the directory again, whatever the application has done meanwhile; -1 and errno: it is not
 * there. The caller closes the result. */
int run_directory_open(const struct run_directory *d);

/* Closes FD. */
void run_directory_close(struct run_directory *d);

/* Removes the file NAME ("": none) from the directory, and this if nothing is in it then. */
void run_directory_remove_file(const struct run_directory *d, const char *name);

/* The path of a record: of this run's RANK, with TAG, which no other rank's has. */
void run_directory_record(const struct run_directory *d, char path[RUN_DIRECTORY_RECORD], int rank,
                          uint64_t tag);

/* How many ranks below SIZE have a record, by the names of the files: all ranks must come to the
 * same answer, so no memory is allocated and no file opened. FIRST: the lowest of them; else as it
 * was. */
int run_directory_ranks(const struct run_directory *d, int size, int *first);

/* Calls EACH with name and header of every record in the directory that is open as FD. */
void run_directory_each(int fd,
                        void (*each)(int directory, const char *name, const struct ledger_header *h,
                                     void *arg),
                        void *arg);

#endif
