#include "layer/company.h"

#include "layer/place.h"
#include "layer/store.h"
#include "record/layer.h"

#include "base/hash.h"
#include "base/launcher.h"
#include "base/own_file.h"
#include "sync/politely.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* The list is a file of this run beside the output directory, a seat for each rank; on several
 * hosts, which may not share that, the launcher's store where it has one. */
struct seat {
    uint64_t host; /* where process numbers mean the same */
    int64_t pid;   /* 0: empty */
    double time;   /* Unix */
};

/* All ranks of a run start within this time, in seconds: older seats are of an earlier run. */
static const double START_SPREAD = 60;
enum { JOIN_TAG = 0x6370, BATCH = 256 };

static struct launcher launcher;
static const struct mpi_built built = LAYER_MPI;
static struct seat mine;
static char list_path[1024 + 32];
static char sentence[200];
static uint64_t stored; /* what all with this output have put into the store; 0: none */
static int list = -1;   /* for a rank that may open no more files later */
static int no_seat;     /* an errno: why this rank alone could not take one */

static uint64_t this_host(void)
{
    char name[256] = "";
    struct stat st = {0};
    gethostname(name, sizeof name - 1);
    stat("/proc/self/ns/pid", &st);
    return hash_bytes(HASH_START, name, strlen(name)) ^ (uint64_t)st.st_ino;
}

static int open_list(int flags)
{
    return own_file_open(list_path, flags, 0600);
}

static bool is_one_host(void)
{
    return launcher.local_size == launcher.size;
}

static bool take_seat(void)
{
    place_make_parents(list_path);
    list = open_list(O_RDWR | O_CREAT);
    int error = list < 0 ? errno : 0;
    mine = (struct seat){this_host(), getpid(), clock_seconds(CLOCK_REALTIME)};
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        no_seat = error;
    if (list >= 0 && pwrite(list, &mine, sizeof mine, launcher.rank * (off_t)sizeof mine) < 0)
        unlink(list_path); /* no list is better than one without us */
    return list >= 0;
}

void company_announce(void)
{
    static struct settings settings;
    launcher = launcher_read(&built);
    if (!launcher.name || launcher.size < 2 || launcher.parts == 1)
        return; /* all ranks were started alike */
    if (getauxval(AT_SECURE))
        return;
    settings_read(&settings, settings_environment(), NULL, NULL);
    snprintf(list_path, sizeof list_path, "%s-%08x.ranks", settings.output,
             (unsigned)(launcher.run ^ launcher.run >> 32));
    bool seated = is_one_host() && take_seat();
    uint64_t name = hash_bytes(HASH_START, settings.output, strlen(settings.output)) | 1;
    if (!seated && !no_seat && store_put(launcher.rank, name))
        stored = name;
    else if (!is_one_host())
        take_seat();
}

static bool is_taken(const struct seat *s)
{
    if (!s->pid)
        return false;
    if (s->host == mine.host)
        return kill((pid_t)s->pid, 0) == 0 || errno == EPERM;
    return fabs(s->time - mine.time) < START_SPREAD;
}

static bool has_seat(int fd, int rank)
{
    struct seat s;
    return stored ? store_get(rank) == stored
                  : fd >= 0 && pread(fd, &s, sizeof s, rank * (off_t)sizeof s) == sizeof s &&
                        is_taken(&s);
}

/* The ranks with a seat. */
struct company {
    int n;
    int first;  /* -1: none */
    bool among; /* this rank is one of them */
    MPI_Group group;
};

static void take_in(struct company *c, const int *ranks, int n)
{
    MPI_Group some, before = c->group;
    if (n == 0 || PMPI_Group_incl(layer.world, n, ranks, &some))
        return;
    PMPI_Group_union(before, some, &c->group);
    PMPI_Group_free(&some);
    if (before != MPI_GROUP_EMPTY)
        PMPI_Group_free(&before);
}

/* Read once, and by batches on the stack: all ranks must come to the same answer, so none may ask
 * for memory that it alone might not get. */
static struct company read_list(void)
{
    struct company c = {.first = -1, .group = MPI_GROUP_EMPTY};
    int batch[BATCH], n = 0, fd = -1;
    if (!stored)
        fd = open_list(O_RDONLY); /* anew: what others have written meanwhile */
    if (fd < 0)
        fd = list;
    for (int i = 0; i < layer.size; i++) {
        if (!has_seat(fd, i))
            continue;
        c.first = c.n++ ? c.first : i;
        c.among = c.among || i == layer.rank;
        batch[n++] = i;
        if (n == BATCH) {
            take_in(&c, batch, n);
            n = 0;
        }
    }
    take_in(&c, batch, n);
    if (fd >= 0 && fd != list)
        close(fd);
    return c;
}

static MPI_Comm join_all(void)
{
    MPI_Comm comm;
    return dup_politely(MPI_COMM_WORLD, &comm) ? MPI_COMM_NULL : comm;
}

static MPI_Comm join_some(const struct company *c)
{
    MPI_Comm comm = MPI_COMM_NULL;
    snprintf(sentence, sizeof sentence,
             "%d of %d ranks take part; the others run without collprof%s with another --output%s",
             c->n, layer.size, stored || is_one_host() ? " or" : ",",
             stored || is_one_host() ? "" : " or on hosts that do not share it");
    if (!c->among)
        layer_say("rank %d: cannot write to %s: it takes no part", layer.rank, list_path);
    else if (c->first == layer.rank)
        layer_say("%s", sentence);
    if (c->among)
        PMPI_Comm_create_group(MPI_COMM_WORLD, c->group, JOIN_TAG, &comm);
    return comm;
}

MPI_Comm company_join(void)
{
    MPI_Comm comm;
    if (layer.size == 1 && launcher.size > 1) {
        if (launcher_speaks())
            layer_say(
                "%s has started %d processes, but this one is alone in its MPI (%s): nothing is "
                "recorded: %s ... collprof run would be right",
                launcher.name, launcher.size, built.title, launcher_command(&launcher, &built));
        company_forget();
        return MPI_COMM_NULL;
    }
    if (!*list_path || launcher.size != layer.size)
        return join_all();
    if (launcher.rank != layer.rank) { /* its seat is another's, who may believe to be alone */
        layer_say("rank %d: %s calls it rank %d: it takes no part", layer.rank, launcher.name,
                  launcher.rank);
        return MPI_COMM_NULL;
    }
    if (no_seat) {
        layer_say("rank %d: %s: %s: it takes no part", layer.rank, list_path, strerror(no_seat));
        return MPI_COMM_NULL;
    }
    struct company c = read_list();
    if (list >= 0)
        close(list);
    list = -1;
    /* Where no list can be written, most runs are of one program. */
    bool all = c.n == layer.size || (c.n == 0 && launcher.parts < 2);
    comm = all ? join_all() : join_some(&c);
    if (c.group != MPI_GROUP_EMPTY)
        PMPI_Group_free(&c.group);
    return comm;
}

uint64_t company_run(void)
{
    struct launcher l = launcher_read(&built);
    return l.run != HASH_START ? l.run | 1 : 0;
}

void company_forget(void)
{
    if (*list_path && !stored)
        unlink(list_path);
}

const char *company_sentence(void)
{
    return sentence;
}

const char *company_launcher(const char *library)
{
    const char *command = launcher_command(&launcher, &built);
    bool its_own = command == built.launcher;
    return its_own && strncmp(library, built.title, strlen(built.title)) != 0 ? "mpiexec" : command;
}
