#include "layer/members.h"

#include "base/hash.h"
#include "layer/store.h"
#include "record/layer.h"
#include "sync/politely.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { JOIN_TAG = 0x6370, BATCH = 256 };

static struct launcher launcher;
static const struct mpi_built built = LAYER_MPI;
static char sentence[200];
static bool announced;  /* not all ranks were started alike, for all that is known */
static uint64_t stored; /* what all with this output have put into the store; 0: none */
static int hindered;    /* an errno: this rank alone could make no file */

static bool is_one_host(void)
{
    return launcher.local_size == launcher.size;
}

const struct launcher *members_launcher(bool before_init)
{
    launcher = launcher_read(&built);
    uint64_t named = before_init && launcher.size > 1 && !is_one_host() ? store_open() : 0;
    launcher.run = named ? named : launcher.run;
    return &launcher;
}

void members_announce(const struct run_directory *d, const char *output, bool recorded)
{
    uint64_t name = hash_bytes(HASH_START, output, strlen(output)) | 1;
    announced = launcher.size > 1 && launcher.parts != 1;
    if (!announced)
        return;
    if (!recorded && (d->error == EMFILE || d->error == ENFILE || d->error == ENOMEM))
        hindered = d->error;
    else if ((!recorded || !is_one_host()) && store_open() && store_put(launcher.rank, name))
        stored = name;
}

/* The ranks that take part. */
struct members {
    int n;
    int first;  /* -1: none */
    bool among; /* this rank is one of them */
    MPI_Group group;
};

static void take_in(struct members *m, const int *ranks, int n)
{
    MPI_Group some, before = m->group;
    if (n == 0 || PMPI_Group_incl(layer.world, n, ranks, &some))
        return;
    PMPI_Group_union(before, some, &m->group);
    PMPI_Group_free(&some);
    if (before != MPI_GROUP_EMPTY)
        PMPI_Group_free(&before);
}

/* All ranks must come to the same answer, so none may ask for memory that it alone might not get:
 * a bit for each rank, and batches, are on the stack. */
static struct members find_members(const struct run_directory *d)
{
    struct members m = {.first = -1, .group = MPI_GROUP_EMPTY};
    uint64_t recorded[layer.size / 64 + 1];
    int batch[BATCH], n = 0;
    memset(recorded, 0, sizeof recorded);
    if (!stored)
        run_directory_ranks(d, recorded, layer.size);
    for (int i = 0; i < layer.size; i++) {
        if (stored ? store_get(i) != stored : !(recorded[i / 64] >> i % 64 & 1))
            continue;
        m.first = m.n++ ? m.first : i;
        m.among = m.among || i == layer.rank;
        batch[n++] = i;
        if (n == BATCH) {
            take_in(&m, batch, n);
            n = 0;
        }
    }
    take_in(&m, batch, n);
    return m;
}

static MPI_Comm join_all(void)
{
    MPI_Comm comm;
    return dup_politely(MPI_COMM_WORLD, &comm) ? MPI_COMM_NULL : comm;
}

static MPI_Comm join_some(const struct members *m, const struct run_directory *d)
{
    MPI_Comm comm = MPI_COMM_NULL;
    bool shared = stored || is_one_host();
    snprintf(sentence, sizeof sentence,
             "%d of %d ranks take part; the others run without collprof%s with another --output%s",
             m->n, layer.size, shared ? " or" : ",",
             shared ? "" : " or on hosts that do not share it");
    if (!m->among)
        layer_say("rank %d: cannot write to %s: it takes no part", layer.rank, d->shown);
    else if (m->first == layer.rank)
        layer_say("%s", sentence);
    if (m->among)
        PMPI_Comm_create_group(MPI_COMM_WORLD, m->group, JOIN_TAG, &comm);
    return comm;
}

MPI_Comm members_join(const struct run_directory *d)
{
    if (layer.size == 1 && launcher.size > 1) {
        if (launcher_speaks())
            layer_say("%s has started %d processes, but this one is alone in its MPI (%s): nothing "
                      "is recorded; use: %s ... collprof run",
                      launcher.name, launcher.size, built.title,
                      launcher_command(&launcher, &built));
        return MPI_COMM_NULL;
    }
    if (!announced || launcher.size != layer.size)
        return join_all();
    if (launcher.rank != layer.rank) { /* its record is taken for another's */
        layer_say("rank %d: %s calls it rank %d: it takes no part", layer.rank, launcher.name,
                  launcher.rank);
        return MPI_COMM_NULL;
    }
    if (hindered) {
        layer_say("rank %d: %s: %s: it takes no part", layer.rank, d->shown, strerror(hindered));
        return MPI_COMM_NULL;
    }
    struct members m = find_members(d);
    /* Where no record can be written, most runs are of one program. */
    bool all = m.n == layer.size || (m.n == 0 && launcher.parts < 2);
    MPI_Comm comm = all ? join_all() : join_some(&m, d);
    if (m.group != MPI_GROUP_EMPTY)
        PMPI_Group_free(&m.group);
    return comm;
}

const char *members_sentence(void)
{
    return sentence;
}

const char *members_command(const char *library)
{
    const char *command = launcher_command(&launcher, &built);
    bool its_own = command == built.launcher;
    return its_own && strncmp(library, built.title, strlen(built.title)) != 0 ? "mpiexec" : command;
}
