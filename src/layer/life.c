#include "base/text.h"
#include "layer/company.h"
#include "layer/life_inner.h"

#include "inject/inject.h"
#include "profile/profile.h"
#include "record/call.h"
#include "record/network.h"
#include "record/python.h"
#include "sync/local_clock.h"
#include "sync/politely.h"
#include "sync/sync.h"
#include "wrappers/operations.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place life_place = {.claim = -1};
const char *life_obstacle;
char life_kept_run[PLACE_KEPT];
static struct clock_pair prepared;
static struct sync_clock global_clock;
static int end_keyval = MPI_KEYVAL_INVALID;
static struct user {
    uid_t real, effective;
    gid_t real_group, effective_group;
} started_as;

/* --- beginning --- */

static struct user user_now(void)
{
    return (struct user){getuid(), geteuid(), getgid(), getegid()};
}

bool life_has_changed_user(void)
{
    struct user now = user_now();
    return memcmp(&now, &started_as, sizeof now) != 0;
}

void life_prepare(void)
{
    started_as = user_now();
    local_clock_start();
    prepared = clock_read_pair();
}

/* A rate good to 0.01 % takes 2 ms between the two readings; MPI_Init usually takes longer. */
void life_find_rate(void)
{
    struct clock_pair now = clock_read_pair();
    while (clock_is_counter(clock_source) && now.seconds - prepared.seconds < 2e-3)
        now = clock_read_pair();
    layer.ns_per_tick = (uint64_t)(1e9 / clock_rate(prepared, now) * 4294967296.0);
}

static void complain(const char *line, void *arg)
{
    (void)arg;
    if (layer.rank == 0)
        layer_say("%s", line);
}

static void describe_run(struct ledger_header *h, int thread_level)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], processor[MPI_MAX_PROCESSOR_NAME];
    cpu_set_t mask;
    int length;
    h->rank = layer.rank;
    h->size = layer.size;
    PMPI_Get_processor_name(processor, &length);
    text_copy(h->host, sizeof h->host, processor);
    if (readlink("/proc/self/exe", h->program, sizeof h->program - 1) < 0)
        strcpy(h->program, "?");
    python_script(h->program, h->script, sizeof h->script);
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (char *c = library; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    text_copy(h->mpi_library, sizeof h->mpi_library, library);
    text_copy(h->launcher, sizeof h->launcher, company_launcher(library));
    h->thread_level = thread_level;
    h->threads_at_once = thread_level == MPI_THREAD_MULTIPLE;
    /* Simulated ranks have as many processors as they like. */
    if (clock_source != CLOCK_SOURCE_EXTERNAL && !sched_getaffinity(0, sizeof mask, &mask)) {
        h->processors = (uint32_t)CPU_COUNT(&mask);
        memcpy(h->affinity, &mask, sizeof h->affinity);
        _Static_assert(sizeof mask >= sizeof h->affinity, "a mask fills the record's");
    }
    h->clock = clock_source;
    h->started_unix = clock_seconds(CLOCK_REALTIME);
    struct clock_pair now = clock_read_pair();
    h->pair[0] = (typeof(h->pair[0])){now.ticks, now.seconds};
    h->pair[1] = h->pair[0];
    h->ticks_per_second = 1e9 * 4294967296.0 / (double)layer.ns_per_tick;
    h->stack_depth = layer.stack_depth;
    noise_read(&h->noise[0]);
    /* Last: until then nobody takes the record for one that a process has left behind. */
    __atomic_store_n(&h->pid, getpid(), __ATOMIC_RELEASE);
}

static int on_self_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    life_end();
    return MPI_SUCCESS;
}

static void in_child(void)
{
    layer.on = false;
    layer.phase = LAYER_ENDED;
    if (life_place.claim >= 0) /* a daemon that is left behind keeps nobody away */
        close(life_place.claim);
}

/* In the directory or, where that cannot be, in memory: life_obstacle says why. */
static int create_ledger(uint64_t tag)
{
    size_t bytes = (size_t)layer.settings.memory << 20;
    char path[PLACE_RECORD];
    if (!life_obstacle) {
        int directory = place_open(&life_place);
        place_record(&life_place, path, layer.rank, tag);
        int error = directory < 0
                        ? errno
                        : ledger_create(&layer.ledger, directory, path, bytes, n_mpi_functions);
        if (directory >= 0)
            close(directory);
        if (!error)
            return 0;
        life_obstacle = strerror(error);
    }
    return ledger_create(&layer.ledger, -1, NULL, bytes, n_mpi_functions);
}

