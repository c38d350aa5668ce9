/* The layer's life cycle: from the first MPI call seen to the report.
 *
 * Started by MPI_Init, all ranks agree and will merge their records along a tree in MPI_Finalize.
 * Where MPI_Init is not seen (sessions, MPI initialized before the layer was loaded) a process
 * starts without a word to the others, who may not start at all; rank 0 then merges from the
 * records' files, as `collprof report` does after a crash. */
#ifndef COLLPROF_LAYER_LIFE_H
#define COLLPROF_LAYER_LIFE_H

#include <mpi.h>
#include <stdbool.h>

/* Before the library's own initialization: starts the clock, and the record where the launcher
 * says which rank this is. BEFORE_INIT: false where MPI was initialized without the layer. */
void life_prepare(bool before_init);

/* After it: collective over MPI_COMM_WORLD. */
void life_start(int thread_level);

/* The end, while MPI still works; the second and later calls do nothing. */
void life_end(void);

void life_aborted(int code);

/* MPI_Pcontrol: 0 off, 1 on, 2 reset; other levels are ignored. */
void life_switch(int level);

#ifdef MPI_SESSION_NULL
void life_session_begun(MPI_Session session);
void life_session_ends(void);
#endif

#endif
