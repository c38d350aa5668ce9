/* Processes whose MPI_Init was not seen: sessions. Others may not have started, so nothing may be
 * sent: each keeps its record, and rank 0 merges from the files. */
#include "base/reason.h"
#include "layer/company.h"
#include "layer/life_inner.h"
#include "profile/profile.h"
#include "record/call.h"
#include "record/network.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ranks end at different times; later ones than this stay in their files. */
static const double PATIENCE = 2;
/* Where the launcher gives no run a name, all ranks of one start within this time, in seconds. */
static const double START_SPREAD = 60;

/* The others are not asked. */
static void start_alone(MPI_Group world, int thread_level)
{
    layer.world = world;
    PMPI_Group_rank(world, &layer.rank);
    PMPI_Group_size(world, &layer.size);
    life_read_settings();
    layer.phase = LAYER_ENDED; /* until everything has worked */
    life_find_rate();
    uint64_t tag = (clock_ticks() ^ (uint64_t)getpid() << 32) | 1;
    uint64_t run = layer.size > 1 ? company_run() : tag;
    uint64_t together = layer.size > 1 ? run : 0; /* ranks that take the directory together */
    life_obstacle = run ? place_claim(&life_place, layer.settings.output, together)
                        : place_join(&life_place, layer.settings.output, 0);
    if (!life_obstacle && layer.rank == 0) {
        place_keep(&life_place, together, layer.settings.keep_runs, life_kept_run);
        life_say_place();
    }
    /* What is to be kept of the others may not be gone before. */
    if (!life_obstacle && (layer.rank == 0 || !run || layer.settings.keep_runs < 1))
        place_clear(&life_place, layer.rank, layer.size, layer.rank == 0);
    if (life_open_ledger(thread_level, tag))
        return;
    layer.ledger.header->run_id = run;
    if (together)
        place_settled(&life_place);
    if (life_obstacle)
        layer_say("rank %d: cannot write records to %s: %s: only rank 0 will be reported",
                  layer.rank, life_place.shown, life_obstacle);
    layer.ledger.header->started_late = 1;
    events_start((int64_t)(clock_now() * 1e9));
    if (layer.trace)
        network_start();
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
    thread_enter();
    PMPI_Query_thread(&level);
    life_prepare();
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        start_alone(world, level);
    thread_leave();
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

struct ended {
    bool *rank; /* has a record that says how it ended */
    bool remove;
};

static void look(int directory, const char *name, const struct ledger_header *h, void *arg)
{
    struct ended *e = arg;
    const struct ledger_header *mine = layer.ledger.header;
    if (h->state == LEDGER_RUNNING || h->rank >= layer.size || h->run_id != mine->run_id ||
        (!h->run_id && h->started_unix < mine->started_unix - START_SPREAD))
        return;
    e->rank[h->rank] = true;
    if (e->remove)
        unlinkat(directory, name, 0);
}

static bool have_all_ended(struct ended *e)
{
    memset(e->rank, 0, (size_t)layer.size * sizeof *e->rank);
    place_each(&life_place, look, e);
    for (int rank = 0; rank < layer.size; rank++)
        if (!e->rank[rank])
            return false;
    return true;
}

static void wait_for_others(struct ended *e)
{
    double until = clock_now() + PATIENCE;
    while (!have_all_ended(e) && clock_now() < until)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void put_together(void *profile)
{
    struct profile **all = profile;
    *all =
        layer.ledger.in_file ? profile_load(life_place.path) : profile_from_ledger(&layer.ledger);
}

void life_end_alone(void)
{
    if (layer.rank != 0)
        return;
    double start = clock_now();
    struct ended ended = {calloc((size_t)layer.size, sizeof *ended.rank), false};
    if (layer.ledger.in_file && ended.rank)
        wait_for_others(&ended);
    struct profile *all = NULL;
    bool whole = memory_try(put_together, &all);
    reason_tell("collprof");
    bool written = (all || !whole) && life_report(all, start);
    profile_free(all);
    ended.remove = written && !layer.settings.keep && !layer.trace;
    if (ended.remove && ended.rank)
        have_all_ended(&ended);
    free(ended.rank);
}
