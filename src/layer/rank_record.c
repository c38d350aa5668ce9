/* This rank's record: created when the rank is known, prepared for calls after PMPI_Init. */
#include "base/input.h"
#include "base/quote.h"
#include "base/text.h"
#include "layer/parts.h"
#include "record/comms.h"
#include "record/operations.h"
#include "record/sites.h"
#include "tune/library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct run_directory run_directory = {.fd = -1};
struct record_owner record_owner;
char record_obstacle[1300];
static char file[48]; /* the record's file name in run_directory; "": it has no file */

/* If the program is a Python interpreter, stores its script: the first argument without "-". */
static void describe_script(struct ledger_header *h, const char *words, const char *end)
{
    const char *w = words;
    if (strncmp(text_base_of(h->program), "python", 6) != 0)
        return;
    for (; w < end && *w == '-' && strcmp(w, "-c") != 0; w += strlen(w) + 1)
        if (!strcmp(w, "-W") || !strcmp(w, "-X")) /* the next word is the option's value */
            w += strlen(w) + 1;
    if (w < end && *w != '-')
        text_copy(h->script, sizeof h->script, w);
}

static void describe_arguments(struct ledger_header *h, const char *words, const char *end)
{
    char quoted[2 * sizeof h->arguments];
    size_t at = 0;
    for (const char *w = words; w < end; w += strlen(w) + 1) {
        quote_shell(w, quoted, sizeof quoted);
        at += strlen(quoted) + 1;
        if (at >= sizeof h->arguments) {
            strcpy(h->arguments, " ...");
            return;
        }
        strcat(strcat(h->arguments, " "), quoted);
    }
}

/* Stores in H what is known of this process before MPI is initialized. */
static void describe_process(struct ledger_header *h)
{
    char words[PATH_MAX + sizeof h->arguments]; /* room for more than the header stores */
    h->rank = record_owner.rank;
    h->size = record_owner.size;
    h->run_id = record_owner.job;
    gethostname(h->host, sizeof h->host - 1);
    if (readlink("/proc/self/exe", h->program, sizeof h->program - 1) < 0)
        strcpy(h->program, "?");
    const char *end = words + input_read("/proc/self/cmdline", words, sizeof words),
               *first = words + strlen(words) + 1;
    describe_script(h, first, end);
    if (clock_source != CLOCK_SOURCE_EXTERNAL) /* the simulator has arguments of its own */
        describe_arguments(h, first, end);
    h->clock = clock_source;
    h->started_unix = clock_seconds(CLOCK_REALTIME);
    h->pair[0] = h->pair[1] = clock_read_pair();
    /* Stored last: a reader that finds this pid also finds all of the above. */
    __atomic_store_n(&h->pid, getpid(), __ATOMIC_RELEASE);
}

static void describe_run(struct ledger_header *h, int thread_level)
{
    char processor[MPI_MAX_PROCESSOR_NAME];
    int length;
    PMPI_Get_processor_name(processor, &length);
    text_copy(h->host, sizeof h->host, processor);
    tuning_library_name(h->mpi_library, sizeof h->mpi_library);
    text_copy(h->launcher, sizeof h->launcher, members_command(h->mpi_library));
    h->threads_at_once = thread_level == MPI_THREAD_MULTIPLE;
    h->pair[0] = h->pair[1] = clock_read_pair();
    h->ticks_per_second = 1e9 * 4294967296.0 / (double)layer.ns_per_tick;
    h->stack_depth = layer.stack_depth;
    noise_read(&h->noise[0]);
}

/* Creates the record. TAG: makes its file name unique. Returns NULL, or an error message. */
static const char *create_ledger(uint64_t tag)
{
    const int directory = run_directory.fd >= 0 ? run_directory.fd : AT_FDCWD;
    char path[sizeof run_directory.path + sizeof file];
    snprintf(file, sizeof file, "rank-%06d-%08x.ledger", record_owner.rank,
             (unsigned)(tag ^ tag >> 32));
    snprintf(path, sizeof path, "%s/%s", run_directory.path, file);
    int error = ledger_create(&layer.ledger, directory, path, (size_t)layer.settings.memory << 20,
                              n_mpi_functions);
    if (!error)
        return NULL;
    /* An empty file shows run_directory_ranks() that this rank has the layer, so that all ranks
     * agree not to record. Without any file, other ranks would record without this rank. */
    CLOSED int fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        *file = '\0';
    return strerror(error);
}

bool record_make(struct record_owner of)
{
    uint64_t tag = clock_ticks() ^ (uint64_t)getpid() << 32;
    record_owner = of;
    *file = *record_obstacle = '\0';
    const char *wrong = run_directory_make(&run_directory, layer.settings.output, of.job);
    wrong = wrong ?: create_ledger(tag);
    if (wrong)
        snprintf(record_obstacle, sizeof record_obstacle, "cannot write records to %s: %s",
                 run_directory.shown, wrong);
    else
        describe_process(layer.ledger.header);
    return *file;
}

void record_remove_file(void)
{
    run_directory_remove_file(&run_directory, file);
}

void record_drop(void)
{
    record_remove_file();
    run_directory_close(&run_directory);
    ledger_close(&layer.ledger);
    record_owner.job = 0;
}

void record_ensure(struct record_owner of)
{
    if (record_owner.job && (record_owner.rank != of.rank || record_owner.size != of.size ||
                             record_owner.job != of.job))
        record_drop();
    if (!record_owner.job)
        record_make(of);
}

const char *record_start(int thread_level)
{
    if (*record_obstacle)
        return record_obstacle;
    memcpy(layer.ledger.operations, mpi_functions, n_mpi_functions * sizeof *mpi_functions);
    layer.ledger.header->section[LEDGER_OPERATIONS].count = n_mpi_functions;
    layer.stack_depth = (unsigned)layer.settings.stack;
    layer.threaded = thread_level == MPI_THREAD_MULTIPLE;
    layer.pid = getpid();
    describe_run(layer.ledger.header, thread_level);
    if (layer_tables_start() || comms_start()) {
        record_drop();
        return strerror(ENOMEM);
    }
    modules_update();
    return NULL;
}