/* What is mapped of it stays. */
static void remove_file(void)
{
    int directory = layer.ledger.in_file ? place_open(&life_place) : -1;
    if (directory < 0)
        return;
    unlinkat(directory, strrchr(layer.ledger.path, '/') + 1, 0);
    close(directory);
}

/* Everything that this process can do by itself. */
int life_open_ledger(int thread_level, uint64_t tag)
{
    int error = create_ledger(tag);
    if (error)
        return error;
    memcpy(layer.ledger.operations, mpi_functions, n_mpi_functions * sizeof *mpi_functions);
    layer.ledger.header->section[LEDGER_OPERATIONS].count = n_mpi_functions;
    regions_start();
    layer.stack_depth = (unsigned)layer.settings.stack;
    layer.threaded = thread_level == MPI_THREAD_MULTIPLE;
    layer.pid = getpid();
    describe_run(layer.ledger.header, thread_level);
    if (entries_start() || sites_start() || requests_start() || comms_start() || peers_start()) {
        remove_file();
        ledger_close(&layer.ledger);
        return ENOMEM;
    }
    modules_update();
    return 0;
}

/* Records from here on. The attribute is deleted first of all in MPI_Finalize, where everything
 * still works, and also where the wrapper of MPI_Finalize is not called. */
void life_begin(void)
{
    int world_model = 0;
    PMPI_Initialized(&world_model);
    if (world_model) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self_deleted, &end_keyval, NULL);
        PMPI_Comm_set_attr(MPI_COMM_SELF, end_keyval, NULL);
        comm_add(MPI_COMM_WORLD, LEDGER_NO_SITE);
        comm_add(MPI_COMM_SELF, LEDGER_NO_SITE);
    }
    call_know_types();
    noise_watch();
    cost_measure();
    layer.phase = LAYER_RUNNING;
    ends_watch();
    pthread_atfork(NULL, NULL, in_child);
    layer.on = layer.settings.start;
}

bool life_is_first(void)
{
    int rank = 0;
    PMPI_Comm_rank(layer.comm, &rank);
    return rank == 0;
}

void life_say_place(void)
{
    if (life_place.number)
        layer_say("%s %s: this run writes to %s", layer.settings.output, life_place.why,
                  life_place.shown);
}

/* The same number and directory for all ranks; file systems may be private to a host. */
static uint64_t choose_place(void)
{
    uint64_t chosen[2] = {0, 0};
    MPI_Request request;
    if (life_is_first()) {
        struct clock_pair now = clock_read_pair();
        life_obstacle = place_claim(&life_place, layer.settings.output, 0);
        chosen[0] = (now.ticks * 0x9e3779b97f4a7c15ull ^ (uint64_t)getpid()) | 1;
        chosen[1] = life_place.number;
        if (!life_obstacle)
            place_keep(&life_place, 0, layer.settings.keep_runs, life_kept_run);
        life_say_place();
    }
    wait_politely(PMPI_Ibcast(chosen, 2, MPI_UINT64_T, 0, layer.comm, &request), &request);
    if (!life_is_first())
        life_obstacle = place_join(&life_place, layer.settings.output, (unsigned)chosen[1]);
    if (!life_obstacle)
        place_clear(&life_place, layer.rank, layer.size, life_is_first());
    return chosen[0];
}

void life_read_settings(void)
{
    settings_read(&layer.settings, settings_environment(), complain, NULL);
}

void life_start(int thread_level)
{
    uint64_t from = clock_ticks();
    PMPI_Comm_rank(MPI_COMM_WORLD, &layer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &layer.size);
    life_read_settings();
    layer.phase = LAYER_ENDED; /* until everything has worked */
    PMPI_Comm_group(MPI_COMM_WORLD, &layer.world);
    layer.comm = company_join();
    if (layer.comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_set_errhandler(layer.comm, MPI_ERRORS_RETURN);
    life_find_rate();

    uint64_t run_id = choose_place();
    if (!agree_to_record(life_open_ledger(thread_level, run_id)))
        return;
    layer.ledger.header->run_id = run_id;
    sync_start(&global_clock, layer.comm, NULL);
    if (events_start((int64_t)(sync_now(&global_clock) * 1e9)))
        layer_say("rank %d: no memory for a trace", layer.rank);
    if (layer.trace)
        network_start();
    life_begin();
    if (!*company_sentence() && agreed_to_inject()) /* it takes all ranks of a communicator */
        inject_start(&global_clock);
    if (inject_together())
        layer.on = true;
    if (life_is_first())
        company_forget(); /* all have read it: they have agreed since */
    layer.ledger.header->init_ns = ticks_to_ns(clock_ticks() - from);
}

/* --- switching --- */

void life_switch(int level)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    if (level == 0 && inject_together()) {
        layer_say("MPI_Pcontrol(0) is not followed: --benchmark and --bcast need all ranks");
    } else if (level == 0) {
        layer.on = false;
    } else if (level == 1) {
        if (!layer.on) {
            requests_clear();
            channels_lose_order();
            thread.left = clock_ticks(); /* calls were not watched for a while */
            thread.outside = 0;
            network_forget();
        }
        layer.on = true;
    } else if (level == 2) {
        entries_reset();
        regions_forget();
        peers_reset();
        events_reset();
    }
}

