/* The parts of a run's start and end, which life.c calls. */
#pragma once

#include "base/launcher.h"
#include "layer/run_directory.h"
#include "record/layer.h"

/* Where this run writes. */
extern struct run_directory run_directory;

/* Whose record it is; JOB 0: none. */
struct record_owner {
    int rank, size;
    uint64_t job;
};
extern struct record_owner record_owner;

/* Why there is no record: "cannot write records to DIR: reason"; "" if there is one. */
extern char record_obstacle[1300];

/* Makes the record, or sets the obstacle. Returns whether other ranks can see its name in the
 * directory. */
bool record_make(struct record_owner of);
/* Makes the record unless it exists; one that was made before MPI_Init may belong to another
 * rank. */
void record_ensure(struct record_owner of);
/* Makes the remaining tables, and describes the run. Returns NULL, or why there is no record. */
const char *record_start(int thread_level);
/* Removes its file; the mapped memory remains. */
void record_remove_file(void);
void record_drop(void);

/* Catches signals and exits that end a process early. */
void ends_watch(void);
/* Writes into the record how the process ended. */
void record_mark_end(enum ledger_state state, int detail);

/* Adds to the innermost region what this thread has spent in it by now. Called from here, so that
 * the public functions are linked from libcollprof.a, too: an application refers to them only
 * weakly. */
void regions_count(void);

/* The launcher according to the environment. BEFORE_INIT: if the ranks are on several hosts, the
 * name of the run is taken from the launcher's key-value store, so that all hosts use the same. */
const struct launcher *members_launcher(bool before_init);

/* Call it before MPI_Init, after this rank has tried to make its record. */
void members_announce(bool has_record);

/* Whether this process runs alone although its launcher has started several: then its MPI does not
 * fit the launcher, which is reported. Call it after MPI_Init, with layer.size set. */
bool members_run_alone(void);

/* Call it after MPI_Init, with layer.rank and size set. Returns how many ranks have the layer, by
 * the records in D: the same number on all ranks. On hosts that share neither D nor that store each
 * host counts its own, so all get less than the size. FIRST: the lowest of them. 0: this rank has
 * no record, and the others do not wait for it. */
int members_count(const struct run_directory *d, int *first);

/* The command that starts such ranks. LIBRARY: its name and version, because another
 * MPI with the same binary interface has another launcher. */
const char *members_command(const char *library);

/* Makes the profile of all ranks of COMM on its rank 0, which receives their ledgers one after the
 * other; MINE is this rank's ledger. NULL on other ranks, and on rank 0 if it would need more
 * memory than the host and its control groups have left: then the records remain, for `collprof
 * report`. */
struct profile;
struct profile *merge_ranks(const struct ledger *mine, MPI_Comm comm);

/* Writes what --tune found into the run's directory, as files for the MPI library (tune/rules.h);
 * nothing without --tune. On failure gives the reason. */
void tuned_save(const struct profile *p);

/* Before MPI_Init, once the record is made, with --tuned=DIR: sets the variables by which the
 * library reads the rules in DIR. Says why not if they are damaged, for another library or version,
 * or not the same on all RANKS, which wait for each other. */
void tuned_use(int ranks);

/* Writes the profile (NULL: memory ran out) and prints the report, once, on one rank. False, after
 * printing the reason, if it could not be written. START: clock_now() when merging began. */
bool report_write(struct profile *p, double start);
