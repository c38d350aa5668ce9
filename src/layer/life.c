#include "layer/life.h"

#include "base/hash.h"
#include "inject/inject.h"
#include "layer/parts.h"
#include "profile/profile.h"
#include "record/call.h"
#include "sync/sync.h"
#include "sync/yielding.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int first_member; /* the lowest rank with the layer */
static struct clock_pair prepared;
static struct sync_clock global_clock;
static int end_keyval = MPI_KEYVAL_INVALID;

static void complain(const char *line, void *arg)
{
    (void)arg;
    if (launcher_speaks())
        layer_say("%s", line);
}

/* Once in a process, even if an initialization fails and another follows. */
void life_prepare(bool before_init)
{
    pthread_mutex_lock(&layer.lock);
    if (prepared.seconds == 0) {
        local_clock_start();
        prepared = clock_read_pair();
        settings_read(&layer.settings, settings_environment(), complain, NULL);
        if (before_init && *layer.settings.tune)
            layer.previous = realpath(layer.settings.output, NULL);
        const struct launcher *l = members_launcher(before_init);
        bool named = l->name && l->rank >= 0 && l->rank < l->size &&
                     clock_source != CLOCK_SOURCE_EXTERNAL,
             seen = named && record_make((struct record_owner){l->rank, l->size, l->run});
        if (before_init)
            members_announce(seen);
        if (before_init && *layer.settings.tuned)
            tuned_use(l->size);
    }
    pthread_mutex_unlock(&layer.lock);
}

/* A rate within 0.01 % needs 2 ms between two readings; MPI_Init usually takes longer. */
static void find_rate(void)
{
    struct clock_pair now = clock_read_pair();
    while (clock_is_counter(clock_source) && now.seconds - prepared.seconds < 2e-3)
        now = clock_read_pair();
    layer.ns_per_tick = (uint64_t)(1e9 / clock_rate(prepared, now) * 4294967296.0);
}

static int on_self_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    recording_end();
    return MPI_SUCCESS;
}

static void in_child(void)
{
    layer.on = false;
    layer.phase = LAYER_ENDED;
}

/* Recording begins here. MPI_Finalize deletes the attribute first, while everything still works,
 * even if its wrapper is not called. */
static void begin(void)
{
    int world_model = 0;
    PMPI_Initialized(&world_model);
    if (world_model) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self_deleted, &end_keyval, NULL);
        PMPI_Comm_set_attr(MPI_COMM_SELF, end_keyval, NULL);
        comm_add(MPI_COMM_WORLD, LEDGER_NO_SITE);
    }
    call_know_types();
    run_directory_follow(&run_directory, layer.settings.output);
    layer.phase = LAYER_RUNNING;
    ends_watch();
    pthread_atfork(NULL, NULL, in_child);
    layer.on = layer.settings.start;
    samples_start(layer.settings.sample);
}

/* The identity of this run's job; ranks that communicate take that of the first one, which makes it
 * if the launcher has not named the run. */
static uint64_t job_of_run(void)
{
    const bool together = layer.comm != MPI_COMM_NULL,
               named = record_owner.job && record_owner.size == layer.size;
    const uint64_t now = (uint64_t)(1e9 * clock_seconds(CLOCK_REALTIME));
    uint64_t job = named                         ? record_owner.job
                   : together || layer.size == 1 ? hash_mix((uint64_t)getpid(), now) | 1
                                                 : members_launcher(false)->run;
    MPI_Request request;
    if (together)
        wait_yielding(PMPI_Ibcast(&job, 1, MPI_UINT64_T, 0, layer.comm, &request), &request);
    return job;
}

static const char *disagreement = ""; /* why nothing is injected; empty if ranks agree */

/* Ranks that communicate record all or none, since they merge together. OBSTACLE: why this one has
 * no record; otherwise NULL. */
static bool agree_to_record(const char *obstacle)
{
    const bool together = layer.comm != MPI_COMM_NULL;
    const uint64_t hash = settings_hash(&layer.settings), last = (uint64_t)layer.rank + 1;
    /* One maximum gives the largest hash, and the largest complement that of the smallest hash. */
    struct {
        uint64_t obstacle, settings, complement;
    } any = {obstacle ? last : 0, hash, ~hash};
    if (together)
        allreduce_yielding(MPI_IN_PLACE, &any, sizeof any / sizeof(uint64_t), MPI_MAX, layer.comm);
    if (any.obstacle == last)
        layer_say("rank %d: %s: %s is not recorded", layer.rank, obstacle,
                  together ? "this run" : "it");
    /* The parts of an MPMD run may have options of their own. */
    if (!any.obstacle && any.settings != ~any.complement)
        disagreement =
            "ranks have different options: each records by its own, nothing is injected or tuned";
    if (*disagreement && layer.rank == 0)
        layer_say("%s", disagreement);
    return !any.obstacle;
}

