/* The directory of a run: chosen at its start, the same one at its end.
 *
 * What is written there is new: files are created under names that were not there, links are not
 * followed, and what may be removed is what collprof itself has left there and no living process
 * uses. A directory that belongs to somebody else, who could put anything in it at any time, is
 * refused. A run that finds the directory taken by another one, or by a profile.json that is not
 * ours, goes to one beside it: DIR-2, DIR-3, ... */
#ifndef COLLPROF_LAYER_PLACE_H
#define COLLPROF_LAYER_PLACE_H

#include "record/ledger.h"

#include <stdbool.h>
#include <sys/types.h>

struct place {
    char shown[1100]; /* as the user named it, with the number behind it */
    char path[4096];  /* absolute and without links; empty: there is none */
    unsigned number;  /* 0: DIR itself, otherwise DIR-number */
    const char *why;  /* DIR itself was not taken; NULL if it was */
    dev_t device;
    ino_t inode;
    int claim; /* held open as long as the process lives; -1: none */
};

enum { PLACE_RECORD = sizeof((struct place *)0)->path + 40 };

/* Takes the first of WANTED, WANTED-2, ... that is free, for this run alone. Returns NULL, or what
 * is in the way. One process of a run does this, and tells the others the number; or, where they do
 * not talk, each does, and goes where the run of this id is, or none. RUN: 0 for the first way. */
const char *place_claim(struct place *p, const char *wanted, uint64_t run);

/* For the second way: this process has its record there now, by which others of the run know it. */
void place_settled(const struct place *p);

/* In the directory that was claimed, moves what an earlier run has left (not that of the id RUN),
 * if no process uses it, to a directory NAME of its own there, and removes all but the MOST latest
 * of those. True if there was such a run, and all of it was moved. */
enum { PLACE_KEPT = 40 };
bool place_keep(const struct place *p, uint64_t run, long most, char name[PLACE_KEPT]);

/* The same directory for the others. */
const char *place_join(struct place *p, const char *wanted, unsigned number);

/* All directories on the way to PATH, which itself is not made. */
void place_make_parents(const char *path);

/* Opens the directory again, whatever the application has done meanwhile; -1: it is not there. */
int place_open(const struct place *p);

/* Removes from the directory what earlier runs have left and no living process uses: the records of
 * RANK and, by the FIRST rank, those of ranks from SIZE on, which nobody else removes, and
 * profile.json. */
void place_clear(const struct place *p, int rank, int size, bool first);

/* The name of a record: of this run's RANK, told from those of others by TAG. */
void place_record(const struct place *p, char path[PLACE_RECORD], int rank, uint64_t tag);

/* Calls EACH with name and header of every record in the directory. */
void place_each(const struct place *p,
                void (*each)(int directory, const char *name, const struct ledger_header *h,
                             void *arg),
                void *arg);

/* The directories beside this one where another run has written since this one began, as a list for
 * a sentence; false if there are none. */
bool place_others(const struct place *p, double since, char *list, size_t room);

#endif
