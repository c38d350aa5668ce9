/* Counts the ranks that have the layer. In a run of several programs (mpiexec -n 2 collprof run ./a
 * : -n 1 ./b) ranks of ./b are without it, and would never answer its messages. So each rank with
 * the layer creates its record before MPI_Init, which no rank leaves before all have entered it,
 * and counts the records afterwards: all count the same number. On several hosts under Hydra,
 * MPICH's launcher, they store and count keys in Hydra's key-value store (PMI) instead. */
#include "layer/parts.h"
#include "layer/store.h"

#include <string.h>

static struct launcher launcher;
static const struct mpi_built built = LAYER_MPI;
static bool recorded; /* this rank has a record file */
static bool stored;   /* this rank has put its key into Hydra's store */

static bool is_one_host(void)
{
    return launcher.local_size == launcher.size;
}

const struct launcher *members_launcher(bool before_init)
{
    launcher = launcher_read(&built);
    uint64_t named = before_init && launcher.size > 1 && !is_one_host() ? pmi_store_open() : 0;
    launcher.run = named ? named : launcher.run;
    return &launcher;
}

void members_announce(bool has_record)
{
    recorded = has_record;
    stored = launcher.size > 1 && launcher.parts != 1 && (!recorded || !is_one_host()) &&
             pmi_store_open() && pmi_store_put(launcher.rank);
}

static int count_stored(int *first)
{
    int n = 0;
    for (int i = layer.size; i-- > 0;)
        if (pmi_store_has(i)) {
            n++;
            *first = i;
        }
    return n;
}

bool members_run_alone(void)
{
    if (layer.size > 1 || launcher.size <= 1)
        return false;
    if (launcher_speaks())
        layer_say("%s has started %d processes, but this one is alone in MPI_COMM_WORLD (%s): "
                  "nothing is recorded; use: %s ... collprof run",
                  launcher.name, launcher.size, built.title, launcher_command(&launcher, &built));
    return true;
}

int members_count(const struct run_directory *d, int *first)
{
    *first = 0;
    if (launcher.size != layer.size || launcher.parts == 1)
        return layer.size;
    /* On one host only ranks without a record use the store: to find out if no rank has one. */
    if (stored)
        return count_stored(first);
    return recorded ? run_directory_ranks(d, layer.size, first) : 0;
}

const char *members_command(const char *library)
{
    const char *command = launcher_command(&launcher, &built);
    bool its_own = command == built.launcher;
    return its_own && strncmp(library, built.title, strlen(built.title)) != 0 ? "mpiexec" : command;
}
