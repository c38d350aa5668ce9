/* The parts of a run's start and end, which life.c puts together. */
#ifndef COLLPROF_LAYER_PARTS_H
#define COLLPROF_LAYER_PARTS_H

#include "layer/run_directory.h"
#include "record/layer.h"

/* Where this run writes; and why it cannot write there, NULL if it can. */
extern struct run_directory run_directory;
extern const char *run_obstacle;

/* The record of this rank: in the directory or, where that cannot be, in memory. Of whom it is; JOB
 * 0: there is none. */
struct record_owner {
    int rank, size;
    uint64_t job;
};
extern struct record_owner record_owner;

/* Makes it. Returns whether other ranks can see it in the directory. */
bool record_make(struct record_owner of);
/* Makes it unless it is there; one that was made before MPI_Init may be another's. */
void record_need(struct record_owner of);
/* Makes the tables that are not in it, and describes the run. Returns 0 or an errno: there is no
 * record then. */
int record_start(int thread_level);
/* Removes its file; what is mapped of it stays. */
void record_remove_file(void);
void record_drop(void);

/* Whether this is the first of the ranks that take part. */
static inline bool layer_is_first(void)
{
    int rank = 0;
    PMPI_Comm_rank(layer.comm, &rank);
    return rank == 0;
}

/* All ranks record, or none does: they merge together. What hinders them is reported by one rank
 * for all. ERROR: an errno that hinders this one, or 0. Collective over layer.comm. */
bool agree_to_record(int error);
/* Then: whether all ranks want the same of what they would have to do together. */
bool agreed_to_inject(void);
/* "ranks have different options: ...", "" if they have none that matter. */
const char *agreed_sentence(void);

/* Catches what ends a process early. */
void ends_watch(void);
/* Writes into the record how the process ended. */
void ends_mark(enum ledger_state state, int detail);

/* Measures what a call costs that does nothing. Before anything is recorded: nothing of it stays.
 */
void cost_measure(void);
void cost_settle(void);

/* Adds to the innermost region what this thread has spent in it by now; forgets all regions. Called
 * from here, so that the public functions are linked from libcollprof.a, too: an application refers
 * to them only weakly. */
void regions_count(void);
void regions_forget(void);

/* The profile of all ranks of COMM, each of which has the ledger MINE, on its rank 0, which takes
 * their ledgers in one after the other. NULL elsewhere, and there too if it would take more memory
 * than the host and its control groups have left: the records stay then, for `collprof report`. */
struct profile;
struct profile *merge_ranks(const struct ledger *mine, MPI_Comm comm);

/* Writes the profile (NULL: memory ran out before) and prints the report: once, on one rank. False,
 * having said why, if it could not be written. START: by clock_now(), of putting it together. */
bool report_write(struct profile *p, double start);

#endif
