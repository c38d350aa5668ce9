/* The layer's life cycle: from the first MPI call seen to the report.
 *
 * Started by MPI_Init, all ranks agree on the output directory and will merge their records along
 * a tree in MPI_Finalize. Where MPI_Init is not seen (sessions) a process starts
 * alone, without a word to the others, who may not start at all; the records are then merged
 * from their files. */
#ifndef COLLPROF_LAYER_LIFE_H
#define COLLPROF_LAYER_LIFE_H

#include "record/layer.h"

/* Before the library's own initialization: the clock. */
void life_prepare(void);

/* After it: collective over MPI_COMM_WORLD. */
void life_start(int thread_level);

/* The end, while MPI still works; the second and later calls do nothing. */
void life_end(void);

void life_aborted(int code);

/* MPI_Pcontrol: 0 off, 1 on, 2 reset; other levels are not ours. */
void life_switch(int level);

#ifdef MPI_SESSION_NULL
void life_session_begun(MPI_Session session);
void life_session_ends(void);
#endif

/* Merges the profiles of all ranks of the layer's communicator along a binomial tree; the result
 * on its rank 0, NULL elsewhere, and there too if any rank's memory did not suffice. Takes over
 * MINE (NULL: its memory did not). */
struct profile;
struct profile *merge_over_tree(struct profile *mine, MPI_Comm comm);

/* Writes the profile (NULL: memory ran out before) and prints the report: once, on one rank. False,
 * having said why, if it could not be written. START: by clock_now(), of putting it together. */
bool life_report(struct profile *p, double start);

/* Whether this process runs under another user or group than when MPI was started. */
bool life_has_changed_user(void);

/* Catching what ends a process early. */
void ends_watch(void);
/* How the process ended, in its record. */
void ends_mark(enum ledger_state state, int detail);

#endif
