/* The layer's life cycle, from the first MPI call to the report.
 *
 * If MPI_Init is seen, all ranks agree there, and rank 0 merges their records in MPI_Finalize.
 * Otherwise (sessions, MPI initialized before the layer was loaded, some ranks without it) a
 * process records without communication, since others may never answer; `collprof report` then
 * merges the record files, as after a crash. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* Call it before the library's initialization: starts the clock, and the record if the launcher
 * gives this process's rank. BEFORE_INIT: false if MPI was initialized without the layer. */
void life_prepare(bool before_init);

/* Call it after the library's initialization; collective over MPI_COMM_WORLD. */
void recording_start(int thread_level);

/* Ends recording while MPI still works; further calls do nothing. */
void recording_end(void);

/* Call it before the library's MPI_Abort: writes CODE into the record. */
void life_record_abort(int code);

/* MPI_Pcontrol: 0 off, 1 on; other levels are ignored. */
void life_switch(int level);

#ifdef MPI_SESSION_NULL
void life_session_begun(MPI_Session session);
void life_session_ends(void);
#endif
