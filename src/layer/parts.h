/* The functions by which life.c starts and ends a run, from the other files of this folder. */
#pragma once

#include "base/launcher.h"
#include "layer/run_directory.h"
#include "record/layer.h"

/* The directory into which this run writes. */
extern struct run_directory run_directory;

/* The process of the record that exists. JOB: the run's identity; 0: there is no record. */
struct record_owner {
    int rank, size;
    uint64_t job;
};
extern struct record_owner record_owner;

/* Why there is no record: "cannot write records to DIR: reason"; "" if there is one. */
extern char record_obstacle[1300];

/* Creates the record's file, or sets record_obstacle. Returns whether the directory has a file of
 * its name, by which other ranks count this one. */
bool record_make(struct record_owner of);
/* Creates the record unless it exists; one that was created before MPI_Init with another rank, size
 * or job is replaced. */
void record_ensure(struct record_owner of);
/* Prepares the record for calls, after PMPI_Init. Returns NULL, or why there is no record. */
const char *record_start(int thread_level);
/* Removes the record's file; the mapped memory remains. */
void record_remove_file(void);
/* Removes the record and its file. */
void record_drop(void);

/* Installs handlers for signals and exits that end the process before MPI_Finalize. */
void ends_watch(void);
/* Writes into the record how the process ended, unless an earlier call has. */
void record_mark_end(enum ledger_state state, int detail);

/* Adds the time since this thread's last change of region to its innermost region. This reference
 * also makes the linker take collprof_region_begin() from libcollprof.a, to which applications have
 * only weak references. */
void regions_count(void);

/* The launcher according to the environment; a static object. BEFORE_INIT: MPI_Init was not called
 * yet: on several hosts under Hydra, RUN is then a hash of Hydra's name for the run (store.h). */
const struct launcher *members_launcher(bool before_init);

/* Makes this rank visible to members_count() of other ranks. HAS_RECORD: result of record_make().
 * Call it before MPI_Init. */
void members_announce(bool has_record);

/* Whether MPI_COMM_WORLD has one rank although the launcher has started several processes. Prints
 * that this MPI library does not fit the launcher. Call it after MPI_Init, with layer.size set. */
bool members_run_alone(void);

/* Returns how many ranks of MPI_COMM_WORLD have the layer: the same number on all ranks that can
 * see D or the launcher's key-value store, otherwise less than the size. FIRST: the lowest such
 * rank. 0: this rank has no record. Call it after MPI_Init, with layer.rank and layer.size set. */
int members_count(const struct run_directory *d, int *first);

/* The command that starts ranks of this MPI library. LIBRARY: its name and version as found at run
 * time: it may differ from the one of the build, if both have the same binary interface. */
const char *members_command(const char *library);

/* Merges the ledgers of all ranks of COMM on its rank 0, which receives one after the other. MINE:
 * this rank's ledger. Returns a profile that the caller frees by profile_free(); NULL on other
 * ranks, and on rank 0 if memory is short or a ledger is lost. */
struct profile;
struct profile *merge_ranks(const struct ledger *mine, MPI_Comm comm);

/* Why the rules of --tuned=DIR are not used; "": they are, or there are none. */
extern char tuned_refused[];

/* With --tune: writes the algorithms that were found into the run's directory, as files for the MPI
 * library (tune/rules.h). Prints the reason if it fails. */
void tuned_save(const struct profile *p);

/* With --tuned=DIR: sets the environment variables by which the MPI library reads the files in DIR.
 * Prints why it does not: they are damaged, for another library or version, or differ among RANKS,
 * which wait for each other here. Call it before MPI_Init, after record_make(). */
void tuned_use(int ranks);

/* Writes the profile P and prints the report; P NULL: memory ran out. START: clock_now() when
 * merging began. False, after printing the reason, if the profile was not written. */
bool report_write(struct profile *p, double start);