/* Starts the record; the first rank links NAME to this run. */
static bool record(int thread_level)
{
    const char *name = layer.settings.output;
    record_ensure((struct record_owner){layer.rank, layer.size, job_of_run()});
    if (!agree_to_record(record_start(thread_level)))
        return false;
    if (layer.rank == first_member && !run_directory_link(&run_directory, name))
        layer_say("%s exists and is not a link that collprof has made: this run is in %s", name,
                  run_directory.shown);
    if (layer.comm != MPI_COMM_NULL)
        sync_start(&global_clock, layer.comm, 0, 0);
    return true;
}

/* If several threads begin to use MPI at once, one of them starts the layer. */
static bool is_first_to_start(void)
{
    pthread_mutex_lock(&layer.lock);
    bool first = layer.phase == LAYER_ASLEEP;
    layer.phase = first ? LAYER_ENDED : layer.phase; /* until everything has succeeded */
    pthread_mutex_unlock(&layer.lock);
    return first;
}

/* Makes the layer's communicator of all ranks; none if some have no layer and would not answer.
 * False: this process records nothing. */
static bool join(void)
{
    const struct run_directory *d = &run_directory;
    if (members_run_alone())
        return false;
    const int members = members_count(d, &first_member);
    if (members == layer.size)
        return comm_dup_yielding(MPI_COMM_WORLD, &layer.comm) == MPI_SUCCESS &&
               PMPI_Comm_set_errhandler(layer.comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
    if (!members)
        layer_say("rank %d: %s: it is not recorded", layer.rank,
                  *record_obstacle ? record_obstacle : "its directory cannot be read");
    else if (layer.rank == first_member && !*record_obstacle)
        layer_say("%d of %d ranks take part: the others run without collprof or with another "
                  "--output; nothing is injected or tuned",
                  members, layer.size);
    return members;
}

/* BY_INIT: called from MPI_Init, in which all ranks are. */
static void start(MPI_Group world, int thread_level, bool by_init)
{
    if (!is_first_to_start())
        return;
    layer.world = world;
    PMPI_Group_rank(world, &layer.rank);
    PMPI_Group_size(world, &layer.size);
    bool good = !by_init || join();
    find_rate();
    if (!good || !record(thread_level)) {
        record_drop();
        return;
    }
    run_directory_close(&run_directory);
    layer.ledger.header->started_late = !by_init;
    trace_start(
        (int64_t)((layer.comm != MPI_COMM_NULL ? sync_now(&global_clock) : clock_now()) * 1e9));
    begin();
}

void recording_start(int thread_level)
{
    uint64_t from = clock_ticks();
    MPI_Group world;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    start(world, thread_level, true);
    if (layer.phase != LAYER_RUNNING)
        return;
    if (layer.comm != MPI_COMM_NULL && !*disagreement) /* needs all ranks, with equal options */
        inject_start(&global_clock);
    if (inject_wanted())
        layer.on = true;
    layer.ledger.header->init_ns = ticks_to_ns(clock_ticks() - from);
}

/* At a call before MPI_Init was seen: checks whether MPI is already initialized. */
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
    life_prepare(false);
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        start(world, level, false);
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
    __atomic_add_fetch(&sessions, 1, __ATOMIC_RELAXED);
    /* A session's thread level is not known here; locking is always correct. */
    if (layer.phase == LAYER_ASLEEP &&
        PMPI_Group_from_session_pset(session, "mpi://WORLD", &world) == MPI_SUCCESS)
        start(world, MPI_THREAD_MULTIPLE, false);
}

void life_session_ends(void)
{
    bool last = __atomic_sub_fetch(&sessions, 1, __ATOMIC_RELAXED) == 0;
    if (last && layer.comm == MPI_COMM_NULL)
        recording_end();
}
#endif

void life_switch(int level)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    if (level == 0 && inject_wanted()) {
        layer_say("MPI_Pcontrol(0) is ignored: experiments need all ranks");
    } else if (level == 0) {
        layer.on = false;
    } else if (level == 1 && !layer.on) {
        requests_clear();
        channels_lose_order();
        messages_lose();
        thread.left = clock_ticks(); /* calls before were not recorded */
        if (layer.sample)
            samples_leave(LEDGER_NO_SITE, LEDGER_NO_OPERATION);
        thread.outside = 0;
        layer.on = true;
    }
}

void life_record_abort(int code)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    record_mark_end(LEDGER_ABORTED, code);
    layer_say("rank %d calls MPI_Abort(%d): `collprof report %s` shows what was recorded",
              layer.rank, code, run_directory.shown);
}

/* Called after the last collective point: until then this rank is in MPI_Finalize or the like. */
static void close_books(struct clock_pair entered)
{
    struct ledger_header *h = layer.ledger.header;
    modules_update();
    if (layer.costs >= COSTS_LEAST)
        h->call_ns = (double)layer.cost_ns / (double)layer.costs;
    record_mark_end(LEDGER_FINALIZED, 0);
    h->pair[1] = entered;
    if (thread.call)
        thread.call->since = 0;
    layer.phase = LAYER_ENDED;
}

