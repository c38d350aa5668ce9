/* Processes whose MPI_Init was not seen: sessions, and Fortran 2008 programs, whose binding does
 * not come by the C functions. Others may not have started, so nothing may be sent: each keeps its
 * record, and rank 0 merges from the files. */
#include "layer/life_inner.h"
#include "record/call.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ranks end at different times; later ones than this stay in their files. */
static const double PATIENCE = 2;
/* All ranks of a run start within this time, in seconds. */
static const double START_SPREAD = 60;

static void start_alone(MPI_Group world, int thread_level)
{
    char path[LIFE_PATH];
    layer.world = world;
    PMPI_Group_rank(world, &layer.rank);
    PMPI_Group_size(world, &layer.size);
    settings_default(&layer.settings);
    settings_read(&layer.settings, environ, life_complain, NULL);
    layer.phase = LAYER_ENDED; /* until everything has worked */
    life_find_rate();
    life_make_directories(layer.settings.output);
    if (layer.rank == 0) {
        snprintf(path, LIFE_PATH, "%s/profile.json", layer.settings.output);
        unlink(path);
    }
    int error = life_open_ledger(thread_level);
    if (error > 0)
        return;
    if (error < 0)
        layer_say("rank %d: cannot write records to %s: %s: only rank 0 will be reported",
                  layer.rank, layer.settings.output, strerror(-error));
    layer.ledger.header->started_late = 1;
    life_begin();
}

/* A call that is not MPI_Init: has the library been initialized behind our back? */
static void on_first_call(void)
{
    int begun = 0, over = 0, level = MPI_THREAD_MULTIPLE;
    MPI_Group world;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&over);
    if (!begun || over)
        return;
    thread.inside = true;
    PMPI_Query_thread(&level);
    life_prepare();
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        start_alone(world, level);
    thread.inside = false;
}

__attribute__((constructor)) static void watch_for_first_call(void)
{
    call_first_seen = on_first_call;
}

#ifdef MPI_SESSION_NULL
static int sessions;

void life_session_begun(MPI_Session session)
{
    MPI_Group world;
    pthread_mutex_lock(&layer.lock);
    bool first = sessions++ == 0 && layer.phase == LAYER_ASLEEP;
    pthread_mutex_unlock(&layer.lock);
    /* A session does not tell its thread level before it is asked for; locking is always right. */
    if (first && PMPI_Group_from_session_pset(session, "mpi://WORLD", &world) == MPI_SUCCESS)
        start_alone(world, MPI_THREAD_MULTIPLE);
}

void life_session_ends(void)
{
    pthread_mutex_lock(&layer.lock);
    bool last = --sessions == 0;
    pthread_mutex_unlock(&layer.lock);
    if (last && layer.comm == MPI_COMM_NULL)
        life_end();
}
#endif

/* --- the end --- */

static bool has_ended(int rank)
{
    char path[LIFE_PATH];
    struct ledger l;
    life_record_path(path, rank);
    if (ledger_open(&l, path))
        return false;
    bool ended = l.header->state != LEDGER_RUNNING &&
                 l.header->started_unix > layer.ledger.header->started_unix - START_SPREAD;
    ledger_close(&l);
    return ended;
}

static void wait_for_others(void)
{
    double until = clock_now() + PATIENCE;
    for (int rank = 0; rank < layer.size; rank++)
        while (!has_ended(rank) && clock_now() < until)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

void life_end_alone(void)
{
    char path[LIFE_PATH];
    if (layer.rank != 0)
        return;
    if (layer.ledger.in_file)
        wait_for_others();
    struct profile *all = layer.ledger.in_file ? profile_load(layer.settings.output)
                                               : profile_from_ledger(&layer.ledger);
    if (!all)
        return;
    bool written = life_report(all);
    profile_free(all);
    for (int rank = 0; rank < layer.size && written && !layer.settings.keep; rank++) {
        life_record_path(path, rank);
        if (has_ended(rank))
            unlink(path);
    }
}