/* --- the end --- */

void life_aborted(int code)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    ends_mark(LEDGER_ABORTED, code);
    if (layer.ledger.in_file)
        layer_say("rank %d calls MPI_Abort(%d): `collprof report %s` shows what was recorded",
                  layer.rank, code, life_place.shown);
}

static void close_books(void)
{
    struct ledger_header *h = layer.ledger.header;
    modules_update();
    comms_name();
    noise_read(&h->noise[1]);
    ends_mark(LEDGER_FINALIZED, 0);
    struct clock_pair now = clock_read_pair();
    h->pair[1] = (typeof(h->pair[1])){now.ticks, now.seconds};
}

/* A second point at the end gives the drift; the record then has the line through both. */
static void settle_clock(struct ledger_header *h)
{
    if (sync_again(&global_clock))
        return; /* on all ranks: times of different hosts are not compared */
    const struct sync_line *line = &global_clock.line;
    h->global_drift = line->drift;
    h->global_offset = line->offset + line->drift * (h->pair[0].seconds - line->origin);
    h->global_bound = global_clock.worst_bound;
    h->synchronized = 1;
}

static void add_finding(void *profile, const char *kind, json_t *finding)
{
    json_t *comm = json_object_get(finding, "communicator_index");
    uint32_t index = (uint32_t)json_integer_value(comm);
    json_integer_set(comm, profile_comm_of_ledger(profile, index));
    profile_add_finding(profile, kind, finding);
}

static void add_warning(void *profile, const char *text)
{
    profile_warn(profile, "%s", text);
}

static void make_profile(void *profile)
{
    struct profile **mine = profile, *p = profile_from_ledger(&layer.ledger);
    inject_findings(add_finding, add_warning, p);
    *mine = p;
}

/* The ranks' records go when what they say has been written elsewhere, and not before. */
static void remove_record(int written)
{
    MPI_Request request;
    int posted = PMPI_Ibcast(&written, 1, MPI_INT, 0, layer.comm, &request);
    if (!wait_politely(posted, &request) && written && !layer.settings.keep && !layer.trace)
        remove_file();
}

/* A run that this one has started, say by system("mpiexec ..."), finds the directory taken. */
static void list_others(struct profile *all)
{
    char list[400];
    if (place_others(&life_place, layer.ledger.header->started_unix, list, sizeof list))
        profile_warn(all, "other runs have written beside this one meanwhile: %s", list);
}

static void end_together(void)
{
    double start = clock_now();
    struct profile *mine = NULL, *all;
    int written = 0;
    inject_end();
    settle_clock(layer.ledger.header);
    memory_try(make_profile, &mine);
    all = merge_over_tree(mine, layer.comm);
    if (all && *company_sentence())
        profile_warn(all, "%s", company_sentence());
    if (all && *agreed_sentence())
        profile_warn(all, "%s", agreed_sentence());
    if (all)
        list_others(all);
    if (life_is_first())
        written = life_report(all, start);
    profile_free(all);
    remove_record(written);
    PMPI_Group_free(&layer.world);
    PMPI_Comm_free(&layer.comm);
}

/* What we write may meet a limit (ulimit -f) or a closed pipe: that is an error for us, and no
 * signal for the application. */
static void hold_signals(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGXFSZ);
    sigaddset(&ours, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &ours, before);
}

static void release_signals(const sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    if (!sigismember(before, SIGXFSZ))
        sigaddset(&ours, SIGXFSZ);
    if (!sigismember(before, SIGPIPE))
        sigaddset(&ours, SIGPIPE);
    while (sigtimedwait(&ours, NULL, &(struct timespec){0, 0}) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void life_end(void)
{
    sigset_t before;
    if (layer.phase != LAYER_RUNNING || getpid() != layer.pid)
        return;
    bool was_inside = thread.inside;
    thread_enter();
    layer.on = false;
    network_stop();
    hold_signals(&before);
    regions_count();
    close_books();
    layer.phase = LAYER_ENDED;
    if (layer.comm != MPI_COMM_NULL)
        end_together();
    else
        life_end_alone();
    release_signals(&before);
    thread.inside = was_inside;
}
