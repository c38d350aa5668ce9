#include "layer/members.h"

#include "record/layer.h"

#include <errno.h>
#include <string.h>

static struct launcher launcher;
static const struct mpi_built built = LAYER_MPI;

const struct launcher *members_launcher(void)
{
    launcher = launcher_read(&built);
    return &launcher;
}

bool members_are_strangers(void)
{
    if (layer.size > 1 || launcher.size <= 1)
        return false;
    if (launcher_speaks())
        layer_say("%s has started %d processes, but this one is alone in its MPI (%s): nothing is "
                  "recorded; use: %s ... collprof run",
                  launcher.name, launcher.size, built.title, launcher_command(&launcher, &built));
    return true;
}

int members_count(const struct run_directory *d, int *first)
{
    *first = 0;
    bool one_host = launcher.local_size == launcher.size;
    if (launcher.size != layer.size || launcher.parts == 1 || (launcher.parts < 2 && !one_host))
        return layer.size;
    if (d->error == EMFILE || d->error == ENFILE || d->error == ENOMEM)
        return 0; /* the others do not see this one either */
    int n = run_directory_ranks(d, layer.size, first);
    /* Where no record can be written, most runs are of one program. */
    return n == 0 && launcher.parts < 2 ? layer.size : n;
}

const char *members_command(const char *library)
{
    const char *command = launcher_command(&launcher, &built);
    bool its_own = command == built.launcher;
    return its_own && strncmp(library, built.title, strlen(built.title)) != 0 ? "mpiexec" : command;
}
