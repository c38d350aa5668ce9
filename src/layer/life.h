/* Start and end of the preloaded profiling library ("the layer"), called by the wrappers.
 *
 * If all ranks call MPI_Init with the layer, they agree there whether to record, and rank 0 merges
 * their records in MPI_Finalize. Otherwise (MPI sessions, MPI initialized before the layer was
 * loaded, or ranks without the layer) each process records alone, because ranks without it would
 * never answer; `collprof report` then merges the record files, as after a crash. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* Call it before PMPI_Init: reads the settings, and creates the record if the launcher has set this
 * process's rank. BEFORE_INIT: false if MPI was initialized without the layer. */
void life_prepare(bool before_init);

/* Call it after PMPI_Init, on all ranks. THREAD_LEVEL: of the thread support that MPI provides. */
void recording_start(int thread_level);

/* Call it before PMPI_Finalize, on all ranks: ends recording, and writes profile and report. Does
 * nothing if recording has ended before. */
void recording_end(void);

/* Call it before PMPI_Abort: writes CODE into the record. */
void life_record_abort(int code);

/* MPI_Pcontrol: level 0 stops recording, 1 resumes it; other levels are ignored. */
void life_switch(int level);

/* Call the first one after PMPI_Session_init, the second one before PMPI_Session_finalize. */
#ifdef MPI_SESSION_NULL
void life_session_begun(MPI_Session session);
void life_session_ends(void);
#endif