/* A second point at the end gives the drift; the record then contains the line through both
 * points. */
static void settle_clock(struct ledger_header *h)
{
    if (sync_remeasure(&global_clock))
        return; /* all ranks return here: times of different hosts are not compared */
    const struct sync_line *line = &global_clock.line;
    h->global_drift = line->drift;
    h->global_offset = line->offset + line->drift * (h->pair[0].seconds - line->origin);
    h->global_bound = global_clock.worst_bound;
    h->synchronized = 1;
}

/* Stores the results of injections in the record. */
static void record_findings(void *done)
{
    json_auto_t *findings = inject_findings();
    FREED char *text = json_dumps(findings, JSON_COMPACT);
    const uint32_t at =
        text && json_array_size(findings) ? ledger_add_text(&layer.ledger, text) : 0;
    if (at) /* otherwise those remain that were written during the run */
        layer.ledger.header->findings = at;
    *(bool *)done = text && (layer.ledger.header->findings || !json_array_size(findings));
}

/* Removes the ranks' records, but only after their content has been written elsewhere. */
static void remove_record(int written)
{
    MPI_Request request;
    int posted = PMPI_Ibcast(&written, 1, MPI_INT, 0, layer.comm, &request);
    if (!wait_yielding(posted, &request) && written && !layer.settings.keep && !layer.trace)
        record_remove_file();
    if (written && layer.rank == 0)
        run_directory_link(&run_directory, layer.settings.output);
}

/* MPICH over UCX may hang in MPI_Finalize if a rank is in it while another still completes a call
 * before it: the first then has what it waits for, and no longer answers. So no rank goes on before
 * all have seen the end of the barrier, which they poll every millisecond. */
static void leave_together(void)
{
    MPI_Request all_here;
    wait_yielding(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void end_together(struct clock_pair entered)
{
    MPI_Request all_here;
    wait_yielding(PMPI_Ibarrier(layer.comm, &all_here), &all_here);
    double start = clock_now();
    int written = 0;
    bool recorded = false;
    inject_end();
    settle_clock(layer.ledger.header);
    if (!memory_try(record_findings, &recorded) || !recorded)
        layer_say("rank %d: no memory for its measurements: they are not reported", layer.rank);
    close_books(entered);
    struct profile *all = merge_ranks(&layer.ledger, layer.comm);
    if (all && *disagreement)
        profile_warn(all, "%s", disagreement);
    bool reason = false;
    for (size_t i = 0; all && i < all->warnings.n; i++)
        reason = reason || strstr(all->warnings.at[i].text, PROFILE_NOT_SAMPLED);
    if (all && layer.sample && !all->samples.n && !reason)
        profile_warn(all, PROFILE_NOT_SAMPLED ": ranks compute for less than 10 ms");
    if (layer.rank == 0)
        written = report_write(all, start);
    profile_free(all);
    remove_record(written);
    leave_together();
    PMPI_Group_free(&layer.world);
    PMPI_Comm_free(&layer.comm);
}

/* Ranks that started without communication end at different times: none of them can merge. */
static void end_alone(struct clock_pair entered)
{
    close_books(entered);
    if (layer.rank == first_member && layer.settings.report)
        layer_say("`collprof report %s` shows what was recorded", run_directory.shown);
}

/* Our writing may exceed a limit (ulimit -f) or meet a closed pipe: for us that is an error; the
 * application must not get a signal. */
static void hold_signals(sigset_t *ours)
{
    sigset_t blocked; /* one of these may wait for the application itself */
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigemptyset(ours);
    if (!sigismember(&blocked, SIGXFSZ))
        sigaddset(ours, SIGXFSZ);
    if (!sigismember(&blocked, SIGPIPE))
        sigaddset(ours, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, ours, NULL);
}

static void release_signals(const sigset_t *ours)
{
    while (sigtimedwait(ours, NULL, &(struct timespec){0, 0}) > 0)
        ;
    pthread_sigmask(SIG_UNBLOCK, ours, NULL);
}

void recording_end(void)
{
    sigset_t ours;
    if (layer.phase != LAYER_RUNNING || getpid() != layer.pid)
        return;
    bool was_inside = thread.inside;
    thread_enter();
    layer.on = false;
    if (layer.sample)
        samples_end();
    trace_stop();
    hold_signals(&ours);
    regions_count();
    noise_read(&layer.ledger.header->noise[1]); /* before waiting for the others */
    struct clock_pair entered = clock_read_pair();
    if (layer.comm != MPI_COMM_NULL)
        end_together(entered);
    else
        end_alone(entered);
    release_signals(&ours);
    thread.inside = was_inside;
}
